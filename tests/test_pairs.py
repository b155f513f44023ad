"""`./x bench`'s protocol of pairs: A/A first, which speaks for itself, then ours against it."""

from __future__ import annotations

import numpy as np
import pytest
from bench._pairs import against, against_itself, in_one_launch

from assay.analysis.comparison import ComparisonVerdict


def program(seed: int, level: float) -> object:
    dice = np.random.default_rng(seed)
    return lambda launch: level * (1 + 0.002 * float(dice.standard_normal()))


def test_the_run_against_itself_does_not_miss_itself(capsys: pytest.CaptureFixture[str]) -> None:
    itself = against_itself(program(1, 1e-3), 30, "plain with itself")  # type: ignore[arg-type]
    said = capsys.readouterr().out
    assert said.startswith("plain with itself: equal") and "A/A pairs" in said
    assert "no A/A run" not in said
    assert len(itself[0]) == len(itself[1]) == 30


def test_a_tenth_more_differs_and_the_same_is_equal(capsys: pytest.CaptureFixture[str]) -> None:
    itself = against_itself(program(1, 1e-3), 30, "itself")  # type: ignore[arg-type]
    slower = against(program(2, 1e-3), program(3, 1.1e-3), 30, "slower", itself)  # type: ignore[arg-type]
    same = against(program(4, 1e-3), program(5, 1e-3), 30, "same", itself, "best")  # type: ignore[arg-type]
    assert slower.verdict is ComparisonVerdict.DIFFERS and slower.ratio == pytest.approx(1.1, rel=0.01)
    assert same.verdict is ComparisonVerdict.EQUAL and same.statistic == "best"
    assert "same, bests: equal" in capsys.readouterr().out


def test_what_differs_between_launches_is_nobodys(capsys: pytest.CaptureFixture[str]) -> None:
    """Launches are half as slow again or not; within each ours takes a tenth more."""
    dice = np.random.default_rng(7)

    def launch(number: int) -> tuple[float, float, float]:
        level = 1e-3 * (1.5 if number % 3 == 0 else 1.0)
        plain, again, ours = level * (1 + 0.002 * dice.standard_normal(3)) * (1, 1, 1.1)
        return float(plain), float(again), float(ours)

    found = in_one_launch(launch, 30, "echo")
    itself, told = capsys.readouterr().out.splitlines()
    assert itself.startswith("echo, plain with itself: equal")
    assert told.startswith("echo, ours over plain, medians: differs, slower")
    assert found.ratio == pytest.approx(1.1, rel=0.005) and found.ci95 is not None
    assert found.ci95[1] / found.ci95[0] < 1.01
