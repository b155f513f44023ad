"""Conclusions from elasticities: which keys a buyer gains most by, and which keys must be known better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from assay.case import Case
from assay.described.uncertainty import Uncertainty
from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.sensitivity import Elasticity, Improvement, ScaledTimes
from assay.sensitivity.numeric_keys import NumericKey

About = TypeVar("About", Elasticity, Improvement)
TENTH = 0.1
MOST = 5  # lines of each main figure
LEAST = 0.005  # a gain or an uncertainty below half a percent is no advice


def name_of(each: Elasticity | Improvement) -> FigureKey:
    """Benchmark, figure and case that an elasticity is of."""
    return each.benchmark, each.figure, Case(each.params)


def improvements(keys: Iterable[Elasticity], main: Mapping[FigureKey, ReportedFigure]) -> list[Improvement]:
    """What a tenth less or more of a key gains of each main figure, the most first, by a power law."""
    made = []
    for each in keys:
        figure = main.get(name_of(each))
        if figure is None or not each.elasticity:
            continue
        wanted = each.elasticity if figure.better == "higher" else -each.elasticity
        gain = abs((1 + TENTH if wanted > 0 else 1 - TENTH) ** each.elasticity - 1)
        if gain >= LEAST:
            change = "more" if wanted > 0 else "less"
            benchmark, name, params = name_of(each)
            made.append(
                Improvement(key=each.key, change=change, benchmark=benchmark, figure=name, params=params, gain=gain)
            )
    return _first(made, lambda one: one.gain)


def with_unsure(keys: Iterable[Elasticity], known: Uncertainty) -> list[Elasticity]:
    """The elasticities with what half of the key's interval moves the figure by; of keys that share a number, that."""
    group = {key: place for place, of in enumerate(known.keys) for key in of}
    listed = list(keys)
    together: dict[tuple[FigureKey, int], float] = {}
    for each in listed:
        if each.key in group:
            at = (name_of(each), group[each.key])
            together[at] = together.get(at, 0.0) + (each.elasticity or 0.0)
    widths = [(high - low) / 2 / value for value, (low, high) in zip(known.values, known.intervals, strict=True)]
    return [
        replace(each, unsure=abs(together[name_of(each), place]) * widths[place])
        if (place := group.get(each.key)) is not None
        else each
        for each in listed
    ]


def to_measure(
    keys: Iterable[Elasticity], main: Mapping[FigureKey, ReportedFigure], known_by: Uncertainty
) -> list[Elasticity]:
    """The keys whose intervals move a main figure most, of each figure the first ones; of a shared number one key."""
    first = {of[0] for of in known_by.keys}
    known = [each for each in keys if each.key in first and name_of(each) in main and (each.unsure or 0.0) >= LEAST]
    return _first(known, lambda each: each.unsure or 0.0)


def scaled(keys: Iterable[Elasticity], numbers: Sequence[NumericKey]) -> list[ScaledTimes]:
    """The sum of the elasticities of times, less those of rates, figure by figure."""
    power = {each.key: each.power for each in numbers}
    sums: dict[FigureKey, float] = {}
    for each in keys:
        name = name_of(each)
        sums[name] = sums.get(name, 0.0) + power[each.key] * (each.elasticity or 0.0)
    return [
        ScaledTimes(benchmark=benchmark, figure=figure, params=params, sum=total)
        for (benchmark, figure, params), total in sums.items()
    ]


def _first(found: Iterable[About], size: Callable[[About], float]) -> list[About]:
    """Of each figure the largest, in the order of the figures."""
    by_figure: dict[FigureKey, list[About]] = {}
    for each in found:
        by_figure.setdefault(name_of(each), []).append(each)
    return [each for of in by_figure.values() for each in sorted(of, key=size, reverse=True)[:MOST]]
