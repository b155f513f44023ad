"""Variance by level comes back from data that were made with it, unbalanced; the best design beats its neighbours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.analysis.variance import Components, allocate, classical, robust


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
    for estimate, slack in ((classical(data), 0.12), (robust(data), 0.2)):
        found = (estimate.launch, estimate.block, estimate.repetition)
        assert found == pytest.approx(truth, rel=slack, abs=slack * truth.max())
        assert sum(estimate.share.values()) == pytest.approx(1)


def test_analysis_of_variance_is_unbiased_with_few_launches() -> None:
    rng = np.random.default_rng(2)
    found = np.mean([classical(nested(rng, 6, (1.0, 1.0, 1.0))).repetition for _ in range(200)])
    assert found == pytest.approx(1, rel=0.03)
    blocks = np.mean([classical(nested(rng, 6, (3.0, 1.0, 0.2))).block for _ in range(200)])
    assert blocks == pytest.approx(1, rel=0.08)


def test_balanced_data_by_hand() -> None:
    """Two launches of two blocks of two: mean squares 32, 4 and 2 give components 7, 1 and 2."""
    mean_square = {"launch": 32.0, "block": 4.0, "repetition": 2.0}
    data = [[[-1.0, 1.0], [1.0, 3.0]], [[3.0, 5.0], [5.0, 7.0]]]
    grand, launches, blocks = 3.0, [1.0, 5.0], [[0.0, 2.0], [4.0, 6.0]]
    assert sum(4 * (mean - grand) ** 2 for mean in launches) / 1 == mean_square["launch"]
    between = sum(2 * (m - launches[i]) ** 2 for i, row in enumerate(blocks) for m in row) / 2
    assert between == mean_square["block"]
    found = classical(data)
    assert (found.launch, found.block, found.repetition) == pytest.approx(((32 - 4) / 4, (4 - 2) / 2, 2.0))


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
    assert classical(data).repetition > 100 * calm.repetition


def test_the_next_second_goes_where_the_variance_is() -> None:
    cost = {"launch_cost": 1.0, "block_cost": 0.01, "repetition_cost": 0.001}
    for components, level in [
        (Components("known", 1.0, 1e-4, 1e-4, 3, 9, 90), "launch"),
        (Components("known", 1e-6, 1e-4, 1.0, 3, 9, 90), "repetition"),
        (Components("known", 1e-6, 1.0, 1e-2, 3, 9, 90), "block"),
    ]:
        assert allocate(components, **cost).level == level


@settings(deadline=None, max_examples=50)
@given(*[st.floats(0.01, 10)] * 3, *[st.floats(0.01, 10)] * 3)
def test_the_best_design_beats_its_neighbours(
    launch: float, block: float, repetition: float, c_l: float, c_b: float, c_r: float
) -> None:
    """Variance times cost, by the definition, is nowhere lower on a grid, but for rounding one level at a time."""
    plan = allocate(
        Components("known", launch, block, repetition, 3, 9, 90), launch_cost=c_l, block_cost=c_b, repetition_cost=c_r
    )

    def product(blocks: float, repetitions: float) -> float:
        variance = launch + block / blocks + repetition / (blocks * repetitions)
        return variance * (c_l + blocks * (c_b + repetitions * c_r))

    best = product(plan.blocks, plan.repetitions)
    assert best <= 1.02 * min(product(b, r) for b in range(1, 25) for r in range(1, 25))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100))
def test_variance_scales_with_the_square_and_ignores_shifts_and_order(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    data = nested(rng, 5, (1.0, 1.0, 1.0))
    for estimator in (classical, robust):
        one, other = estimator(data), estimator([[scale * block + 7 for block in launch] for launch in data])
        for level in ("launch", "block", "repetition"):
            assert getattr(other, level) == pytest.approx(scale**2 * getattr(one, level), rel=1e-6, abs=1e-9 * scale**2)
        mixed = estimator([[rng.permutation(block) for block in launch[::-1]] for launch in data[::-1]])
        assert mixed.share == pytest.approx(one.share)


def test_levels_without_repeats_and_empty_blocks() -> None:
    single = classical([[[1.0, 2.0, 3.0]]])
    assert (single.launch, single.block) == (0, 0) and single.repetition == pytest.approx(1)
    assert robust([[[1.0]]]).share == {"launch": 0, "block": 0, "repetition": 0}
    for broken in ([], [[]], [[[]]]):
        with pytest.raises(ValueError):
            classical(broken)
