"""Rules of a job table with `--via local`: obeyed, or refused by name; a folder is resumed by its own rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from by_night import by_night
from command_line import assay
from throughput_folder import end_all_jobs

pytestmark = pytest.mark.paced
TABLE = """
[alone]
processors = 1
time = "0.3 s"
alone = "nodes"
[machine]
processors = 2
time = "0.3 s"
alone = "machine"
[two]
processors = 1
time = "0.3 s"
instances = 2
[first]
processors = 1
time = "0.3 s"
ports = [1, 2]
[second]
processors = 1
time = "0.3 s"
ports = [2, 3]
[third]
processors = 1
time = "0.3 s"
ports = [3]
[free]
processors = 1
time = "0.3 s"
"""
SCHEDULE = """
0: 1 * two
0: 1 * alone
0: 3 * two
0: 2 * first
0: 2 * second
0: 2 * third
0: 1 * machine
0: 4 * free
0: 1 * alone
"""
PORTS = {"first": {1, 2}, "second": {2, 3}, "third": {3}}


@pytest.fixture
def mix(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "jobs.toml").write_text(TABLE)
    (tmp_path / "mix").write_text(SCHEDULE)
    yield tmp_path
    end_all_jobs(tmp_path / "out")


def words(folder: Path, *more: str) -> tuple[str, ...]:
    return ("throughput", str(folder / "mix"), "--jobs", str(folder / "jobs.toml"), "--via", *more)


def beside(jobs: list[Any]) -> Iterator[tuple[str, str]]:
    """Names of each two jobs that ran at once; records say when, to the microsecond."""
    for one, other in combinations(jobs, 2):
        if one["started"] < other["ended"] and other["started"] < one["ended"]:
            yield one["name"].partition(".")[0], other["name"].partition(".")[0]


@pytest.mark.parametrize("policy", by_night(["fcfs", "firstfit", "easy", "conservative"], ["fcfs", "easy"]))
def test_local_obeys_the_rules(mix: Path, policy: str) -> None:
    """Eight slots would take all jobs at once, but for the rules; what no rule keeps apart does run at once."""
    out = str(mix / "out")
    found = assay(*words(mix, "local"), "--slots", "8", "--policy", policy, "--out", out, "--json").document
    jobs = found["jobs"]
    work = found["utilisation"] + sum(each["share"] for each in found["idle"].values())
    assert work == pytest.approx(1, abs=0.05) and found["idle"]["unused"]["share"] > 0
    assert {job["name"].partition(".")[0] for job in jobs if job.get("held") == 8} == {"alone", "machine"}
    assert found["completed"] == len(jobs) == 17 and found["findings"] == []
    pairs = list(beside(jobs))
    assert not any({"alone", "machine"} & set(pair) for pair in pairs)
    assert not any(PORTS.get(one, set()) & PORTS.get(other, set()) for one, other in pairs)
    twos = [job for job in jobs if job["name"].startswith("two.")]
    assert not any(len(list(beside(list(three)))) == 3 for three in combinations(twos, 3))
    assert ("free", "free") in pairs


@pytest.mark.parametrize(
    ("system", "rule", "key"),
    [
        ("local", "nodes = 2", "nodes"),
        ("local", "per_node = 1", "per_node"),
        ("local", "on = [0]", "on"),
        ("hyperqueue", "instances = 1", "instances"),
        ("hyperqueue", "ports = [1]", "ports"),
    ],
)
def test_rules_that_cannot_be_obeyed_are_refused_by_name(mix: Path, system: str, rule: str, key: str) -> None:
    (mix / "jobs.toml").write_text(TABLE + f'[more]\nprocessors = 2\ntime = "1 s"\n{rule}\n')
    (mix / "mix").write_text("0: 1 * free\n0: 1 * more\n")
    for more in ((), ("--dry-run",)):
        answer = assay(*words(mix, system), "--slots", "8", "--out", str(mix / "out"), *more)
        assert answer.status == 2 and answer.err.count("\n") == 1 and not (mix / "out").exists(), answer.err
        assert f"jobs.toml: more.{key}: is a rule that --via {system} cannot obey; got " in answer.err
