"""The paper's mix from Assay's own programs: every name with the paper's processors, and jobs of several programs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark, shipped
from assay.benchmark.resolved import sampling
from assay.throughput import job_table, schedule_file
from command_line import assay
from mpis_here import MPI

pytestmark = pytest.mark.paced

# Section 4.1's table of CPUs, by the names of the schedule; EuroBen: its widest part.
PRINTED = {"rboltz_run": 4, "primmod_run": 8, "adf_run": 16, "vasp_run": 8, "euroben_run": 8, "maya5_run": 6}
MIX = job_table.find("assay-mix")


def programs(kind: job_table.JobKind) -> list[tuple[str, str | None, list[str], int]]:
    """Each program of a job: its name, slice, settings and processors."""
    if kind.program is not None:
        return [(kind.program, kind.slice, kind.settings, kind.processors)]
    return [(part.program, part.slice, part.settings, part.processors or kind.processors) for part in kind.part]


def test_every_name_of_the_schedule_has_the_papers_processors() -> None:
    table = job_table.load(MIX)
    assert {name: kind.processors for name, kind in table.items()} == PRINTED
    assert {batch.name for batch in schedule_file.published()} == set(PRINTED)
    parts = Counter(width for *_, width in programs(table["euroben_run"]))
    assert {4, 6, 8} <= set(parts) and parts[1] >= 8 and max(parts) == 8 and parts[2] >= 2


@pytest.mark.parametrize("name", PRINTED)
def test_what_its_programs_measure_adds_up_to_the_jobs_time(name: str) -> None:
    """Blocks by the programs' own records, each of one case."""
    kind = job_table.load(MIX)[name]
    seconds = 0.0
    for program, slice_, settings, _ in programs(kind):
        assert slice_ is not None and not any("," in each for each in settings)
        _, blocks = sampling(benchmark(program), "quick")
        seconds += blocks * float(slice_.removesuffix(" s"))
    assert seconds == pytest.approx(float(kind.time.removesuffix(" s")), rel=0.01)


def run(folder: Path, schedule: str, table: str, *more: str) -> Any:
    (folder / "mix").write_text(schedule)
    words = ["throughput", str(folder / "mix"), "--jobs", table, "--via", "local", "--slots", "18"]
    return assay(*words, "--out", str(folder / "out"), "--json", *more)


@pytest.mark.nightly
@pytest.mark.skipif(MPI is None, reason="no MPI")
def test_each_kind_of_job_runs_and_its_answer_is_checked(tmp_path: Path) -> None:
    """One of each, compressed 20,000 times: what remains is mostly starting the programs."""
    answer = run(tmp_path, "".join(f"0: 1 * {name}\n" for name in PRINTED), "assay-mix", "--compress", "20000")
    found = answer.document
    assert answer.status == 0 and (found["lost"], found["failed"], found["findings"]) == (0, 0, [])
    assert {job["name"]: (job["answer"], job["processors"]) for job in found["jobs"]} == {
        f"{name}.1": (True, width) for name, width in PRINTED.items()
    }
    (folder,) = (tmp_path / "out/jobs").glob("*-euroben_run.1")
    written = sorted(folder.glob("samples*.jsonl"), key=lambda path: (len(path.name), path.name))
    launches = [json.loads(path.read_text().splitlines()[0]) for path in written]
    wanted = [(program, width) for program, _, _, width in programs(job_table.load(MIX)["euroben_run"])]
    found_widths = [launch["ranks"] for launch in launches]
    assert [launch["program"] for launch in launches] == [program for program, _ in wanted]
    assert found_widths == [width for _, width in wanted]


@pytest.mark.nightly
@pytest.mark.skipif(MPI is None, reason="no MPI")
def test_the_whole_schedule_runs(tmp_path: Path) -> None:
    words = ("throughput", "eurobench2000", "--jobs", "assay-mix", "--via", "local", "--slots", "18")
    answer = assay(*words, "--compress", "1000", "--out", str(tmp_path / "out"), "--json")
    found = answer.document
    assert answer.status == 0 and found["completed"] == 33 and found["findings"] == []
    assert all(job["answer"] for job in found["jobs"])


PARTS = """
[whole]
processors = 2
time = "1 s"
[[whole.part]]
program = "caltech"
processors = 1
set = ["operation=add", "type=int32", "form=latency", "repetitions=2"]
operations = 1000
[[whole.part]]
program = "sieve"
set = ["size=10", "repetitions=2"]
operations = 1
[[whole.part]]
program = "dhrystone"
slice = "0.001 s"
"""


def test_a_wrong_answer_of_a_part_is_named_and_ends_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three programs the second one is broken: its check is quoted, and the third never runs."""
    (tmp_path / "jobs.toml").write_text(PARTS)
    good = run(tmp_path, "0: 1 * whole\n", str(tmp_path / "jobs.toml"))
    assert good.status == 0 and good.document["jobs"][0]["answer"] is True
    (tmp_path / "out").rename(tmp_path / "good")
    assert len(list(tmp_path.glob("good/jobs/*/samples*.jsonl"))) == 3
    sieve = shipped("sieve")
    assert sieve is not None
    monkeypatch.setitem(vars(sieve), "flags", ("-O0", "-DASSAY_BREAK=1"))
    bad = run(tmp_path, "0: 1 * whole\n", str(tmp_path / "jobs.toml"))
    assert bad.status == 1 and bad.document["jobs"][0]["answer"] is False and bad.document["failed"] == 1
    (finding,) = bad.document["findings"]
    assert finding["kind"] == "wrong answer" and "by trial division 4" in finding["text"]
    names = sorted(path.name for path in tmp_path.glob("out/jobs/*/samples*.jsonl"))
    assert names == ["samples-2.jsonl", "samples.jsonl"]


START = '[a]\nprocessors = 2\ntime = "1 s"\n'
REFUSED = {
    '[[a.part]]\nprogram = "seive"\n': ":5: a.part.0.program: no such benchmark (did you mean sieve?)",
    '[[a.part]]\nprogram = "sieve"\nprocessors = 3\n': ":6: a.part.0.processors: are more than the job has; got 3",
    '[[a.part]]\nprogram = "sieve"\nset = ["size=9"]\n': ":6: a.part.0.set.0: parameter size: is out of bounds",
    '[[a.part]]\nprogram = "sieve"\nslice = "1 B"\n': ":6: a.part.0.slice: ",
    '[[a.part]]\nprogram = "echo"\nprocessors = 1\n': ":6: a.part.0.processors: are too few ranks for echo",
    'command = "true"\n[[a.part]]\nprogram = "sieve"\n': ":4: a.command: cannot be used with parts",
    'program = "sieve"\n[[a.part]]\nprogram = "sieve"\n': ":4: a.program: cannot be used with parts",
}


@pytest.mark.parametrize("table", REFUSED)
def test_a_wrong_part_is_refused_in_a_line(tmp_path: Path, table: str) -> None:
    (tmp_path / "jobs.toml").write_text(START + table)
    answer = run(tmp_path, "0: 1 * a\n", str(tmp_path / "jobs.toml"))
    assert (answer.status, answer.out) == (2, "") and answer.err.count("\n") == 1, answer.err
    assert REFUSED[table] in answer.err, answer.err
