"""The simulated solid-state device against closed forms, a twin that fills time slot by slot, and M/D/1 and M/D/c."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import storage

PAGE = 4096
READ, PROGRAM, CHANNEL, LINK, OVERHEAD = 60e-6, 700e-6, 20e-6, 3e-6, 5e-6  # s; CHANNEL and LINK: of a page


def device(**changed: Any) -> dict[str, Any]:
    solid = {"page": PAGE, "read": READ, "program": PROGRAM, "channel_per_byte": CHANNEL / PAGE} | changed
    return {"solid_state": solid}


def one(of: dict[str, Any], count: int, *, write: bool = False, address: int = 0) -> float:
    """When an access of `count` bytes by itself is done."""
    (ended,) = storage.drive(of, [0.0], [address], count, write)
    return float(ended)


def test_a_page_passes_every_part_one_after_the_other() -> None:
    whole = device(per_byte=LINK / PAGE, overhead=OVERHEAD)
    assert one(whole, PAGE) == pytest.approx(OVERHEAD + READ + CHANNEL + LINK, abs=1e-12)
    assert one(whole, PAGE, write=True) == pytest.approx(OVERHEAD + LINK + CHANNEL + PROGRAM, abs=1e-12)


def test_a_part_of_a_page_is_moved_as_a_part_and_read_before_it_is_written() -> None:
    whole = device(per_byte=LINK / PAGE)
    moved = (CHANNEL + LINK) / 4
    assert one(whole, PAGE // 4, address=PAGE // 2) == pytest.approx(READ + moved, abs=1e-12)
    assert one(whole, PAGE // 4, write=True) == pytest.approx(moved + READ + PROGRAM, abs=1e-12)


@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("dies", [1, 2, 3, 5, 8, 40])
@pytest.mark.parametrize("write", [False, True])
def test_long_accesses_run_at_the_rate_of_full_channels_or_of_all_dies(channels: int, dies: int, write: bool) -> None:
    """Rounds of one page per die: bound by the dies where they leave the channel idle, else by the channel."""
    rounds, cell = 12, PROGRAM if write else READ
    found = one(device(channels=channels, dies=dies), channels * dies * rounds * PAGE, write=write)
    by_dies = rounds * (cell + CHANNEL) + (dies - 1) * CHANNEL
    by_channel = cell + rounds * dies * CHANNEL
    assert found == pytest.approx(max(by_dies, by_channel), rel=1e-9)
    assert (by_channel > by_dies) == (dies * CHANNEL > cell + CHANNEL)


def test_the_link_bounds_all_channels() -> None:
    """Sixteen channels bring pages faster than the link takes them: it is never idle after the first."""
    pages = 16 * 20
    of = device(channels=16, dies=8, per_byte=LINK / PAGE, overhead=OVERHEAD)
    assert one(of, pages * PAGE) == pytest.approx(OVERHEAD + READ + CHANNEL + pages * LINK, rel=1e-9)


@pytest.mark.parametrize(("dies", "load"), [(1, 0.5), (1, 0.8), (4, 0.7)])
def test_random_reads_wait_at_their_dies_as_m_d_1(dies: int, load: float) -> None:
    """Poisson arrivals over all pages, channels that take no time: each die is a queue of its own."""
    random = np.random.default_rng(11)
    servers, count = 3 * dies, 60000
    arrive = np.cumsum(random.exponential(READ / load / servers, count))
    addresses = random.integers(0, 1 << 20, count) * PAGE
    of = device(channels=3, dies=dies, channel_per_byte=0, at_once=65536)
    ended = np.array(storage.drive(of, arrive.tolist(), addresses.tolist(), PAGE))
    expected = READ + load * READ / (2 * (1 - load))
    assert float((ended - arrive).mean()) == pytest.approx(expected, rel=0.04)


def waiting_of_m_d_c(servers: int, load: float) -> float:
    """Mean wait over the service time, from X' = max(X - c, 0) + Poisson(c load) (Crommelin 1932)."""
    most = 400
    mean = servers * load
    arrivals = np.array([math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(most)])
    found = np.zeros(most)
    found[0] = 1.0
    for _ in range(4000):
        left = np.concatenate([[found[: servers + 1].sum()], found[servers + 1 :]])
        found = np.convolve(left, arrivals)[:most]
    return float((np.maximum(np.arange(most) - servers, 0) * found).sum() / mean)


@pytest.mark.parametrize(("servers", "load"), [(2, 0.7), (4, 0.8), (8, 0.9)])
def test_accesses_that_wait_at_once_are_m_d_c(servers: int, load: float) -> None:
    """The device of two numbers, whose channel takes no time: whichever place is free serves the next."""
    random = np.random.default_rng(13)
    service, count = 100e-6, 80000
    arrive = np.cumsum(random.exponential(service / load / servers, count))
    of = {"device": {"access": service, "at_once": servers}}
    ended = np.array(storage.drive(of, arrive.tolist(), [0] * count, PAGE))
    waited = float((ended - arrive).mean()) - service
    assert waited == pytest.approx(service * waiting_of_m_d_c(servers, load), rel=0.08)


def twin(arrive: list[int], pages: list[int], channels: int, dies: int, cell: int, channel: int, link: int,
         write: bool) -> list[int]:  # fmt: skip
    """One page each, by tables of every slot of time that is taken, searched from its beginning."""
    taken: dict[object, set[int]] = {}
    free: dict[int, int] = {}
    ended = []

    def passes(what: object, ready: int, takes: int) -> int:
        if takes == 0:
            return ready
        slots = taken.setdefault(what, set())
        while any(ready + each in slots for each in range(takes)):
            ready += 1
        slots.update(range(ready, ready + takes))
        return ready + takes

    for begun, page in zip(arrive, pages, strict=True):
        die = page % (channels * dies)
        if write:
            here = passes("link", begun, link)
            free[die] = passes(page % channels, max(here, free.get(die, 0)), channel) + cell
            ended.append(free[die])
        else:
            free[die] = passes(page % channels, max(begun, free.get(die, 0)) + cell, channel)
            ended.append(passes("link", free[die], link))
    return ended


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40)), min_size=1, max_size=25),
    st.integers(1, 3), st.integers(1, 3), st.integers(0, 9), st.integers(0, 5), st.integers(0, 3), st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_channels_dies_and_link_are_their_twin(
    given: list[tuple[int, int]], channels: int, dies: int, cell: int, channel: int, link: int, write: bool
) -> None:
    given = sorted(given, key=lambda each: each[0])
    arrive, pages = [each[0] for each in given], [each[1] for each in given]
    us = 1e-6
    solid = {"channels": channels, "dies": dies, "page": PAGE, "read": cell * us, "program": cell * us,
             "channel_per_byte": channel * us / PAGE, "per_byte": link * us / PAGE, "at_once": 1000}  # fmt: skip
    found = storage.drive({"solid_state": solid}, [at * us for at in arrive], [at * PAGE for at in pages], PAGE, write)
    assert found == pytest.approx([at * us for at in twin(arrive, pages, channels, dies, cell, channel, link, write)])
