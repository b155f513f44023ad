"""The bracket of the saturation point holds the truth as often as it says; its ends are loads that were decided."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay.network import balance, description, filling, saturation
from assay.network.filling import Filling
from assay.network.offered import at_load
from assay.network.tasks import task
from by_night import by_night
from made_runs import answer
from saturable_networks import CUBE, HOT_SPOT, IO_NODES, QUEUE, TORUS


def found(file: Path, **keys: Any) -> dict[str, Any]:
    """The saturation of a description with these keys of [method]."""
    about = description.load(file)
    document = answer(saturation.steps(about.but(method=about.method.model_copy(update=keys))))
    of: dict[str, Any] = document["saturation"]
    return of


def walk(
    random: np.random.Generator, load: float, less: float = 0, cycles: int = 7168, nodes: int = 4
) -> tuple[float, float]:
    """The halves of a queue that starts empty: one message served per cycle at each node, Poisson arrivals.

    `less` messages are taken from its backlog, once it has reached them.
    """
    steps = random.poisson(load, (nodes, cycles)) - 1
    sums = np.cumsum(steps, axis=1)
    backlog = (sums - np.minimum(np.minimum.accumulate(sums, axis=1), 0)).sum(axis=0)[6::7]
    return balance.halves(np.maximum(backlog - less, 0), 0)


def verdicts(load: float, less: float = 0) -> list[bool | None]:
    """Of sixty tests, one of a hundred of which may be wrong."""
    random = np.random.default_rng(7)
    tests = ([walk(random, load, less) for _ in range(balance.REPLICATIONS)] for _ in range(60))
    return [balance.judged(found, 0.01) for found in tests]


@pytest.mark.parametrize(("load", "wrong"), [(0.9, True), (0.99, True), (1.0, None), (1.01, False), (1.1, False)])
def test_the_sign_of_growth_is_seldom_wrong(load: float, wrong: bool | None) -> None:
    """One test of a hundred may be wrong; at the saturation point itself one in each direction."""
    found = verdicts(load)
    if wrong is None:
        assert sum(verdict is not None for verdict in found) <= 6
    else:
        assert found.count(wrong) <= 3
    if load in (0.9, 1.1):
        assert found.count(not wrong) >= 57


def test_a_root_of_time_less_a_constant_is_not_taken_for_growth_in_proportion() -> None:
    """At the saturation point four queues hold some 120 messages in the mean of the first half; 40 are not seen."""
    assert verdicts(1.0, less=40).count(True) <= 3
    assert verdicts(1.1, less=40).count(True) >= 57


def test_values_that_are_alike_are_taken_as_they_are() -> None:
    assert balance.sign([0.0] * 8, 0.01) is False
    assert balance.sign([3.0] * 8, 0.01) is True


def bracketed(verdict: Callable[[float], bool | None], start: float, precision: float) -> tuple[float, float | None]:
    """The bracket where loads are decided by `verdict`, without any run."""

    def saturates(load: float) -> Generator[Any, Any, bool | None]:
        yield []
        return verdict(load)

    steps = saturation.bracket(saturates, start, precision)
    with pytest.raises(StopIteration) as end:
        while True:
            next(steps)
    found: tuple[float, float | None] = end.value.value
    return found


loads = some.floats(0.1, 10)


@given(start=loads, truth=loads, precision=some.floats(0.001, 0.5))
def test_a_bracket_holds_the_threshold_and_is_as_narrow_as_promised(
    start: float, truth: float, precision: float
) -> None:
    tried: list[float] = []

    def verdict(load: float) -> bool:
        tried.append(load)
        return load > truth

    low, high = bracketed(verdict, start, precision)
    assert high is not None
    assert low <= truth < high and {low, high} <= set(tried)
    assert (high - low) / high <= precision
    assert len(tried) == len(set(tried)) <= 10 + math.log2(2 / precision)  # doubled or halved 7 times at most


@given(start=loads, truth=loads, blurred=some.floats(0, 0.5), precision=some.floats(0.01, 0.5))
def test_loads_that_cannot_be_decided_are_no_ends(start: float, truth: float, blurred: float, precision: float) -> None:
    """Within `blurred` of the truth nothing is known: the ends lie outside, and no decided load is between them."""
    tried: dict[float, bool | None] = {}

    def verdict(load: float) -> bool | None:
        tried[load] = None if abs(load - truth) <= blurred * truth else load > truth
        return tried[load]

    low, high = bracketed(verdict, start, precision)
    assert high is not None
    assert tried[low] is False and tried[high] is True and low < truth < high
    assert not any(low < load < high and decided is not None for load, decided in tried.items())
    if (high - low) / high > precision:
        places = [low + place * (high - low) for place in saturation.PLACES]
        assert all(abs(load - truth) <= blurred * truth for load in places)


def test_a_search_ends_where_no_load_or_every_load_saturates() -> None:
    low, high = bracketed(lambda load: False, 0.5, 0.1)
    assert high is None and saturation.HIGHEST / 4 < low <= saturation.HIGHEST / 2
    low, high = bracketed(lambda load: None, 0.5, 0.1)
    assert (low, high) == (0, None)
    low, high = bracketed(lambda load: True, 0.5, 0.1)
    assert low == 0 and high is not None and 0.5 / saturation.HIGHEST <= high <= 1 / saturation.HIGHEST


@pytest.mark.parametrize("seed", by_night([1, 2, 3], [1]))
def test_a_single_queue_saturates_at_one(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE + "load = 0.5\n")
    of = found(file, seed=seed, precision=0.1)
    low, high = of["interval"]
    assert low <= 1 <= high and (high - low) / high <= 0.1
    assert of["confidence"] == 0.95
    decided = {True: high, False: low}  # the ends are loads that were decided
    for verdict, load in decided.items():
        assert any(one["load"] == load and one["saturated"] is verdict for one in of["tried"])


def quarters(about: description.NetworkDescription, load: float, cycles: int) -> list[float]:
    """Mean backlog in the quarters of a run from empty at this load."""
    backlog = task(at_load(about, load), 0, 0, cycles).make().backlog
    return [float(part.mean()) for part in np.split(backlog, 4)]


def of_long_messages(text: str, load: float) -> str:
    """The network with messages of 20,000 flits."""
    return re.sub(r"flits = \d+", "flits = 20000", text) + f"load = {load}\n"


@pytest.mark.parametrize("seed", by_night([1, 2], [1]))
def test_a_queue_of_long_messages_saturates_at_one(seed: int, tmp_path: Path) -> None:
    """The first runs end before a message of 20,000 flits has passed."""
    file = tmp_path / "queue.toml"
    file.write_text(of_long_messages(QUEUE, 0.5))
    low, high = found(file, seed=seed, precision=0.1)["interval"]
    assert low <= 1 <= high


@pytest.mark.parametrize("precision", [0.2, pytest.param(0.1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("text", "balanced"),
    [
        pytest.param(of_long_messages(CUBE, 0.1), 0.68, id="cube", marks=pytest.mark.nightly),
        pytest.param(IO_NODES + "interval = 2000\n", 0.0006, id="reads"),
    ],
)
def test_a_network_that_is_still_filling_is_not_saturated(
    text: str, balanced: float, precision: float, tmp_path: Path
) -> None:
    """A load at which a run of hundreds of messages from each node stays in balance lies below the bracket's end."""
    file = tmp_path / "network.toml"
    file.write_text(text)
    about = description.load(file)
    means = quarters(about, balanced, 100_000_000)
    assert max(means) < 1.3 * min(means)
    _, high = found(file, precision=precision)["interval"]
    assert high > balanced


