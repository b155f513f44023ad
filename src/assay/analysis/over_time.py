"""Rate over time: stalls, in which next to nothing is moved while operations wait; and a knee, from which on less is
moved for good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

SHARE = 0.1  # of the usual rate: less is a stall
LEAST = 0.5  # s, of a stall
TIMES = 5.0  # the usual latency: what an operation of a stall takes at least
DROP = 0.7  # of the rate before: what is left beyond a knee, at most
SIDE = 5  # slots on each side of a knee, at least
ON_SIDE = 0.9  # of the slots of each side are nearer to their own level than to the other


@dataclass(frozen=True)
class Stall:
    """Seconds since the pass began; `rate`, and `usual` without stalls, in B/s; `waited`: the longest operation, s."""

    begin: float
    seconds: float
    rate: float
    usual: float
    waited: float


@dataclass(frozen=True)
class SlotSum:
    """The operations that ended in a slot: bytes of them all, their time in sum and of the longest, s."""

    bytes: int
    busy: float
    longest: float


def stalls(slots: Mapping[int, SlotSum], slot: float, usual_latency: float) -> list[Stall]:
    """Find the stalls of a pass by its slots of time of `slot` seconds; those in which nothing ended may be left out.

    A stall lasts LEAST or longer; in each of its slots less than SHARE of the median is moved, which is of the slots
    in which anything is; operations that end in it or right after it were under way for half of it at least, and one of
    them took TIMES the usual latency (s), so that neither long operations nor idle processes make one.
    """
    moved = [each.bytes for each in slots.values() if each.bytes > 0]
    if not moved:
        return []
    usual, last = median(moved), max(slots)
    found: list[Stall] = []
    begin = None
    for at in range(last + 1):
        slow = at < last and (slots[at].bytes if at in slots else 0) < SHARE * usual
        if slow and begin is None:
            begin = at
        if slow or begin is None:
            continue
        during = [slots[each] for each in range(begin, at) if each in slots]
        around = [*during, slots[at]] if at in slots else during
        seconds, waited = (at - begin) * slot, max((each.longest for each in around), default=0.0)
        busy = sum(each.busy for each in around)
        if seconds >= LEAST * (1 - 1e-9) and busy >= 0.5 * seconds and waited >= TIMES * usual_latency:
            rate = sum(each.bytes for each in during) / seconds
            found.append(Stall(begin * slot, seconds, rate, usual / slot, waited))
        begin = None
    return found


@dataclass(frozen=True)
class Knee:
    """Until `second` (s since the pass began) `before` was moved, from there on `beyond` (B/s); `bytes` up to it."""

    second: float
    bytes: float
    before: float
    beyond: float


def knee(rates: Sequence[float], slot: float) -> Knee | None:
    """Find where a pass's rates (B/s, by slots of `slot` seconds) fall to a lower level and stay there.

    Two levels, each the median of its side, with the least sum of distances; None where the second is not below DROP of
    the first, a side has fewer than SIDE slots, or slots of one side lie at the other's level: a wander or a
    stall. `rates` are of whole slots.
    """
    whole = list(rates)
    best: tuple[float, int] | None = None
    for at in range(SIDE, len(whole) - SIDE + 1):
        before, beyond = median(whole[:at]), median(whole[at:])
        far = sum(abs(rate - before) for rate in whole[:at]) + sum(abs(rate - beyond) for rate in whole[at:])
        if beyond <= DROP * before and (best is None or far < best[0]):
            best = far, at
    if best is None:
        return None
    at = best[1]
    before, beyond = median(whole[:at]), median(whole[at:])
    middle = (before + beyond) / 2
    above, below = sum(rate > middle for rate in whole[:at]), sum(rate < middle for rate in whole[at:])
    if above < ON_SIDE * at or below < ON_SIDE * (len(whole) - at):
        return None
    return Knee(at * slot, slot * sum(whole[:at]), before, beyond)
