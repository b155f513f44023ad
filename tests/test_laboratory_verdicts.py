"""Cases of a run on a laboratory are judged by their readings: its hosts' accounts show what no link is slowed by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analysis.disturbance import State
from assay.benchmark.record import benchmark
from assay.case import Case
from assay.report.derive.case_verdicts import Judged, judged, on_laboratory
from assay.report.derive.readings import LaunchLines, Readings
from assay.samples import Block, Launch, Measured
from assay.store import Run

METRIC, HOST, WALL, READINGS = "round_trip", "host0", 0.1, 40
LAUNCHES, BLOCKS = range(3), range(6)
LABORATORY = {"launcher": "lab", "laboratory": {"name": "net", "slow": []}}


def run(folder: Path, *launchers: dict[str, Any]) -> Run:
    """A run that was launched once by each of these."""
    made = Run.create(folder, {"plan": {"tasks": []}})
    for at, each in enumerate(launchers):
        made.keep_provenance({"launchers": {"echo": each}, "launch": at})
    return made


def launched(number: int) -> Launch:
    """Its rank could use two processors."""
    return Launch(
        run="r", benchmark="echo", part="messages", machine="m", allocation=0, launch=number, attempt=0, complete=True,
        seed=1, t=None, ranks=1, host=HOST, placement=json.dumps([{"host": HOST, "cpus": [0, 1]}]), transport=None,
        compiler=None, flags=None, library=None, clock="", notes="", provenance="",
    )  # fmt: skip


def verdicts(of: Run, *, others: float = 0.0, slower: float = 1.0) -> Judged:
    """Of two lengths, whose host's other processes were busy for `others` s a second, the last blocks `slower`."""
    random, blocks, readings, begin = np.random.default_rng(1), [], [], 0.0
    for launch in LAUNCHES:
        for block in BLOCKS:
            for length in (8, 1024):
                case, begin = Case({"bytes": length}), begin + 1.5 * WALL
                late = slower if block >= len(BLOCKS) // 2 else 1.0
                values = list(late * 1e-3 * np.exp(0.01 * random.standard_normal(READINGS)))
                made = Block(
                    run="r", benchmark="echo", machine="m", metric=METRIC, case=case, allocation=0, launch=launch,
                    attempt=0, block=block, order=0, batch=1, samples=READINGS, ended="time", host=HOST, t0=begin,
                    t1=begin + WALL, steal=0.0, others=others * WALL, own=WALL, wall=WALL, involuntary=0, voluntary=0,
                    minor_faults=0, major_faults=0, frequency=None,
                )  # fmt: skip
                blocks.append((Measured(made, None, values, None, 0), 1))
                readings.append(Readings(METRIC, case, HOST, launch, 0, block, False, 1, values))
    return judged(of, LaunchLines([launched(each) for each in LAUNCHES], blocks, []), benchmark("echo"), readings)


def states(of: Judged) -> set[State]:
    return {each.state for each in of.verdicts.values()}


def test_a_busy_machine_says_nothing_of_a_laboratory_s_links(tmp_path: Path) -> None:
    """The same blocks are disturbed where ranks ran on the machine itself."""
    there, plain = run(tmp_path / "lab", LABORATORY), run(tmp_path / "plain", {"launcher": "local"})
    found = verdicts(there, others=1.0)
    assert states(found) == {State.CLEAN} and not found.touched and not found.warnings
    elsewhere = verdicts(plain, others=1.0)
    assert states(elsewhere) == {State.DISTURBED}
    assert {reason.rule for reason, _ in elsewhere.touched} == {"others"}


def test_readings_that_change_midway_are_seen_in_a_laboratory_as_well(tmp_path: Path) -> None:
    there = run(tmp_path / "lab", LABORATORY)
    found = verdicts(there, slower=1.5)
    assert State.CLEAN not in states(found)
    assert {reason.rule for reason, _ in found.touched} == {"step"}
    assert states(verdicts(there)) == {State.CLEAN}


@pytest.mark.parametrize(
    ("launchers", "expected"),
    [
        ([LABORATORY], True),
        ([{"launcher": "local"}, LABORATORY], True),  # a run resumed
        ([{"launcher": "mpiexec", "library": "laboratory"}], False),
        ([], False),
    ],
)
def test_a_run_is_of_a_laboratory_by_what_its_launchers_stated(
    launchers: list[dict[str, Any]], expected: bool, tmp_path: Path
) -> None:
    assert on_laboratory(run(tmp_path / "run", *launchers)) is expected
