"""The simulated disk and its queues against the published curve, a twin that waits sector by sector, and M/G/1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import storage
from storage_twin import HP97560, hp_seek, queued

DISK = {"disk": HP97560}
CAPACITY = 1962 * 19 * 72 * 512


@pytest.mark.parametrize("cylinders", [0, 1, 2, 100, 382, 383, 384, 1000, 1961])
def test_the_arm_moves_by_the_published_curve(cylinders: int) -> None:
    assert storage.seek(DISK, cylinders) == pytest.approx(hp_seek(cylinders), abs=2e-12)


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[float], list[int], int]:
    count = draw(st.integers(1, 12))
    # Different times: of several at once the first to come begins, before the queue knows of the others.
    arrive = [
        ms * 1e-3 for ms in sorted(draw(st.lists(st.integers(0, 200), min_size=count, max_size=count, unique=True)))
    ]
    addresses = [draw(st.integers(0, CAPACITY // 512 - 200)) * 512 for _ in range(count)]
    return arrive, addresses, draw(st.sampled_from([512, 4096, 65536]))


@pytest.mark.parametrize("order", ["fcfs", "scan", "sptf"])
@given(batches())
@settings(max_examples=120, deadline=None)
def test_a_queue_is_its_twin(order: str, given: tuple[list[float], list[int], int]) -> None:
    arrive, addresses, count = given
    found = storage.drive(DISK | {"queue": order}, arrive, addresses, count)
    assert found == pytest.approx(queued(order, arrive, addresses, count), abs=1e-9)


def test_a_long_access_runs_at_the_rate_of_the_skewed_tracks() -> None:
    """Sixteen cylinders in one access: a track in a revolution, and the skew at each switch."""
    tracks = 19 * 16
    (ended,) = storage.drive(DISK, [0.0], [0], tracks * 72 * 512)
    sector = HP97560["revolution"] / 72
    switches, seeks = 18 * 16, 15
    turning = tracks * 72 * sector + switches * 8 * sector + seeks * 18 * sector
    first = -(-2.2e-3 // HP97560["revolution"]) * HP97560["revolution"]  # the first sector's next passing
    assert ended == pytest.approx(first + turning, rel=1e-9)


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_random_accesses_wait_as_pollaczek_and_khinchine_say(load: float) -> None:
    """FCFS, Poisson arrivals, uniform addresses: services are independent but for the arm's place between two."""
    random = np.random.default_rng(7)
    cylinders = 1962
    far = np.abs(np.subtract.outer(np.arange(cylinders), np.arange(cylinders))).ravel()
    seeks = np.array([hp_seek(int(d)) for d in range(cylinders)])[far]
    # No seek: a switch of heads, but for one time in 19.
    seeks = np.where(far == 0, 18 / 19 * 1.6e-3, seeks)
    turn = HP97560["revolution"]
    fixed = 2.2e-3 + 8 * turn / 72  # overhead and the transfer of 4 KiB within a track
    mean = fixed + seeks.mean() + turn / 2
    square = seeks.var() + turn**2 / 12 + mean**2
    rate = load / mean
    count = 40000
    arrive = np.cumsum(random.exponential(1 / rate, count))
    addresses = random.integers(0, CAPACITY // 4096, count) * 4096
    ended = np.array(storage.drive(DISK, arrive.tolist(), addresses.tolist(), 4096))
    response = float((ended - arrive).mean())
    expected = mean + rate * square / (2 * (1 - load))
    assert response == pytest.approx(expected, rel=0.05 if load < 0.7 else 0.1)


def test_orders_by_place_serve_a_crowd_sooner() -> None:
    """Two hundred at once: SPTF positions faster than SCAN, SCAN than FCFS (Jacobson and Wilkes 1991)."""
    random = np.random.default_rng(3)
    addresses = (random.integers(0, CAPACITY // 4096, 200) * 4096).tolist()
    last = {
        order: max(storage.drive(DISK | {"queue": order}, [0.0] * 200, addresses, 4096))
        for order in ("fcfs", "scan", "sptf")
    }
    assert last["sptf"] < 0.8 * last["scan"] < 0.8 * last["fcfs"]


def test_a_fitted_device_overlaps_waiting_and_not_the_channel() -> None:
    """Four at once: the time of an access once, then the bytes of one after the other."""
    device = {"device": {"access": 100e-6, "per_byte": 1e-9, "at_once": 4}}
    ended = storage.drive(device, [0.0] * 5, [0] * 5, 10000)
    assert ended == pytest.approx([110e-6, 120e-6, 130e-6, 140e-6, 220e-6])


ZONES = [[0, 96], [600, 72], [1300, 48]]
# Skews that cover a switch of heads and a cylinder's seek on the outermost tracks, whose sectors pass soonest.
SKEWS = {"zones": ZONES, "track_skew": 12, "cylinder_skew": 26}
ZONED = {"disk": {key: value for key, value in HP97560.items() if key != "sectors"} | SKEWS}
# Bytes before each zone, written down by hand: cylinders, heads, sectors.
BEFORE = [0, 600 * 19 * 96 * 512, (600 * 19 * 96 + 700 * 19 * 72) * 512]


@pytest.mark.parametrize("zone", [0, 1, 2])
def test_each_zone_passes_its_sectors_in_a_revolution(zone: int) -> None:
    """Whole cylinders from a zone's first on: a track per revolution, and the skew at each switch; less the first."""
    sectors, turn = ZONES[zone][1], HP97560["revolution"]
    tracks = 19 * 8
    ended = [storage.drive(ZONED, [0.0], [BEFORE[zone]], count * sectors * 512)[0] for count in (1, tracks)]
    switches, seeks = 18 * 8, 7
    turning = (tracks - 1) * turn + (switches * 12 + seeks * 26) * turn / sectors
    assert ended[1] - ended[0] == pytest.approx(turning, rel=1e-9)


@pytest.mark.parametrize("zone", [1, 2])
def test_a_zone_begins_at_its_cylinder(zone: int) -> None:
    """The last sector before it is a cylinder nearer: an arm that comes from there moves by one, from 0 by all."""
    far = storage.drive(ZONED, [0.0, 0.0], [0, BEFORE[zone]], 512)
    turn = HP97560["revolution"]
    least = 2.2e-3 + hp_seek(ZONES[zone][0])
    assert least <= far[1] - far[0] - turn / ZONES[zone][1] < least + turn
    capacity = BEFORE[2] + 662 * 19 * 48 * 512
    with pytest.raises(IndexError, match=f"of a disk of {capacity}"):
        storage.drive(ZONED, [0.0], [capacity], 512)


@given(batches())
@settings(max_examples=40, deadline=None)
def test_zones_of_equal_tracks_are_one_disk(given: tuple[list[float], list[int], int]) -> None:
    same = {"disk": {**ZONED["disk"], "zones": [[0, 72], [700, 72], [701, 72]], "track_skew": 8, "cylinder_skew": 18}}
    assert storage.drive(same, *given) == storage.drive(DISK, *given)


def test_what_lies_beyond_the_disk_is_refused() -> None:
    with pytest.raises(IndexError, match=f"of a disk of {CAPACITY}"):
        storage.drive(DISK, [0.0], [CAPACITY - 512], 4096)
