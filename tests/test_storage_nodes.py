"""Buffers, striping and a simulated I/O node against exact cases, Che's approximation and closed forms."""

from __future__ import annotations

from collections import OrderedDict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from assay._core import storage

UNIT = 4096
ACCESS, RATE = 20e-3, 1e6  # s, B/s of the fitted device below
FITTED: dict[str, Any] = {"stripe": UNIT, "device": {"access": ACCESS, "per_byte": 1 / RATE}}


def with_buffers(units: int, **more: Any) -> dict[str, Any]:
    return FITTED | {"cache": {"size": units * UNIT} | more}


@given(st.integers(1, 6), st.lists(st.integers(0, 9), max_size=60))
def test_buffers_are_given_up_by_last_use(buffers: int, blocks: list[int]) -> None:
    kept: OrderedDict[int, None] = OrderedDict()
    hits = []
    for each in blocks:
        hits.append(each in kept)
        kept.pop(each, None)
        kept[each] = None
        if len(kept) > buffers:
            kept.popitem(last=False)
    assert storage.lru(buffers, blocks) == hits


def test_three_blocks_in_two_buffers_hit_as_often_as_the_chain_says() -> None:
    """Independent requests: the buffers hold the last two different blocks, i then j with p_i p_j / (1 - p_i)."""
    p = np.array([0.6, 0.3, 0.1])
    held = [p[i] + sum(p[j] * p[i] / (1 - p[j]) for j in range(3) if j != i) for i in range(3)]
    expected = float(np.dot(p, held))
    blocks = np.random.default_rng(1).choice(3, size=200_000, p=p)
    assert float(np.mean(storage.lru(2, blocks.tolist()))) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("buffers", [20, 100, 400])
def test_many_blocks_hit_as_che_approximates(buffers: int) -> None:
    """Che, Tung and Wang 2002: a block stays for one time T that fills the buffers; Zipf with exponent 0.8."""
    p = 1 / np.arange(1, 2001) ** 0.8
    p /= p.sum()
    stay = brentq(lambda t: float((1 - np.exp(-p * t)).sum()) - buffers, 1e-3, 1e7)
    expected = float((p * (1 - np.exp(-p * stay))).sum())
    blocks = np.random.default_rng(2).choice(2000, size=150_000, p=p)
    hits = np.array(storage.lru(buffers, blocks.tolist()))[20_000:]
    assert float(hits.mean()) == pytest.approx(expected, abs=0.01)


