"""Rate over time: stalls, in which next to nothing is moved while operations wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

SHARE = 0.1  # of the usual rate: less is a stall
LEAST = 0.5  # s, of a stall
TIMES = 5.0  # the usual latency: what an operation of a stall takes at least


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
