"""Speedup states its base; Amdahl's and the universal law come back from times that were made by them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from assay.analysis.speedup import _design, _not_negative, amdahl, speedups, universal

COUNTS = np.array([1, 2, 4, 8, 16, 32])


def made(sigma: float, kappa: float, noise: float = 0.0, launches: int = 1, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    times = 7.0 * (1 + sigma * (COUNTS - 1) + kappa * COUNTS * (COUNTS - 1)) / COUNTS
    level = np.exp(noise * rng.standard_normal((launches, 1)))
    return np.asarray(times * level * np.exp(noise * rng.standard_normal((launches, len(COUNTS)))))


@settings(deadline=None)
@given(st.floats(0.001, 0.5), st.floats(1e-5, 0.02), st.floats(1e-3, 1e3), st.permutations(range(6)))
def test_laws_come_back(sigma: float, kappa: float, scale: float, order: list[int]) -> None:
    """Also in other units and another order; the best count is the closed form's."""
    law = universal(COUNTS[order], scale * made(sigma, kappa)[:, order], base="one processor")
    assert law.coefficients == pytest.approx({"sigma": sigma, "kappa": kappa}, rel=1e-5, abs=1e-8)
    assert law.best_processors == pytest.approx(np.sqrt((1 - sigma) / kappa), rel=1e-4)
    serial = amdahl(COUNTS, made(sigma, 0), base="one processor")
    assert serial.coefficients["sigma"] == pytest.approx(sigma) and serial.limit == pytest.approx(1 / sigma)
    assert serial.predict(COUNTS) == pytest.approx(made(sigma, 0)[0, 0] / made(sigma, 0)[0])


def test_the_serial_share_of_adf_is_amdahls() -> None:
    """Closed form by hand: with s = 0.051, eight processors give 1 / (0.051 + 0.949 / 8) = 5.895."""
    assert amdahl(COUNTS, made(0.051, 0), base="one").predict([8])[0] == pytest.approx(5.895, abs=1e-3)


@given(st.sampled_from(["amdahl", "universal"]), st.lists(st.floats(0.05, 20), min_size=3, max_size=6))
def test_unknowns_below_zero_are_refused_as_lawson_and_hanson_do(name: str, times: list[float]) -> None:
    design = _design(name, COUNTS[: len(times)].astype(float)) / np.array(times)[:, None]
    wanted = np.ones(len(times))
    assert _not_negative(design, wanted) == pytest.approx(nnls(design, wanted)[0], rel=1e-9, abs=1e-9)


@pytest.mark.nightly
def test_intervals_cover_over_launches() -> None:
    hits = 0
    for seed in range(60):
        law = amdahl(COUNTS, made(0.05, 0, 0.02, 10, seed), base="one processor")
        assert law.ci95 is not None
        hits += law.ci95["sigma"][0] <= 0.05 <= law.ci95["sigma"][1]
    assert hits >= 53  # of 60; 95% would be 57


def test_lack_of_fit_tells_amdahl_from_a_machine_that_turns_back() -> None:
    p = [amdahl(COUNTS, made(0.05, 0, 0.02, 10, s), base="one").lack_of_fit for s in range(40)]
    assert sum(fit is not None and fit.p < 0.05 for fit in p) <= 6
    turning = made(0.05, 0.003, 0.02, 10)
    wrong, right = (law(COUNTS, turning, base="one").lack_of_fit for law in (amdahl, universal))
    assert wrong is not None and wrong.p < 1e-4
    assert right is not None and right.p > 1e-3
    assert amdahl(COUNTS[:2], made(0.05, 0, 0.02, 10)[:, :2], base="one").lack_of_fit is None


def test_a_speedup_states_its_base() -> None:
    times = np.tile([8.0, 4.2, 1.8], (6, 1))
    own = speedups([1, 2, 4], times, base="the parallel program on one processor")
    assert [estimate.value for estimate in own.speedup] == pytest.approx([1, 8 / 4.2, 8 / 1.8])
    assert own.superlinear == (4,) and own.efficiency[2] == pytest.approx(8 / 1.8 / 4)
    serial = speedups([1, 2, 4], times, base="the best serial program", base_times=6.0)
    assert serial.speedup[0].value == pytest.approx(0.75) and "serial" in serial.base
    four = speedups([8, 4], [[1.1, 2.0]], base="four processors")
    assert four.efficiency == pytest.approx([1.0, 2.0 / 1.1 * 4 / 8])
    json.dumps([own.to_dict(), amdahl([1, 2, 4], times, base="one").to_dict()], allow_nan=False)


def test_what_is_no_speedup_is_refused() -> None:
    for counts, times in (([1, 1], [[1.0, 1.0]]), ([0, 2], [[1.0, 1.0]]), ([1, 2], [[1.0, 0.0]]), ([1, 2], [[1.0]])):
        with pytest.raises(ValueError):
            amdahl(counts, times, base="one")
    with pytest.raises(ValueError):
        universal([1, 2], [[2.0, 1.0]], base="one")
