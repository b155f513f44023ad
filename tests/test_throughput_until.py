"""What-if: where a condition begins to hold, what settings are worth by pairs of seeds, times by stated factors."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.errors import InputError
from assay.throughput import scaled, seeds, until
from assay.verbs._throughput_words import time_of
from command_line import assay
from test_throughput_verb import machine, written

EQUAL = [(at, 0, 100, 1, 1, 100) for at in range(1, 13)]  # twelve at once, 100 s each


def wait_on(nodes: int) -> float:
    """Twelve equal jobs at once: whole waves of as many as there are nodes."""
    return sum(100 * (at // nodes) for at in range(12)) / 12


def run(folder: Path, nodes: str, wanted: str, *more: str) -> Any:
    jobs = written(folder / "jobs.swf", *EQUAL)
    words = ("throughput", str(jobs), "--on", str(machine(folder, 4)), "--set", f"machine.nodes={nodes}")
    return assay(*words, "--until", wanted, *more)


@pytest.mark.parametrize("seconds", [20, 51, 150, 500])
def test_how_many_nodes_until_the_mean_wait_is_below(seconds: int, tmp_path: Path) -> None:
    found = run(tmp_path, "1,12", f"mean_wait < {seconds} s", "--json").document["until"]
    (answer,) = found["answers"]
    least = next(nodes for nodes in range(1, 13) if wait_on(nodes) < seconds)
    assert found["key"] == "machine.nodes" and answer["outcome"] == "bracketed"
    assert (answer["first"]["value"], answer["last"]["value"]) == (str(least), str(least - 1))
    assert answer["first"]["metric"] == pytest.approx(wait_on(least))
    assert len(answer["points"]) < 12


def test_each_policy_has_its_answer_and_a_sweep_that_does_not_bracket_says_so(tmp_path: Path) -> None:
    both = run(tmp_path, "2,12", "makespan <= 0.1h", "--set", "policy=easy,fcfs", "--json").document["until"]
    assert [(each["setting"], each["first"]["value"]) for each in both["answers"]] == [
        ({"policy": "easy"}, "4"), ({"policy": "fcfs"}, "4")  # three waves: 300 s, and four on three nodes
    ]  # fmt: skip
    never = run(tmp_path, "1,2,3", "mean_wait < 1 s")
    assert never.status == 0 and "does not bracket it, no value meets it: 1 (" in never.out
    always = run(tmp_path, "6,12", "mean_wait < 2h")
    assert "does not bracket it, every value meets it" in always.out
    shown = run(tmp_path, "6,11", "utilisation > 80%")  # two waves
    assert "utilisation > 80%: up to machine.nodes = 7 (0.8571); not at 8 (0.75)" in shown.out


def test_a_machine_that_refuses_jobs_does_not_meet_a_condition_of_all(tmp_path: Path) -> None:
    """One job of 6 processors: on fewer nodes it is refused, and nobody waits; from 6 on all wait little."""
    jobs = written(tmp_path / "jobs.swf", (1, 0, 10, 6, 6, 10), (2, 0, 10, 1, 1, 10))
    words = ("throughput", str(jobs), "--on", str(machine(tmp_path)), "--set", "machine.nodes=1,12")
    (answer,) = assay(*words, "--until", "mean_wait < 1 min", "--json").document["until"]["answers"]
    assert (answer["first"]["value"], answer["last"]["value"]) == ("6", "5")
    assert (answer["first"]["refused"], answer["last"]["refused"]) == (0, 1)


@given(st.lists(st.booleans(), min_size=2, max_size=12), st.integers(1, 9))
@settings(max_examples=200, deadline=None)
def test_the_answer_is_a_pair_of_neighbours_of_which_one_alone_meets_it(verdicts: list[bool], gap: int) -> None:
    """Whatever the verdicts of the swept values are: between them they are those of the value below."""
    wanted = until.condition("bounded_slowdown < 1")

    def metric(value: int) -> float:
        return 0.0 if verdicts[min(value // gap, len(verdicts) - 1)] else 2.0

    class Result:
        def __init__(self, value: int) -> None:
            self.bounded_slowdown, self.refused_jobs = metric(value), 0

    axes = {"policy": ["easy"], "machine.nodes": [str(gap * at) for at in range(len(verdicts))]}
    (answer,) = until.until(wanted, "machine.nodes", axes, lambda s: Result(int(s["machine.nodes"]))).answers  # type: ignore
    changes = sum(a != b for a, b in itertools.pairwise(verdicts))
    assert answer.changes == changes
    if not changes:
        assert answer.outcome == ("always" if verdicts[0] else "never") and answer.first is None
        return
    assert answer.first is not None and answer.last is not None and answer.outcome == "bracketed"
    first, last = int(answer.first.value), int(answer.last.value)
    assert abs(first - last) == 1 and metric(first) < 1 < metric(last)


def test_what_a_setting_is_worth_is_paired_by_seed(tmp_path: Path) -> None:
    """Against scipy over the differences of single points; pairs are closer than two means of their own."""
    drawn = ("--set", "lublin.jobs=300", "--set", "lublin.load=0.9", "--set", "lublin.seed=1,2,3,4,5")
    words = ("throughput", "lublin", "--on", str(machine(tmp_path, 128)), *drawn, "--set", "policy=fcfs,easy")
    found = assay(*words, "--json").document
    first, second = found["over_seeds"]
    assert first["against_first"] is None
    waits = {
        policy: np.array([p["result"]["mean_wait"] for p in found["points"] if p["setting"]["policy"] == policy])
        for policy in ("fcfs", "easy")
    }
    less = waits["easy"] - waits["fcfs"]
    worth = second["against_first"]["mean_wait"]
    assert worth["mean"] == pytest.approx(less.mean())
    assert worth["ci95"] == pytest.approx(stats.t.interval(0.95, 4, less.mean(), stats.sem(less)))
    shown = assay(*words)
    assert "What it is worth" in shown.out and "paired by seed" in shown.out


def test_an_answer_over_seeds_has_intervals(tmp_path: Path) -> None:
    drawn = ("--set", "lublin.jobs=200", "--set", "lublin.processors=64", "--set", "lublin.seed=1,2,3")
    words = ("throughput", "lublin", "--on", str(machine(tmp_path, 64)), *drawn, "--policy", "easy")
    words = (*words, "--set", "machine.nodes=64,512", "--set", "lublin.load=0.95", "--until", "mean_wait < 5 min")
    (answer,) = assay(*words, "--json").document["until"]["answers"]
    for point in answer["points"]:
        assert point["ci95"][0] <= point["metric"] <= point["ci95"][1]
    assert answer["outcome"] == "bracketed" and int(answer["first"]["value"]) - int(answer["last"]["value"]) == 1
    sure = answer["certain"]
    assert sure is None or sure["ci95"][1] < 300


def test_intervals_of_times_and_slowdowns_end_where_these_do() -> None:
    """Of 1, 1 and 40 the half width is 56 by Student's t of two degrees of freedom; differences may be negative."""
    values = [1.0, 1.0, 40.0]
    half = stats.t.ppf(0.975, 2) * np.std(values, ddof=1) / np.sqrt(3)
    for name, low in (("bounded_slowdown", 1.0), ("mean_wait", 0.0), ("makespan", 0.0)):
        found = seeds.mean_of(values, name)
        assert found is not None and found.ci95[0] == low and found.ci95[1] == pytest.approx(14 + half)
    share = seeds.mean_of([0.9, 0.99, 0.5], "utilisation")
    assert share is not None and share.ci95[1] == 1.0 and share.ci95[0] > 0
    assert [time_of(each) for each in (-3140, -90_000, -1.5)] == ["-52.3 min", "-25.0 h", "-1.5 s"]


