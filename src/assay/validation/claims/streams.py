"""Claims about streams of messages that meet, judged at all lengths: contention on a channel, and fan-in to a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assay.machine.published import Claim
from assay.published.cells import allowance
from assay.published.cells.answers import Answers
from assay.published.judge import Accepted, ClaimPart, accepted, fact, judged, together, within
from assay.report.units import human
from assay.validation.claims.claim_kinds import about, accepted_of, stated, trend, value_of
from assay.validation.claims.quantities import over

CONTENDED = (64, 256, 1024, 2048, 8192)  # B
FANNED = (16, 64, 256, 1024, 4096)  # B: the axis of the DELTA's Figure 3.6, from 2^4 to 2^12
SEGMENT = 476  # B, of the DELTA
Gains = Mapping[int, float]  # by bytes: the rate from all senders over that from one


def _contention(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The trend over the load, at each length."""
    parts = []
    for machine in about(claim):
        for size in CONTENDED:
            params = {**claim.params, "message_B": size}
            for part in trend(answers, claim.model_copy(update={"params": params}), machine, "contention"):
                parts.append(ClaimPart(part.outcome, f"{size:,} bytes: {part.numbers}", part.of))
    return parts


def _rates(answers: Answers, claim: Claim, machine: str, size: int) -> list[float]:
    found = [
        value_of(answers, claim, machine, "fan-in", {"senders": count, "message_B": size})
        for count in over(machine, "senders", {})
    ]
    return [rate for rate in found if rate is not None]


def gains(answers: Answers, claim: Claim, machine: str, lengths: Sequence[int] = FANNED) -> Gains:
    """What all senders together have over one; lengths that were not simulated are left out."""
    rates = {size: _rates(answers, claim, machine, size) for size in lengths}
    return {size: of[-1] / of[0] for size, of in rates.items() if len(of) > 1}


def _gain(machine: str, found: Gains, wanted: Accepted, words: str) -> ClaimPart:
    """Whether every gain is accepted."""
    if not found:
        return fact(None, f"{machine}: not simulated")
    each = ", ".join(f"{size:,} bytes: {gain:.2f}" for size, gain in found.items())
    outcomes = [within(gain, wanted) for gain in found.values()]
    return ClaimPart(together(outcomes), f"{machine}, all senders over one, {each} ({words})")


def _slightly(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """A slight gain at each length, and never more than one channel carries."""
    slight = allowance.chosen(allowance.SLIGHT)
    parts = [_gain("ipsc860", gains(answers, claim, "ipsc860"), accepted("<=", 1 + slight), f"up to {1 + slight:.3g}")]
    if claim.direction == "flat":
        return [*parts, *trend(answers, claim, "ipsc860", "fan-in")]
    rates = [rate for size in (*FANNED, 8192) for rate in _rates(answers, claim, "ipsc860", size)]
    most = max(rates, default=None)
    words = "not simulated" if most is None else human(most, "B/s")
    greatest = f"ipsc860, the greatest rate at any length: {words} ({stated(claim, 'ipsc860')})"
    return [*parts, judged(most, accepted_of(claim, "ipsc860"), greatest)]


def _markedly(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """More than a slight gain at each length, and more than the iPSC/860's."""
    least = 1 + allowance.chosen(allowance.SLIGHT)
    found, other = (gains(answers, claim, machine) for machine in ("ncube6400", "ipsc860"))
    parts = [_gain("ncube6400", found, accepted(">", least), f"more than {least:.3g}")]
    if found and set(found) <= set(other):
        beside = {size: gain / other[size] for size, gain in found.items()}
        parts.append(_gain("ncube6400 beside ipsc860's", beside, accepted(">", 1.0), "more than 1"))
    return parts


def _small_alone(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """A gain for messages within a segment, and a flat curve above."""
    flat = allowance.share(claim, allowance.FLAT)
    found = gains(answers, claim, "delta", (*FANNED, 8192))
    small = {size: gain for size, gain in found.items() if size < SEGMENT}
    large = {size: gain for size, gain in found.items() if size > SEGMENT}
    return [
        _gain("delta", small, accepted(">", 1 + flat), f"more than {1 + flat:.3g}"),
        _gain("delta", large, accepted("<=", 1 + flat), f"up to {1 + flat:.3g}"),
    ]


JUDGES: dict[str, Callable[[Answers, Claim], list[ClaimPart]]] = {
    "d91h.contention": _contention,
    "d91d.contention-cubes": _contention,
    "d91d.contention-delta": _contention,
    "d91h.fan-in-ipsc860": _slightly,
    "d91d.fan-in-ipsc860": _slightly,
    "d91h.fan-in-ncube6400": _markedly,
    "d91d.fan-in-ncube6400": _markedly,
    "d91d.fan-in-delta-small": _small_alone,
}
