"""Change points compared with those of two other laws: Apache Otava's E-divisive and ruptures' PELT; nightly.

Otava is no dependency: it pins an older numpy and needs clients of BigQuery, PostgreSQL and Slack. `./x test --nightly`
installs it alone into build/otava. docs/history.md has the table that these tests reproduce.
"""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ruptures
from numpy.typing import NDArray

from assay.analysis.change_points import change_points, level_of

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]
ROOT = Path(__file__).resolve().parent.parent
RUNS, NOISE, TRIALS, PLACES = 60, 0.02, 30, 1
Floats = NDArray[np.float64]
Steps = tuple[tuple[int, float], ...]
STEPS: dict[str, Steps] = {
    "+10%": ((30, 0.1),),
    "+10%, then back": ((20, 0.1), (40, -0.1)),
    "+5%": ((30, 0.05),),
    "+20%, +20%, -30%": ((15, 0.2), (30, 0.2), (45, -0.3)),
    "none": (),
}
TAILS = ("normal", "Student's t")


def series(steps: Steps, tails: str, seed: int) -> Floats:
    """Logarithms of a series with these steps: each a place and a difference."""
    dice = np.random.default_rng([seed, TAILS.index(tails)])
    logs: Floats = NOISE * (dice.normal(size=RUNS) if tails == TAILS[0] else dice.standard_t(3, size=RUNS))
    for at, size in steps:
        logs[at:] += size
    return logs


def same(one: list[int], other: list[int]) -> bool:
    """Whether number and places agree, within a run."""
    return len(one) == len(other) and all(abs(a - b) <= PLACES for a, b in zip(one, other, strict=True))


def by_rule(logs: Floats) -> list[int]:
    return [each.at for each in change_points(np.exp(logs), level_of(20))]


def by_pelt(logs: Floats) -> list[int]:
    """PELT with the penalty 3 ln n of the variance, which the differences of successive values give."""
    deviation = 1.4826 * float(np.median(np.abs(np.diff(logs)))) / math.sqrt(2)
    search = ruptures.Pelt(model="l2", min_size=3, jump=1).fit(logs.reshape(-1, 1))
    return [int(at) for at in search.predict(pen=3 * math.log(len(logs)) * deviation**2)[:-1]]


def by_otava(logs: Floats) -> list[int]:
    otava: Any = importlib.import_module("otava.analysis")
    return [each.index for each in otava.compute_change_points(list(logs), window_len=2 * RUNS, max_pvalue=0.001)[0]]


def documented(law: str, steps: str, tails: str) -> tuple[int, int, int]:
    """In how many series, by the docs, the rule here, the other law, and both alike are right or agree."""
    text = (ROOT / "docs" / "history.md").read_text()
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {law} | {steps} | {tails} |")]
    ours, theirs, both = (int(cell) for cell in row.strip("| ").split(" | ")[3:])
    return ours, theirs, both


def compared(law: str, steps: str, tails: str) -> tuple[int, int, int]:
    other = {"Otava": by_otava, "PELT": by_pelt}[law]
    planted = [at for at, _ in STEPS[steps]]
    found = [(by_rule(logs), other(logs)) for logs in (series(STEPS[steps], tails, seed) for seed in range(TRIALS))]
    right = tuple(sum(same(each[which], planted) for each in found) for which in (0, 1))
    counts = (*right, sum(same(*each) for each in found))
    print(f"| {law} | {steps} | {tails} | {' | '.join(map(str, counts))} |")
    return counts[0], counts[1], counts[2]


@pytest.mark.parametrize("tails", TAILS)
@pytest.mark.parametrize("steps", STEPS)
def test_pelt_and_the_rule_agree_as_the_docs_state(steps: str, tails: str) -> None:
    assert compared("PELT", steps, tails) == documented("PELT", steps, tails)


@pytest.mark.parametrize("tails", TAILS)
@pytest.mark.parametrize("steps", STEPS)
def test_otava_and_the_rule_agree_as_the_docs_state(steps: str, tails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "build" / "otava")])
    pytest.importorskip("otava.analysis", reason="needs apache-otava in build/otava")
    assert compared("Otava", steps, tails) == documented("Otava", steps, tails)


@pytest.mark.parametrize("steps", STEPS)
def test_the_rule_finds_what_was_planted_of_normal_noise(steps: str) -> None:
    planted = [at for at, _ in STEPS[steps]]
    right = sum(same(by_rule(series(STEPS[steps], TAILS[0], seed)), planted) for seed in range(TRIALS))
    assert right >= 0.9 * TRIALS
