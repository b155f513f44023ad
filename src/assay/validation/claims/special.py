"""Claims that need more than one number: breaks, padding, straight lines, proportions, paths, growth.

Each is a function from answers to the parts of a verdict. Where a word needs an allowance it is taken from the papers'
own tables: what they print of a thing that they call linear, or in proportion, is what the word allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from assay.described.paths import passed
from assay.described.shipped import open_described
from assay.machine import catalogue
from assay.machine.published import Claim
from assay.published.cells import allowance, twins
from assay.published.cells.answers import Answers
from assay.published.judge import Accepted, ClaimPart, accepted, fact, judged
from assay.report.units import human
from assay.validation.claims import files, nodes, streams
from assay.validation.claims import materials as materials  # its quantities are registered
from assay.validation.claims import slalom as slalom  # likewise
from assay.validation.claims.breaks import break_near
from assay.validation.claims.claim_kinds import (
    about,
    accepted_of,
    ranged,
    ratio,
    shown,
    stated,
    tested,
    trend,
    value_of,
)
from assay.validation.claims.quantities import over

Times = Mapping[tuple[int, int], float]  # one-way time (s) by length (B) and hops
HOPS = (1, 2, 3, 4, 5, 6)


def _both_readings(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The DELTA's break: by the printed rates (the description) and by the text (its variant)."""
    parts = tested(answers, claim, "delta", "echo")
    other = value_of(answers, claim, "delta:text", "echo", {})
    return [*parts, fact(True, f"by the text's reading (delta:text): {shown(other, claim)}")]


