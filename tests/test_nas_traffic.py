"""The bytes per flop of FT's and MG's loops (`assay.described.kernels`), counted access by access by a simulated cache.

The loops are those of nas/ft_lines.cpp and nas/mg_grid.cpp, written down anew. The cache holds lines of 32 bytes, the
least recently used one leaves; a store takes a line without reading it first, which goes to memory when it leaves.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from itertools import product

import pytest

from assay.described.kernels import KERNELS, WorkKind
from assay.described.machine_tables import MachineTable
from assay.described.node_model import levels, node_kernel
from assay.described.shipped import open_described

LINE = 32
WORD = 8
SMALL, LARGE = 16 << 10, 128 << 10  # bytes of a cache


class Cache:
    """What passes between a cache and memory."""

    def __init__(self, size: int) -> None:
        self.lines: OrderedDict[int, bool] = OrderedDict()
        self.most, self.read, self.written = size // LINE, 0, 0

    def load(self, *addresses: int) -> None:
        for address in addresses:
            self._touch(address // LINE, False)

    def store(self, address: int) -> None:
        self._touch(address // LINE, True)

    def _touch(self, line: int, stored: bool) -> None:
        if line in self.lines:
            self.lines.move_to_end(line)
            self.lines[line] |= stored
            return
        self.read += 0 if stored else LINE
        self.lines[line] = stored
        if len(self.lines) > self.most:
            self.written += LINE * self.lines.popitem(last=False)[1]

    def per_flop(self, flops: float) -> tuple[float, float]:
        """Bytes read and written, with what is still to be written."""
        return self.read / flops, (self.written + LINE * sum(self.lines.values())) / flops


class Block:
    """A block of a grid in memory, with one layer around it: the address of a row's first point."""

    def __init__(self, place: int, points: int) -> None:
        self.base, self.row = (place << 32) + place * 1056, (points + 2) * WORD
        self.layer = self.row * (points + 2)

    def at(self, y: int, z: int) -> int:
        return self.base + z * self.layer + y * self.row


def sums(cache: Cache, grid: Block, y: int, z: int, faces: int, edges: int) -> None:
    """Rows that share a face with a row, and those that share an edge."""
    around = [(y + j, z + k) for j, k in product((-1, 0, 1), repeat=2) if (j, k) != (0, 0)]
    for x in range(0, grid.row, WORD):
        cache.load(*(grid.at(*row) + x for row in around))
        cache.store(faces + x)
        cache.store(edges + x)


