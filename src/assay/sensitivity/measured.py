"""Benchmarks played on a described machine with one number changed after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.benchmark.record import Benchmark
from assay.case import Case
from assay.described.shipped import open_described
from assay.document.reported_figure import ReportedFigure
from assay.document.sensitivity import Elasticity, Sensitivity
from assay.published.cells.answers import play
from assay.sensitivity.advice import improvements, scaled, to_measure
from assay.sensitivity.elasticities import Name, elasticities, medians
from assay.sensitivity.main_figures import main_figures
from assay.sensitivity.numeric_keys import numeric_keys


@dataclass(frozen=True)
class Question:
    """A benchmark, its parameters as a person typed them, and its number of ranks (None: a node program)."""

    record: Benchmark
    settings: Mapping[str, str]
    ranks: int | None


def sensitivity(
    on: str,
    overrides: Mapping[str, str],
    questions: Sequence[Question],
    progress: Callable[[str, int, int], None] = lambda benchmark, done, of: None,
) -> tuple[Sensitivity, list[ReportedFigure]]:
    """Elasticities of all figures, and the main figures of each benchmark. InputError, MeasurementError as a run has.

    `progress`: told the benchmark, how many keys are done, and how many there are.
    """
    machine = open_described(on, overrides)
    numbers = numeric_keys(machine)
    figures: list[ReportedFigure] = []
    shown: list[ReportedFigure] = []
    keys: list[Elasticity] = []
    for question in questions:
        name = question.record.name
        given = dict(question.settings) | ({} if question.ranks is None else {"on_ranks": question.ranks})

        def played(texts: Mapping[str, str], name: str = name, given: Mapping[str, object] = given) -> list[ReportedFigure]:
            found = play(open_described(on, {**overrides, **texts}), name, given).figures
            return [replace(each, kind="simulated") for each in found]

        base = played({})
        figures += [each for each in base if each.statistic == "median"]
        shown += main_figures(question.record, base)

        def values(texts: Mapping[str, str], name: str = name, played: Callable[..., list[ReportedFigure]] = played) -> dict[Name, float]:
            return medians(played(texts), name)

        keys += elasticities(
            numbers, medians(base, name), values, lambda done, name=name: progress(name, done, len(numbers))
        )
    main = {(each.benchmark, each.name, Case(each.params)): each for each in shown}
    return Sensitivity(
        machine=machine.name,
        figures=figures,
        keys=keys,
        times=scaled(keys, numbers),
        improve=improvements(keys, main),
        measure=None,
    ), shown
