"""Measuring, reading and comparing runs: `assay run`, `evaluate`, `report`, `runs`, `compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.api.commands import answer, settings
from assay.api.machine_object import Machine, as_described
from assay.api.result import CommandResult

if TYPE_CHECKING:
    from assay.document.known_run import KnownRun

Parameters = Mapping[str, object]


def run(
    benchmark: str,
    on: str | Path | Machine | None = None,
    parameters: Parameters | None = None,
    *,
    machine: Parameters | None = None,
    **options: object,
) -> CommandResult:
    """Run one benchmark here, or on a described machine (`on`: a `Machine`, a name, or a TOML file).

    `parameters`: the benchmark's, a sequence where each value is to be tried; `machine`: keys of the description to be
    changed; `options`: as the command line's without dashes, such as ranks=2 (`-n`), launches=5, out="folder".
    Figures are in SI units. A figure whose check failed has no value and the state "invalid"; InputError for what is
    wrong, MeasurementError for a launch that failed.
    """
    words = [*settings(parameters), *settings(machine, "machine.")]
    with as_described(on) as described:
        return CommandResult.of(answer("run", [benchmark], {"on": described, "set": words or None, **options}))


def evaluate(**options: object) -> CommandResult:
    """Measure every part of this machine, or of a described one (on="ipsc860"), and write the run's report.html.

    `options`: as the command line's without dashes, such as profile="standard", only="memory,messages",
    budget="10min".
    """
    return CommandResult.of(answer("evaluate", [], options))


def open(run: str | Path) -> CommandResult:
    """Read a run: its folder, an id of `runs()`, its label, or "latest". Nothing is measured and nothing is written."""
    from assay.cli import answered, emit
    from assay.document.json_form import to_json
    from assay.report.judge.first_figures import with_headlines
    from assay.report.judge.verdict import judged
    from assay.report.render.figure_list import of_sections
    from assay.store import Run
    from assay.verbs._compared_document import whole

    found = Run.open(run)
    document = with_headlines(judged(found, whole(found)))
    with answered() as documents:
        emit({"figures": of_sections(document)} | to_json(document))
    return CommandResult(documents[0])


def runs(last: int | None = None) -> list[KnownRun]:
    """List the runs that you made, the newest last.

    Each has id, label, created (Unix time), state, machine, profile, benchmarks, folder.
    """
    found: list[KnownRun] = answer("runs", [], {"last": last}).document["runs"]
    return found


def compare(
    run: str | Path | CommandResult, *others: str | Path | CommandResult, margin: float | None = None
) -> CommandResult:
    """Compare runs with runs and machines: `document["comparisons"]`, each with its judged rows.

    `margin`: count as equal what differs by no more (relative, such as 0.03); `passed` is then whether all is judged
    and equal.
    """
    named: Sequence[object] = [each.folder if isinstance(each, CommandResult) else each for each in (run, *others)]
    return CommandResult.of(answer("compare", named, {"margin": margin}))
