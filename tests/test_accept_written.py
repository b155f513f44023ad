"""Contracts made of runs: they are read back, the run that they are of meets them, and a fleet too small is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assay.decide.contract import read_contract
from command_line import assay
from test_accept import EIGHT, made_run, measured

pytestmark = pytest.mark.usefixtures("own_folder")


def test_a_reference_meets_its_own_contract_and_a_worse_one_does_not() -> None:
    measured(EIGHT)
    answer = assay("accept", "--from", "run", "--tolerance", "10%", "-o", "c.toml")
    assert answer.status == 0 and answer.out == "c.toml\n"
    read = read_contract(Path("c.toml"))
    latency = next(each for each in read.requirements if each.figure.name == "half_round_trip")
    assert latency.limit == pytest.approx(1.005e-6 * 1.1, rel=1e-5) and latency.case["bytes"] == 8
    assert latency.spread == pytest.approx(np.std(np.log(EIGHT), ddof=1), rel=0.05)
    assert assay("accept", "c.toml", "--run", "run").status == 0
    assert assay("accept", "--from", "run", "--json").document["file"] is None
    Path("run").rename("reference")
    measured([1.2 * value for value in EIGHT])
    assert assay("accept", "c.toml", "--run", "run").status == 3


def fleet(nodes: int) -> list[float]:
    """A run of the clock on so many nodes, whose rates differ by 1%; the rate of each [Hz]."""
    dice = np.random.default_rng(nodes)
    rates: list[float] = (3e9 * (1 + 0.01 * dice.standard_normal(nodes))).tolist()
    run_of_nodes(rates)
    return rates


def run_of_nodes(rates: list[float], name: str = "run") -> None:
    """A run of the clock on nodes n0, n1 and so on, each with this rate [Hz]."""
    run = made_run(name)
    for number in range(3):
        name = f"{number:03d}-clock"
        about = {"run": run.about["id"], "benchmark": "clock", "part": "processor", "machine": "here"}
        about |= {"allocation": 0, "launch": number, "attempt": 1, "provenance": "p", "factors": {}}  # type: ignore[dict-item]
        run.journal({"event": "begun", "task": name, "file": f"{name}.jsonl", "about": about})
        for at, rate in enumerate(rates):
            begun = {"event": "launch", "seed": 1, "ranks": 1, "placement": [{"rank": 0, "host": f"n{at}"}], "t": 1.0}
            block = {"event": "block", "case": {}, "metric": "time", "block": 0, "batch": 1, "values": [1 / rate] * 3}
            lines = (begun, block | {"first": None, "t0": 1.0, "t1": 2.0}, {"event": "done"})
            text = "".join(json.dumps(each) + "\n" for each in lines)
            (run.folder / "launches" / f"{name}@n{at}.jsonl").write_text(text)
        run.journal({"event": "ended", "task": name, "status": 0, "reason": None, "binding": "core", "warnings": []})
    run.finish("done")


def test_a_fleet_that_is_too_small_is_refused_with_the_number_needed() -> None:
    fleet(58)
    answer = assay("accept", "--learn", "run", "-o", "c.toml")
    assert answer.status == 2 and not Path("c.toml").exists()
    assert "--learn: 58 nodes have clock frequency, too few" in answer.err and "expected 59 nodes" in answer.err
    assert assay("accept", "--learn", "run", "--coverage", "90%", "-o", "c.toml").status == 0


def test_a_limit_is_learnt_from_a_fleet_and_one_run_counts_once() -> None:
    rates = fleet(64)
    answer = assay("accept", "--learn", "run", "run", "-o", "c.toml")
    assert answer.status == 0, answer.err
    (one,) = read_contract(Path("c.toml")).requirements
    assert one.limit == pytest.approx(min(rates), rel=1e-5) and one.higher
    assert one.share == pytest.approx(58 / 64, abs=1e-3)  # six of 64 may miss it: P(more) = 3.6% at 5% each
    fault = 1 - min(rates) * 0.95 / float(np.median(rates))
    text = Path("c.toml").read_text()
    assert "by 64 nodes: one like these misses it with a probability of at most 5% (confidence 95%)" in text
    assert f"worse by {100 * fault:.3g}% is rejected with a probability of 95%" in text


def test_limits_of_many_runs_of_one_node_state_that_they_are_of_no_other_node() -> None:
    dice = np.random.default_rng(7)
    rates = (3e9 * (1 + 0.01 * dice.standard_normal(59))).tolist()
    for number, rate in enumerate(rates):
        run_of_nodes([rate], f"run-{number}")
    names = [f"run-{number}" for number in range(59)]
    few = assay("accept", "--learn", *names[1:], "-o", "few.toml")
    assert few.status == 2 and "58 runs of one node have clock frequency, too few" in few.err
    assert assay("accept", "--learn", *names, "-o", "c.toml").status == 0
    (one,) = read_contract(Path("c.toml")).requirements
    assert one.limit == pytest.approx(min(rates), rel=1e-5) and one.share == 1
    text = Path("c.toml").read_text()
    assert "by 59 runs of one node: " in text and "other nodes may differ by more" in text
    assert "as these runs" in text and "fleet" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--learn",), "--learn: the runs are missing; expected RUN…"),
        (("--learn", "nosuch"), "RUN: no such run; got 'nosuch'"),
        (("--from", "nosuch"), "RUN: no such run; got 'nosuch'"),
        (("--from", "run", "--tolerance", "5"), "--tolerance: is no share; got '5'"),
        (("--learn", "run", "--coverage", "95"), "--coverage: is no share; got '95'"),
        (("--from", "run", "-o", "c.json"), "--out: is written as TOML"),
        (("--from", "run", "-o", "no/c.toml"), "--out: is in no folder that is there"),
        (("--from", "run", "--via", "local"), "--via: has no effect with --from run"),
        (("--learn", "run", "--tolerance", "5%"), "--tolerance: has no effect with --learn"),
        (("c.toml", "--tolerance", "5%"), "--tolerance: has no effect here; got '5%', expected with --from"),
        (("c.toml", "d.toml"), "accept: takes one contract; got 'c.toml d.toml'"),
    ],
)
def test_bad_words_are_refused_in_one_line(words: tuple[str, ...], said: str) -> None:
    measured(EIGHT)
    answer = assay("accept", *words)
    assert answer.status == 2 and answer.out == "" and said in answer.err and answer.err.count("\n") == 1, answer.err
