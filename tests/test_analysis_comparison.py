"""Comparison: its errors of both kinds by simulation, its parts against scipy and against counting, its laws."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.analysis import comparison
from assay.analysis.comparison import ComparisonVerdict, compare
from by_night import by_night

TRIALS = 200


def interleaved(rng: np.random.Generator, pairs: int, ratio: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Two things whose launches drift together by 20%, with heavy-tailed noise of their own."""
    drift = 1 + 0.2 * np.arange(pairs) / pairs
    a, b = (np.exp(noise * rng.standard_t(4, pairs)) for _ in range(2))
    return 1e-6 * drift * a, 1e-6 * ratio * drift * b


def rates(ratio: float, noise: float, pairs: int = 30) -> dict[ComparisonVerdict, float]:
    rng = np.random.default_rng(int(ratio * 1000))
    counts = dict.fromkeys(ComparisonVerdict, 0.0)
    for _ in range(TRIALS):
        halves = interleaved(rng, pairs, 1.0, noise)
        counts[compare(*interleaved(rng, pairs, ratio, noise), a_against_a=halves).verdict] += 1 / TRIALS
    return counts


@pytest.mark.nightly
def test_errors_of_both_kinds() -> None:
    """Equal things are hardly ever said to differ, things at the margin hardly ever to be equal, and both are told."""
    for noise in (0.01, 0.03, 0.1):
        same, at_margin, beyond = rates(1.0, noise), rates(1.03, noise), rates(1.10, noise)
        for name, counts in (("same", same), ("at the margin", at_margin), ("10% apart", beyond)):
            print(f"noise {noise:4.0%} {name:14s}", {verdict.value: round(rate, 3) for verdict, rate in counts.items()})
        assert same[ComparisonVerdict.DIFFERS] <= 0.05
        assert at_margin[ComparisonVerdict.EQUAL] <= 0.08
        assert beyond[ComparisonVerdict.EQUAL] == 0
        if noise == 0.01:
            assert same[ComparisonVerdict.EQUAL] > 0.99 and beyond[ComparisonVerdict.DIFFERS] > 0.99
        if noise == 0.1:
            assert same[ComparisonVerdict.UNKNOWN] > 0.9


@pytest.mark.parametrize("pairs", by_night([6, 10, 30], [6]))
def test_the_interval_of_the_ratio_covers(pairs: int) -> None:
    rng = np.random.default_rng(pairs)
    hits = 0
    for _ in range(1000):
        result = compare(*interleaved(rng, pairs, 1.07, 0.05))
        assert result.ci95 is not None
        hits += result.ci95[0] <= 1.07 <= result.ci95[1]
    print(f"coverage of the ratio with {pairs} pairs: {hits / 1000:.3f}")
    assert hits >= 930


def test_where_a_against_a_fails_it_cannot_be_told_here() -> None:
    rng = np.random.default_rng(1)
    halves = interleaved(rng, 30, 1.0, 0.15)
    close = compare(*interleaved(rng, 30, 1.0, 0.005), a_against_a=halves)
    assert close.verdict is ComparisonVerdict.UNKNOWN and close.reason.startswith("inconclusive here")
    assert close.spread is not None and close.spread[0] < 0.9 and close.spread[1] > 1.1
    tenfold = compare(*interleaved(rng, 30, 10.0, 0.15), a_against_a=halves)
    assert tenfold.verdict is ComparisonVerdict.DIFFERS and "A/A itself" in tenfold.reason


def test_a_sure_but_small_difference_does_not_differ() -> None:
    a = np.exp(0.001 * np.random.default_rng(2).standard_normal(30))
    result = compare(a, 1.01 * a * np.exp(1e-4 * np.arange(30)))
    assert result.ci95 is not None and result.ci95[0] > 1 and result.verdict is ComparisonVerdict.EQUAL


def test_few_launches_tell_nothing_and_unlike_things_are_refused() -> None:
    assert compare([1, 1, 1, 1, 1], [3, 3, 3, 3, 3]).verdict is ComparisonVerdict.UNKNOWN
    assert not compare(np.ones(10), 2 * np.ones(10)).claim
    with pytest.raises(ValueError, match="like with like"):
        compare(np.ones(9), np.ones(9), statistic=("mean", "median"))
    for broken in ([1, 2], [0.0] * 9, [float("nan")] * 9, [-1] * 9, []):
        with pytest.raises(ValueError):
            compare(np.ones(9), broken)


