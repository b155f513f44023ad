"""Elasticities by central differences through the simulator: d ln figure / d ln key.

A key is changed by 2% down and up, by whole grains (`numeric_keys`), and the elasticity is the ratio of the
differences of logarithms: of a time and of the rate that is its inverse it has the same size. Its error is below a
third of the step's square. Each figure is also compared one way: where the differences down and up disagree by more
than a smooth figure's could (a message's length is rounded to flits), the step is made four times as long, up to a
third. Where they disagree even then, the figure has a corner or a step there, and both are given.

A key is inert where no change of it, up to a third, changes a figure by a bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.sensitivity import Elasticity
from assay.errors import AssayError
from assay.sensitivity.numeric_keys import NumericKey

STEPS = (0.02, 0.08, 0.32)  # of the key's value
ROUNDED = 0.01  # of an elasticity: what rounding may leave
BENT = 0.5  # for each part of the step: twice what down and up of a smooth sum of powers differ by at most

Figures = Mapping[FigureKey, float]
Play = Callable[[Mapping[str, str]], Figures]  # of texts by dotted key; AssayError where that is no machine


def elasticities(
    keys: Sequence[NumericKey], base: Figures, play: Play, progress: Callable[[int], None] = lambda done: None
) -> Iterator[Elasticity]:
    """Each key with each figure of `base`, key by key."""
    found: dict[str, list[Elasticity]] = {}
    for done, key in enumerate(keys):
        found[key.key] = _of_key(key, base, play)
        progress(done + 1)
    unmoved = [key for key in keys if all(each.elasticity == 0 for each in found[key.key])]
    at_once = _unchanged(unmoved, base, play)
    for key in keys:
        inert = key in unmoved and (at_once or _unchanged([key], base, play))
        yield from (replace(each, inert=inert) for each in found[key.key])


def _of_key(key: NumericKey, base: Figures, play: Play) -> list[Elasticity]:
    """All figures of one key, each by the shortest step at which down and up agree; else by the longest."""
    found: dict[FigureKey, Elasticity] = {}
    tried: set[tuple[float | None, float | None]] = set()
    for step in STEPS:
        ends = key.moved(step)
        if ends in tried:  # a count changes by one, whatever the share
            continue
        tried.add(ends)
        played: list[Figures] = []
        why = ""
        for end in ends:
            try:
                played.append({} if end is None else play({key.key: key.text(end)}))
            except AssayError as error:
                played.append({})
                why = str(error)
        for name in [name for name in base if name not in found or found[name].bent]:
            changed = [
                (math.log(end / key.value), math.log(of[name] / base[name]))
                for end, of in zip(ends, played, strict=True)
                if end is not None and name in of
            ]
            if name not in found or len(changed) == len(ends):
                found[name] = _one(key, name, changed, why)
        if not any(each.bent for each in found.values()):
            break
    return list(found.values())


def _one(key: NumericKey, name: FigureKey, changed: Sequence[tuple[float, float]], why: str) -> Elasticity:
    """From logarithms of the key's and the figure's changes: down and up, or one of them."""
    benchmark, figure, params = name
    found = Elasticity(
        key=key.key, value=key.value, unit=key.unit, benchmark=benchmark, figure=figure, params=params,
        elasticity=None, inert=False, why=why or "the figure has no value with another number",
    )  # fmt: skip
    if not changed:
        return found
    slopes = [rise / run for run, rise in changed]
    down = next((slope for slope, (run, _) in zip(slopes, changed, strict=True) if run < 0), None)
    up = next((slope for slope, (run, _) in zip(slopes, changed, strict=True) if run > 0), None)
    runs, rises = zip(*changed, strict=True)
    if len(changed) == 1:
        return replace(found, elasticity=slopes[0], down=down, up=up, step=abs(runs[0]), why="")
    step = (runs[1] - runs[0]) / 2
    bent = abs(slopes[1] - slopes[0]) > ROUNDED + BENT * step
    between = (rises[1] - rises[0]) / (runs[1] - runs[0])
    return replace(found, elasticity=between, down=down, up=up, step=step, bent=bent, why="")


def _unchanged(keys: Sequence[NumericKey], base: Figures, play: Play) -> bool:
    """Whether figures stay as they are where all these keys are changed by a third at once, down and then up."""
    ends = {key: key.moved(STEPS[-1]) for key in keys}
    try:
        return all(
            dict(play({key.key: key.text(ends[key][side] or key.value) for key in keys})) == dict(base)
            for side in ((0, 1) if keys else ())
        )
    except AssayError:
        return False


def medians(figures: Sequence[ReportedFigure]) -> dict[FigureKey, float]:
    """The figures that have a value above 0, of which each is a median, by benchmark, name and case."""
    return {
        each.key: each.value
        for each in figures
        if each.statistic == "median" and each.value is not None and each.value > 0
    }
