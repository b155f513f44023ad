"""A network that deadlocks has no saturation load: lower loads deadlock as well, only later."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from assay.network import balance, description, saturation
from command_line import assay
from saturable_networks import QUEUE

RING = '[network]\ntopology = "torus"\nextents = [8]\ndateline = "none"\n[traffic]\nflits = 16\n'


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    file = tmp_path / "ring.toml"
    file.write_text(RING)
    return file


def searched(ring: Path, *words: str) -> tuple[str, ...]:
    return ("simulate", str(ring), "--saturation", "--set", "method.cycles=5000", *words)


@pytest.mark.parametrize("load", ["0.05", "0.2", "0.5", "0.9"])
def test_no_load_is_stated_wherever_the_search_begins(load: str, ring: Path) -> None:
    """It stated an interval at 95% confidence for each of these, and some of them did not overlap."""
    words = searched(ring, "--set", f"traffic.load={load}")
    found = assay(*words, "--json").document
    of = found["saturation"]
    assert (
        of["found"] is False
        and [of[key] for key in ("load", "interval", "confidence", "per_millisecond")] == [None] * 4
    )
    assert {figure["state"] for figure in found["figures"]} == {"invalid"}
    assert {figure["interval"] and figure["value"] for figure in found["figures"]} == {None}
    tried = [one for one in of["tried"] if one["deadlock"]]
    assert sorted(one["load"] for one in tried) == [one["load"] for one in of["deadlocks"]]
    least, spared = of["deadlocks"][0], of["no_deadlock_at"]
    assert spared["load"] < least["load"] and 1 <= least["deadlocked"] <= least["replications"]
    said = (
        f"flits per node per cycle within 5,000 cycles, none at {spared['load']:.4g} within {spared['cycles']:,}: no "
        "saturation load can be stated, as lower loads deadlock later"
    )
    whole, (line,) = assay(*words).out.splitlines(), assay(*words, "-q").out.splitlines()
    for first in (whole[0], line):
        assert first.startswith("deadlock at ") and f" from {least['load']:.4g} to " in first and said in first
    assert not any("confidence" in each or "accepts" in each for each in (*whole, line))
    ended = f"  offered {least['load']:.4g}: {least['deadlocked']} of 16 runs of 5,000 cycles ended in a deadlock"
    assert whole[1:3] == ["runs that deadlocked, at loads in flits per node per cycle:", ended]


def test_a_load_below_those_deadlocks_later(ring: Path) -> None:
    """What the answer says of lower loads, by one run of 2,000,000 cycles."""
    spared = assay(*searched(ring), "--json").document["saturation"]["no_deadlock_at"]["load"]
    load = ("--set", f"traffic.load={spared}", "--set", "method.warmup_cycles=0")
    assert assay("simulate", str(ring), *load, "--set", "method.cycles=2000000", "--json").document["deadlock"]


@pytest.mark.nightly
def test_a_sweep_has_no_bracket_where_it_deadlocks(ring: Path, tmp_path: Path) -> None:
    kept = ("--out", str(tmp_path / "points.jsonl"))  # simulated once
    words = searched(ring, *kept, "--set", "method.precision=0.5", "--sweep", "network.dateline=none,wrap")
    out = assay(*words).out.splitlines()
    assert [line.split()[:2] + line.split()[-1:] for line in out[2:4]] == [
        ["none", "–", "deadlock"],
        ["wrap", out[3].split()[1], "found"],
    ]
    assert float(out[3].split()[1]) > 0
    assert out[4:6] == [
        "from, to: at 95% confidence",
        "deadlock: no saturation load can be stated, as lower loads deadlock later",
    ]
    (line,) = assay(*words, "-q").out.splitlines()
    assert line.startswith("2 points: 1 deadlock, 1 found; ")


@pytest.mark.parametrize("planted", ["beyond", "pilot"])
def test_a_deadlock_in_any_run_of_the_search_counts(planted: str, tmp_path: Path) -> None:
    """Also where only a load beyond the bracket, or a pilot run far below it, deadlocks."""
    file = tmp_path / "queue.toml"
    file.write_text(QUEUE + "load = 0.5\n[method]\nprecision = 0.3\n")
    about = description.load(file)
    steps, least = saturation.steps(about), 1e9
    tasks = next(steps)
    with pytest.raises(StopIteration) as end:
        while True:
            runs = [task.make() for task in tasks]
            which = {balance.REPLICATIONS: "tried", 1: "pilot"}.get(len(tasks), "beyond")
            if which == planted:
                runs = [dataclasses.replace(run, deadlock={"messages": 2, "cycle": []}) for run in runs]
                least = min(least, tasks[0].config["traffic"]["load"])
            tasks = steps.send(runs)
    found: dict[str, Any] = end.value.value
    assert found["saturation"]["deadlocks"][0]["load"] == pytest.approx(least)
    assert found["saturation"]["interval"] is None and found["saturation"]["confidence"] is None
    assert {figure["state"] for figure in found["figures"]} == {"invalid"}


STUDY = """
[study]
title = "A ring that deadlocks"
judge_cycles = 40000
[network]
topology = "torus"
extents = [8]
dateline = "none"
[traffic]
flits = 16
load = 0.3
[method]
cycles = 20000
warmup_cycles = 1000
replications = 2
[sweep]
"network.dateline" = ["none", "wrap"]
[saturation]
precision = 0.1
seeds = 1
cycles = 5000
[saturation.sweep]
"network.dateline" = ["none", "wrap"]
"""


def test_a_study_says_where_its_runs_deadlocked(tmp_path: Path) -> None:
    (tmp_path / "ring.toml").write_text(STUDY)
    done = assay("study", str(tmp_path / "ring.toml"), "--json")
    assert done.status == 0, done.err
    ring, wrapped = done.document["saturation"]
    assert ring["deadlocked"] > 0 and wrapped["deadlocked"] == 0
    figures = [each for each in done.document["figures"] if each["name"] == "saturation"]
    assert [each["state"] for each in figures] == ["invalid", "clean"]
    point, other = done.document["points"]
    assert point["deadlocked"] > 0 and other["deadlocked"] == 0
    shown = assay("study", str(tmp_path / "ring.toml")).out
    assert "dateline none: deadlock" in shown and "runs ended in a deadlock: no saturation load can be stated" in shown
    assert shown.count("saturates between") == 1