@pytest.mark.parametrize(
    ("text", "load", "precision", "cycles"),
    [
        pytest.param(HOT_SPOT, 0.1, 0.1, 5_000_000, id="hot-spot"),
        pytest.param(HOT_SPOT, 0.1, saturation.PRECISION, 41_000_000, id="hot-spot, near", marks=pytest.mark.nightly),
        pytest.param(CUBE, 0.5, saturation.PRECISION, 10_000_000, id="cube", marks=pytest.mark.nightly),
        pytest.param(TORUS, 0.4, saturation.PRECISION, 10_000_000, id="torus", marks=pytest.mark.nightly),
    ],
)
def test_runs_many_times_as_long_bear_out_both_ends_of_a_bracket(
    text: str, load: float, precision: float, cycles: int, tmp_path: Path
) -> None:
    """At least eight times as long: in balance at the lower end, in proportion to time at the upper one.

    From the second to the last quarter a root of time grows by 1.53, a line by 2.33.
    """
    file = tmp_path / "network.toml"
    file.write_text(text + f"load = {load}\n")
    about = description.load(file)
    of = found(file, precision=precision)
    assert all(cycles >= 8 * one["cycles"] for one in of["tried"])
    low, high = of["interval"]
    _, second, _, last = quarters(about, low, cycles)
    assert last < 1.3 * second
    _, second, _, last = quarters(about, high, cycles)
    assert last > 1.8 * second


