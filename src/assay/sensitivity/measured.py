"""Benchmarks played on a described machine with one number changed after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assay.benchmark.record import Benchmark
from assay.described.shipped import open_described
from assay.described.uncertainty import uncertainty
from assay.document.reported_figure import ReportedFigure
from assay.document.sensitivity import Elasticity, Sensitivity
from assay.published.cells.answers import play
from assay.sensitivity.advice import improvements, scaled, to_measure, with_unsure
from assay.sensitivity.elasticities import Figures, elasticities, medians
from assay.sensitivity.main_figures import main_figures
from assay.sensitivity.numeric_keys import numeric_keys

Progress = Callable[..., None]  # of a benchmark's name, how many keys are done, and `of` how many


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
    progress: Progress = lambda benchmark, done, of: None,
) -> tuple[Sensitivity, list[ReportedFigure]]:
    """Elasticities of all figures, and each benchmark's main figures. Raises what a run of them raises."""
    machine = open_described(on, overrides)
    numbers = numeric_keys(machine)
    figures: list[ReportedFigure] = []
    shown: list[ReportedFigure] = []
    keys: list[Elasticity] = []
    for question in questions:
        name = question.record.name
        played = partial(_played, on, overrides, question)
        base = played({})
        figures += [each for each in base if each.statistic == "median"]
        shown += main_figures(question.record, base)
        report = partial(progress, name, of=len(numbers))
        keys += elasticities(numbers, medians(base), partial(_values, played), report)
    known = uncertainty(machine)
    if known is not None:
        keys = with_unsure(keys, known)
    main = {each.key: each for each in shown}
    return Sensitivity(
        machine=machine.name,
        figures=figures,
        keys=keys,
        times=scaled(keys, numbers),
        improve=improvements(keys, main),
        measure=None if known is None else to_measure(keys, main, known),
    ), shown


def _played(on: str, overrides: Mapping[str, str], of: Question, texts: Mapping[str, str]) -> list[ReportedFigure]:
    """A benchmark's figures with other numbers at the keys of `texts`."""
    ranks = {} if of.ranks is None else {"on_ranks": of.ranks}
    found = play(open_described(on, {**overrides, **texts}), of.record.name, {**of.settings, **ranks})
    return [replace(each, kind="simulated") for each in found.figures]


def _values(played: Callable[[Mapping[str, str]], list[ReportedFigure]], texts: Mapping[str, str]) -> Figures:
    return medians(played(texts))
