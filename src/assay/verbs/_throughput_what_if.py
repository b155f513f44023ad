"""What is shown of settings that are compared: rows over seeds, and from where on a condition holds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.number_words import number_of
from assay.report.units import counted
from assay.verbs._throughput_words import setting_words, time_of

if TYPE_CHECKING:
    from assay.throughput.seeds import OverSeeds, SeedMean
    from assay.throughput.until import Condition, Until, UntilAnswer, UntilPoint
    from assay.throughput.what_if import WhatIf

MOST_DIGITS = 18  # enough to distinguish any two numbers


def until_lines(found: Until) -> Iterator[str]:
    """One line for each combination of the other settings."""
    from assay.throughput.until import condition

    wanted = condition(found.condition)
    for answer in found.answers:
        others = "".join(f", {key}={value}" for key, value in answer.setting.items())
        yield f"{found.condition}{others}: {_answer(found.key, answer, wanted)}"


def _answer(key: str, answer: UntilAnswer, wanted: Condition) -> str:
    if answer.first is None or answer.last is None:
        meets = "every value meets it" if answer.outcome == "always" else "no value meets it"
        number = _numbers(wanted, [])
        ends = f"{_point(answer.points[0], number)} to {_point(answer.points[-1], number)}"
        return f"the sweep of {key} does not bracket it, {meets}: {ends}"
    which = "from" if float(answer.first.value) > float(answer.last.value) else "up to"
    number = _numbers(wanted, [answer.first.metric, answer.last.metric])
    words = f"{which} {key} = {_point(answer.first, number)}; not at {_point(answer.last, number)}"
    if answer.certain is not None:
        words += f"; with its whole interval at {_point(answer.certain, number)}"
    elif answer.first.ci95 is not None:
        words += "; nowhere with its whole interval"
    if answer.changes > 1:
        words += f"; over the swept values it changes {answer.changes} times, this is the first"
    return words


def _numbers(wanted: Condition, metrics: Sequence[float]) -> Callable[[float], str]:
    """How values are written: with enough digits to distinguish different metrics, and metrics from the bound."""
    from assay.throughput.until import TIMES

    is_time = wanted.metric in TIMES
    different = {*metrics, wanted.value} if metrics else set()

    def usual(value: float) -> str:
        return time_of(value) if is_time else f"{value:.4g}"

    def finer(value: float, digits: int) -> str:
        return f"{counted(value, digits)}{' s' if is_time else ''}"

    def told_apart(write: Callable[[float], str]) -> bool:
        return len({write(value) for value in different}) == len(different)

    ways: list[Callable[[float], str]] = [usual]
    ways += [functools.partial(finer, digits=digits) for digits in range(5, MOST_DIGITS)]
    return next((way for way in ways if told_apart(way)), usual)


def _point(point: UntilPoint, number: Callable[[float], str]) -> str:
    interval = "" if point.ci95 is None else f", {number(point.ci95[0])} to {number(point.ci95[1])}"
    refused = f", {number_of(point.refused, 'job')} refused" if point.refused else ""
    return f"{point.value} ({number(point.metric)}{interval}{refused})"


def show_over_seeds(found: WhatIf, under: str) -> None:
    """A row for each combination but the seeds: means over these with their intervals, and the differences.

    `under`: words for the policy where it is no setting.
    """
    from assay.document.grid import grid
    from assay.report.render.console import listing

    def times(mean: SeedMean) -> str:
        return f"{time_of(mean.mean)} ({time_of(mean.ci95[0])} to {time_of(mean.ci95[1])})"

    keys = list(found.over_seeds[0].setting)
    names = [key.rpartition(".")[2] for key in keys]
    rows = [
        (
            *setting_words(each.setting),
            str(each.seeds),
            times(each.makespan),
            f"{100 * each.utilisation.mean:.1f}%",
            times(each.mean_wait),
            "{:.4g} ({:.4g} to {:.4g})".format(each.bounded_slowdown.mean, *each.bounded_slowdown.ci95),
        )
        for each in found.over_seeds
    ]
    headings = (*names, "seeds", "makespan", "in use", "mean wait", "slowdown")
    note = "Means over seeds with their 95% interval (Student), which ends at 0 s, or at a slowdown of 1."
    listing().print(grid(f"What if{under}", headings, rows, note, len(keys)).rich())
    worth = [(*setting_words(each.setting), *_differences(each)) for each in found.over_seeds if each.against_first]
    if worth:
        first = ", ".join(f"{key}={value}" for key, value in found.over_seeds[0].setting.items())
        note = f"Less those of {first}, paired by seed, with 95% intervals (Student)."
        headings = (*names, "makespan", "mean wait", "slowdown")
        listing().print(grid(f"What it is worth{under}", headings, worth, note, len(keys)).rich())


def _differences(each: OverSeeds) -> tuple[str, ...]:
    assert each.against_first is not None
    found = []
    for name, is_time in (("makespan", True), ("mean_wait", True), ("bounded_slowdown", False)):
        mean = each.against_first[name]
        values = (mean.mean, *mean.ci95)
        shown = [("-" if value < 0 else "+") + (time_of(abs(value)) if is_time else f"{abs(value):.4g}")
                 for value in values]  # fmt: skip
        found.append(f"{shown[0]} ({shown[1]} to {shown[2]})")
    return tuple(found)