@pytest.mark.nightly
def test_a_cube_just_below_its_saturation_is_not_called_saturated(tmp_path: Path) -> None:
    """Its backlog grows faster than the root of time for the first hundred thousand cycles."""
    file = tmp_path / "cube.toml"
    file.write_text(CUBE + "load = 0.782\n")
    about = description.load(file)
    _, second, _, last = quarters(about, 0.782, 20_000_000)
    assert last < 1.3 * second
    filling = Filling(about)
    for seed in range(1, 11):
        seeded = about.but(method=about.method.model_copy(update={"seed": seed}))
        assert answer(balance.decide(seeded, 0.782, 20_000, filling)).saturated is not True


def test_a_run_that_ends_before_messages_can_arrive_does_not_decide(tmp_path: Path) -> None:
    """The engine of flits counts a message to its tail: in 20,000 cycles hardly one of as many flits arrives."""
    file = tmp_path / "torus.toml"
    file.write_text(of_long_messages(TORUS.replace("[4, 4]", "[8, 8]"), 0.4))
    about = description.load(file)
    steps = balance.decide(about, 0.4, 20_000, Filling(about))
    runs = [task.make() for task in next(steps)]
    assert balance.judged([balance.halves(run.backlog, 0) for run in runs], 0.00125) is True
    longer = steps.send(runs)
    while len(longer) == 1:  # pilot runs
        longer = steps.send([longer[0].make()])
    assert len(longer) == len(runs) and longer[0].cycles >= filling.TIMES * 20_000


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_a_hundred_brackets_of_a_single_queue(tmp_path: Path) -> None:
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE + "load = 0.5\n")
    brackets = [found(file, seed=seed)["interval"] for seed in range(1, 101)]
    held = sum(low <= 1 <= high for low, high in brackets)
    print(f"held {held} of 100, widths {np.quantile([high - low for low, high in brackets], [0, 0.5, 1])}")
    assert held >= 93


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_the_widths_of_an_io_network_are_told_from_one_another(tmp_path: Path) -> None:
    """Table 2 of Ghosh, Goveas and Draper: b = 1 from 10 to 12.8 messages/ms, b = 2 from 22.2 to 25, b = 0 between."""
    file = tmp_path / "cube.toml"
    text = '[network]\ntopology = "hypercube"\ndimension = 7\n[io]\nlocality = 0.2\nio_rate = 0.05\nk = 9\nm = 8\n'
    intervals = {}
    for b in (0, 1, 2):
        file.write_text(f'{text}b = {b}\ninterval = "156 us"\n')
        low, high = found(file)["interval_per_millisecond"]
        assert (high - low) / high <= saturation.PRECISION
        intervals[b] = low, high
    assert intervals[1][0] >= 10 and intervals[1][1] < intervals[0][0] and intervals[0][1] < intervals[2][0] <= 25
