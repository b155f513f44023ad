"""The request of `assay run`'s options: the same for `compare --live`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from assay import former_names
from assay.benchmark.record import benchmark as record
from assay.benchmark.record import on_described
from assay.errors import InputError
from assay.execute.lab import nodes_of_laboratory
from assay.execute.mpi_variants import requested_variants
from assay.execute.run_request import RunRequest, counts, seconds, share, split
from assay.verbs import _file_names
from assay.verbs._device import add_device
from assay.verbs._output_files import check_outputs
from assay.verbs._repeated_option import each_once


def request_of(given: Mapping[str, Any]) -> RunRequest:
    """Turn the parsed options of `assay run`, by the names of its parameters, into what is to be measured.

    InputError where they contradict each other.
    """
    benchmark, on = given["benchmark"], given["on"]
    if benchmark is None:
        raise InputError("which benchmark is missing", key="run", accepted="a benchmark, or --command TEMPLATE")
    benchmark = former_names.accepted(benchmark)
    settings = add_device(benchmark, given["device"], given["settings"] or [])
    timeline, matrix, goal = given["timeline"], given["matrix"], given["goal"]
    own, machine = split(settings)
    check_outputs(
        {"--timeline": timeline, "--matrix": matrix, "--goal": goal}, {"--on": None if on is None else Path(on)}
    )
    _file_names.check_suffix("--timeline", timeline, "JSON", _file_names.TRACE)
    _file_names.check_suffix("--matrix", matrix, "CSV", _file_names.TABLE)
    _file_names.check_suffix("--goal", goal, "GOAL, text", _file_names.GOAL)
    if on is not None:
        benchmark = on_described(benchmark)
    rank_counts = counts(given["ranks"], "-n")
    kinds = {name: each.kind for name, each in record(benchmark).parameters.items()}
    each_once(settings, lambda key: kinds.get(key, "path") != "path")  # of a path a comma is a part
    variants = {key: given[key] or () for key in ("mpis", "transports", "compilers", "flags", "isas")}
    ranks = rank_counts[0] if rank_counts else None
    request = RunRequest(
        names=(benchmark,),
        on=on,
        via=given["via"],
        ranks=rank_counts[0] if len(rank_counts) == 1 else None,
        rank_counts=rank_counts if len(rank_counts) > 1 else (),
        nodes=nodes_of_laboratory(given["via"], given["nodes"], ranks, [record(benchmark)]),
        ppn=counts(given["ppn"], "--ppn"),
        placement=given["placement"],
        settings=own,
        machine=machine,
        profile=given["profile"],
        launches=given["launches"],
        within=share(given["within"], "--within"),
        budget=seconds(given["budget"], "--budget"),
        timeout=seconds(given["timeout"], "--timeout"),
        seed=given["seed"],
        timeline=None if timeline is None else str(timeline),
        matrix=None if matrix is None else str(matrix),
        verify=given["verify"],
        goal=None if goal is None else str(goal),
        variants=requested_variants([record(benchmark)], on=on, **variants),
    )
    request.check()
    return request


class RunWords(TypedDict):
    """The options of `assay run` that a comparison reads itself; it has all others, too."""

    on: str | None
    out: Path | None
    label: str | None


def parse_words(words: str) -> RunWords:
    """Parse the words of `assay run`, as a shell would split them. InputError as the command line has it."""
    from typer.exceptions import TyperException
    from typer.main import get_command

    from assay import cli
    from assay.verbs._usage import usage

    command: Any = vars(get_command(cli.application("run")))["commands"]["run"]
    try:
        parsed: RunWords = command.make_context("run", shlex.split(words)).params
    except TyperException as error:
        raise InputError(usage(error).removeprefix("assay: ").rstrip(), key="--live", value=words) from None
    except ValueError as error:  # a quotation that does not end
        raise InputError(f"cannot be split into words ({error})", key="--live", value=words) from None
    return parsed
