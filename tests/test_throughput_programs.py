"""Jobs that are benchmark programs: what their own checks decide, what starts them, and what is refused in a line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import shipped
from assay.throughput import job_programs, job_record, submission_log
from assay.throughput.live_jobs import LiveJob
from assay.throughput.reconciling import reconcile
from assay.throughput.submission_log import LoggedJob
from command_line import assay
from mpis_here import MPI

pytestmark = pytest.mark.paced

JOB = LiveJob(id="0001-a.1", number=1, name="a.1", due=0.0, processors=1, per_node=None, expected=1.0, requested=1.0,
              limit=60.0, user="", priority=0.0)  # fmt: skip
LAUNCH, DONE = '{"event":"launch","program":"sieve"}', '{"event":"done","reference":0.1}'
RIGHT = '{"event":"check","case":{"size":10},"passed":true,"detail":"4 primes"}'
WRONG = '{"event":"check","case":{"size":8190},"passed":false,"detail":"1029 primes; by trial division 1028"}'
QUOTED = r'{"event":"check","case":{},"passed":true,"detail":"a,\"passed\":false,b"}'
# What a program writes, and how it ends: its record's answer, whether it ended well, its starter's status.
ENDS = {
    "right": ([LAUNCH, RIGHT, DONE], "exit 0", True, True, 0),
    "wrong": ([LAUNCH, RIGHT, WRONG, DONE], "exit 1", False, True, 0),
    "wrong, and said to be well": ([WRONG, DONE], "exit 0", False, True, 0),
    "a text that looks like it": ([QUOTED, DONE], "exit 0", True, True, 0),
    "failed without a check": ([LAUNCH], "exit 1", None, False, 1),
    "cut short": ([LAUNCH, RIGHT], "exit 0", False, True, 0),
    "nothing checked": ([LAUNCH, DONE], "exit 0", None, True, 0),
    "wrong, then killed": ([WRONG], "kill -9 $$", None, False, 1),
    "no samples at all": ([], "exit 0", False, True, 0),
}


@pytest.mark.parametrize("case", ENDS)
def test_a_programs_own_checks_are_the_jobs_answer(case: str, tmp_path: Path) -> None:
    lines, end, answer, well, status = ENDS[case]
    samples, record = tmp_path / "samples.jsonl", tmp_path / "record.jsonl"
    samples.write_text("".join(f"{line}\n" for line in lines))
    words = [job_programs.compiled().record, "--record", record, "--output", tmp_path / "output", "--samples", samples]
    assert subprocess.run([*words, "--", "sh", "-c", end]).returncode == status
    found = job_record.read(record)
    assert found is not None and (found.answer, found.well, found.damaged) == (answer, well, 0)
    findings = reconcile(JOB, LoggedJob(began=1.0, batch_ids=("7",)), None, found).findings
    assert [each.kind for each in findings] == (
        ["wrong answer"] if answer is False else [] if well else ["killed" if "kill" in end else "failed"]
    )
    if WRONG in lines and well:
        assert findings[0].text == "check failed for size 8190: 1029 primes; by trial division 1028"


TABLE = """
[right]
processors = 1
time = "1 s"
program = "caltech"
set = ["operation=add", "type=int32", "form=latency", "repetitions=3"]
operations = 1000
[broken]
processors = 1
time = "1 s"
program = "sieve"
set = ["size=10,8190", "repetitions=2"]
operations = 1
"""
RANKS = """
[single]
processors = 1
time = "1 s"
program = "self"
set = ["bytes=8", "repetitions=2"]
operations = 10
[pair]
processors = 2
time = "1 s"
program = "echo"
set = ["bytes=8"]
slice = "0.001 s"
"""


def lines_of(out: Path, job: str) -> list[dict[str, Any]]:
    """What a job's program wrote."""
    (path,) = out.glob(f"jobs/*-{job}/samples.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_mix_of_programs_one_of_them_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled with its fault the sieve counts one prime too many: its answer is wrong, the others' are right."""
    sieve = shipped("sieve")
    assert sieve is not None
    monkeypatch.setitem(vars(sieve), "flags", ("-O0", "-DASSAY_BREAK=1"))
    names = ["right", "broken"]
    if MPI is not None:
        names += ["single", "pair"] if len(os.sched_getaffinity(0)) > 1 else ["single"]
    (tmp_path / "jobs.toml").write_text(TABLE + RANKS)
    (tmp_path / "mix").write_text("".join(f"0: 1 * {name}\n" for name in names))
    words = ["throughput", str(tmp_path / "mix"), "--jobs", str(tmp_path / "jobs.toml"), "--via", "local"]
    answer = assay(*words, "--out", str(tmp_path / "out"), "--json")
    found = answer.document
    assert answer.status == 1 and (found["lost"], found["failed"]) == (0, 1)
    expected = {f"{name}.1": ("completed", name != "broken") for name in names}
    assert {job["name"]: (job["state"], job["answer"]) for job in found["jobs"]} == expected
    (finding,) = found["findings"]
    assert finding["kind"] == "wrong answer"
    assert finding["text"].startswith("check failed for size 10: 5 primes up to 10; by trial division 4")
    assert "broken.1: wrong answer: check failed for size 10" in (tmp_path / "out/report.html").read_text()
    blocks = [line for line in lines_of(tmp_path / "out", "right.1") if line["event"] == "block"]
    assert blocks and all(1000 <= block["batch"] < 1100 and len(block["values"]) == 3 for block in blocks)
    for name, ranks in (("right", 1), ("single", 1), ("pair", 2)):
        if name in names:  # on the hardware threads that the job was pinned to, no others
            launch = lines_of(tmp_path / "out", f"{name}.1")[0]
            assert launch["ranks"] == ranks and {len(place["cpus"]) for place in launch["placement"]} == {ranks}


def test_plans_of_before_are_the_same_ones() -> None:
    """A test that was begun before programs were in tables is resumed: its jobs' plan has no such keys."""
    assert not {"program", "arguments"} & set(submission_log._planned(JOB))


START = '[a]\nprocessors = 1\ntime = "1 s"\n'
REFUSED = {
    'program = "seive"\n': ':4: a.program: no such benchmark (did you mean sieve?); got \'seive\', expected ',
    'program = "sieve"\ncommand = "true"\n': ":5: a.command: cannot be used with a benchmark program",
    'program = "sieve"\nwait = "1 s"\n': ":5: a.wait: cannot be used with a benchmark program",
    'program = "sieve"\nanswer = "x"\n': ":5: a.answer: cannot be used with a benchmark program",
    'program = "sieve"\nset = ["size"]\n': ":5: a.set.0: is not KEY=VALUE; got 'size', expected ",
    'program = "sieve"\nset = ["size=10", "sise=5"]\n': ":5: a.set.1: --set sise: sieve has no such parameter",
    'program = "sieve"\nset = ["size=9"]\n': ":5: a.set.0: parameter size: is out of bounds; got '9', expected ",
    'program = "sieve"\nset = ["size=10", "size=20"]\n': ":5: a.set.1: sets size a second time",
    'program = "sieve"\nset = "size=10"\n': ":5: a.set: is wrong; got 'size=10', expected a list",
    'program = "sieve"\nslice = "0 s"\n': ":5: a.slice: is no slice; got '0 s', expected more than 0 s",
    'program = "sieve"\nslice = "1 B"\n': ":5: a.slice: ",
    'program = "sieve"\nset = ["repetitions=2"]\nslice = "1 s"\n': ":6: a.slice: is a time, where repetitions=2 is the",
    'program = "sieve"\noperations = 0\n': ":5: a.operations: is out of bounds; got 0, expected a whole ",
    'program = "echo"\n': ":2: a.processors: are too few ranks for echo; got 1, expected 2 or more",
    'set = ["size=10"]\n': ":4: a.set: is of a benchmark program, and this job has none; got ",
    'command = "true"\nslice = "1 s"\n': ":5: a.slice: is of a benchmark program",
}  # fmt: skip


@pytest.mark.parametrize("table", REFUSED)
def test_a_wrong_program_is_refused_in_a_line(tmp_path: Path, table: str) -> None:
    path = tmp_path / "jobs.toml"
    path.write_text(START + table)
    (tmp_path / "mix").write_text("0: 1 * a\n")
    for how in (("--via", "local"), ("--on", "ipsc860")):
        answer = assay("throughput", str(tmp_path / "mix"), "--jobs", str(path), *how)
        assert (answer.status, answer.out) == (2, "") and answer.err.count("\n") == 1, answer.err
        assert answer.err.startswith(f"assay: {path}{REFUSED[table]}"), answer.err
        assert "got " in answer.err
