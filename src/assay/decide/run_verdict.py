"""A contract judged by runs that are there, whatever made them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay import installed
from assay.decide.contract import Contract, Requirement
from assay.decide.contract_verdict import judged_requirement, whole_verdict
from assay.decide.evidence import NodeEvidence, SectionsByNode, evidence, sections_by_node
from assay.decide.part_evidence import part_evidence
from assay.decide.what_decides import what_decides
from assay.document.acceptance import Acceptance, AcceptedRun, ContractNamed, StatedRisks
from assay.document.host_facts import HostFacts
from assay.errors import InputError
from assay.kinds import NumberKind
from assay.store import Run

NOTHING = SectionsByNode({}, (), None, described=False)


def judged_runs(
    contract: Contract,
    runs: Sequence[Run],
    looks: Mapping[str, tuple[int, ...]] | None = None,
    ended: str | None = None,
) -> Acceptance:
    """Judge a contract by runs; one of them has each benchmark.

    `looks`: the numbers of launches that were fixed beforehand, by benchmark; None: the launches that there are.
    InputError where two runs have one benchmark: which of both counts is not chosen afterwards.
    """
    of = runs_by_benchmark(contract, runs)
    found = {
        each.record.name: sections_by_node(of[each.record.name], each.record) if each.record.name in of else NOTHING
        for each in contract.requirements
    }
    judged = []
    for each in contract.requirements:
        name = each.record.name
        seen = _evidence(each, of.get(name), found[name])
        verdict = judged_requirement(contract, each, seen, (looks or {}).get(name))
        if looks is None or ended is not None:  # no further launch is made
            verdict = replace(verdict, decides=what_decides(contract, each, seen, verdict, of.get(name)))
        judged.append(verdict)
    return Acceptance(
        verdict=whole_verdict(judged),
        risks=StatedRisks(contract.vendor, contract.buyer),
        contract=ContractNamed(contract.name, str(contract.path), contract.sha256),
        assay=installed.version(),
        requirements=judged,
        runs=[_accepted(run) for run in runs],
        ended=ended,
    )


def _evidence(requirement: Requirement, run: Run | None, found: SectionsByNode) -> list[NodeEvidence]:
    if not requirement.parts or run is None:
        return evidence(requirement, found)
    return part_evidence(requirement, run, found)


def attach_runs(found: Acceptance, runs: Sequence[Run]) -> Acceptance:
    """Give the same with the runs as their folders are now: a run that has ended has the checksums of its files."""
    return replace(found, runs=[_accepted(run) for run in runs])


def runs_by_benchmark(contract: Contract, runs: Sequence[Run]) -> dict[str, Run]:
    """Return the run that has each benchmark of a contract. InputError where two runs have it."""
    found: dict[str, Run] = {}
    wanted = {each.record.name for each in contract.requirements}
    for run in runs:
        for name in wanted & {about.benchmark for about, _ in run.tasks()}:
            if name in found:
                problem, both = f"{name} is in two runs", f"{found[name].about['id']} and {run.about['id']}"
                raise InputError(problem, key="--run", value=both, accepted="one run of each benchmark")
            found[name] = run
    return found


def _accepted(run: Run) -> AcceptedRun:
    described = bool(run.about.get("described"))
    stated = HostFacts({} if described else run.about.get("host") or {})
    return AcceptedRun(
        run=run.about["id"],
        folder=str(run.folder),
        machine=run.about.get("machine"),
        created=run.about.get("created"),
        kind=(NumberKind.SIMULATED if described else NumberKind.MEASURED).value,
        processor=stated.cpu,
        kernel=stated.kernel,
        files=_digests(Path(run.folder)),
    )


def _digests(folder: Path) -> dict[str, str]:
    """Return the sha256 of a run's own files: its record, its journal and its tables."""
    found = {}
    try:
        for path in sorted((*folder.glob("*.json"), *folder.glob("*.jsonl"), *folder.glob("*.parquet"))):
            with path.open("rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=folder) from None
    return found
