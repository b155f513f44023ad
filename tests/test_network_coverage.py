"""Intervals of `simulate` by its default method hold the truth as often as they say, also near saturation.

The truth: of one source and one channel the closed form of M/D/1 (Pollaczek and Khinchin: three cycles to pass and
rho L / (2 (1 - rho)) to wait), else one run that is longer than all trials together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.network import description, simulation
from by_night import by_night
from made_runs import answer
from saturable_networks import CUBE, FLITS, IO_NODES, QUEUE, TORUS

Document = dict[str, Any]


def made(file: Path, **method: Any) -> Document:
    """The document of a description with these keys of [method]."""
    found = description.load(file)
    return answer(simulation.steps(found.but(method=found.method.model_copy(update=method))))


def header(document: Document) -> Document:
    """The header latency, in cycles."""
    found: Document = document["estimates"]["header_latency"]["cycles"]
    return found


def alone(file: Path, truth: float, seeds: int, **method: Any) -> int:
    """How many of these seeds' single runs have an interval; at least 93% of them hold the truth."""
    found = [header(made(file, seed=seed, **method)) for seed in range(1, seeds + 1)]
    assert all(one["interval"] is not None or one["note"] for one in found)
    intervals = [one["interval"] for one in found if one["interval"] is not None]
    held = sum(low <= truth <= high for low, high in intervals)
    print(f"held {held} of {len(intervals)} given of {seeds}")
    assert held >= 0.93 * len(intervals)
    return len(intervals)


def check(file: Path, truth: float, seeds: int) -> None:
    """At least 93% of the intervals hold the truth, and their middles lie about it."""
    held, given, means, halves = 0, 0, [], []
    for seed in range(1, seeds + 1):
        found = header(made(file, seed=seed))
        means.append(found["mean"])
        if found["interval"] is not None:
            low, high = found["interval"]
            given += 1
            held += low <= truth <= high
            halves.append((high - low) / 2)
    print(f"held {held} of {given}, bias {np.mean(means) / truth - 1:+.3%}, half {np.mean(halves) / truth:.3%}")
    assert given >= 0.95 * seeds
    assert held >= 0.93 * given
    assert abs(np.mean(means) - truth) <= np.mean(halves) / 5


@pytest.mark.parametrize("load", [0.5, pytest.param(0.9, marks=pytest.mark.nightly)])
def test_a_single_queue(load: float, tmp_path: Path) -> None:
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE + f"load = {load}\n")
    check(file, 3 + load * FLITS / (2 * (1 - load)), 40)


def test_a_queue_near_saturation_has_its_interval_in_every_seed(tmp_path: Path) -> None:
    load = 0.95
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE + f"load = {load}\n")
    truth = 3 + load * FLITS / (2 * (1 - load))
    found = [header(made(file, seed=seed, precision=0.1)) for seed in range(1, 9)]
    assert all(one["interval"] is not None for one in found)
    assert sum(one["interval"][0] <= truth <= one["interval"][1] for one in found) >= 7


@pytest.mark.parametrize(("few", "many"), by_night([(10, 50), (25, 100)], [(10, 50)]))
@pytest.mark.parametrize("warmup", by_night([2000, "detect"], ["detect"]))
def test_a_single_run_has_an_interval_where_it_is_long_enough(
    warmup: int | str, few: int, many: int, tmp_path: Path
) -> None:
    """A queue that remembers some 11,000 cycles: most runs of a few of that would seem to remember less."""
    load, file = 0.95, tmp_path / "queue.toml"
    file.write_text(QUEUE + f"load = {load}\n")
    truth = 3 + load * FLITS / (2 * (1 - load))
    for cycles in (1000, 10_000, 100_000):
        assert alone(file, truth, few, cycles=cycles, warmup_cycles=warmup) == 0
    assert alone(file, truth, many, cycles=4_000_000, warmup_cycles=warmup) >= 0.9 * many


@pytest.mark.parametrize(("cycles", "seeds"), [(1000, 10), (20_000, 10), pytest.param(0, 0, marks=pytest.mark.nightly)])
def test_a_single_run_of_a_cube(cycles: int, seeds: int, tmp_path: Path) -> None:
    """At nine tenths of its saturation, behind the warm-up of the example; each night whole, with runs long enough."""
    file = tmp_path / "cube.toml"
    file.write_text(CUBE + "load = 0.7\n")
    if cycles:
        assert alone(file, 0.0, seeds, cycles=cycles, warmup_cycles=2000) == 0
        return
    truth = header(made(file, seed=10**6, cycles=100_000_000, warmup_cycles=100_000))["mean"]
    for warmup in (2000, "detect"):
        for length in (100, 1000, 5000, 20_000, 100_000):
            assert alone(file, truth, 100, cycles=length, warmup_cycles=warmup) <= 2
        assert alone(file, truth, 100, cycles=800_000, warmup_cycles=warmup) >= 80