def test_an_answers_values_are_told_apart(tmp_path: Path) -> None:
    """Twelve jobs of 100 s at once, one of 1 s at 100,000 s: 1201 processor seconds of so many nodes for 100,001 s."""
    jobs = written(tmp_path / "jobs.swf", *EQUAL, (13, 100_000, 1, 1, 1, 1))
    words = ("throughput", str(jobs), "--on", str(machine(tmp_path)), "--set", "machine.nodes=12,20000")
    bound = 1201 / (100_001 * 10_000.5)
    said = assay(*words, "--until", f"utilisation > {bound:.12g}", "-q").out
    assert "up to machine.nodes = 10000 (1.20099e-06); not at 10001 (1.20087e-06)" in said
    jobs = written(tmp_path / "jobs.swf", (1, 0, 100_000, 1, 1, 100_000), (2, 0, 50, 1, 1, 50))
    words = (*words[:4], "--set", "machine.nodes=1,2")
    said = assay(*words, "--until", "makespan < 100020 s", "-q").out
    assert "from machine.nodes = 2 (100,000 s); not at 1 (100,050 s)" in said


def test_a_load_of_nothing_is_said_to_be_as_drawn(tmp_path: Path) -> None:
    words = ("throughput", "lublin", "--on", str(machine(tmp_path, 128)), "--set", "lublin.jobs=50")
    for more in ((), ("--set", "lublin.seed=1,2,3")):
        said = assay(*words, "--set", "lublin.load=0,0.9", *more).out
        assert "0 (as drawn)" in said and "0.9 (as drawn)" not in said
    refused = assay(*words, "--set", "lublin.load=-1")
    assert refused.status == 2 and "0: arrivals as the model draws them" in refused.err


