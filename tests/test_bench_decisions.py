"""The share of a run's figures that show a difference in 20 pairs, from the A/A pairs of their launches."""

from __future__ import annotations

import numpy as np
import pytest
from bench import decisions
from bench.decisions import (
    LEAST_LAUNCHES,
    MARGIN,
    PAIRS,
    PRODUCT,
    STRETCH,
    Launches,
    aa_deviations,
    allowed,
    main,
    shifts_of,
    tried,
)

from command_line import assay

MEDIAN = {"statistic": "median", "state": "clean"}


def test_the_deviation_of_pairs_is_that_of_the_noise() -> None:
    """Of launches that spread log-normally by s, a pair's log ratio has the deviation s times the square root of 2."""
    values = np.exp(0.03 * np.random.default_rng(3).standard_normal(4000))
    figure = {
        "benchmark": "echo",
        "name": "rate",
        "params": {"bytes": 8},
        **MEDIAN,
        "by_launch": list(enumerate(values)),
    }
    found = aa_deviations([figure])
    assert found == {"echo.rate bytes=8": pytest.approx(0.03 * 2**0.5, rel=0.05)}


def test_too_few_launches_and_zeros_are_left_out() -> None:
    few = {
        "benchmark": "echo",
        "name": "rate",
        "params": {},
        **MEDIAN,
        "by_launch": [[at, 1.0] for at in range(LEAST_LAUNCHES - 1)],
    }
    zero = few | {"by_launch": [[at, 0.0] for at in range(LEAST_LAUNCHES)]}
    assert aa_deviations([few, zero]) == {}


def test_trials_are_independent_stretches() -> None:
    """A difference in one stretch of pairs is one trial, not also a part of its neighbours."""
    shifts = np.random.default_rng(1).normal(0.0, 0.002, 5 * PAIRS + 7)
    shifts[2 * PAIRS : 3 * PAIRS] += 0.1
    assert tried(shifts) == {"equal": 4, "differs": 1}


def test_wrong_answers_on_a_drifting_machine_are_within_the_bound() -> None:
    """Noise that lasts for hundreds of launches, in a random order within pairs, at the edge of what is small."""
    rng, trials = np.random.default_rng(2), 200
    drift = np.convolve(rng.normal(0.0, 0.01, 2 * trials * PAIRS + 200), np.ones(200), "valid")[: 2 * trials * PAIRS]
    first, second = np.split((drift + rng.normal(0.0, 0.08, len(drift))).reshape(-1, 2), 2, axis=1)
    shifts = (rng.choice([-1, 1], (trials * PAIRS, 1)) * (second - first))[:, 0] + np.log1p(2 / 3 * MARGIN)
    assert tried(shifts)["differs"] <= allowed(trials, 0.99)
    assert allowed(200, 0.95) == 15


def test_the_product_judges_by_what_each_trials_pilot_fixes() -> None:
    """In the first trial medians wander, in the second nothing does; the pilot's own pairs are not judged."""
    rng = np.random.default_rng(5)
    plain, longer = (np.exp(rng.normal(0.0, 0.001, (2 * STRETCH, 9))) for _ in range(2))
    longer[:STRETCH, 1:] *= np.exp(np.abs(rng.normal(0.3, 0.2, (STRETCH, 1))))
    found: Launches = {"plain": plain.tolist(), 0.0: longer.tolist()}
    judged = shifts_of(found, 0.0, PRODUCT)
    least = np.log(longer.min(axis=1) / plain.min(axis=1))
    medians = np.log(np.median(longer, axis=1) / np.median(plain, axis=1))
    assert judged == pytest.approx(np.concatenate([least[4:STRETCH], medians[STRETCH + 4 :]]))
    assert shifts_of(found, 0.0, "median") == pytest.approx(
        np.concatenate([medians[4:STRETCH], medians[STRETCH + 4 :]])
    )


def test_one_cell_beyond_its_bound_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One competitor of nine has all trials wrong at 2%; all others none, so that the sum would be allowed."""
    rng, trials = np.random.default_rng(6), 10

    def made(program: object, work: str, competitor: str, trials: int) -> Launches:
        planted = {at: 0.1 if competitor == "memory copies" and at == 0.02 and bad else at for at in decisions.LONGER}
        by = {"plain": 0.0, **planted}
        return {
            at: np.exp(rng.normal(np.log1p(longer), 0.001, (trials * STRETCH, 3))).tolist() for at, longer in by.items()
        }

    monkeypatch.setattr(decisions, "recorded", made)
    monkeypatch.setattr(decisions.subprocess, "run", lambda *words, **options: None)
    for bad in (True, False):
        assert main(["--pairs", str(trials * STRETCH), "--work", "chain"]) == int(bad)
        out = capsys.readouterr().out
        rows = [line for line in out.splitlines() if f"| {trials} (!) |" in line]
        assert len(rows) == (4 if bad else 0) and all(row.startswith("| memory copies |") for row in rows), out
        assert sum(line.startswith("| ") and f"| {PRODUCT} |" in line for line in out.splitlines()) == 9


@pytest.mark.usefixtures("own_folder")
def test_a_run_s_figures_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert assay("run", "sieve", "--launches", "10", "--out", "made").status == 0
    assert main(["--run", "made"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split(" |")[0] for row in rows if row.startswith("| sieve.")] == ["| sieve.time size=8190"]
    assert rows[-1].startswith("a difference of 5%") and rows[-1].endswith("of 1 figures")
