"""The spread between runs, learnt from earlier ones: it decides where a disturbance vetoed; its errors are stated."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.analysis.run_spread import FAST, LEAST_RUNS, MEDIAN, RunSpread, compare_runs, learn, pool
from assay.case import Case
from assay.report.judge import comparison
from assay.store import Run
from by_night import by_night
from command_line import assay
from made_documents import document, figure, section
from made_history import FIRST, MADE_WITH
from test_document import block, launch

TRIALS, MARGIN, LAUNCHES = 1000, 0.03, 10


def runs(dice: np.random.Generator, count: int, hogs: bool) -> np.ndarray:
    """Times of launches (runs, launches): runs differ by 1%, launches by 1%; with hogs a third is slower, to twice."""
    times = 0.01 * dice.normal(size=(count, 1)) + 0.01 * dice.normal(size=(count, LAUNCHES))
    if hogs:
        times += (dice.random((count, LAUNCHES)) < 0.33) * dice.random((count, LAUNCHES))
    return np.asarray(np.exp(times))


@pytest.mark.parametrize("hogs", [False, True])
@pytest.mark.parametrize("count", by_night([5, 6, 8, 10], [5, 8]))
def test_no_wrong_verdict_is_more_frequent_than_its_rate(hogs: bool, count: int) -> None:
    """Equal runs are called different in at most 5%, and runs that differ by the margin equal in at most 5%."""
    dice = np.random.default_rng(11)
    differs = equal = 0
    for _ in range(TRIALS):
        made = runs(dice, count + 2, hogs)
        spread = learn(made[:count].tolist(), "lower")
        assert spread is not None
        same = compare_runs(made[count].tolist(), made[count + 1].tolist(), "lower", MARGIN, spread)
        other = compare_runs(made[count].tolist(), (made[count + 1] * (1 + MARGIN)).tolist(), "lower", MARGIN, spread)
        differs += same.verdict.value == "differs"
        equal += other.verdict.value == "equal"
    most = stats.binom.ppf(1 - 1e-4, TRIALS, 0.05)
    assert differs <= most and equal <= most


def test_with_hogs_the_fast_quarter_is_fixed_and_finds_what_the_median_does_not() -> None:
    dice = np.random.default_rng(12)
    found = {MEDIAN: 0, FAST: 0}
    chosen = 0
    for _ in range(200):
        made = runs(dice, 12, True)
        spread = learn(made[:10].tolist(), "lower")
        assert spread is not None
        chosen += spread.estimator == FAST
        pair = made[10].tolist(), (made[11] * 1.08).tolist()
        for name in found:
            logs = np.log([np.quantile(each, 0.5 if name == MEDIAN else 0.25) for each in made[:10]])
            own = RunSpread(name, math.sqrt(float(np.mean(np.diff(logs) ** 2)) / 2), 10)
            found[name] += compare_runs(*pair, "lower", MARGIN, own).verdict.value == "differs"
    assert chosen >= 150 and found[FAST] > 1.5 * found[MEDIAN], (chosen, found)


def test_the_fast_quarter_of_a_rate_is_its_upper_one() -> None:
    spread = RunSpread(FAST, 0.001, 10)
    found = compare_runs([1.0, 2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0, 16.0, 16.0], "higher", MARGIN, spread)
    assert found.ratio == pytest.approx(2.0) and found.statistic == FAST


def test_too_few_earlier_runs_give_no_spread() -> None:
    assert learn([[1.0]] * (LEAST_RUNS - 1), "lower") is None and learn([[1.0]] * LEAST_RUNS, "lower") is not None


@pytest.mark.parametrize("count", [2, 3, 4])
def test_pooled_over_figures_that_spread_alike_the_rates_hold_with_fewer_runs(count: int) -> None:
    dice = np.random.default_rng(15)
    differs = equal = 0
    for _ in range(TRIALS):
        figures = [runs(dice, count + 2, False) for _ in range(6)]
        spread = pool({number: made[:count].tolist() for number, made in enumerate(figures)})[0]
        assert (spread.pooled, spread.runs) == (6, count)
        one, other = figures[0][count].tolist(), figures[0][count + 1]
        differs += compare_runs(one, other.tolist(), "lower", MARGIN, spread).verdict.value == "differs"
        equal += compare_runs(one, (other * (1 + MARGIN)).tolist(), "lower", MARGIN, spread).verdict.value == "equal"
    most = stats.binom.ppf(1 - 1e-4, TRIALS, 0.05)
    assert differs <= most and equal <= most


def test_pooled_spreads_are_the_mean_square_and_no_less_than_a_figures_own() -> None:
    quiet, loud = [[1.0], [1.01], [1.0]], [[1.0], [1.2], [1.0]]
    found = pool({"quiet": quiet, "loud": loud, "single": [[1.0]]})
    squares = [math.log(1.01) ** 2] * 2 + [math.log(1.2) ** 2] * 2
    assert found.keys() == {"quiet", "loud"}
    assert found["quiet"].deviation == pytest.approx(math.sqrt(np.mean(squares) / 2))
    assert found["loud"].deviation == pytest.approx(math.log(1.2) / math.sqrt(2))
    assert found["loud"].freedom == pytest.approx(2 * (LEAST_RUNS - 1) / 3)  # four differences, as of five runs
    assert pool({"one": quiet})["one"].freedom == pytest.approx(4 / 3) and pool({"none": [[1.0]]}) == {}


def test_what_a_disturbance_allows_at_worst_vetoes_no_comparison_with_a_history() -> None:
    """Two runs of which each may have been moved by half, with and without what earlier runs say."""
    launches = [[float(at), 1.0 + 0.001 * (at % 3)] for at in range(10)]
    about = {"state": "disturbed", "disturbance": {"low": -0.3, "high": 0.5}, "by_launch": launches, "better": "lower"}
    one, other = (
        document(
            section("echo", [figure("half_round_trip", 1.0, "s", bytes=8) | about | {"benchmark": "echo"}]), run=name
        )
        for name in ("a", "b")
    )
    (vetoed,) = comparison.against(one, other)
    assert vetoed.verdict == "inconclusive" and "`compare --live`, would decide it" in (vetoed.reason or "")
    spread = {("echo", "half_round_trip", Case({"bytes": 8})): RunSpread(FAST, 0.005, 8)}
    (decided,) = comparison.against(one, other, spreads=spread)
    assert decided.verdict == "equal" and "with the spread between runs (0.5%, of 8 earlier runs)" in (
        decided.reason or ""
    )


def made(
    folder: Path,
    number: int,
    values: list[float],
    others: float = 0.0,
    stated: Mapping[str, object] = MADE_WITH,
    wishes: Mapping[str, object] | None = None,
) -> str:
    """A run of the echo with a launch for each value; `others`: seconds of other processes in each block of 1 s."""
    run = Run.create(
        folder / f"r{number:02d}", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {**(wishes or {})}}
    )
    run.about |= {"created": FIRST + 3600 * number, "id": f"run-{number:02d}"}
    for at, value in enumerate(values):
        more = {"others": others} if others else {}
        launch(run, at, [block(8, [value] * 20) | more])
    (run.folder / "provenance" / "p.json").write_text(json.dumps(stated))
    run.finish("done")
    return str(run.about["id"])


@pytest.mark.usefixtures("own_folder")
def test_compare_decides_by_the_spread_of_earlier_runs_and_says_so(tmp_path: Path) -> None:
    dice = np.random.default_rng(13)
    levels = 1e-5 * np.exp(0.03 * dice.normal(size=9))
    for number, level in enumerate(levels[:8]):
        made(tmp_path, number, (level * np.exp(0.001 * dice.normal(size=8))).tolist())
    a = made(tmp_path, 8, (1e-5 * np.exp(0.001 * dice.normal(size=8))).tolist())
    b = made(tmp_path, 9, (1.05e-5 * np.exp(0.001 * dice.normal(size=8))).tolist())
    rows = assay("compare", a, b, "--margin", "3%", "--json").document["comparisons"][0]["rows"]
    (row,) = [each for each in rows if each["figure"] == "half_round_trip"]
    assert row["verdict"] == "inconclusive" and "of 8 earlier runs" in row["reason"], (
        row
    )  # 5% is within 3% between runs
    far = made(tmp_path, 10, (2e-5 * np.exp(0.001 * dice.normal(size=8))).tolist())
    rows = assay("compare", a, far, "--margin", "3%", "--json").document["comparisons"][0]["rows"]
    assert {each["verdict"] for each in rows} == {"differs"}


OTHERS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "flags": ({"programs": {"echo": {"flags": "-O1"}}}, {}),
    "kernel": ({"kernel": "6.12"}, {}),
    "MPI": ({"mpi": {"implementation": "MPICH"}}, {}),
    "variant": ({}, {"variants": [{"compiler": "g++", "flags": "-O0", "isa": "default"}]}),
}


@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("what", OTHERS)
def test_runs_that_were_made_otherwise_are_no_equal_runs(what: str, tmp_path: Path) -> None:
    """Every other earlier run is twice as slow and made otherwise: 5% between two runs differ nonetheless."""
    dice = np.random.default_rng(16)
    own = MADE_WITH | {"mpi": {"implementation": "Open MPI"}}

    def run(number: int, factor: float, other: bool = False) -> str:
        more, wishes = OTHERS[what] if other else ({}, {})
        level = factor * 1e-5 * math.exp(0.001 * dice.normal())
        values = (level * np.exp(0.001 * dice.normal(size=8))).tolist()
        return made(tmp_path, number, values, stated=own | more, wishes=wishes)

    for number in range(12):
        run(number, 2.0 if number % 2 else 1.0, number % 2 == 1)
    a = run(12, 1.0)
    for number, factor, verdict, earlier in ((13, 1.0, "equal", 6), (14, 1.05, "differs", 7)):
        rows = assay("compare", a, run(number, factor), "--margin", "3%", "--json").document["comparisons"][0]["rows"]
        assert {row["verdict"] for row in rows} == {verdict}, rows
        assert all(f"of {earlier} earlier runs" in row["reason"] for row in rows), rows


@pytest.mark.usefixtures("own_folder")
def test_two_builds_are_compared_by_the_spread_of_the_one_with_more_runs(tmp_path: Path) -> None:
    dice = np.random.default_rng(17)
    newer = MADE_WITH | {"programs": {"echo": {"flags": "-O1"}}}

    def run(number: int, factor: float, stated: Mapping[str, object]) -> str:
        values = (factor * 1e-5 * np.exp(0.001 * dice.normal(size=8))).tolist()
        return made(tmp_path, number, values, stated=stated)

    ids = [run(number, 1.0, MADE_WITH) for number in range(7)]
    slow = run(8, 1.3, newer)
    rows = assay("compare", slow, ids[-1], "--margin", "3%", "--json").document["comparisons"][0]["rows"]
    assert {row["verdict"] for row in rows} == {"differs"}
    assert all("of 6 earlier runs" in row["reason"] for row in rows), rows


@pytest.mark.usefixtures("own_folder")
def test_two_earlier_runs_are_pooled_over_figures_and_called_an_assumption(tmp_path: Path) -> None:
    dice = np.random.default_rng(13)
    ids = [made(tmp_path, number, (1e-5 * np.exp(0.001 * dice.normal(size=8))).tolist()) for number in range(3)]
    for number, factor, status, verdict in ((4, 1.0, 0, "equal"), (5, 2.0, 3, "differs")):
        other = made(tmp_path, number, (factor * 1e-5 * np.exp(0.001 * dice.normal(size=8))).tolist())
        answer = assay("compare", ids[2], other, "--margin", "3%", "--json")
        rows = answer.document["comparisons"][0]["rows"]
        assert answer.status == status and {row["verdict"] for row in rows} == {verdict}, rows
        assert all("assuming that all figures spread equally between runs" in row["reason"] for row in rows)


@pytest.mark.usefixtures("own_folder")
def test_a_gate_without_earlier_runs_is_not_shown_and_proposes_what_shows_it(tmp_path: Path) -> None:
    a, b = (
        made(tmp_path, number, [1e-5 * (1 + number) * (1 + 0.001 * (at % 3)) for at in range(10)]) for number in (0, 1)
    )
    for other in (a, b):
        answer = assay("compare", a, other, "--margin", "3%")
        assert answer.status == (0 if other == a else 4), answer.out
    assert "threshold not judged: echo half round trip" in answer.out and "`compare --live`" in answer.out
    assert assay("compare", a, b).status == 0


@pytest.mark.usefixtures("own_folder")
def test_without_earlier_runs_launches_decide_as_before(tmp_path: Path) -> None:
    dice = np.random.default_rng(14)
    a = made(tmp_path, 0, (1e-5 * np.exp(0.001 * dice.normal(size=8))).tolist())
    b = made(tmp_path, 1, (1.05e-5 * np.exp(0.001 * dice.normal(size=8))).tolist())
    rows = assay("compare", a, b, "--margin", "3%", "--json").document["comparisons"][0]["rows"]
    assert {each["verdict"] for each in rows} == {"differs"} and {each["statistic"] for each in rows} == {"median"}
