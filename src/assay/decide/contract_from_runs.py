"""Contracts made of runs: limits from a reference, or learnt from a fleet, written as a person would write them."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay import versions
from assay.analysis.acceptance import planning_spread
from assay.analysis.tolerance import share_met, tolerance_limit, values_needed
from assay.benchmark.record import among
from assay.case import Case
from assay.decide.contract import LEAST_RELATIVE, MOST_RELATIVE, amount
from assay.decide.evidence import TOGETHER, sections_by_node
from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.section import Section
from assay.errors import InputError
from assay.report.judge.comparison import identity
from assay.report.render.case_words import words_of
from assay.report.units import human
from assay.store import Run
from assay.toml.source import TomlTable
from assay.toml.writing import write_toml

RISK = 0.05
INDIFFERENCE = 0.05
SPREAD = 0.03  # where launches are too few to know theirs
LEAST_LAUNCHES = 3


@dataclass
class FigureOfRuns:
    """A figure of one case: its value by run and node, and by which spread of launches it is planned."""

    benchmark: str
    figure: str
    case: Case
    unit: str
    higher: bool
    values: dict[tuple[str, str], float] = field(default_factory=dict)
    spreads: list[float] = field(default_factory=list)

    @property
    def spread(self) -> float:
        """How much launches differ, as a contract takes it."""
        found = statistics.median(self.spreads) if self.spreads else SPREAD
        return min(max(float(f"{found:.2g}"), LEAST_RELATIVE), MOST_RELATIVE)


def contract_of_reference(run: Run, tolerance: float) -> str:
    """Give a contract whose limits are a run's main figures, each worse by `tolerance` (relative).

    Of several nodes it is the median. InputError where the run has no figure to take.
    """
    tables = []
    for each in _figures([run]):
        value = statistics.median(each.values.values())
        limit = value * (1 - tolerance) if each.higher else value * (1 + tolerance)
        tables.append(_requirement(each, limit))
    comments = [f"Limits: the main figures of run {run.about['id']}, each worse by {tolerance:.3g} (relative)."]
    return _text(f"as {run.about.get('label') or run.about.get('machine') or run.about['id']}", tables, comments)


def contract_of_fleet(runs: Sequence[Run], coverage: float, confidence: float) -> str:
    """Give a contract whose limits a `coverage` of the nodes (of one node: of its runs) meets with this `confidence`.

    InputError where a figure has too few nodes or runs, with the number needed.
    """
    tables, needed = [], values_needed(coverage, confidence)
    fleet = True
    for each in _figures(runs):
        by_node: dict[str, list[float]] = defaultdict(list)
        for (_, node), value in each.values.items():
            by_node[node].append(value)
        several = len(by_node) > 1
        fleet &= several
        values = [statistics.median(of) for of in by_node.values()] if several else list(each.values.values())
        one_node = not several and TOGETHER not in by_node
        of = "nodes" if several else "runs of one node" if one_node else "runs"
        if len(values) < needed:
            stated = f"{coverage:.3g} of them at a confidence of {confidence:.3g}"
            problem = f"{len(values)} {of} have {each.benchmark} {each.figure}, too few for a limit of {stated}"
            raise InputError(problem, key="--learn", accepted=f"{needed} {of}, a lower --coverage or --confidence")
        limit = tolerance_limit(values, coverage, confidence, higher=each.higher)
        share = share_met(len(values), coverage, RISK) if several else 1.0
        fault = smallest_fault(limit, statistics.median(values), higher=each.higher)
        note = (
            f"by {len(values)} {of}: one like these misses it with a probability of at most {_percent(1 - coverage)} "
            f"(confidence {_percent(confidence)}); a usual one that is worse by {_percent(fault)} is rejected with a "
            f"probability of {_percent(1 - RISK)}" + "; other nodes may differ by more" * one_node
        )
        tables.append(_requirement(each, limit, {"share": math.floor(share * 1000) / 1000}, note))
    ids = ", ".join(str(run.about["id"]) for run in runs[:4]) + (f" and {len(runs) - 4} more" if len(runs) > 4 else "")
    return _text("as the fleet" if fleet else "as these runs", tables, [f"Limits learnt from runs {ids}."])


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def smallest_fault(limit: float, usual: float, *, higher: bool) -> float:
    """By how much (relative) a usual node must be worse that its shortfall from the limit is the indifference."""
    return abs(1 - limit * (1 - INDIFFERENCE if higher else 1 + INDIFFERENCE) / usual)


def _figures(runs: Sequence[Run]) -> list[FigureOfRuns]:
    """The main figures of runs, each with its value on each node, in the order of the runs."""
    found: dict[FigureKey, FigureOfRuns] = {}
    for run in runs:
        names = dict.fromkeys(about.benchmark for about, _ in run.tasks())
        for name, record in among(names).items():
            for node, section in sections_by_node(run, record).sections.items():
                for figure in _main(section):
                    if figure.value is None or figure.value <= 0 or figure.state not in ("clean", "disturbed"):
                        continue
                    case = identity(figure.params, record.outcomes)
                    case = case.without({key for key, value in case.items() if value is None})
                    key = (name, figure.name, case)
                    new = FigureOfRuns(name, figure.name, case, figure.unit, figure.better == "higher")
                    of = found.setdefault(key, new)
                    of.values[run.about["id"], node] = figure.value
                    launches = [value for _, value in figure.by_launch if value > 0]
                    if len(launches) >= LEAST_LAUNCHES:
                        of.spreads.append(planning_spread(launches, INDIFFERENCE))
    if not found:
        accepted = "a run with main figures that are clean or disturbed"
        raise InputError("has no figure for a limit", key="RUN", value=runs[0].about["id"], accepted=accepted)
    return list(found.values())


def _main(section: Section) -> list[ReportedFigure]:
    """The headlines; where there is none, every figure that represents its case."""
    heads = [each.figure for each in section.headlines if each.figure.main]
    return heads or [each for each in section.figures if each.main]


def _requirement(each: FigureOfRuns, limit: float, more: TomlTable | None = None, note: str | None = None) -> TomlTable:
    case = words_of(each.benchmark, each.case)
    name = f"{each.benchmark} {each.figure.replace('_', ' ')}{f' ({case})' if case else ''}"
    return {
        "name": name,
        **({} if note is None else {"note": note}),
        "benchmark": each.benchmark,
        "figure": each.figure,
        **({"case": dict(each.case)} if each.case else {}),
        "at_least" if each.higher else "at_most": _written(limit, each.unit),
        **(more or {}),
        "indifference": INDIFFERENCE,
        "spread": each.spread,
    }


def _written(value: float, unit: str) -> str | float:
    """Write a limit in people's units where these are read back, else in the SI unit."""
    if unit == "1":
        return float(f"{value:.6g}")
    text = human(value, unit, 6)
    try:
        if math.isclose(amount(text, unit), value, rel_tol=1e-5):
            return text
    except ValueError:
        pass
    return f"{value:.6g} {unit}"


def _text(name: str, requirements: Sequence[TomlTable], comments: Sequence[str]) -> str:
    tables = {"name": name, "risks": {"vendor": RISK, "buyer": RISK}, "requirement": list(requirements)}
    return write_toml(versions.marked(versions.CONTRACT, tables), comments)
