"""What is shown of settings that are compared: rows over seeds, and from where on a condition holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.verbs._throughput_words import time_of

if TYPE_CHECKING:
    from assay.throughput.seeds import OverSeeds, SeedMean
    from assay.throughput.until import Until, UntilAnswer, UntilPoint
    from assay.throughput.what_if import WhatIf


def until_lines(found: Until) -> Iterator[str]:
    """One line for each combination of the other settings."""
    from assay.throughput.until import TIMES

    is_time = found.condition.split()[0].partition("<")[0].partition(">")[0] in TIMES
    for answer in found.answers:
        others = "".join(f", {key}={value}" for key, value in answer.setting.items())
        yield f"{found.condition}{others}: {_answer(found.key, answer, is_time)}"


def _answer(key: str, answer: UntilAnswer, is_time: bool) -> str:
    if answer.first is None or answer.last is None:
        meets = "every value meets it" if answer.outcome == "always" else "no value meets it"
        ends = f"{_point(answer.points[0], is_time)} to {_point(answer.points[-1], is_time)}"
        return f"the sweep of {key} does not bracket it, {meets}: {ends}"
    which = "from" if float(answer.first.value) > float(answer.last.value) else "up to"
    words = f"{which} {key} = {_point(answer.first, is_time)}; not at {_point(answer.last, is_time)}"
    if answer.certain is not None:
        words += f"; with its whole interval at {_point(answer.certain, is_time)}"
    elif answer.first.ci95 is not None:
        words += "; nowhere with its whole interval"
    if answer.changes > 1:
        words += f"; over the swept values it changes {answer.changes} times, this is the first"
    return words


def _point(point: UntilPoint, is_time: bool) -> str:
    def number(value: float) -> str:
        return time_of(value) if is_time and value >= 0 else f"{value:.4g}"

    interval = "" if point.ci95 is None else f", {number(point.ci95[0])} to {number(point.ci95[1])}"
    refused = f", {point.refused:,} jobs refused" if point.refused else ""
    return f"{point.value} ({number(point.metric)}{interval}{refused})"


def show_over_seeds(found: WhatIf, under: str) -> None:
    """A row for each combination but the seeds: means over these with their intervals, and the differences.

    `under`: words for the policy where it is no setting.
    """
    from rich.console import Console

    from assay.document.grid import grid

    def times(mean: SeedMean) -> str:
        return f"{time_of(mean.mean)} ({time_of(mean.ci95[0])} to {time_of(mean.ci95[1])})"

    keys = list(found.over_seeds[0].setting)
    names = [key.rpartition(".")[2] for key in keys]
    rows = [
        (
            *each.setting.values(),
            str(each.seeds),
            times(each.makespan),
            f"{100 * each.utilisation.mean:.1f}%",
            times(each.mean_wait),
            "{:.4g} ({:.4g} to {:.4g})".format(each.bounded_slowdown.mean, *each.bounded_slowdown.ci95),
        )
        for each in found.over_seeds
    ]
    headings = (*names, "seeds", "makespan", "in use", "mean wait", "slowdown")
    note = "Means over seeds with their 95% interval (Student)."
    Console().print(grid(f"What if{under}", headings, rows, note, len(keys)).rich())
    worth = [(*each.setting.values(), *_differences(each)) for each in found.over_seeds if each.against_first]
    if worth:
        first = ", ".join(f"{key}={value}" for key, value in found.over_seeds[0].setting.items())
        note = f"Less those of {first}, paired by seed, with 95% intervals (Student)."
        headings = (*names, "makespan", "mean wait", "slowdown")
        Console().print(grid(f"What it is worth{under}", headings, worth, note, len(keys)).rich())


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