def multigrid(size: int, points: int, layers: Iterable[int] = (1, 2), rows: int = 24) -> tuple[float, float]:
    """One iteration on a part of the finest grid: two residuals, a smoothing, down to the next grid and up from it."""
    cache = Cache(size)
    u, v, r, coarse = Block(1, points), Block(2, points), Block(3, points), Block(4, points // 2)
    faces, edges = 5 << 32, (5 << 32) + u.row
    flops = 0.0
    for right, into, smooths in ((v, r, False), (v, r, False), (r, u, True)):
        of = r if smooths else u
        for z, y in product(layers, range(1, rows + 1)):
            sums(cache, of, y, z, faces, edges)
            for x in range(WORD, of.row - WORD, WORD):
                cache.load(*(faces + x + d for d in (-WORD, 0, WORD)), *(edges + x + d for d in (-WORD, 0, WORD)))
                cache.load(of.at(y, z) + x, (into if smooths else right).at(y, z) + x)
                cache.store(into.at(y, z) + x)
            flops += points * (23 if smooths else 21)
    for z, y in product(layers, range(1, rows // 2 + 1)):
        sums(cache, r, 2 * y, 2 * z, faces, edges)
        for x in range(WORD, coarse.row - WORD, WORD):
            for d in (-WORD, 0, WORD):
                cache.load(r.at(2 * y, 2 * z) + 2 * x + d, faces + 2 * x + d, edges + 2 * x + d)
            cache.store(coarse.at(y, z) + x)
        flops += points / 2 * 30
    for z, y in product(layers, range(rows // 2)):
        a, b, c, d = (coarse.at(y + j, z + k) for k, j in product((0, 1), repeat=2))
        for j, k, of_rows in ((0, 0, (a,)), (1, 0, (a, b)), (0, 1, (a, c)), (1, 1, (a, b, c, d))):
            for x in range(0, coarse.row, WORD):
                cache.load(*(each + x for each in of_rows))
                cache.store(faces + x)
            for x in range(0, 2 * (coarse.row - WORD), WORD):
                cache.load(faces + x // 2, u.at(2 * y + j, 2 * z + k) + x)
                cache.store(u.at(2 * y + j, 2 * z + k) + x)
        flops += points * 4 * 4
    return cache.per_flop(flops)


def transforms(size: int, length: int = 256, lanes: int = 8, groups: int = 12) -> tuple[float, float]:
    """Lines of complex numbers, `lanes` at a time: in, steps of four from one array to another and back, and out."""
    cache = Cache(size)
    work, other, data = 1 << 32, (1 << 32) + 16 * lanes * length, 2 << 32
    steps = length.bit_length() // 2
    for group in range(groups):
        lines = data + group * lanes * length * 16
        for k, lane in product(range(length), range(lanes)):
            cache.load(lines + 16 * (lane * length + k))
            cache.store(work + 16 * (k * lanes + lane))
        for step in range(steps):
            here, there = (work, other) if step % 2 == 0 else (other, work)
            for k in range(length // 4):
                for lane in range(lanes):
                    cache.load(*(here + 16 * ((k + quarter * length // 4) * lanes + lane) for quarter in range(4)))
                    for quarter in range(4):
                        cache.store(there + 16 * ((4 * k + quarter) * lanes + lane))
        for k, lane in product(range(length), range(lanes)):
            cache.load((work if steps % 2 == 0 else other) + 16 * (k * lanes + lane))
            cache.store(lines + 16 * (lane * length + k))
    return cache.per_flop(5 * groups * lanes * length * (length.bit_length() - 1))


def stated(kind: WorkKind) -> tuple[tuple[float, float], tuple[float, float]]:
    assert kind.beyond is not None
    return (kind.read, kind.written), kind.beyond


def test_multigrid_s_bytes_are_those_that_pass_a_cache() -> None:
    """Of 128 points a row 13 rows fit 16 KiB; of 256 points they do not."""
    held, spilled = stated(KERNELS["mg"])
    assert multigrid(SMALL, 128) == pytest.approx(held, rel=0.15)
    assert multigrid(SMALL, 256, rows=12) == pytest.approx(spilled, rel=0.15)


def test_a_transform_s_bytes_are_those_that_pass_a_cache() -> None:
    """Eight lines of 256 points and their next step are 64 KiB."""
    held, spilled = stated(KERNELS["fft"])
    assert transforms(LARGE) == pytest.approx(held, rel=0.2)
    assert transforms(SMALL) == pytest.approx(spilled, rel=0.15)


def machine(**compute: dict[str, str]) -> MachineTable:
    return MachineTable.model_validate(
        {
            "name": "one",
            "messages": {"startup": "1 us", "per_byte": "1 ns/B"},
            "node": {"processors": 2, "cache": "16 KiB", "bus": "1000 MB/s"},
            "compute": compute,
        }
    )


def test_a_byte_takes_the_bus_as_long_as_one_of_the_inner_product() -> None:
    """By hand: 8 bytes a flop at 10 and 20 Mflop/s are 6.25 ns each; a faster kernel's take what the bus says."""
    of = machine(
        rate={"dot": "10 Mflop/s", "compiled": "10 Mflop/s", "zaxpy": "100 Mflop/s"}, cached={"dot": "20 Mflop/s"}
    )
    for kernel, own, bus in (
        ("jacobi", 100 - 4 * 6.25, 4 * 6.25),
        ("fft", 100 - 4.8 * 6.25, 4.8 * 6.25),
        ("zaxpy", 10 - 6, 6),
    ):
        found = node_kernel(of, kernel)
        assert not isinstance(found, str)
        assert (found.own, found.bus) == (pytest.approx(own * 1e-9), pytest.approx(bus * 1e-9))
    without = machine(rate={"compiled": "10 Mflop/s"})
    found = node_kernel(without, "jacobi")
    assert not isinstance(found, str) and found.bus == pytest.approx(4e-9)


def test_what_a_cache_holds_of_a_loop_decides_its_bytes() -> None:
    of = levels(machine(rate={"compiled": "10 Mflop/s"}), "mg")
    assert [(each.up_to, round(each.takes.bus * 1e9, 9)) for each in of if not isinstance(each, str)] == [
        (16384, 2.2),
        (None, 4.8),
    ]
    rates = []
    for memory in (8000.0, 16384.0, 16385.0):
        found = node_kernel(open_described("paragon-mp"), "fft", memory)
        assert not isinstance(found, str)
        rates.append(found.rate(2) / found.rate(1))
    assert rates == [pytest.approx(rates[0]), rates[0], pytest.approx(1.27, abs=0.01)] and rates[0] > 1.9
