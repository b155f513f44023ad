"""What `evaluate` does for its options; `plan` uses the same, so that it shows and refuses the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NotRequired, TypedDict

from assay.benchmark.record import Benchmark
from assay.benchmark.variants import MpiVariant
from assay.described.placed import listed
from assay.document.quoted import Quoted
from assay.errors import InputError, MeasurementError
from assay.execute.budget import bounded_start
from assay.execute.lab import ONE_MACHINE, laboratory_of, nodes_of_laboratory
from assay.execute.mpi_variants import requested_variants
from assay.execute.plan import check_profile, select_benchmarks
from assay.execute.preflight_tools import find_unmeasurable
from assay.execute.run_request import RunRequest, counts, seconds, share
from assay.execute.target import enough_ranks
from assay.execute.variants import taken_by
from assay.verbs import _quoted

MOST_PLAYED = 128  # ranks: an exchange of all with all grows by their square


@dataclass(frozen=True)
class Evaluation:
    """RunRequest, or what was published where nothing can be measured; `skipped`: what cannot be done here, and why."""

    request: RunRequest | None
    quoted: Quoted | None
    skipped: tuple[dict[str, str], ...] = ()


def _described_nodes(on: str | None, parts: Sequence[Benchmark]) -> set[str]:
    """The node programs whose kernels a description has a rate for; none where `on` is none."""
    if on is None:
        return set()
    from assay.described.shipped import find, open_described
    from assay.execute.node_simulated import describes

    try:
        find(on.partition(":")[0])
    except InputError:
        return set()  # a published machine, quoted
    machine = open_described(on, {})
    return {record.name for record in parts if record.kind == "node" and describes(machine, record)}


def _with_messages(
    parts: Sequence[Benchmark], say: Callable[[str], None]
) -> tuple[list[Benchmark], list[dict[str, str]]]:
    """The benchmarks that a laboratory can have, and what is skipped there; InputError where none is left."""
    kept = [record for record in parts if record.kind == "ranks"]
    names = ", ".join(record.name for record in parts if record.kind == "node")
    if not kept:
        raise InputError(
            f"these {ONE_MACHINE.replace('measures a node', 'measure a node')}", key="--via lab", value=names
        )
    if not names:
        return kept, []
    reason = "the hosts of a laboratory share this machine's processors"
    say(f"skipped: programs of one node: {reason}")
    return kept, [
        {"benchmark": names, "title": f"programs of one node ({names})", "reason": reason, "kind": "hardware"}
    ]


class EvaluationOptions(TypedDict):
    """An evaluation's options, as they were typed."""

    on: str | None
    via: str | None
    nodes: int | None
    ppn: str | None
    placement: str | None
    profile: str
    only: str | None
    launches: int | None
    within: str | None
    budget: str | None
    timeout: NotRequired[str | None]
    seed: int
    compilers: Sequence[str] | None
    flags: Sequence[str] | None
    isas: Sequence[str] | None
    mpis: Sequence[str] | None
    transports: Sequence[str] | None


def evaluation(options: EvaluationOptions, say: Callable[[str], None] = lambda text: None) -> Evaluation:
    """Turn an evaluation's options into what is to be done.

    `say` names what is skipped, and what is measured without a variant. InputError where options contradict each
    other, MeasurementError where what was named cannot be measured here.
    """
    with bounded_start(seconds(options["budget"], "--budget")):
        return _evaluation(options, say)


