"""Claims of figures 4, 6 and 7 and Table 2: response by width of the I/O network, saturation, sizes of the cube."""

from __future__ import annotations

import math
from itertools import pairwise

from assay.machine.published import Claim
from assay.network.study.results import Results, values
from assay.published.cells import allowance
from assay.published.judge import Accepted, ClaimPart, accepted, fact, judged
from assay.validation.ghosh.judging import judges, little, same, unsaturated
from assay.validation.ghosh.points import (
    alike,
    before,
    bracket_in,
    bracket_words,
    close_on_plot,
    less,
    ratio,
    span,
    trend,
    value,
)


@judges(
    "ghosh.b2-drastic-gain",
    "No number is printed: drastic is more than what section 5.5 calls an improvement, 40%, where none is saturated.",
)
def _b2_gain(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for t_a in values(results.points, "t_a"):
        two = results.point(b=2, t_a=t_a)
        for b in (0, 1):
            other = results.point(b=b, t_a=t_a)
            if two.saturated or other.saturated:
                continue
            middle, interval = ratio(two, other, "read", 8)
            words = f"t_a {t_a:g} us: reads with b = 2 take {middle:.2f} of those with b = {b}"
            parts.append(judged(interval, Accepted(0, 0.6), words))
    return parts


@judges("ghosh.pe-pe-lower-with-io-network", "Wherever neither is saturated.")
def _pe_pe_lower(results: Results, claim: Claim) -> list[ClaimPart]:
    control = {point.value("t_a"): point for point in unsaturated(results.of(b=0))}
    others = [point for b in (1, 2, 3, 4) for point in unsaturated(results.of(b=b)) if point.value("t_a") in control]
    return [
        less(
            p,
            control[p.value("t_a")],
            "pe_pe",
            (f"t_a {p.value('t_a'):g} us, b = {p.value('b')}", "b = 0"),
            len(others),
        )
        for p in others
    ]


@judges("ghosh.pe-pe-equal-unsaturated")
def _pe_pe_equal(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for t_a in values(results.points, "t_a"):
        two = results.point(b=2, t_a=t_a)
        for b in (3, 4):
            other = results.point(b=b, t_a=t_a)
            if not two.saturated and not other.saturated:
                names = (f"t_a {t_a:g} us, b = 2", f"b = {b}")
                parts.append(alike(two, other, "pe_pe", names, same(claim), 10))
    for point in results.of(b=1):
        wide = results.point(b=2, t_a=point.value("t_a"))
        if point.saturated and not wide.saturated:
            parts.append(less(point, wide, "pe_pe", (f"t_a {point.value('t_a'):g} us, b = 1, saturated", "b = 2"), 10))
    return parts


@judges(
    "ghosh.waiting-dominates-when-saturated",
    "Of the forwarded requests' header latency, what is not waiting at the source, for b = 1 and 2 at the highest "
    "rate. "
    "The share falls with the length of the run, as waiting then grows without bound; which b is meant is not said.",
)
def _waiting(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    fastest = values(results.points, "t_a")[0]
    for b in (1, 2):
        point = results.point(b=b, t_a=fastest)
        shares = [
            1 - wait / whole for wait, whole in zip(point.means["io_io_waiting"], point.means["io_io"], strict=True)
        ]
        low, high = 100 * min(shares), 100 * max(shares)
        words = f"b = {b}: network {low:.1f}% to {high:.1f}% of the latency (published: 6% to under 1%)"
        parts.append(judged((low, high), Accepted(0, 6), words))
    return parts


@judges("ghosh.b1-saturates-before-b0")
def _b1_before_b0(results: Results, claim: Claim) -> list[ClaimPart]:
    return [before(results.bracket(b=1), results.bracket(b=0), ("b = 1", "b = 0"))]


@judges("ghosh.saturation-b1-simulation")
@judges("ghosh.saturation-b2-simulation")
def _range(results: Results, claim: Claim) -> list[ClaimPart]:
    b = claim.params["b"]
    assert claim.value_min is not None and claim.value_max is not None
    return [bracket_in(results.bracket(b=b), claim.value_min, claim.value_max, f"b = {b}")]


@judges("ghosh.saturation-b0-simulation", "'Around 22.2' is half way to the next rate that Table 2 names.")
def _b0(results: Results, claim: Claim) -> list[ClaimPart]:
    assert claim.value is not None
    low, high = claim.value - allowance.slack(claim), claim.value + allowance.slack(claim)
    return [bracket_in(results.bracket(b=0), low, high, "b = 0")]


CUBES = (3, 4, 5, 6)
PANELS = {3: (3, 4), 4: (3, 4), 5: (5, 6), 6: (5, 6)}  # of figure 7: which cubes are in one plot
FASTEST = 39  # us, the least t_a of the paper's


@judges("ghosh.pe-pe-3cube")
@judges("ghosh.pe-pe-4cube")
@judges("ghosh.pe-pe-5cube")
@judges("ghosh.pe-pe-6cube")
def _cube(results: Results, claim: Claim) -> list[ClaimPart]:
    dimension = int(claim.id.rpartition("-")[2][0])
    assert claim.value is not None
    point = results.point(dimension=dimension, b=1, t_a=156)
    return [value(point, "pe_pe", claim.value, allowance.slack(claim), f"{dimension}-cube")]


@judges("ghosh.pe-pe-grows-with-cube", "At b = 1 and 2, wherever no cube's network is saturated.")
def _grows(results: Results, claim: Claim) -> list[ClaimPart]:
    parts: list[ClaimPart] = []
    for t_a in values(results.points, "t_a"):
        for b in (1, 2):
            points = sorted(results.of(b=b, t_a=t_a), key=lambda point: point.value("dimension"))
            if len(points) > 1 and not any(point.saturated for point in points):
                first, last = points[0], points[-1]
                parts.append(less(first, last, "pe_pe", (f"t_a {t_a:g} us, b = {b}: 3-cube", "6-cube"), 12))
    return parts


@judges("ghosh.3cube-b0-saturated")
def _three(results: Results, claim: Claim) -> list[ClaimPart]:
    three = results.point(dimension=3, b=0, t_a=78)
    backlog = f"backlog {three.backlog[0]:.3g}, in a run four times as long {three.backlog[1]:.3g}"
    parts = [
        fact(three.saturated, f"3-cube, b = 0, t_a 78 us: {'' if three.saturated else 'not '}saturated ({backlog})")
    ]
    for d in (4, 5, 6):
        other = results.point(dimension=d, b=0, t_a=78)
        parts.append(less(other, three, "pe_pe", (f"{d}-cube", "3-cube"), 3))
    return parts


@judges(
    "ghosh.b1-same-saturation-all-cubes",
    "Each within 12.3% of the four cubes' mean, as near as Table 2 tells one of them.",
)
def _same(results: Results, claim: Claim) -> list[ClaimPart]:
    found = {d: results.bracket(dimension=d, b=1) for d in CUBES}
    mean, low, high = (
        sum(ends) / len(found)
        for ends in zip(*((one.middle, one.low, one.high) for one in found.values()), strict=True)
    )
    share = allowance.share(claim, 0.0)
    return [
        judged(
            (one.low / high, one.high / low),
            accepted("~=", 1.0, share),
            f"{bracket_words(f'{d}-cube', one)} (mean {mean:.3g})",
        )
        for d, one in found.items()
    ]


@judges(
    "ghosh.larger-cubes-worse-once-saturated",
    "At t_a = 39 us, the highest rate that the paper ran, with b = 1: from cube to cube a read's header latency in runs"
    " of the paper's 150,000 messages, which are eight times less time in the 6-cube than in the 3-cube. What is beyond"
    " the knee depends on the run's length: by the backlog the 6-cube alone is saturated there.",
)
def _worse(results: Results, claim: Claim) -> list[ClaimPart]:
    return trend([results.point(dimension=d, b=1, t_a=FASTEST) for d in CUBES], "read", "dimension", rising=True)


@judges(
    "ghosh.b3-b4-follow-b2",
    "At the paper's rates: the curves' distance as a share of the range of its figure 7, which is logarithmic, two"
    " cubes to a plot, all that is not saturated with b = 0, 1 and 2.",
)
def _follow(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for d in CUBES:
        panel = PANELS[d]
        drawn = [p for p in unsaturated(results.points) if p.value("dimension") in panel and p.value("b") <= 2]
        whole = span([point for point in drawn if point.value("t_a") >= FASTEST - 1], "read")
        for t_a in values(results.points, "t_a"):
            if t_a < FASTEST - 1:  # beyond the paper's rates
                continue
            two = results.point(dimension=d, b=2, t_a=t_a)
            for b in (3, 4):
                other = results.point(dimension=d, b=b, t_a=t_a)
                if not two.saturated and not other.saturated:
                    names = (f"{d}-cube, t_a {t_a:g} us, b = 2", f"b = {b}")
                    parts.append(close_on_plot(two, other, "read", names, little(claim), whole, 40))
    return parts


@judges(
    "ghosh.distance-insensitive",
    "At the lowest rate with b = 2, where nearly nothing waits: a 32-byte message in the 6-cube beside one in the"
    " 3-cube, with and without start-up.",
)
def _distance(results: Results, claim: Claim) -> list[ClaimPart]:
    slowest = values(results.points, "t_a")[-1]
    three, six = (results.point(dimension=d, b=2, t_a=slowest) for d in (3, 6))
    parts = []
    for rest, words in ((201.55, "with start-up"), (1.55, "without start-up")):
        ends = []
        for point in (three, six):
            found = point.estimate("pe_pe")
            half = math.inf if found.half is None else found.half
            ends.append((rest + found.mean - half, rest + found.mean + half))
        apart = (ends[1][0] / ends[0][1], ends[1][1] / ends[0][0])
        text = f"6-cube / 3-cube, a 32-byte message {words}: {apart[0]:.4g} to {apart[1]:.4g}"
        allowed = allowance.share(claim, 0.0)
        parts.append(judged(apart, Accepted(1 - allowed, 1 + allowed), f"{text} (1 ± {allowed:.0%})"))
    return parts


@judges(
    "ghosh.abrupt-saturation",
    "With b = 1, from the last rate below the bisected saturation point to the first above it: a read's latency grows "
    "by more than the rate does, and drastically: by more than section 5.5's improvement of 40% (our choice).",
)
def _abrupt(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for d in (*CUBES, 7):
        at = results.bracket(dimension=d, b=1)
        points = sorted(results.of(dimension=d, b=1), key=lambda point: point.rate)
        below = [point for point in points if point.rate <= at.low]
        above = [point for point in points if point.rate >= at.high]
        if not below or not above:
            parts.append(fact(None, f"{d}-cube: no point on one side of {bracket_words('b = 1', at)}"))
            continue
        middle, interval = ratio(above[0], below[-1], "read", len(CUBES) + 1)
        step = above[0].rate / below[-1].rate
        words = f"{d}-cube, b = 1: {step:.2f} times the rate, a read takes {middle:.3g} times as long"
        parts.append(judged(interval, Accepted(step / 0.6, math.inf), f"{words} (more than {step / 0.6:.3g})"))
    return parts


@judges("ghosh.smaller-cubes-saturate-later", "For b = 0, where the processor network is what saturates.")
def _later(results: Results, claim: Claim) -> list[ClaimPart]:
    found = [results.bracket(dimension=d, b=0) for d in (*CUBES, 7)]
    names = [f"{d}-cube" for d in (*CUBES, 7)]
    return [before(larger, smaller, (names[i + 1], names[i])) for i, (smaller, larger) in enumerate(pairwise(found))]


@judges("ghosh.b0-response-better-than-b1", "Wherever b = 0 is not saturated; where b = 1 is, it is worse by that.")
def _b0_better(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for d in (*CUBES, 7):
        for point in unsaturated(results.of(dimension=d, b=0)):
            other = results.point(dimension=d, b=1, t_a=point.value("t_a"))
            name = f"{d}-cube, t_a {point.value('t_a'):g} us: b = 0"
            parts.append(less(point, other, "read", (name, f"b = 1{', saturated' if other.saturated else ''}"), 30))
    return parts
