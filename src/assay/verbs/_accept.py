"""What `assay accept` does: contracts written, runs judged, and how verdicts are shown."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import progress
from assay.benchmark.record import benchmark
from assay.decide import acceptance_junit, acceptance_tables
from assay.decide import sheet as sheets
from assay.decide.contract import Contract, read_contract
from assay.decide.contract_from_runs import contract_of_fleet, contract_of_reference
from assay.decide.contract_plan import PlannedBenchmark, plan_contract
from assay.decide.contract_template import TEMPLATE
from assay.decide.measured_contract import MeasuredBenchmark, measured_contract
from assay.decide.run_verdict import attach_runs, judged_runs
from assay.document.acceptance import Acceptance
from assay.document.json_form import to_json
from assay.errors import InputError
from assay.execute.lab import nodes_of_laboratory
from assay.execute.run_request import RunRequest, counts, seconds, share
from assay.report.render.console import listing
from assay.store import Run, storage_failed
from assay.stored.lines import write_whole
from assay.verbs import _file_names
from assay.verbs._interleaved import interleave_runs
from assay.verbs._output_files import check_outputs

TOLERANCE = 0.05  # of limits by a reference
RATE = 0.95  # coverage and confidence of what is learnt


@dataclass(frozen=True)
class MeasurementRequest:
    """Where and how often is measured, by the command line."""

    on: str | None
    via: str | None
    nodes: int | None
    ppn: str | None
    launches: int | None
    timeout: str | None
    seed: int
    out: Path | None

    def request(self, planned: PlannedBenchmark) -> RunRequest:
        """What is to be measured of one benchmark."""
        several = counts(self.ppn, "--ppn")
        made = RunRequest(
            names=(planned.name,),
            on=self.on,
            via=self.via,
            nodes=nodes_of_laboratory(self.via, self.nodes, None, [benchmark(planned.name)]),
            ppn=several if benchmark(planned.name).kind == "ranks" else (),
            settings=dict(planned.settings),
            launches=planned.looks[-1],
            timeout=seconds(self.timeout, "--timeout"),
            seed=self.seed,
        )
        made.check()
        return made


def judge_stored_runs(contract: Path, names: Sequence[str]) -> Acceptance:
    """Judge runs that are there."""
    return judged_runs(read_contract(contract), [Run.open(name) for name in names])


def measure_contract(contract: Path, options: MeasurementRequest, *, quiet: bool) -> Acceptance:
    """Measure what a contract needs, and judge it. MeasurementError where a launch fails."""
    read = read_contract(contract)
    plans = plan_of(read, options)
    if not quiet:
        for line in words_of(plans):
            print(line, file=sys.stderr)
    with interleave_runs() as runs:
        for each in [options.request(one) for one in plans]:
            runs.admit(each)
        for one in plans:
            out = None if options.out is None else options.out / one.name if len(plans) > 1 else options.out
            stated = {"file": str(contract), "sha256": read.sha256, "looks": list(one.looks)}
            runs.begin(one.name, out, about={"contract": stated})
        most = max(one.looks[-1] for one in plans)
        with progress.counted("measuring", "launches", most, quiet, at_most=True) as advance:
            found = measured_contract(
                read,
                [MeasuredBenchmark(one, side) for one, side in zip(plans, runs.sides, strict=True)],
                seed=options.seed,
                say=lambda text: None if quiet else print(text, file=sys.stderr),
                advance=advance,
            )
    return attach_runs(found, [side.run for side in runs.sides])


def plan_of(contract: Contract, options: MeasurementRequest) -> tuple[PlannedBenchmark, ...]:
    """What would be measured; a described machine gives the same at every launch, and needs one."""
    return plan_contract(contract, options.nodes or 1, 1 if options.on is not None else options.launches)


def words_of(plans: Sequence[PlannedBenchmark]) -> list[str]:
    """The plan, one line per benchmark."""
    return [
        f"{each.name}: at most {each.looks[-1]} launch{'es' * (each.looks[-1] > 1)}, looked at after "
        + ", ".join(map(str, each.looks))
        + "".join(f"; {key} {value}" for key, value in each.settings.items())
        for each in plans
    ]


def contract_from_run(run: str, tolerance: str | None) -> str:
    """A contract by the figures of a run, each worse by a share."""
    return contract_of_reference(Run.open(run), share(tolerance, "--tolerance") or TOLERANCE)


def learnt(runs: Sequence[str], coverage: str | None, confidence: str | None) -> str:
    """A contract that the nodes of these runs meet."""
    if not runs:
        raise InputError("the runs are missing", key="--learn", accepted="RUN…")
    stated = [share(text, option) for text, option in ((coverage, "--coverage"), (confidence, "--confidence"))]
    opened = {run.about["id"]: run for run in map(Run.open, runs)}
    return contract_of_fleet(list(opened.values()), stated[0] or RATE, stated[1] or RATE)


def write_contract(text: str, path: Path | None, *, json: bool) -> None:
    """Write a contract into a file, which it names, or print it."""
    from assay.cli import emit

    if path is not None:
        _file_names.check_suffix("--out", path, "TOML", _file_names.DESCRIPTION)
        check_outputs({"--out": path}, {})
        write_file(path, text)
    if json:
        emit({"contract": text, "file": None if path is None else str(path)})
    else:
        print(text if path is None else path, end="" if path is None else "\n")


def write(found: Acceptance, junit: Path | None, sheet: Path | None) -> None:
    """Write the verdicts into files. InputError where one cannot be written."""
    for path, made in ((junit, acceptance_junit.junit), (sheet, sheets.sheet)):
        if path is not None:
            write_file(path, made(found))


def write_file(path: Path, text: str) -> None:
    """Write a file anew, whole or not at all. InputError where it cannot be written."""
    try:
        write_whole(path, text)
    except OSError as error:
        storage_failed(error, path)


def show(found: Acceptance, *, quiet: bool, json: bool) -> None:
    """Print the verdict: as a document, or as a table with reasons and a line that sums it up."""
    from assay.cli import emit

    if json:
        emit(to_json(found))
        return
    out = listing()
    if not quiet:
        out.print(acceptance_tables.table(found).rich())
        for reason in acceptance_tables.reasons(found):
            out.print(reason, highlight=False, markup=False, soft_wrap=True)
    out.print(acceptance_tables.one_line(found), highlight=False, markup=False, soft_wrap=True)


def show_plan(contract: Path, options: MeasurementRequest, *, quiet: bool, json: bool) -> None:
    """Print what would be measured."""
    from assay.cli import emit

    plans = plan_of(read_contract(contract), options)
    if json:
        emit({"planned": [each.to_dict() for each in plans]})
    elif quiet:
        print(
            f"{len(plans)} benchmark{'s' * (len(plans) > 1)}, {sum(each.looks[-1] for each in plans)} launches at most"
        )
    else:
        for line in words_of(plans):
            print(line)


def print_template(json: bool) -> None:
    """Print a contract to begin with."""
    from assay.cli import emit

    if json:
        emit({"contract": TEMPLATE, "file": None})
    else:
        print(TEMPLATE, end="")
