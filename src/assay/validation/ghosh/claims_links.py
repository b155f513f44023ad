"""Claims of sections 4.1 and 5.2 to 5.5: hit rate, locality, I/O rate, read ratio, widths n and m."""

from __future__ import annotations

from collections.abc import Sequence

from assay.machine.published import Claim
from assay.network.study.results import Point, Results, values
from assay.published.cells import allowance
from assay.published.judge import Accepted, ClaimPart, accepted, fact, judged
from assay.validation.ghosh.judging import judges, little, same, unsaturated
from assay.validation.ghosh.points import alike, bracket_words, close_on_plot, less, ratio, rises, span, trend


@judges("ghosh.hit-rate-no-network-effect", "PE-PE latencies within 5% of those at a hit rate of 1.")
def _hits(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for b in values(results.points, "b"):
        full = results.point(b=b, hit_rate=1.0)
        for point in unsaturated(results.of(b=b)):
            if point is not full:
                names = (f"b = {b}, hit rate {point.value('hit_rate'):g}", "1")
                parts.append(alike(point, full, "pe_pe", names, same(claim), 8))
    return parts


@judges("ghosh.locality-matters-b0")
def _matters(results: Results, claim: Claim) -> list[ClaimPart]:
    return trend(results.of(b=0, t_a=156), "pe_pe", "locality", rising=False)


@judges(
    "ghosh.locality-indifferent-b2",
    "For b = 2, 3, 4 against locality 1: PE-PE latency within 5%; reads by their distance as a share of the range of "
    "figure 8, which is linear: all that is not saturated.",
)
def _indifferent(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    whole = span(unsaturated(results.of(t_a=156)), "read", logarithmic=False)
    for b in (2, 3, 4):
        local = results.point(b=b, t_a=156, locality=1.0)
        for point in unsaturated(results.of(b=b, t_a=156)):
            if point is not local:
                names = (f"b = {b}, locality {point.value('locality'):g}", "1")
                parts.append(alike(point, local, "pe_pe", names, allowance.chosen(allowance.SAME), 30))
                reads = (f"{names[0]}, a read", "1")
                parts.append(close_on_plot(point, local, "read", reads, little(claim), whole, 30, False))
    return parts


@judges("ghosh.locality-one-converges")
def _converges(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for t_a in (156, 78):
        control = results.point(b=0, t_a=t_a, locality=1.0)
        for b in (1, 2, 3, 4):
            other = results.point(b=b, t_a=t_a, locality=1.0)
            parts.append(alike(other, control, "read", (f"t_a {t_a} us, b = {b}", "b = 0"), same(claim), 8))
    return parts


@judges("ghosh.locality-desaturates-b1")
def _desaturates(results: Results, claim: Claim) -> list[ClaimPart]:
    narrow = sorted(results.of(b=1, t_a=78), key=lambda point: point.value("locality"))
    states = [point.saturated for point in narrow]
    words = ", ".join(f"{p.value('locality'):g} {'saturated' if p.saturated else 'not'}" for p in narrow)
    parts = [
        fact(states[0] and not states[-1] and states == sorted(states, reverse=True), f"b = 1, t_a 78 us: {words}")
    ]
    for t_a in (156, 78):
        for point in results.of(b=1, t_a=t_a):
            control = results.point(b=0, t_a=t_a, locality=point.value("locality"))
            if point.value("locality") < 1 and not control.saturated:
                names = (f"t_a {t_a} us, locality {point.value('locality'):g}: b = 0", "b = 1")
                parts.append(less(control, point, "read", names, 10))
    return parts


def _rises(points: Sequence[Point], key: str) -> list[ClaimPart]:
    return rises(points, "io_io", key, allowance.chosen(allowance.FLAT))


@judges(
    "ghosh.io-rate-raises-io-io",
    "While the network keeps up: over all I/O rates, and no step falls by more than a plot shows, 5%. With b = 4 next "
    "to nothing waits at the two lowest rates: the step between them is smaller than its interval, and would be with "
    "ten times the runs.",
)
def _io_rate(results: Results, claim: Claim) -> list[ClaimPart]:
    parts: list[ClaimPart] = []
    last = {}
    for b in (1, 2, 3, 4):
        keeps = unsaturated(results.of(b=b))
        parts += [ClaimPart(p.outcome, f"b = {b}, {p.numbers}") for p in _rises(keeps, "io_rate")]
        last[b] = max(point.value("io_rate") for point in keeps)
    highest = values(results.points, "io_rate")
    parts.append(
        fact(
            last[1] < last[2],
            f"the highest I/O rate not saturated: {', '.join(f'b = {b}: {r:g}' for b, r in last.items())}",
        )
    )
    parts.append(fact(last[3] == last[4] == highest[-1], f"b = 3 and 4 keep up at {highest[-1]:g}"))
    return parts


@judges(
    "ghosh.pe-pe-levels-off-b1",
    "From the first I/O rate at which b = 1 is saturated to the highest, PE-PE latency grows less than half as much, "
    "relative to itself, as with b = 4, which is not.",
)
def _levels(results: Results, claim: Claim) -> list[ClaimPart]:
    rates = [point.value("io_rate") for point in results.of(b=1) if point.saturated]
    if len(rates) < 2:
        raise LookupError("b = 1 is not saturated at two I/O rates")
    low, high = min(rates), max(rates)
    growth = {b: ratio(results.point(b=b, io_rate=high), results.point(b=b, io_rate=low), "pe_pe", 2) for b in (1, 4)}
    words = (
        f"I/O rate {low:g} to {high:g}: × {growth[1][0]:.2f} with b = 1 (saturated), × {growth[4][0]:.2f} with b = 4"
    )
    limit = 1 + (growth[4][0] - 1) * allowance.chosen(0.5)
    return [judged(growth[1][1], Accepted(0, limit), words)]


@judges(
    "ghosh.read-ratio-like-locality",
    "While the networks keep up, b = 1 to 4, from the lowest read ratio above 0 on: over all read ratios, and no step "
    "falls by more than a plot shows, 5%. With b = 4 waiting grows as about the fifth power of the read ratio, down to "
    "some 0.03% of the latency between 0.125 and 0.25: runs differ by 1.4%, so that this step alone would ask for tens "
    "of thousands of them.",
)
def _read_ratio(results: Results, claim: Claim) -> list[ClaimPart]:
    parts: list[ClaimPart] = []
    for b in (1, 2, 3, 4):
        points = [point for point in unsaturated(results.of(b=b)) if point.value("read_ratio") > 0]
        for part in _rises(points, "read_ratio"):
            parts.append(ClaimPart(part.outcome, f"b = {b}, {part.numbers}"))
    return parts


@judges("ghosh.pe-pe-lowest-at-even-split", "The least of the points between 0 and 1 against both ends, b = 2, 3, 4.")
def _split(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for b in (2, 3, 4):
        inner = [p for p in results.of(b=b) if 0 < p.value("read_ratio") < 1]
        least = min(inner, key=lambda point: point.estimate("pe_pe").mean)
        for end in (0.0, 1.0):
            other = results.point(b=b, read_ratio=end)
            names = (f"b = {b}, read ratio {least.value('read_ratio'):g}", f"{end:g}")
            parts.append(less(least, other, "pe_pe", names, 6))
    return parts


@judges("ghosh.n1-saturates")
def _n1(results: Results, claim: Claim) -> list[ClaimPart]:
    return [
        fact(point.saturated, f"b = {point.value('b')}, n = 1, t_a 78 us: {'' if point.saturated else 'not '}saturated")
        for point in results.of(n=1, t_a=78)
    ]


@judges("ghosh.n3-enough", "Arbitrarily large is n = 64.")
def _n3(results: Results, claim: Claim) -> list[ClaimPart]:
    parts = []
    for point in unsaturated(results.of(n=3)):
        wide = results.point(b=point.value("b"), n=64)
        names = (f"b = {point.value('b')}, n = 3", "n = 64")
        parts.append(alike(point, wide, "read", names, little(claim), 4))
    return parts


@judges("ghosh.m1-enough-at-156")
def _m1(results: Results, claim: Claim) -> list[ClaimPart]:
    point = results.point(m=1, t_a=156)
    return [
        fact(not point.saturated, f"m = 1: {'' if point.saturated else 'not '}saturated, {_backlog(point.backlog)}")
    ]


def _backlog(backlog: tuple[float, float]) -> str:
    return f"backlog {backlog[0]:.3g}, in a run four times as long {backlog[1]:.3g}"


@judges(
    "ghosh.m2-gain",
    "The response is what it is everywhere else, the sum of a read's header latencies. What the gain would be with the "
    "rest of the block, and with start-ups and access, is in the numbers.",
)
def _m2(results: Results, claim: Claim) -> list[ClaimPart]:
    one, two, four = (results.point(m=m, t_a=156) for m in (1, 2, 4))
    middle, (low, high) = ratio(two, one, "read")
    a, b = one.estimate("read").mean, two.estimate("read").mean
    transfer, nodes = 4095 * 0.05, 2 * 200 + 400
    assert claim.value is not None
    words = (
        f"m = 2 gains {100 * (1 - middle):.0f}% ({a:.3g} to {b:.3g} us; published {claim.value:g}%); with the transfer "
        f"it would be {100 * (1 - (b + transfer) / (a + transfer)):.0f}%, with start-ups and access too "
        f"{100 * (1 - (b + transfer + nodes) / (a + transfer + nodes)):.0f}%"
    )
    return [
        judged((100 * (1 - high), 100 * (1 - low)), accepted("~=", claim.value, allowance.slack(claim)), words),
        alike(four, two, "read", ("m = 4", "m = 2"), allowance.chosen(allowance.LITTLE)),
    ]


@judges("ghosh.m2-needed-at-78")
def _m2_needed(results: Results, claim: Claim) -> list[ClaimPart]:
    one, two = results.point(m=1, t_a=78), results.point(m=2, t_a=78)
    parts = [
        fact(one.saturated, f"m = 1: {'' if one.saturated else 'not '}saturated, {_backlog(one.backlog)}"),
        fact(not two.saturated, f"m = 2: {'' if two.saturated else 'not '}saturated, {_backlog(two.backlog)}"),
    ]
    for m in (1, 2):
        parts.append(fact(True, bracket_words(f"m = {m}", results.bracket(m=m))))
    return parts