def _evaluation(options: EvaluationOptions, say: Callable[[str], None]) -> Evaluation:
    on, nodes, profile = options["on"], options["nodes"], options["profile"]
    check_profile(profile)
    parts = select_benchmarks(
        options["only"], first_look=profile == "quick" and on is None, profile=profile if on is None else None
    )
    skipped: list[dict[str, str]] = []
    if laboratory_of(options["via"]) is not None:
        parts, skipped = _with_messages(parts, say)
        nodes = nodes_of_laboratory(options["via"], nodes, None, parts)
    several = counts(options["ppn"], "--ppn")
    described = _described_nodes(on, parts)
    wanted = [record for record in parts if on is None or record.kind == "ranks" or record.name in described]
    if several and wanted and all(record.kind == "node" for record in wanted):
        problem = "is for message-passing benchmarks, but there are none here: the others are one process per node"
        raise InputError(problem, key="--ppn", value=options["ppn"])
    request = RunRequest(
        names=tuple(record.name for record in wanted),
        on=on,
        via=options["via"],
        nodes=nodes,
        ppn=several,
        profile=profile,
        launches=options["launches"] or _once(wanted, profile, on),
        within=share(options["within"], "--within"),
        budget=seconds(options["budget"], "--budget"),
        timeout=seconds(options.get("timeout"), "--timeout"),
        seed=options["seed"],
        one_rank_too=on is None and profile != "quick",
        placement=options["placement"],
        variants=requested_variants(
            wanted,
            on=on,
            mpis=options["mpis"] or (),
            transports=options["transports"] or (),
            compilers=options["compilers"] or (),
            flags=options["flags"] or (),
            isas=options["isas"] or (),
        ),
    )
    request.check()
    if nodes is None and on is not None:
        named = None if request.placement is None else listed(request.placement)
        request = _all_nodes(request, on) if named is None else replace(request, nodes=len(named))
    quoted = _quoted.quoted_whole(request, parts)
    if quoted is not None:
        return Evaluation(None, quoted)
    if on is not None and not wanted:
        return Evaluation(None, _quoted.quoted_nodes(on, str(options["only"]), parts))
    missing = find_unmeasurable(wanted, options["via"]) if on is None else None
    if missing is not None:
        wanted = [record for record in wanted if record not in missing.records]
        if options["via"] == "local" and not wanted:  # whatever is installed here
            raise InputError(missing.reason, key="--via", value="local", accepted="mpiexec, or no --via")
        if options["only"] is not None or not wanted:  # what a person named is not dropped
            raise MeasurementError(f"{missing.to_dict()['title']} cannot be measured: {missing.reason}")
        say(f"skipped: {missing.to_dict()['title']}: {missing.reason}")
    if request.variants:
        once = [record.name for record in wanted if record.name not in taken_by(request.names, request.variants)]
        if once and len(once) < len(wanted):
            of_messages = isinstance(request.variants[0], MpiVariant)
            why = "without messages" if of_messages else "since their kernels are not compiled separately"
            say(f"measured without variants, {why}: {', '.join(once)}")
    records = enough_ranks(wanted, on, request.nodes, several, say)
    skipped += [] if missing is None else [missing.to_dict()]
    skipped += [_too_few(record, on, request.nodes) for record in wanted if record not in records]
    return Evaluation(replace(request, names=tuple(record.name for record in records)), None, tuple(skipped))


def _once(records: Sequence[Benchmark], profile: str, on: str | None) -> int | None:
    """One launch, for a first look at benchmarks that are not in the quick profile; else None."""
    others = all(profile not in record.profiles for record in records)
    return 1 if profile == "quick" and on is None and records and others else None


def _too_few(record: Benchmark, on: str | None, nodes: int | None) -> dict[str, str]:
    """Give a benchmark that needs more ranks than there are places as an entry of a document's `left_out`."""
    least = record.least_ranks
    place = "hardware thread" if on is None else "node"
    reason = f"needs {least} ranks, each on a {place} of its own"
    if nodes is not None:
        reason += f", or --ppn {-(-least // nodes)} on {nodes} node{'s' * (nodes > 1)}"
    return {"benchmark": record.name, "title": record.title, "reason": reason, "kind": "ranks"}


def _all_nodes(request: RunRequest, on: str) -> RunRequest:
    """Let all nodes of a described machine take part, or so many of them; as they are where that is any number."""
    from assay.described.shipped import nodes_of, open_described, room, shipped

    if on.partition(":")[0] not in shipped() and not on.endswith(".toml"):
        return request  # only quoted, or unknown: reported elsewhere
    machine = open_described(on)
    if request.ppn:
        there = nodes_of(machine)
        return request if there is None else replace(request, nodes=min(there, max(1, MOST_PLAYED // max(request.ppn))))
    found = room(machine)
    return request if found is None else replace(request, ranks=min(found, MOST_PLAYED))