@pytest.mark.nightly
def test_a_cube_at_two_thirds_of_its_saturation(tmp_path: Path) -> None:
    file = tmp_path / "cube.toml"
    file.write_text(CUBE + "load = 0.5\n")
    check(file, header(made(file, seed=10**6, cycles=30_000_000, warmup_cycles=100_000))["mean"], 60)


@pytest.mark.parametrize("share", by_night([0.2, 0.5, 0.7, 0.95], [0.2, 0.7]))
def test_messages_and_reads_of_io_nodes(share: float, tmp_path: Path) -> None:
    """Few messages are reads, and these make most of the latency: a pilot run must have seen them."""
    file = tmp_path / "io.toml"
    file.write_text(IO_NODES + f"interval = {1 / (share * 0.00067)}\n")
    truth = header(made(file, seed=10**6, cycles=1_000_000_000, warmup_cycles=10_000_000))["mean"]
    found = [header(made(file, seed=seed, precision=0.1)) for seed in range(1, 11)]
    assert all(0.8 * truth < one["mean"] < 1.2 * truth for one in found)
    intervals = [one["interval"] for one in found if one["interval"] is not None]
    assert len(intervals) >= 9 and sum(low <= truth <= high for low, high in intervals) >= len(intervals) - 1


@pytest.mark.nightly
def test_short_replications_near_saturation_start_in_balance(tmp_path: Path) -> None:
    """Twenty replications of 3,000 cycles, a tenth of what this load remembers: each is warmed up for long enough."""
    file = tmp_path / "cube.toml"
    file.write_text(CUBE + "load = 0.7\n")
    truth = header(made(file, seed=10**6, cycles=4_000_000, warmup_cycles=100_000))["mean"]
    found = [header(made(file, seed=seed, replications=20, cycles=3000)) for seed in range(1, 13)]
    intervals = [one["interval"] for one in found if one["interval"] is not None]
    assert len(intervals) >= 10 and sum(low <= truth <= high for low, high in intervals) >= len(intervals) - 2
    assert np.mean([one["mean"] for one in found]) == pytest.approx(truth, rel=0.05)


def test_a_fixed_warm_up_that_is_too_short_gives_no_interval(tmp_path: Path) -> None:
    file = tmp_path / "cube.toml"
    file.write_text(CUBE + "load = 0.7\n")
    found = header(made(file, replications=20, cycles=3000, warmup_cycles=300))
    assert found["interval"] is None and "drift" in found["note"]
    few = header(made(file, replications=3, cycles=3000, warmup_cycles=300))
    assert few["interval"] is None and "warm-up is too short" in few["note"]
    long = made(file, replications=3, cycles=3000, warmup_cycles=40_000)
    assert header(long)["interval"] is not None and long["warmup"]["cycles"] == 40_000


@pytest.mark.nightly
@pytest.mark.timeout(14400)
@pytest.mark.parametrize("share", [0.2, 0.5, 0.7, 0.95])
@pytest.mark.parametrize(
    ("text", "key", "saturation", "cycles"),
    [
        pytest.param(QUEUE, "load", 1.0, 0, id="queue"),
        pytest.param(CUBE, "load", 0.783, 300_000_000, id="cube"),
        pytest.param(TORUS, "load", 0.55, 200_000_000, id="torus"),
        pytest.param(IO_NODES, "interval", 0.00067, 100_000_000_000, id="io"),
    ],
)
def test_a_hundred_seeds(text: str, key: str, saturation: float, cycles: int, share: float, tmp_path: Path) -> None:
    load = share * saturation
    file = tmp_path / "network.toml"
    file.write_text(text + f"{key} = {1 / load if key == 'interval' else load}\n")
    truth = 3 + load * FLITS / (2 * (1 - load))
    if cycles:
        truth = header(made(file, seed=10**6, cycles=cycles, warmup_cycles=cycles // 100))["mean"]
    check(file, truth, 100)