def _beside_the_stream(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """What stream and messages retain of their rates at the same time, and their sum."""
    parts = []
    for figure, printed in (("stream", 146), ("messages", 31), ("sum", claim.value or 0)):
        found = value_of(answers, claim, "paragon-mp", "pfldq-with-messages", {"share": figure})
        one = claim.model_copy(update={"value": printed})
        words = f"{figure} beside each other: {shown(found, claim)} ({stated(one, 'paragon-mp')})"
        parts.append(judged(found, accepted_of(one, "paragon-mp"), words))
    return parts


def _falls_and_rises_again(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The slowdown falls with length; on the iPSC/1 it is greater beyond 1,024 bytes than at them."""
    parts = [part for machine in about(claim) for part in trend(answers, claim, machine, "spincom")]
    one, other = (value_of(answers, claim, "ipsc1", "spincom", {"message_B": size}) for size in (1024, 2048))
    if one is None or other is None:
        return [*parts, fact(None, "ipsc1 beyond 1,024 bytes: not simulated")]
    words = f"ipsc1: {one:.1%} at 1,024 bytes, {other:.1%} at 2,048 (increasing)"
    return [*parts, judged(other, accepted(">", one), words)]


def _form(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The trend, and whether a line in the number of nodes or in its logarithm is nearer."""
    parts = []
    for machine in about(claim):
        parts += trend(answers, claim, machine, "barrier")
        nodes = over(machine, "nodes", {})
        times = [value_of(answers, claim, machine, "barrier", {"nodes": count}) for count in nodes]
        if any(time is None for time in times):
            continue
        left = {form: _residual(nodes, times, form) for form in ("linear", "log2")}
        nearer = min(left, key=lambda form: left[form])
        words = f"{machine}: residual {left['linear']:.2g} of a line in nodes, {left['log2']:.2g} in their logarithm"
        parts.append(fact(nearer == claim.form, f"{words} ({claim.form})"))
    return parts


def _residual(nodes: Sequence[int], times: Sequence[float | None], form: str) -> float:
    x = np.log2(nodes) if form == "log2" else np.asarray(nodes, float)
    y = np.asarray(times, float)
    line = np.polyfit(x, y, 1)
    return float(np.sqrt(np.mean((y - np.polyval(line, x)) ** 2)) / y.mean())


def _segments_of_the_first(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The iPSC/1's greatest jump between 8 and 3,000 bytes, against the 1,024 that the claim names."""
    found = break_near(answers, "ipsc1", {}, 8, 3000)
    stated = claim.params["message_B"]
    assert isinstance(stated, int | float)
    return [judged(found, accepted("==", stated), f"ipsc1: {shown_length(found)} (== 1,024 B)")]


def shown_length(found: float | None) -> str:
    """A length, or that there is none."""
    return "no break" if found is None else f"{found:,.0f} B"


def _padding(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Times of 8, 16 and 32 bytes are one to the clock's tick, and nearer together than further bytes would have them.

    Bytes beyond those that are padded give the time per byte.
    """
    found = twins.times(answers, "ipsc1", (8, 16, 32, 64, 1024))
    if len(found) < 5:
        return [fact(None, "ipsc1: not simulated")]
    tick = allowance.TICKS["ipsc1"]
    spread = max(found[n] for n in (8, 16, 32)) - min(found[n] for n in (8, 16, 32))
    bare = (32 - 8) * (found[1024] - found[64]) / (1024 - 64)
    words = f"ipsc1: 8 to 32 bytes within {human(spread, 's')} (a tick is {human(tick, 's')}); "
    return [fact(spread <= tick and spread < bare / 2, f"{words}24 bytes more cost {human(bare, 's')} elsewhere")]


def bent(times: Times) -> float:
    """Root mean square residual of a straight line in length (and hops, where there are several), over the mean."""
    keys, values = np.array(list(times), float), np.array(list(times.values()))
    columns = [np.ones(len(keys)), keys[:, 0], *([keys[:, 1]] if len(set(keys[:, 1])) > 1 else [])]
    design = np.column_stack(columns)
    left = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.sqrt(np.mean(left**2)) / values.mean())


def in_print(machine: str, hops: Sequence[int]) -> dict[tuple[int, int], float]:
    """Appendix A's one-way times (s) by length and hops."""
    cells = [c for c in catalogue.cells(machine=machine, benchmark="echo", metric="rate") if "hops" in c.params]
    known = [(int(c.params["message_B"]), int(c.params["hops"]), c.value) for c in cells if not c.doubtful]
    return {(size, at): size / rate for size, at, rate in known if at in hops and size <= max(twins.LENGTHS)}


def _allowed(machines: Sequence[str], hops: Sequence[int]) -> tuple[float, str]:
    """The greatest residual of a line in what Appendix A prints and calls linear, ticks included, and its machine."""
    found = {}
    for machine in machines:
        times = in_print(machine, hops)
        if times:
            found[machine] = bent(times) + allowance.TICKS.get(machine, 0.0) / float(np.mean(list(times.values())))
    worst = max(found, key=lambda machine: found[machine])
    return found[worst], worst


def _lines(answers: Answers, claim: Claim, hops: Sequence[int]) -> list[ClaimPart]:
    allowed, whose = _allowed(about(claim), hops)
    parts = []
    for machine in about(claim):
        answered = answers.ask(machine, "echo", "half_round_trip", bytes=twins.LENGTHS, hops=tuple(hops))
        times = {(int(a.params["bytes"]), int(a.params["hops"])): a.value for a in answered}
        if len(times) < len(twins.LENGTHS):
            parts.append(fact(None, f"{machine}: not simulated"))
            continue
        printed = in_print(machine, hops)
        beside = f", {bent(printed):.2%} in print" if printed else ", not printed"
        words = f"{machine}: residual of a line {bent(times):.2%}{beside} (up to {allowed:.1%}, the {whose}'s in print)"
        parts.append(judged(bent(times), accepted("<=", allowed), words, (f"{machine} echo",)))
    return parts


def _linear(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """T = alpha + beta N of neighbours: no more bent than the paper's own most bent column."""
    return _lines(answers, claim, (1,))


def _linear_with_hops(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """T = alpha + beta N + gamma h over one to six hops, likewise."""
    return _lines(answers, claim, HOPS)


def _rate_linear(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The echo's rate over the report's lengths and a straight line; how far it grows as short messages do."""
    lengths = twins.LENGTHS
    found = answers.ask("delta", "echo", "rate", bytes=lengths, hops=(1,))
    rates = {(int(a.params["bytes"]), 1): a.value for a in found}
    if len(rates) < len(lengths):
        return [fact(None, "delta: not simulated")]
    allowed = allowance.chosen(allowance.LITTLE)
    end, start = rates[8192, 1] / rates[8, 1], rates[128, 1] / rates[8, 1]
    words = (
        f"residual of a line {bent(rates):.0%} (up to {allowed:.0%}); 128 bytes have {start:.1f} times the rate of 8"
    )
    text = f"delta, 8 to 8,192 bytes: {words}, 8,192 bytes {end:.0f} times"
    return [judged(bent(rates), accepted("<=", allowed), text, (f"delta echo [message_B {lengths[-1]}]",))]


def _distance(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Hops of the described networks' own routes between opposite corners of n nodes."""
    parts = []
    for machine in claim.machines:
        far = {}
        for exponent in (1, 2, 3):
            side = 1 << exponent
            width = 32 if machine == "delta" else side  # of the whole mesh; a cube's nodes are the first n
            end = (side - 1) * width + side - 1
            far[side * side] = len(passed(open_described(machine), [(0, end)])[0]) - 1
        wanted = {n: 2 * (math.isqrt(n) - 1) if machine == "delta" else int(math.log2(n)) for n in far}
        form = "2 (root n - 1)" if machine == "delta" else "log2 n"
        each = ", ".join(f"{hops} hops in {n} nodes" for n, hops in far.items())
        parts.append(fact(far == wanted, f"{machine}: {each} ({form})", (f"{machine} distance",)))
    return parts


def _in_proportion(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """A rate that falls in proportion to the hops: over six hops a sixth, or what Appendix A prints in its place."""
    ratios = []
    for machine in about(claim):
        times = in_print(machine, (1, 6))
        ratios += [times[size, 1] / times[size, 6] for size, at in times if at == 1]
    low, high = 1 / 6, max(ratios)
    interval = f"a sixth, 0.17, to the {high:.2f} that Appendix A prints"
    parts = []
    for machine in about(claim):
        parts += trend(answers, claim, machine, "echo")
        for size in (1024, 8192):
            one, six = (value_of(answers, claim, machine, "echo", {"hops": h, "message_B": size}) for h in (1, 6))
            found = None if not one or not six else six / one
            text = "not simulated" if found is None else f"{found:.2f}"
            words = f"{machine}, {size:,} bytes: six hops {text} of one"
            two_digits = None if found is None else round(found, 2)
            parts.append(
                judged(
                    two_digits,
                    Accepted(low, round(high, 2)),
                    f"{words} ({interval})",
                )
            )
    return parts


def _another_way_back(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The described network's own routes of two hops, there and back: their middle nodes differ, for every pair."""
    parts = []
    for machine in about(claim):
        ends = [(0, 1 << a | 1 << b) for a in range(6) for b in range(a)]
        there, back = (
            passed(open_described(machine), pairs) for pairs in (ends, [(other, one) for one, other in ends])
        )
        apart = sum(one[1] != other[1] for one, other in zip(there, back, strict=True))
        words = f"{machine}: {apart} of {len(ends)} pairs two hops apart have another node on the way back"
        parts.append(fact(apart == len(ends), words))
    return parts


def _dropped(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The rates on both sides of 100 bytes on the iPSC/860, and of both machines the time of one byte more."""
    parts = ratio(answers, claim, "ipsc860", "echo")
    for machine in ("ipsc2", "ipsc860"):
        found = twins.times(answers, machine, (100, 101))
        step = found[101] - found[100] if len(found) == 2 else None
        words = f"{machine}: the 101st byte costs {'–' if step is None else human(step, 's')} (more than a tick)"
        parts.append(judged(step, accepted(">", allowance.TICKS[machine]), words))
    return parts


def _in_turbo(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Latency and bandwidth, as printed."""
    rate = claim.model_copy(update={"metric": "rate", "value": 109, "unit": "MB/s"})
    found = value_of(answers, rate, "paragon-mp:turbo", "echo", {"message_MB": 1})
    words = f"paragon-mp:turbo, a megabyte: {shown(found, rate)} ({stated(rate, 'paragon-mp')})"
    latency = tested(answers, claim, "paragon-mp", "echo")
    return [*latency, judged(found, accepted_of(rate, "paragon-mp"), words)]


def _balanced(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The ratio for 8 bytes; for 8,192 the DELTA, whose processors are the iPSC/860's, takes less time."""
    one, other = (value_of(answers, claim.model_copy(update={"metric": "rate"}), m, "echo", {}) for m in BALANCED)
    parts = ratio(answers, claim, "delta", "summary")
    if one is None or other is None:
        return [*parts, fact(None, "8,192 bytes: not simulated")]
    words = f"8,192 bytes: {human(one, 'B/s')} on delta, {human(other, 'B/s')} on ipsc860, the processors alike"
    return [*parts, judged(one, accepted(">", other), words)]


def _ratios(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The four machines between the least and the greatest that Table 7 prints, and the iPSC/860's above them."""
    parts = [one for machine in about(claim) for one in ranged(answers, claim, machine, "summary")]
    found = value_of(answers, claim, "ipsc860", "summary", {})
    words = (
        f"ipsc860: {'not simulated' if found is None else f'{found:.0f}'} (above the {claim.value_max:g} of the rest)"
    )
    return [*parts, judged(found, accepted(">", claim.value_max or 0), words)]


BALANCED = ("delta", "ipsc860")
JUDGES: dict[str, Callable[[Answers, Claim], Sequence[ClaimPart]]] = {
    "d91d.comm-comp": _balanced,
    "d91d.distance-growth": _distance,
    "d91d.rate-linear": _rate_linear,
    "d91d.segments": _both_readings,
    "d91d.barrier-growth-mesh": _form,
    "d91d.barrier-growth-cube": _form,
    "d91d.time-model": _linear_with_hops,
    "d91h.comm-comp-ratio": _ratios,
    "d91h.echo-return-path": _another_way_back,
    "d91h.ipsc1-padding": _padding,
    "d91h.linear-time": _linear,
    "d91h.short-message-drop": _dropped,
    "d91h.routing-slowdown-falls": _falls_and_rises_again,
    "d91h.segment-ipsc1-1024": _segments_of_the_first,
    "d91h.store-and-forward-decay": _in_proportion,
    "d95p.compute-and-communicate": _beside_the_stream,
    "d95p.turbo": _in_turbo,
    **files.JUDGES,
    **nodes.JUDGES,
    **streams.JUDGES,
}