@given(
    unit=st.integers(1, 50), nodes=st.integers(1, 9), first=st.integers(0, 20), offset=st.integers(0, 500),
    count=st.integers(1, 500),
)  # fmt: skip
def test_every_byte_lies_in_one_place(unit: int, nodes: int, first: int, offset: int, count: int) -> None:
    found = storage.pieces(unit, nodes, first, offset, count)
    places = [
        (node, number * unit + (at + byte) % unit) for node, number, at, length in found for byte in range(length)
    ]
    assert len(places) == count == len(set(places))
    assert [at for _, _, at, _ in found] == [offset, *(at + length for _, _, at, length in found[:-1])]
    assert all((b - a) % nodes == 1 % nodes for (a, *_), (b, *_) in pairwise(found))
    assert found[0][0] == (offset // unit + first) % nodes


def one_after_another(count: int, write: bool = False) -> list[tuple[float, bool, int, int, int]]:
    return [(0.0 if unit == 0 else -1.0, write, 0, unit, UNIT) for unit in range(count)]


@pytest.mark.parametrize("ahead", [0, 1, 3, 7])
def test_reading_ahead_shares_an_access_among_units(ahead: int) -> None:
    """A file in order: the first access brings the unit and those ahead, and whenever the next has no buffer so many
    more are under way.
    """
    count = 1 + 42 + ahead
    ended, counted, _ = storage.server(with_buffers(32), [count], one_after_another(count), ahead)
    accesses = 1 + 42 // ahead if ahead else count
    assert counted["reads"] == accesses and counted["read"] == count
    assert counted["misses"] == (1 if ahead else count) and counted["hits"] == count - counted["misses"]
    assert ended[-1] == pytest.approx(accesses * ACCESS + count * UNIT / RATE)


def test_without_buffers_every_unit_is_an_access() -> None:
    ended, counted, _ = storage.server(FITTED, [16], one_after_another(16), 7)
    assert counted["reads"] == 16 and counted["hits"] == 0
    assert ended[-1] == pytest.approx(16 * (ACCESS + UNIT / RATE))


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 12), st.integers(1, 7))
def test_streams_that_need_more_than_the_buffers_thrash(streams: int, ahead: int) -> None:
    """Files read in turn, unit by unit. What was read ahead was used longer ago than what was asked for since, and is
    given up before it: with room for both each unit is read once, with room for half of one most are read again.
    """
    count = 6 * (1 + ahead)
    requests = [
        (0.0 if unit == file == 0 else -1.0, False, file, unit, UNIT)
        for unit in range(count)
        for file in range(streams)
    ]
    enough = 2 * streams * (1 + ahead)
    _, good, seconds = storage.server(with_buffers(enough), [count] * streams, requests, ahead)
    _, bad, longer = storage.server(with_buffers(streams * (1 + ahead) // 2), [count] * streams, requests, ahead)
    assert good["read"] == streams * count
    assert bad["read"] > good["read"] and longer > seconds


def test_the_processor_serves_in_turn() -> None:
    """Three requests at once for one unit that is there: request and bytes for each, one after the other."""
    node = with_buffers(8) | {"request": 1e-3, "per_byte": 1e-6}
    requests = [(0.0, False, 0, 0, UNIT), *((1.0, False, 0, 0, UNIT) for _ in range(3))]
    ended, counted, _ = storage.server(node, [1], requests)
    assert counted["reads"] == 1
    copying = UNIT * 1e-6
    assert ended[0] == pytest.approx(1e-3 + ACCESS + UNIT / RATE + copying)
    assert ended[1:] == pytest.approx([1.0 + 3e-3 + n * copying for n in (1, 2, 3)])


def test_writes_return_from_the_buffers_until_these_are_full() -> None:
    """Write-behind: at once while there is a buffer, at the disk's rate after; adjacent units share an access."""
    count, buffers = 200, 16
    ended, counted, seconds = storage.server(
        with_buffers(buffers, write_behind=True), [count], one_after_another(count, write=True)
    )
    assert ended[buffers - 1] == 0.0
    assert ended[buffers] > 0.0
    assert counted["written"] == count and counted["read"] == 0
    assert counted["writes"] <= 1 + -(-(count - 1) // (buffers // 4))
    assert seconds >= counted["writes"] * ACCESS + count * UNIT / RATE - 1e-9
    through, _, _ = storage.server(with_buffers(buffers), [count], one_after_another(count, write=True))
    assert through[-1] == pytest.approx(count * (ACCESS + UNIT / RATE))


def test_a_part_of_a_unit_is_written_into_what_was_there() -> None:
    """The rest of the unit has to be read first; a whole one, or a new one, needs no reading."""
    node = with_buffers(4, write_behind=True)
    for count, units, reads in ((100, 1, 1), (UNIT, 1, 0), (100, 0, 0)):
        _, counted, _ = storage.server(node, [units], [(0.0, True, 0, 0, count)])
        assert (counted["reads"], counted["written"]) == (reads, 1)


@settings(deadline=None, max_examples=60)
@given(
    buffers=st.integers(0, 8), disks=st.integers(1, 3), ahead=st.integers(0, 5), behind=st.booleans(),
    requests=st.lists(
        st.tuples(st.integers(0, 400).map(lambda ms: ms * 1e-3), st.booleans(), st.integers(0, 2), st.integers(0, 11),
                  st.sampled_from([100, UNIT])),
        max_size=40,
    ),
)  # fmt: skip
def test_every_request_ends_and_every_written_unit_reaches_the_disk(
    buffers: int, disks: int, ahead: int, behind: bool, requests: list[tuple[float, bool, int, int, int]]
) -> None:
    node = with_buffers(buffers, write_behind=behind) | {"disks": disks}
    requests = [(when, write, file, unit, count if write else UNIT) for when, write, file, unit, count in requests]
    ended, counted, _ = storage.server(node, [12, 12, 12], requests, ahead)
    assert all(end >= when - 1e-12 for end, (when, *_) in zip(ended, requests, strict=True))
    different = len({(file, unit) for _, write, file, unit, _ in requests if write})
    assert different <= counted["written"] <= sum(write for _, write, *_ in requests)
    reading = sum(not write for _, write, *_ in requests)
    assert counted["hits"] + counted["misses"] >= reading
