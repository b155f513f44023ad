"""Answers of a simulated machine: from samples of a run, or from the same programs simulated on demand.

An answer is a median figure of a case, derived from samples by the benchmark's record as in every report. A described
machine is deterministic, so that a case played again gives the same answer, and simulating on demand is cheap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from assay.analysis.figures import cells, figures
from assay.benchmark.record import Scalar
from assay.benchmark.record import benchmark as record_of
from assay.case import Parameters
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described, room
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.errors import AssayError
from assay.execute.plan import arguments_of
from assay.samples import Circumstance, Measured, folded

Setting = Scalar | Sequence[Scalar]  # a value, or several that are each tried
Settings = Mapping[str, Setting]


@dataclass(frozen=True)
class Answer:
    """One figure's value (SI) and the case that it is of."""

    params: Parameters
    value: float


class Answers(Protocol):
    """Where answers come from."""

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Setting) -> list[Answer]:
        """All values of a figure on a machine (`name` or `name:variant`) for these settings; empty where none."""


@dataclass
class Play:
    """What one play gave: figures, and for each case where its messages' time went (seconds per message)."""

    figures: list[ReportedFigure]
    accounts: list[dict[str, float]]


@dataclass
class Played:
    """Plays each question once and remembers; what cannot be played is remembered with its reason in `refused`."""

    overrides: Mapping[str, str] = field(default_factory=dict)
    _known: dict[tuple[object, ...], Play] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Setting) -> list[Answer]:
        """Play it unless it is known."""
        return [
            Answer(found.params, found.value)
            for found in self._play(machine, benchmark, settings).figures
            if found.name == figure and found.statistic == "median" and found.value is not None
        ]

    def account(self, machine: str, benchmark: str, **settings: Setting) -> dict[str, float]:
        """Where the time of the last case went, seconds per message by kind; empty where there is no account."""
        accounts = self._play(machine, benchmark, settings).accounts
        return accounts[-1] if accounts else {}

    def _play(self, machine: str, benchmark: str, settings: Settings) -> Play:
        key = (machine, benchmark, *sorted((name, _text(value)) for name, value in settings.items()))
        if key not in self._known:
            try:
                self._known[key] = play(open_described(machine, self.overrides), benchmark, settings)
            except AssayError as error:
                self.refused[f"{benchmark} on {machine}"] = str(error)
                self._known[key] = Play([], [])
        return self._known[key]


@dataclass
class FromRun:
    """Answers from the figures that a run of one described machine holds; what it does not hold is played."""

    document: Document
    machine: str
    played: Played

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Setting) -> list[Answer]:
        """From the run where it has every requested case."""
        return self.held(machine, benchmark, figure, settings) or self.played.ask(
            machine, benchmark, figure, **settings
        )

    def held(self, machine: str, benchmark: str, figure: str, settings: Settings) -> list[Answer]:
        """From the run alone; empty where it lacks a requested case."""
        if machine != self.machine:
            return []
        wanted = {key: tuple(value) if isinstance(value, list | tuple) else (value,) for key, value in settings.items()}
        found = [
            Answer(each.params, each.value)
            for section in self.document.benchmarks
            if section.benchmark == benchmark
            for each in section.figures
            if each.name == figure and each.statistic == "median" and each.value is not None
            if all(each.params.get(key) in values for key, values in wanted.items())
        ]
        cases = 1
        for values in wanted.values():
            cases *= len(values)
        return found if len(found) == cases else []


def play(description: DescribedMachine, benchmark: str, settings: Settings) -> Play:
    """Run a benchmark on a described machine; `on_ranks` among the settings is the number of ranks, if not all,
    and `per_node` how many of them on each node.

    Raises InputError and MeasurementError as running it does.
    """
    from assay.execute import node_simulated, simulated

    record = record_of(benchmark)
    given = {name: _text(value) for name, value in settings.items()}
    per_node, on_ranks = (int(given.pop(key, 0)) or None for key in ("per_node", "on_ranks"))
    arguments = (*arguments_of(record, given, "quick"), "--seed", "1", "--launch", "0")
    if record.kind == "node":
        about = Circumstance("", benchmark, record.part, description.name, 0, 0, 1, "")
        played = folded(node_simulated.events(description, record, arguments), about)
        blocks = [each for each in played if isinstance(each, Measured)]
        rows = [(b.block.metric, b.block.case, b.block.host, 0, b.values, b.block.batch, False) for b in blocks]
        return Play(figures(record, cells(rows)), [])
    ranks = on_ranks or room(description, per_node)
    launch = simulated.play(description, record, arguments, ranks, per_node)
    launch.require_end(f"{benchmark} on {description.name}")
    found = figures(record, cells(launch.observations(description.name)))
    return Play(found, [each for each in launch.launch.accounts if each is not None])


def _text(value: Setting) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(_text(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
