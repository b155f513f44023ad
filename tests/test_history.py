"""`assay history`: planted steps are found at their run, with what changed there; thresholds; imports; bad input."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.decide.change_causes import find_changes
from assay.store import known_runs
from command_line import assay
from made_history import MADE_WITH, made

pytestmark = pytest.mark.usefixtures("own_folder")
STEP = 14  # the first run at the new level
RUNS = 20
HERE = ("--machine", "here")
ROUND = "echo.half_round_trip"


def values(step: float = 1.0, seed: int = 1, noise: float = 0.005) -> list[float]:
    found = 1e-5 * np.exp(noise * np.random.default_rng(seed).normal(size=RUNS))
    found[STEP:] *= step
    return [float(each) for each in found]


def since(key: str, before: Any, after: Any) -> list[dict[str, Any]]:
    """What runs are made with: the key changes at the step, the load always, and the governor comes and goes."""
    return [
        MADE_WITH | {key: after if number >= STEP else before, "load": [number], "governor": ("a", "b")[number % 2]}
        for number in range(RUNS)
    ]


@pytest.mark.parametrize(
    ("key", "before", "after", "named"),
    [
        ("kernel", "6.11", "6.12", "kernel"),
        ("microcode", "0x10", "0x11", "microcode"),
        ("cpu_quota", 2.0, 1.0, "cpu_quota"),
        ("programs", {"echo": {"flags": "-O3"}}, {"echo": {"flags": "-O1"}}, "programs.echo.flags"),
        ("mpi", {"implementation": "Open MPI"}, {"implementation": "MPICH"}, "mpi.implementation"),
    ],
)
def test_a_step_is_found_at_its_run_with_what_changed_there_first(
    key: str, before: Any, after: Any, named: str, tmp_path: Path
) -> None:
    ids = made(tmp_path / "runs", values(1.1), since(key, before, after))
    document = assay("history", ROUND, *HERE, "--json").document
    (change,) = document["changes"]
    assert (change["figure"], change["params"]["bytes"], change["at_run"]) == (ROUND, 8, ids[STEP])
    assert change["worse"] and change["after"] / change["before"] == pytest.approx(1.1, rel=0.01)
    assert change["interval"][0] < 1.1 < change["interval"][1] and change["p"] <= document["level"]
    assert (change["changed"][0]["key"], change["changed"][0]["lasting"]) == (named, True)
    assert [run["id"] for run in document["runs"]] == ids == [each["run"] for each in document["series"][0]["values"]]


def test_a_level_of_load_that_changed_at_the_step_is_named_as_its_cause(tmp_path: Path) -> None:
    """A neighbour that works from the step on; then one that comes and goes, which is no cause of a step."""
    from_there = [0.9 if number >= STEP else 0.02 for number in range(RUNS)]
    now_and_then = [0.9 * (number % 2) for number in range(RUNS)]
    for name, others, causes in (("one", from_there, [("load_of_others", True)]), ("two", now_and_then, [])):
        ids = made(tmp_path / name, values(1.1), host=name, others=others)
        document = assay("history", ROUND, "--machine", name, "--json").document
        (change,) = document["changes"]
        assert [(each["key"], each["lasting"]) for each in change["changed"]] == causes
        assert change["at_run"] == ids[STEP]
        assert [run["others"] for run in document["runs"]] == pytest.approx(others)
    assert "load_of_others 0.02 processors to 0.9 processors" in assay("history", ROUND, "--machine", "one").out


def test_a_kernel_that_changed_with_the_load_is_named_before_it(tmp_path: Path) -> None:
    others = [0.9 if number >= STEP else 0.02 for number in range(RUNS)]
    made(tmp_path / "runs", values(1.1), since("kernel", "6.11", "6.12"), others=others)
    (change,) = assay("history", ROUND, *HERE, "--json").document["changes"]
    assert [each["key"] for each in change["changed"] if each["lasting"]] == ["kernel", "load_of_others"]


def test_the_terminal_says_since_what(tmp_path: Path) -> None:
    made(tmp_path / "runs", values(1.1), since("kernel", "6.11", "6.12"))
    out = assay("history", *HERE).out
    assert "worse since run here-014" in out and "changed there: kernel 6.11 to 6.12" in out
    assert "here: 20 runs, 2 figures, 2 changes (2 for the worse)" in out
    assert any(mark in out for mark in "▁█")


@pytest.mark.parametrize(("step", "status"), [(1.1, 3), (0.9, 0), (1.03, 0)])
def test_a_regression_beyond_the_limit_has_a_status(step: float, status: int, tmp_path: Path) -> None:
    """Also by direction: faster is no regression; nor is a step within the limit, where its interval excludes more."""
    made(tmp_path / "runs", values(step))
    asked = assay("history", ROUND, *HERE, "--fail-on-regression", "6%", "--json")
    assert asked.status == status, asked.document["regressions"]
    assert asked.document["passed"] == (status == 0)


def test_too_few_runs_are_not_shown_and_so_many_are_needed(tmp_path: Path) -> None:
    made(tmp_path / "runs", values()[:8])
    asked = assay("history", ROUND, *HERE, "--fail-on-regression", "5%")
    assert asked.status == 4 and "1 of 1 not shown: at least " in asked.out
    document = assay("history", ROUND, *HERE, "--fail-on-regression", "5%", "--json").document
    (verdict,) = document["regressions"]
    assert (verdict["state"], verdict["runs"], document["judged"]) == ("not shown", 8, False)
    assert verdict["needed"] > 8


def test_as_many_runs_as_needed_without_a_change_are_met(tmp_path: Path) -> None:
    made(tmp_path / "runs", values(noise=0.002))
    assert assay("history", ROUND, *HERE, "--fail-on-regression", "5%").status == 0


def test_an_accepted_change_is_left_behind(tmp_path: Path) -> None:
    ids = made(tmp_path / "runs", values(1.1))
    document = assay("history", ROUND, *HERE, "--since", ids[STEP], "--json").document
    assert document["changes"] == [] and len(document["runs"]) == RUNS - STEP


def test_runs_of_other_stores_become_known_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path / "elsewhere" / "a", values()[:3], host="one")
    made(tmp_path / "elsewhere" / "b", values()[:2], host="two")
    shutil.rmtree(tmp_path / "state")
    shutil.copytree(tmp_path / "elsewhere" / "a" / "one-000", tmp_path / "copy")
    words = ("--import", "elsewhere/a", "--import", "elsewhere/b", "--import", "copy", "--json")
    first = assay("history", "--machine", "one", *words).document
    assert [Path(each).name for each in first["entered"]] == ["one-000", "one-001", "one-002", "two-000", "two-001"]
    assert len(first["runs"]) == 3 and len(known_runs()) == 5
    again = assay("history", "--machine", "two", *words).document
    assert again["entered"] == [] and len(again["runs"]) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--machine", "nowhere"), "--machine: no run of this machine is known; got 'nowhere', expected here"),
        (("latency", *HERE), "FIGURE: no run here has this figure; got 'latency', expected echo."),
        ((*HERE, "--fail-on-regression", "5"), "--fail-on-regression: is no share"),
        ((*HERE, "--fail-on-regression", "99%"), "--fail-on-regression: is not a limit"),
        ((*HERE, "--since", "nothing"), "RUN: no such run"),
        ((*HERE, "--import", "nothing"), "--import: has no run in it; got 'nothing'"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    made(tmp_path / "runs", values()[:2])
    answer = assay("history", *words)
    assert answer.status == 2 and said in answer.err and len(answer.err.splitlines()) == 1 and not answer.out


def test_what_lasts_is_named_before_what_comes_and_goes_and_the_run_before_its_neighbours() -> None:
    runs = [f"r{number}" for number in range(8)]
    made_with = {
        run: {
            "governor": "ab"[number % 2],
            "kernel": "old" if number < 5 else "new",
            "cpu_quota": "2" if number < 4 else "1",
            "programs.other.flags": str(number),
            "assay": "1" if number < 4 else "2",
        }
        for number, run in enumerate(runs)
    }
    found = find_changes(runs, made_with, 4, 0, 8, "echo")
    assert [(each.key, each.at_run, each.lasting) for each in found] == [
        ("cpu_quota", "r4", True), ("assay", "r4", True), ("kernel", "r5", True), ("governor", "r4", False),
    ]  # fmt: skip


def test_variables_of_the_environment_are_a_change_once_runs_state_them() -> None:
    """Runs of earlier versions state none, which is no change."""
    runs = [f"r{number}" for number in range(6)]
    stated = [{}, {}, {"variables": ""}, {"variables": ""}, {"variables": "UCX_TLS=tcp"}, {"variables": "UCX_TLS=tcp"}]
    made_with = dict(zip(runs, stated, strict=True))
    assert find_changes(runs, made_with, 2, 0, 4, "echo") == []
    (found,) = find_changes(runs, made_with, 4, 2, 6, "echo")
    assert (found.key, found.before, found.after, found.at_run) == ("variables", "", "UCX_TLS=tcp", "r4")