def test_the_signed_rank_is_counted_out() -> None:
    """All signs of the ranks: its distribution, and p with and without tied differences, which is never too small."""
    n = 7
    counted = np.zeros(n * (n + 1) // 2 + 1)
    for signs in itertools.product((0, 1), repeat=n):
        counted[sum(rank for rank, sign in zip(range(1, n + 1), signs, strict=True) if sign)] += 0.5**n
    assert comparison.signed_rank_distribution(n) == pytest.approx(counted)
    rng = np.random.default_rng(3)
    halves = 0
    for trial in range(60):
        shift = rng.standard_normal(9) + 0.3
        shift = np.round(shift, 1) if trial % 2 else shift
        shift = shift[shift != 0]
        ranks = stats.rankdata(np.abs(shift))
        sums = np.array(list(itertools.product((0, 1), repeat=len(shift)))) @ ranks
        positive = ranks[shift > 0].sum()
        upper, lower = np.mean(sums >= positive - 1e-9), np.mean(sums <= positive + 1e-9)
        truth = {"greater": upper, "less": lower, "two-sided": min(1.0, 2 * min(upper, lower))}
        untied, half = len(set(ranks)) == len(ranks) and not trial % 2, positive % 1 == 0.5
        halves += half
        for side in ("two-sided", "greater", "less"):
            found = comparison._signed_rank(np.append(shift, 0.0), 0, side)  # a difference of zero says nothing
            if untied:
                assert found == pytest.approx(truth[side])
            elif half:
                assert truth[side] - 1e-12 <= found <= truth[side] + 0.15
    assert halves > 5
    assert comparison._signed_rank(np.zeros(8), 0, "two-sided") == 1.0


def test_without_pairs_the_rank_sum_takes_their_place() -> None:
    """Its cut is counted out for 4 and 5; its interval covers two runs of different length."""
    values = range(9)
    sums = sorted(
        sum(x > y for x in chosen for y in set(values) - set(chosen)) for chosen in itertools.combinations(values, 4)
    )
    for tail in (0.025, 0.1):
        cut = comparison.rank_sum_cut(4, 5, tail)
        assert cut is not None
        share = [sum(u <= k for u in sums) / len(sums) for k in (cut, cut + 1)]
        assert share[0] <= tail < share[1]
    rng = np.random.default_rng(4)
    near, far = (compare(1 + 0.01 * rng.random(12), ratio + 0.01 * rng.random(9), paired=False) for ratio in (1.0, 1.2))
    assert near.verdict is ComparisonVerdict.EQUAL and far.verdict is ComparisonVerdict.DIFFERS
    hits = 0
    for _ in range(300):
        a, b = np.exp(0.05 * rng.standard_t(4, 10)), 1.2 * np.exp(0.05 * rng.standard_t(4, 14))
        result = compare(a, b, paired=False)
        assert result.ci95 is not None and not result.paired
        hits += result.ci95[0] <= 1.2 <= result.ci95[1]
    assert hits >= 0.92 * 300


def test_families_are_corrected_as_scipy_and_by_hand() -> None:
    p = [0.01, 0.04, 0.03, 0.005]
    assert comparison.holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    family = [replace(comparison.exact(1, 2, 0.03, "stated"), p_differs=each, p_equal=1.0) for each in p]
    found = comparison.correct_family(family, "benjamini-hochberg", level=0.03)
    assert [each.p_differs for each in found] == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert [each.verdict for each in found] == [
        ComparisonVerdict[name] for name in ("DIFFERS", "UNKNOWN", "UNKNOWN", "DIFFERS")
    ]
    assert comparison.correct_family([], "benjamini-hochberg") == ()
    rng = np.random.default_rng(5)
    false = 0
    for _ in range(60):
        family = [compare(*interleaved(rng, 8, 1.0, 0.1), margin=0.01) for _ in range(15)]
        false += any(c.verdict is ComparisonVerdict.DIFFERS for c in comparison.correct_family(family))
    assert false <= 8  # of 60 families: 5% and its chance


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6), st.floats(0.5, 2), st.integers(6, 20))
def test_laws_of_a_ratio(seed: int, scale: float, ratio: float, pairs: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = interleaved(rng, pairs, ratio, 0.05)
    result = compare(a, b)
    assert result.ci95 is not None and result.ci95[0] <= result.ratio <= result.ci95[1]
    scaled, mixed = compare(scale * a, scale * b), rng.permutation(pairs)
    assert scaled.ratio == pytest.approx(result.ratio) and scaled.verdict is result.verdict
    assert compare(a[mixed], b[mixed]).ratio == pytest.approx(result.ratio)
    turned = compare(b, a)
    assert turned.ratio == pytest.approx(1 / result.ratio) and turned.verdict is result.verdict
    assert turned.ci95 == pytest.approx((1 / result.ci95[1], 1 / result.ci95[0]))
    json.dumps(result.to_dict(), allow_nan=False)
