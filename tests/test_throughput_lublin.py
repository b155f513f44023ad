"""Workloads by Lublin and Feitelson's model: distributions against its formulas, integrated numerically."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

from assay.throughput.lublin import LublinSettings, drawn, slot_weights
from command_line import assay
from test_throughput_verb import machine

JOBS = drawn(LublinSettings(jobs=200_000, seed=7))
# As the paper's program has them (model without job types), typed here once more.
SERIAL, POWER, LOW, MEDIUM, HIGH, LOWER = 0.244, 0.576, 0.8, 4.5, 7.0, 0.86


def near(share: float, expected: float, count: int) -> bool:
    """Within five standard errors of a binomial share."""
    return bool(abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / count))


def test_sizes() -> None:
    """Of every power of two, by the two uniform stages of its logarithm; others fall between."""
    size = JOBS.processors
    assert size.min() == 1 and size.max() == 128

    def below(logarithm: float) -> float:
        lower = np.clip((logarithm - LOW) / (MEDIUM - LOW), 0, 1)
        upper = np.clip((logarithm - MEDIUM) / (HIGH - MEDIUM), 0, 1)
        return float(LOWER * lower + (1 - LOWER) * upper)

    other = 1 - SERIAL - POWER
    for k in range(8):
        rounded = POWER * (below(k + 0.5) - below(k - 0.5))
        around = other * (below(np.log2(2**k + 0.5)) - below(np.log2(2**k - 0.5)))
        assert near(float((size == 2**k).mean()), (SERIAL if k == 0 else 0) + rounded + around, len(size)), k
    assert near(float((size == 24).mean()), other * (below(np.log2(24.5)) - below(np.log2(23.5))), len(size))


@pytest.mark.parametrize("size", [1, 8, 64])
def test_run_times_of_a_size(size: int) -> None:
    """Their logarithm: two gammas, mixed by the size, cut at 12; both of its first moments by numerical integration."""
    runs = JOBS.runs[JOBS.processors == size].astype(float)
    share = 0.78 - 0.0054 * size

    def density(x: float) -> float:
        return float(share * stats.gamma.pdf(x, 4.2, scale=0.94) + (1 - share) * stats.gamma.pdf(x, 312, scale=0.03))

    def moment(power: int) -> float:
        return float(integrate.quad(lambda x: x**power * density(x), 0, 12, limit=200, points=[9.3])[0])

    whole = moment(0)
    mean, square = moment(1) / whole, moment(2) / whole
    # Run times are cut to whole seconds: half a second is the mean of what was cut.
    logarithm = np.log(runs + 0.5)[runs >= 1]
    spread = np.sqrt(square - mean**2)
    assert logarithm.mean() == pytest.approx(mean, abs=5 * spread / np.sqrt(len(runs)) + 0.01)
    assert logarithm.std() == pytest.approx(spread, rel=0.03)
    median = np.median(runs)
    below = integrate.quad(density, 0, np.log(median + 0.5), limit=200, points=[9.3])[0] / whole
    assert below == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(len(runs)))


def test_arrivals_follow_the_day_and_their_rate() -> None:
    """Jobs of each half hour are in proportion to the gamma of the day; a day has as many as the mean gap allows."""
    slot = (JOBS.submitted + JOBS.begins) // 1800 % 48
    share = np.bincount(slot, minlength=48) / len(slot)
    at = np.arange(11, 59)
    gamma = stats.gamma(8.1737, scale=3.9631)
    expected = np.zeros(48)
    expected[(at - 1) % 48] = gamma.cdf(at + 0.5) - gamma.cdf(at - 0.5)
    assert slot_weights() == pytest.approx(expected / expected.mean())
    assert share == pytest.approx(expected / expected.sum(), abs=0.004)
    gap = stats.gamma(10.2303 * 1.0225, scale=0.4871)
    mean = integrate.quad(lambda x: np.exp(x) * gap.pdf(x), 0, 13)[0] / gap.cdf(13)
    days = JOBS.submitted[-1] / 86400
    assert len(JOBS) / days == pytest.approx(86400 / mean, rel=0.03)


def test_a_load_and_other_sizes_of_machine() -> None:
    jobs = drawn(LublinSettings(jobs=5000, processors=1000, load=0.8))
    assert jobs.processors.max() <= 1000 and jobs.work / 1000 / jobs.submitted[-1] == pytest.approx(0.8, rel=1e-3)
    again = drawn(LublinSettings(jobs=5000, processors=1000, load=0.8))
    assert (jobs.runs == again.runs).all() and (jobs.submitted == again.submitted).all()
    assert (jobs.runs != drawn(LublinSettings(jobs=5000, processors=1000, load=0.8, seed=2)).runs).any()


def test_a_sweep_has_intervals_over_seeds(tmp_path: Path) -> None:
    """Means and Student's intervals, against scipy's own over the single points."""
    drawn_jobs = ("--set", "lublin.jobs=300", "--set", "lublin.load=0.9", "--set", "lublin.seed=1,2,3,4")
    asked = ("throughput", "lublin", "--on", str(machine(tmp_path, 128)), *drawn_jobs, "--set", "policy=easy,fcfs")
    found = assay(*asked, "--json").document
    assert len(found["points"]) == 8 and [each["setting"]["policy"] for each in found["over_seeds"]] == ["easy", "fcfs"]
    for each in found["over_seeds"]:
        same = [p["result"] for p in found["points"] if p["setting"]["policy"] == each["setting"]["policy"]]
        for name in ("makespan", "mean_wait", "utilisation", "bounded_slowdown"):
            values = [result[name] for result in same]
            assert len(set(values)) == 4
            interval = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
            assert each[name]["mean"] == pytest.approx(np.mean(values))
            assert each[name]["ci95"] == pytest.approx(interval)
    assert found["over_seeds"][0]["mean_wait"]["mean"] < found["over_seeds"][1]["mean_wait"]["mean"]
    said = assay(*asked)
    assert "seeds" in said.out and "95% interval" in said.out and " to " in said.out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("lublin.jobs=0", "--set lublin.jobs: is no value of it; got '0', expected 1 to 2,000,000"),
        ("lublin.job=5", "there is no such key of the workload; got 'lublin.job'"),
        ("lublin.load=x", "is no value of it; got 'x'"),
    ],
)
def test_wrong_wishes_are_refused_in_a_line(words: str, problem: str, tmp_path: Path) -> None:
    answer = assay("throughput", "lublin", "--on", str(machine(tmp_path)), "--set", words)
    assert answer.status == 2 and answer.err.count("\n") == 1 and problem in answer.err, answer.err
