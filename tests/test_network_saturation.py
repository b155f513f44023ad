"""The bracket of the saturation point holds the truth as often as it says; its ends are loads that were decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.network import balance, description, method, saturation

QUEUE = """
[network]
topology = "hypercube"
dimension = 1
injection_channels = 1
[traffic]
flits = 32
load = 0.5
"""  # a source and a channel of one flit per cycle: saturates at a load of 1


def found(file: Path, **keys: Any) -> dict[str, Any]:
    """The saturation of a description with these keys of [method]."""
    about = description.load(file)
    steps = saturation.steps(about.but(method=about.method.model_copy(update=keys)))
    try:
        tasks = next(steps)
        while True:
            tasks = steps.send([task.make() for task in tasks])
    except StopIteration as end:
        answer: dict[str, Any] = end.value
        return answer["saturation"]  # type: ignore[no-any-return]


def walk(random: np.random.Generator, load: float, cycles: int = 20_000, nodes: int = 4) -> float:
    """How a queue that starts empty grew: one message served per cycle at each node, Poisson arrivals."""
    steps = random.poisson(load, (nodes, cycles)) - 1
    sums = np.cumsum(steps, axis=1)
    backlog = (sums - np.minimum(np.minimum.accumulate(sums, axis=1), 0)).sum(axis=0)[cycles // 1024 :: cycles // 1024]
    early, late, stretch = method.growth_of(backlog[:1024], 0, cycles)
    return late - float(stretch**0.5) * early


@pytest.mark.parametrize(("load", "wrong"), [(0.9, True), (0.99, True), (1.0, None), (1.01, False), (1.1, False)])
def test_the_sign_of_growth_is_seldom_wrong(load: float, wrong: bool | None) -> None:
    """One test of a hundred may be wrong; at the saturation point itself one in each direction."""
    random = np.random.default_rng(7)
    verdicts = [balance.sign([walk(random, load) for _ in range(balance.REPLICATIONS)], 0.01) for _ in range(60)]
    if wrong is None:
        assert sum(verdict is not None for verdict in verdicts) <= 6
    else:
        assert verdicts.count(wrong) <= 3
    if load in (0.9, 1.1):
        assert verdicts.count(not wrong) >= 57


def test_values_that_are_alike_are_taken_as_they_are() -> None:
    assert balance.sign([0.0] * 8, 0.01) is False
    assert balance.sign([3.0] * 8, 0.01) is True


def test_a_single_queue_saturates_at_one(tmp_path: Path) -> None:
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE)
    for seed in (1, 2, 3):
        of = found(file, seed=seed, precision=0.1)
        low, high = of["interval"]
        assert low <= 1 <= high and (high - low) / high <= 0.1
        assert of["confidence"] == 0.95
        decided = {True: high, False: low}  # the ends are loads that were decided
        for verdict, load in decided.items():
            assert any(one["load"] == load and one["saturated"] is verdict for one in of["tried"])


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_a_hundred_brackets_of_a_single_queue(tmp_path: Path) -> None:
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE)
    brackets = [found(file, seed=seed)["interval"] for seed in range(1, 101)]
    held = sum(low <= 1 <= high for low, high in brackets)
    print(f"held {held} of 100, widths {np.quantile([high - low for low, high in brackets], [0, 0.5, 1])}")
    assert held >= 93
