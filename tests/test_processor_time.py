"""User and system time: of a run's launches as their programs state it, of a test's jobs as their starters do."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import compiled
from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from assay.report.derive.document import document
from assay.report.render import page
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import processor_time
from assay.samples import Launch
from assay.store import Run
from assay.stored.tables import schema
from assay.throughput import batch_system
from assay.throughput.processor_time import by_program, rows
from assay.throughput.systems import sge
from command_line import assay
from mpis_here import MPI, yielding
from started import words
from test_document import block, launch

CLOSE = 0.03  # s, that a process takes before it starts its account, and after it


def done(path: Path) -> dict[str, float]:
    (line,) = [json.loads(text) for text in path.read_text().splitlines() if '"event":"done"' in text.replace(" ", "")]
    return {key: float(line[key]) for key in ("user", "system")}


def children() -> tuple[float, float]:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime, used.ru_stime


def test_a_programs_account_is_what_its_parent_is_given_by_the_kernel(tmp_path: Path) -> None:
    program, out = compiled.kept("historical/sieve"), tmp_path / "out.jsonl"
    before = children()
    command = [str(program), *words("sieve"), "--out", str(out)]
    subprocess.run(command, check=True, env=os.environ)
    user, system = (after - earlier for earlier, after in zip(before, children(), strict=True))
    stated = done(out)
    assert stated["user"] == pytest.approx(user, abs=CLOSE) and stated["system"] == pytest.approx(system, abs=CLOSE)
    assert stated["user"] > 0.01


@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_the_account_of_ranks_is_of_all_of_them(tmp_path: Path) -> None:
    assert MPI is not None
    program = build([benchmark("ring")], mpi=MPI)["ring"].path
    for ranks in (2, 4):
        out, before = tmp_path / f"{ranks}.jsonl", sum(children())
        given = [*words("ring", "--set", "bytes=8"), "--out", str(out)]
        command = [MPI.mpiexec, "-n", str(ranks), str(program), *given]
        subprocess.run(command, check=True, timeout=120, env=launch_environment(os.environ) | yielding())
        taken = sum(children()) - before
        assert taken / 2 < sum(done(out).values()) <= taken + CLOSE  # mpiexec's own time, and ranks' ends, are above it


def kept(folder: Path) -> Run:
    return Run.create(folder / "run", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})


def three_launches(folder: Path, stated: dict[str, float]) -> Run:
    run = kept(folder)
    for number in range(3):
        launch(run, number, [block(8, [1e-6] * 30)])
        path = next((run.folder / "launches").glob(f"{number:03d}-*.jsonl"))
        lines = [json.loads(text) for text in path.read_text().splitlines()]
        made = [line | (stated if line["event"] == "done" else {}) for line in lines]
        path.write_text(
            "".join(json.dumps({k: v for k, v in line.items() if k not in ("seq", "crc")}) + "\n" for line in made)
        )
    return run


def test_a_report_adds_up_the_launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    made = document(three_launches(tmp_path, {"user": 1.5, "system": 0.5}))
    (section,) = made.benchmarks
    spent = section.processor_time
    assert spent is not None and (spent.launches, spent.user, spent.system) == (3, 4.5, 1.5)
    table = processor_time.table(made)
    assert table is not None and table.rows[0][:5] == ("echo", "3", "4.5 s", "1.5 s", "25.0%")
    assert "Processor time" in as_markdown(made) and 'id="processor-time"' in page.html(made)
    assert processor_time.lines(made)[0].startswith("Processor time: user 4.5 s, system 1.5 s (25.0% of both)")


def test_a_run_whose_programs_do_not_state_it_has_none_and_its_tables_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    run = three_launches(tmp_path, {})
    made = document(run)
    assert made.benchmarks[0].processor_time is None and processor_time.table(made) is None
    run.finish("done")
    names = pq.read_schema(run.folder / "launches.parquet").names
    left_out = ("user_seconds", "system_seconds", "remarks")
    assert names == [name for name in schema(Launch).names if name not in left_out]


BURN = (
    "import os, sys\n"
    "while os.times().user < .3: sum(range(10000))\n"
    "while os.times().system < .2: os.stat('/')\n"
    "open(sys.argv[1], 'w').write(repr(os.times()[:2]))\n"
)


def test_a_jobs_time_is_in_result_table_page_and_csv(tmp_path: Path) -> None:
    program, seen = tmp_path / "burn.py", tmp_path / "seen"
    program.write_text(BURN)
    command = json.dumps([sys.executable, str(program), str(seen)])
    (tmp_path / "jobs.toml").write_text(
        f'[burn]\nprocessors = 1\ntime = "2 s"\ncommand = {command}\n'
        '[nap]\nprocessors = 1\ntime = "1 s"\ncommand = ["sleep", "0.2"]\n'
    )
    (tmp_path / "mix").write_text("0: burn\n0: nap\n")
    given = ("--jobs", str(tmp_path / "jobs.toml"), "--via", "local", "--out", str(tmp_path / "out"))
    answer = assay("throughput", str(tmp_path / "mix"), *given)
    assert answer.status == 0 and "Processor time by program" in answer.out
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    burn, nap = ({job["name"]: job for job in result["jobs"]}[name] for name in ("burn.1", "nap.1"))
    user, system = eval(seen.read_text())
    assert burn["user_seconds"] == pytest.approx(user, abs=0.1) and burn["system_seconds"] == pytest.approx(
        system, abs=0.1
    )
    assert nap["user_seconds"] + nap["system_seconds"] < 0.2
    programs = {each["name"]: each for each in result["processor_time"]}
    assert programs["burn"]["user"] == burn["user_seconds"] and programs["nap"]["jobs"] == 1
    page_of_it = (tmp_path / "out" / "report.html").read_text()
    assert "Processor time by program" in page_of_it
    head, *lines = (tmp_path / "out" / "jobs.csv").read_text().splitlines()
    assert head.endswith(",nodes,user_s,system_s")
    (line,) = [text for text in lines if "measured" in text and "burn.1" in text]
    assert line.split(",")[-2:] == [f"{burn[key]:.6f}".rstrip("0") for key in ("user_seconds", "system_seconds")]


def test_a_batch_systems_own_account_stands_beside_where_it_says_it_of_every_job() -> None:
    class Job:
        name, processors, started, ended = "a.1", 2, 0.0, 10.0
        user_seconds, system_seconds = 6.0, 2.0
        accounted: batch_system.AccountedTime | None = batch_system.AccountedTime(total=15.0)

    class Silent(Job):
        name, accounted = "a.2", None

    (of,) = by_program([Job(), Job()])
    assert rows([of]) == [("a", "2", "12 s", "4 s", "25.0%", "40.0%", "30 s")]
    (of,) = by_program([Job(), Silent()])
    assert of.accounted is None and rows([of])[0][-1] == ""


def test_jobs_that_took_no_system_time_are_counted_and_those_that_do_not_say_it_are_not() -> None:
    class Job:
        name, processors, started, ended = "a.1", 2, 0.0, 10.0
        user_seconds: float | None = 6.0
        system_seconds: float | None = 0.0
        accounted: batch_system.AccountedTime | None = None

    class Idle(Job):
        name, user_seconds = "b.1", 0.0

    class NoSystem(Job):
        name, system_seconds = "c.1", None

    class NoUser(Job):
        name, user_seconds = "d.1", None

    found = by_program([Job(), Idle(), NoSystem(), NoUser()])
    assert [(each.name, each.jobs, each.user, each.system, each.held) for each in found] == [
        ("a", 1, 6.0, 0.0, 20.0),
        ("b", 1, 0.0, 0.0, 20.0),
    ]
    assert [row[2:6] for row in rows(found)] == [("6 s", "0 s", "0.0%", "30.0%"), ("0 s", "0 s", "", "0.0%")]


@pytest.mark.parametrize(
    ("text", "seen"),
    [("ru_utime     12.850\nru_stime     3.000\n", (12.85, 3.0)), ("ru_utime 1.5s\nru_stime 0.5s\n", (1.5, 0.5)),
     ("ru_utime -/-\nru_stime 1\n", None), ("jobnumber 3\n", None)],
)  # fmt: skip
def test_grid_engines_account_is_read(text: str, seen: tuple[float, float] | None) -> None:
    used = sge._used(sge._keys(text))
    assert (used and (used.user, used.system, used.total)) == (seen and (*seen, sum(seen)))
