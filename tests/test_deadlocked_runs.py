"""Runs that deadlock: their means have no interval, their last delivery is told, and sums are of what arrived."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.network.study.results import Point
from command_line import assay

RING = '[network]\ntopology = "torus"\nextents = [8]\ndateline = "none"\n'
NOTE = "no interval: the network deadlocks, and its means depend on the length of the deadlock"
WARMUP, CYCLES, STRETCHES = 1_000, 200_000, 1024


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    file = tmp_path / "ring.toml"
    method = f"[method]\nwarmup_cycles = {WARMUP}\ncycles = {CYCLES}\n"
    file.write_text(f"{RING}[traffic]\nflits = 16\nload = 0.25\n{method}")
    return file


def simulated(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = assay("simulate", *map(str, words), "--json").document
    return found


def estimates_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Every mean with its interval or note, wherever it stands in the estimates."""
    if "interval" in found:
        return [found]
    return [each for inner in found.values() if isinstance(inner, dict) for each in estimates_of(inner)]


@pytest.mark.parametrize("words", [(), ("--set", "method.replications=4")])
def test_no_mean_has_an_interval(words: tuple[str, ...], ring: Path) -> None:
    """A network that stands still repeats nothing: its batches agree on 0 and said ± 0 at 95% confidence."""
    found = simulated(ring, *words)
    assert found["deadlock"] and found["deadlocked"] == found["replications"]
    estimates = estimates_of(found["estimates"])
    assert len(estimates) >= 8
    assert {(each["interval"], each["note"]) for each in estimates} == {(None, NOTE)}
    assert {(each["interval"], each["ci95"], each["state"]) for each in found["figures"]} == {(None, None, "invalid")}
    whole, brief = assay("simulate", str(ring), *words).out, assay("simulate", str(ring), *words, "-q").out
    assert "±" not in whole + brief and "confidence" not in whole + brief
    assert whole.splitlines()[1] == NOTE


def test_a_sweep_leaves_their_columns_empty(ring: Path) -> None:
    lines = assay("simulate", str(ring), "--sweep", "network.dateline=none,wrap").out.splitlines()
    (stuck,) = [line.split() for line in lines if line.split()[:1] == ["none"]]
    (free,) = [line.split() for line in lines if line.split()[:1] == ["wrap"]]
    assert (stuck[2], stuck[5], stuck[-1]) == ("–", "–", "deadlock") and float(free[2]) > 0
    assert f"dateline none: {NOTE}" in lines


def test_the_last_delivery_is_where_shorter_runs_begin_to_miss_messages(ring: Path) -> None:
    found = simulated(ring)
    last = found["last_delivery"]
    assert WARMUP < last < WARMUP + CYCLES

    def delivered(cycles: int) -> int:
        return int(simulated(ring, "--set", f"method.cycles={cycles}")["messages"])

    assert delivered(last - WARMUP) == found["messages"]
    assert delivered(last - WARMUP - CYCLES // STRETCHES - 1) < found["messages"]
    words = (
        f"{CYCLES:,} cycles measured after {WARMUP:,} of warm-up, nothing delivered after about cycle {last:,}; ended"
    )
    assert words in assay("simulate", str(ring)).out


def test_a_run_that_stood_still_before_it_was_measured_delivers_nothing_after_its_warm_up(ring: Path) -> None:
    found = simulated(ring, "--set", "method.warmup_cycles=20000")
    assert (found["messages"], found["last_delivery"]) == (0, 20_000)


def test_a_run_without_a_deadlock_has_no_last_delivery(ring: Path) -> None:
    found = simulated(ring, "--set", "network.dateline=wrap")
    assert (found["deadlock"], found["deadlocked"], found["last_delivery"]) == (None, 0, None)


def test_points_of_a_study_have_none_either() -> None:
    means = {"header": [1.0, 1.0, 1.0]}
    assert Point({}, 1.0, means, False, (0, 0)).estimate("header").half is not None
    stuck = Point({}, 1.0, means, True, (0, 0), deadlocked=1).estimate("header")
    assert (stuck.mean, stuck.half, stuck.note) == (1.0, None, NOTE)


def test_hops_are_those_of_messages_that_arrived(tmp_path: Path) -> None:
    """The rows of messages that did not are -1, which were added up."""
    ring, messages, out = tmp_path / "ring.toml", tmp_path / "messages.csv", tmp_path / "delivered.csv"
    ring.write_text(RING)
    early = "9,0,0,3,64\n"  # alone: an injection, three links and an ejection, over long before the others begin
    stuck = "".join(f"{i},1000,{i},{(i + 3) % 8},64\n" for i in range(8))
    messages.write_text(f"id,cycle,source,destination,flits\n{early}{stuck}")
    found = assay("replay", str(ring), str(messages), "-o", str(out), "--json").document
    assert (found["messages"], found["delivered"], found["head_hops"]) == (9, 1, 5)
    messages.write_text(f"id,cycle,source,destination,flits\n{stuck}")
    found = assay("replay", str(ring), str(messages), "-o", str(out), "--json").document
    assert (found["delivered"], found["head_hops"]) == (0, 0)
