"""Pairs of launches, interleaved, and how they compare (method.md, rule 9): shared by the parts that compare."""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable, Sequence

from assay.analysis.comparison import MARGIN, Comparison, ComparisonVerdict, compare

Measure = Callable[[int], float]  # launch, from 1 on -> s, what it is reduced to
Pairs = tuple[list[float], list[float]]
Trio = tuple[float, float, float]  # of one launch, s: the plain program, the same again, ours
Unit = tuple[float, str]  # what seconds are multiplied with, and what they are called then


def interleaved(a: Measure, b: Measure, launches: int, say: str) -> Pairs:
    """So many pairs of launches, the order within each pair drawn."""
    order = random.Random(say)
    first: list[float] = []
    second: list[float] = []
    for launch in range(launches):
        turns: Sequence[tuple[Measure, list[float]]] = [(a, first), (b, second)]
        for measure, into in turns if order.random() < 0.5 else reversed(turns):
            into.append(measure(launch + 1))
        print(f"\r{say}: pair {launch + 1} of {launches} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return first, second


def against_itself(plain: Measure, launches: int, name: str, unit: Unit = (1.0, "s")) -> Pairs:
    """The A/A run: the plain program with itself, printed; it is its own measure of what can be distinguished here."""
    pairs = interleaved(plain, plain, launches, name)
    print(comparison_line(name, pairs, compare(*pairs, a_against_a=pairs), unit), flush=True)
    return pairs


def against(
    plain: Measure,
    ours: Measure,
    launches: int,
    name: str,
    itself: Pairs,
    statistic: str = "median",
    unit: Unit = (1.0, "s"),
) -> Comparison:
    """Ours over the plain program or a peer, after the A/A run `itself`; printed."""
    pairs = interleaved(plain, ours, launches, name)
    found = compare(*pairs, statistic=(statistic, statistic), a_against_a=itself)
    print(comparison_line(f"{name}, {statistic}s", pairs, found, unit), flush=True)
    return found


def in_one_launch(
    measure: Callable[[int], Trio],
    launches: int,
    name: str,
    statistic: str = "median",
    unit: Unit = (1.0, "s"),
    margin: float = MARGIN,
) -> Comparison:
    """The plain program with itself and ours over it, all three interleaved within each launch; printed.

    `statistic` is what `measure` reduces a launch to. `margin`: of the equivalence tests, the A/A run's as well; where
    a bound is set, what it allows (a speed of at least 0.95 of the plain program's: 5%).
    """
    found: list[Trio] = []
    for launch in range(launches):
        found.append(measure(launch + 1))
        print(f"\r{name}: launch {launch + 1} of {launches} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    plain, again, ours = ([each[side] for each in found] for side in range(3))
    itself = (plain, again)
    alone = compare(*itself, margin=margin, a_against_a=itself)
    print(comparison_line(f"{name}, plain with itself", itself, alone, unit), flush=True)
    answer = compare(plain, ours, margin=margin, statistic=(statistic, statistic), a_against_a=itself)
    print(comparison_line(f"{name}, ours over plain, {statistic}s", (plain, ours), answer, unit), flush=True)
    return answer


def comparison_line(name: str, pairs: Pairs, found: Comparison, unit: Unit) -> str:
    """One line of the answer."""
    interval = "no interval" if found.ci95 is None else f"95% {found.ci95[0]:.4f} to {found.ci95[1]:.4f}"
    spread = "" if found.spread is None else f"; A/A pairs {found.spread[0]:.3f} to {found.spread[1]:.3f}"
    first, second = (statistics.median(side) * unit[0] for side in pairs)
    way = ", slower" if found.ratio > 1 else ", faster"
    verdict = {ComparisonVerdict.UNKNOWN: "inconclusive here", ComparisonVerdict.DIFFERS: f"differs{way}"}.get(
        found.verdict, "equal"
    )
    medians = f"{first:.4g} and {second:.4g} {unit[1]}"
    return f"{name}: {verdict}: ratio {found.ratio:.4f} ({interval}){spread}; {medians}; {found.reason}"
