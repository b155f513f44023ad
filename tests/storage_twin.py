"""A disk and its queue written a second time, from their definitions and by brute force, for the tests.

Times in s as fractions: nothing is rounded, so that the simulator's picoseconds can only differ by their own rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

# HP 97560: Ruemmler and Wilkes 1994, Table 1 and its text; without its track buffer.
HP97560 = {
    "cylinders": 1962,
    "heads": 19,
    "sectors": 72,
    "sector": 512,
    "revolution": 60 / 4002,
    "seek_short": 3.24e-3,
    "seek_short_root": 0.400e-3,
    "seek_long": 8.00e-3,
    "seek_long_slope": 0.008e-3,
    "seek_split": 383,
    "head_switch": 1.6e-3,
    "overhead": 2.2e-3,
    "track_skew": 8,
    "cylinder_skew": 18,
}


def hp_seek(cylinders: int) -> float:
    """The published curve, in s."""
    if cylinders == 0:
        return 0.0
    return (3.24 + 0.400 * math.sqrt(cylinders)) * 1e-3 if cylinders < 383 else (8.00 + 0.008 * cylinders) * 1e-3


@dataclass
class TwinDisk:
    """Sectors pass the heads one by one: every sector of an access is waited for by itself."""

    shape: dict[str, float] = field(default_factory=lambda: dict(HP97560))
    cylinder: int = 0
    head: int = 0

    def angle(self, track: int, sector: int) -> float:
        """Where in a revolution, from 0 to 1, the sector begins: each track and cylinder is turned by its skew."""
        turned = 0
        heads, sectors = int(self.shape["heads"]), int(self.shape["sectors"])
        cylinder = track // heads
        turned += cylinder * int(self.shape["cylinder_skew"])
        turned += (track - cylinder) * int(self.shape["track_skew"])
        return ((sector + turned) % sectors) / sectors

    def reach(self, now: float, track: int, sector: int, cylinder: int, head: int) -> float:
        """When the sector is under the heads, which were at that cylinder and head."""
        heads, turn = int(self.shape["heads"]), self.shape["revolution"]
        to, side = track // heads, track % heads
        if to != cylinder:
            now += hp_seek(abs(to - cylinder))
        elif side != head:
            now += self.shape["head_switch"]
        phase = (now / turn) % 1.0
        wait = (self.angle(track, sector) - phase) % 1.0
        if wait > 1 - 1e-6:  # just under the heads, but for rounding
            wait = 0.0
        return now + wait * turn

    def serve(self, now: float, address: int, count: int) -> float:
        """When the last of `count` bytes has passed."""
        sectors, heads = int(self.shape["sectors"]), int(self.shape["heads"])
        now += self.shape["overhead"]
        first, last = address // 512, (address + count - 1) // 512
        for number in range(first, last + 1):
            track, sector = divmod(number, sectors)
            now = self.reach(now, track, sector, self.cylinder, self.head)
            self.cylinder, self.head = track // heads, track % heads
            now += self.shape["revolution"] / sectors
        return now

    def positioning(self, now: float, address: int) -> float:
        """How long until the first byte passes."""
        track, sector = divmod(address // 512, int(self.shape["sectors"]))
        begun = now + self.shape["overhead"]
        return self.reach(begun, track, sector, self.cylinder, self.head) - now


def queued(order: str, arrive: list[float], addresses: list[int], count: int) -> list[float]:
    """When each access has ended, by scanning all that wait whenever the disk is free."""
    disk, now, ended = TwinDisk(), 0.0, [0.0] * len(arrive)
    left = set(range(len(arrive)))
    inward, arm = True, 0

    def cylinder(address: int) -> int:
        return address // 512 // 72 // 19

    while left:
        here = sorted(each for each in left if arrive[each] <= now + 1e-12)
        if not here:
            now = min(arrive[each] for each in left)
            continue
        if order == "fcfs":
            chosen = min(here, key=lambda each: (arrive[each], each))
        elif order == "sptf":
            chosen = min(here, key=lambda each: (round(disk.positioning(now, addresses[each]), 11), arrive[each], each))
        else:
            ahead = [e for e in here if (cylinder(addresses[e]) - arm) * (1 if inward else -1) >= 0]
            if not ahead:
                inward, ahead = not inward, here
            chosen = min(ahead, key=lambda e: (abs(cylinder(addresses[e]) - arm), arrive[e], e))
        left.remove(chosen)
        now = ended[chosen] = disk.serve(now, addresses[chosen], count)
        arm = cylinder(addresses[chosen] + count - 1)
    return ended