def test_worse_estimates_and_a_faster_network_are_settings(tmp_path: Path) -> None:
    """With a third of each run communicating, a network that is four times as fast leaves 2/3 + 1/12 of the run."""
    jobs = written(tmp_path / "jobs.swf", (1, 0, 120, 4, 4, 240), (2, 0, 120, 4, 4, 240))
    words = ("throughput", str(jobs), "--on", str(machine(tmp_path)), "--set", "workload.network=1,4")
    found = assay(*words, "--set", f"workload.communication={1 / 3}", "--json").document
    assert [point["result"]["makespan"] for point in found["points"]] == [240, 2 * 90]
    assert scaled.factor({"workload.processor": "2"}) == 0.5
    drawn = ("--set", "lublin.jobs=200", "--set", "lublin.seed=1,2,3", "--set", "estimates.factor=1,10")
    found = assay("throughput", "lublin", "--on", str(machine(tmp_path, 128)), *drawn, "--policy", "easy", "--json")
    assert [each["setting"] for each in found.document["over_seeds"]] == [
        {"estimates.factor": "1"}, {"estimates.factor": "10"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--until", "mean_wait"), "--until: is no condition; got 'mean_wait', expected METRIC < VALUE"),
        (("--until", "mean_wait < 1h", "--dry-run"), "--until: has no use with --dry-run; got 'mean_wait < 1h'"),
        (("--until", "wait < 1h"), "--until: there is no such metric; got 'wait', expected makespan"),
        (("--until", "mean_wait < 1 B"), "--until: is no value of mean_wait; got '1 B'"),
        (("--until", "mean_wait < x"), "--until: is no value of mean_wait; got 'x'"),
        (("--until", "mean_wait < 1h"), "--until: needs a key that is swept; expected --set KEY=V1,V2"),
        (("--set", "workload.net=2"), "there is no such key of the workload; got 'workload.net'"),
        (
            ("--set", "workload.network=4"),
            "--set workload.network: changes nothing by itself; got '4', expected with",
        ),
        (
            ("--set", "workload.communication=0.3"),
            "--set workload.communication: changes nothing by itself; got '0.3'",
        ),
        (
            ("--set", "workload.communication=0.5", "--set", "workload.network=0"),
            "--set workload.network: is no value of it; got '0'",
        ),
    ],
)
def test_wrong_questions_are_refused_in_a_line(words: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    jobs = written(tmp_path / "jobs.swf", *EQUAL)
    answer = assay("throughput", str(jobs), "--on", str(machine(tmp_path)), *words)
    assert answer.status == 2 and answer.err.count("\n") == 1 and problem in answer.err, answer.err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1h", 3600),
        ("30 min", 1800),
        ("1.5d", 129600),
        ("2.3 days", 198720),
        ("1 day", 86400),
        ("90", 90),
        ("2e3 s", 2000),
    ],
)
def test_times_of_a_condition(text: str, value: float) -> None:
    assert until.condition(f"mean_wait<{text}").value == value
    with pytest.raises(InputError):
        until.condition(f"mean_wait == {text}")
