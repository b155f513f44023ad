"""Variance by level comes back from data that were made with it, unbalanced."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.analysis.variance import robust


def nested(
    rng: np.random.Generator, launches: int, sd: tuple[float, float, float], blocks: tuple[int, int] = (3, 9)
) -> list[list[np.ndarray]]:
    """Unbalanced: each launch its own number of blocks, each block its own number of readings."""
    data = []
    for _ in range(launches):
        level = sd[0] * rng.standard_normal()
        data.append(
            [
                10 + level + sd[1] * rng.standard_normal() + sd[2] * rng.standard_normal(rng.integers(5, 30))
                for _ in range(rng.integers(*blocks))
            ]
        )
    return data


@pytest.mark.parametrize("sd", [(3.0, 1.0, 0.5), (0.5, 2.0, 1.0), (0.3, 0.2, 3.0), (0.0, 0.0, 1.0)])
def test_the_components_come_back(sd: tuple[float, float, float]) -> None:
    truth = np.square(sd)
    data = nested(np.random.default_rng(1), 800, sd)
    estimate = robust(data)
    found = (estimate.launch, estimate.block, estimate.repetition)
    assert found == pytest.approx(truth, rel=0.2, abs=0.2 * truth.max())
    assert sum(estimate.share.values()) == pytest.approx(1)


def test_wild_readings_and_a_wild_launch_do_not_move_the_robust_estimate() -> None:
    data = nested(np.random.default_rng(3), 300, (2.0, 1.0, 0.5))
    calm = robust(data)
    for launch in data[::10]:
        launch[0] = launch[0] + 100
    for launch in data:
        launch[-1][0] += 1000
    wild = robust(data)
    assert wild.launch == pytest.approx(calm.launch, rel=0.3)
    assert wild.repetition == pytest.approx(calm.repetition, rel=0.3)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100))
def test_variance_scales_with_the_square_and_ignores_shifts_and_order(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    data = nested(rng, 5, (1.0, 1.0, 1.0))
    one, other = robust(data), robust([[scale * block + 7 for block in launch] for launch in data])
    for level in ("launch", "block", "repetition"):
        assert getattr(other, level) == pytest.approx(scale**2 * getattr(one, level), rel=1e-6, abs=1e-9 * scale**2)
    mixed = robust([[rng.permutation(block) for block in launch[::-1]] for launch in data[::-1]])
    assert mixed.share == pytest.approx(one.share)


def test_levels_without_repeats_and_empty_blocks() -> None:
    single = robust([[[1.0, 2.0, 3.0]]])
    assert (single.launch, single.block) == (0, 0) and single.repetition > 0
    assert robust([[[1.0]]]).share == {"launch": 0, "block": 0, "repetition": 0}
    for broken in ([], [[]], [[[]]]):
        with pytest.raises(ValueError):
            robust(broken)
