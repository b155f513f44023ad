"""`assay throughput --via local`: real jobs on this host, their limits and answers; submitter and jobs killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.throughput import job_programs, job_table, schedule_file
from assay.throughput.systems import local as local_system
from command_line import assay
from throughput_folder import end_all_jobs, events, log_lines, throughput

pytestmark = pytest.mark.paced

TABLE = """
[good]
processors = 1
time = "0.2 s"
[echo]
processors = 1
time = "0.1 s"
command = "printf 'energy %s\\n' -76.02"
answer = "energy -76.02"
[wrong]
processors = 1
time = "0.1 s"
command = ["printf", "energy -75.0\\n"]
answer = "energy -76.02"
[checked]
processors = 1
time = "0.1 s"
command = ["touch", "made"]
check = "test -e made"
[unchecked]
processors = 1
time = "0.1 s"
command = ["true"]
check = "test -e made"
[fails]
processors = 1
time = "0.1 s"
command = ["sh", "-c", "exit 3"]
[missing]
processors = 1
time = "0.1 s"
command = "no-such-program-here"
[long]
processors = 1
time = "0.1 s"
limit = "0.3 s"
command = "sleep 60"
[wide]
processors = 3
time = "0.3 s"
[computes]
processors = 1
time = "0.3 s"
compute = "0.2 s"
[talks]
processors = 2
time = "1 s"
compute = "0.02 s"
communicate = "0.02 s"
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_while_a_job_is_started_leaves_no_process(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes when the process is there and nobody knows of it."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        processes.append(subprocess.Popen(*words, **more))
        os.kill(os.getpid(), number)
        return processes[-1]

    (tmp_path / "mix").write_text("0: 2 * a\n")
    (tmp_path / "jobs.toml").write_text('[a]\nprocessors = 1\ntime = "100 s"\ncommand = ["sleep", "100"]\n')
    given = ("--jobs", str(tmp_path / "jobs.toml"), "--via", "local", "--slots", "4", "--out", str(tmp_path / "out"))
    monkeypatch.setattr(local_system, "subprocess", SimpleNamespace(Popen=start, DEVNULL=subprocess.DEVNULL))
    try:
        answer = assay("throughput", str(tmp_path / "mix"), *given)
        assert answer.status == 128 + number and "assay: interrupted" in answer.err, answer.err
        (process,) = processes
        assert process.wait(5) is not None
    finally:
        end_all_jobs(tmp_path / "out")


@pytest.fixture
def mix(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "jobs.toml").write_text(TABLE)
    yield tmp_path
    for out in tmp_path.glob("out*"):
        end_all_jobs(out)


def local(folder: Path, schedule: str, *more: str) -> list[str]:
    (folder / "mix").write_text(schedule)
    return [
        str(folder / "mix"),
        "--jobs",
        str(folder / "jobs.toml"),
        "--via",
        "local",
        "--out",
        str(folder / "out"),
        *more,
    ]


def test_each_job_is_judged_by_its_own_record(mix: Path) -> None:
    names = ("good", "echo", "wrong", "checked", "unchecked", "fails", "missing", "long", "talks")
    answer = assay("throughput", *local(mix, "\n".join(f"0: 1 * {name}" for name in names), "--slots", "4", "--json"))
    found = answer.document
    assert answer.status == 1
    assert {job["name"]: (job["state"], job["answer"]) for job in found["jobs"]} == {
        "good.1": ("completed", True), "echo.1": ("completed", True), "wrong.1": ("completed", False),
        "checked.1": ("completed", True), "unchecked.1": ("completed", False), "fails.1": ("failed", None),
        "missing.1": ("failed", None), "long.1": ("time limit", None), "talks.1": ("completed", True),
    }  # fmt: skip
    assert found["lost"] == 0 and found["failed"] == 5 and found["completed"] == 4
    assert {each["kind"] for each in found["findings"]} == {"wrong answer", "failed", "time limit"}
    for job in found["jobs"]:
        assert 0 <= job["submitted"] <= job["started"] <= job["ended"] <= found["makespan"] + 1e-6
        assert job["nodes"] == [os.uname().nodename] and job["processors"] in (1, 2)
    again = assay("throughput", *local(mix, (mix / "mix").read_text(), "--slots", "4"))
    assert again.status == 1 and "wrong.1: wrong answer" in again.out and "ended at its time limit" in again.out
    assert sum(line["event"] == "submitting" for line in log_lines(mix / "out")) == len(names)


def test_jobs_that_did_not_complete_are_announced_beside_the_numbers_that_they_are_in(mix: Path) -> None:
    """The share of the busy time by the jobs' own records; the refused job is among those that were to run."""
    words = local(mix, "0: 1 * good\n0: 1 * fails\n0: 1 * long\n0: 1 * wrong\n0: 1 * wide", "--slots", "2")
    said, found = assay("throughput", *words).out, assay("throughput", *words, "--json").document
    plain = " ".join(said.split())
    busy, good = 0.0, 0.0
    for record in (mix / "out/jobs").glob("*/record.jsonl"):
        lines = [json.loads(line) for line in record.read_text().splitlines()]
        took = lines[-1]["ended"] - lines[0]["time"]
        busy, good = busy + took, good + took * ("good" in record.parent.name)
    assert found["not_completed_share"] == pytest.approx(1 - good / busy, abs=1e-3)
    share = f"{100 * found['not_completed_share']:.1f}% of the busy time by jobs that did not complete"
    assert plain.startswith("1 of 5 jobs completed, 1 refused, on 2 processors of ") and f"({share})" in plain
    page = (mix / "out/report.html").read_text()
    assert f"the 4 of 5 jobs that ran; {share}" in page and "times and ratios are of the 4 of 5 jobs" in plain
    assert re.search(r"<td>refused</td><td>1</td>", page)
    dry = assay("throughput", *local(mix, "0: 1 * good\n0: 1 * wide", "--slots", "2", "--dry-run"))
    assert dry.out.splitlines()[0].endswith("; 1 job would be refused")
    only = assay("throughput", *local(mix, "0: 1 * wide", "--slots", "2", "--out", str(mix / "other")))
    assert only.status == 2 and "the narrowest is wide.1; got 3, expected up to 2" in only.err


def test_the_folder_holds_page_and_files_and_another_test_beside(mix: Path) -> None:
    first = assay("throughput", *local(mix, "0: 2 * computes\n0: 1 * wrong", "--slots", "2", "--json"))
    written = json.loads((mix / "out/result.json").read_text())
    assert written == first.document
    page = (mix / "out/report.html").read_text()
    assert "wrong.1: wrong answer" in page and "local (fcfs), measured" in page and "easy, simulated" in page
    assert "idle: the batch system&#x27;s own time" in page and "with the measured delays" in page
    assert f"{os.uname().nodename}: processors" in page and f"{os.uname().nodename}: memory" in page
    room = written["processors"] * written["makespan"]
    idle = sum(each["processor_seconds"] for each in written["idle"].values())
    work = sum(job["processors"] * (job["ended"] - job["started"]) for job in written["jobs"])
    assert idle + work == pytest.approx(room, rel=1e-6) and written["predicted"]["policy"] == "fcfs"
    (use,) = written["use"]
    assert use["node"] == os.uname().nodename and all(0 < share < 1 for share in use["memory"])
    (mix / "out").rename(mix / "out1")
    more = ("--slots", "2", "--policy", "easy", "--beside", str(mix / "out1"), "--export", str(mix / "all.csv"))
    assert assay("throughput", *local(mix, "0: 2 * good", *more)).status == 0
    page = (mix / "out/report.html").read_text()
    assert "local (fcfs), measured" in page and "local (easy), measured" in page
    lines = (mix / "all.csv").read_text().splitlines()
    assert sum('"local (easy), measured"' in line for line in lines) == 2
    assert sum('"local (fcfs), measured"' in line for line in lines) == 3
    answer = assay("throughput", *local(mix, "0: 2 * good", "--beside", str(mix)))
    assert answer.status == 2 and "cannot be read" in answer.err and answer.err.count("\n") == 1
    (mix / "result.json").write_text("{}")
    answer = assay("throughput", *local(mix, "0: 2 * good", "--beside", str(mix)))
    assert answer.status == 2 and "has no result of a throughput test" in answer.err


def test_programs_alone_and_in_the_mix(mix: Path) -> None:
    """`twice` takes a moment alone and three times as long among the others: it waits as often as there are files."""
    waits = "for each in {folder}/out/jobs/*/output; do sleep 0.15; done"
    table = f'[many]\nprocessors = 1\ntime = "1 s"\ncommand = ["sh", "-c", "{waits}"]\n'
    (mix / "jobs.toml").write_text(table + '[fails]\nprocessors = 1\ntime = "1 s"\ncommand = "false"\n'
                                   '[wide]\nprocessors = 9\ntime = "1 s"\n')  # fmt: skip
    words = local(mix, "0: 1 * many\n0: 1 * fails\n0: 1 * wide\n0.1: 2 * many", "--slots", "1", "--alone", "--json")
    found = assay("throughput", *words).document
    alone = {each["name"]: each for each in found["alone"]}
    many, fails = alone["many"], alone["fails"]
    assert set(alone) == {"many", "fails"} and (fails["alone"], fails["slowdown"], fails["jobs"]) == (None, None, 0)
    record = [
        json.loads(line) for line in (mix / "out/alone/many/jobs/0001-alone/record.jsonl").read_text().splitlines()
    ]
    by_itself = record[-1]["ended"] - record[0]["time"]
    runs = [job["ended"] - job["started"] for job in found["jobs"] if job["name"].startswith("many")]
    assert many["alone"] == pytest.approx(by_itself) and many["jobs"] == 3
    assert many["slowdown"] == pytest.approx(sum(runs) / 3 / by_itself, rel=1e-4)
    assert many["largest"] == pytest.approx(max(runs) / by_itself, rel=1e-4) and max(runs) >= 0.45
    assert "many" in (mix / "out/report.html").read_text().partition("Compared with single-user mode")[2]
    again = assay("throughput", *words).document  # resumed: nothing runs again
    assert again["alone"] == found["alone"] and assay("throughput", *words[:-2]).status == 2


def test_a_test_repeated_has_intervals(mix: Path) -> None:
    """Six are the least that give an interval: the least and the greatest of them."""
    words = local(mix, "0: 1 * echo\n0: 2 * good", "--slots", "1", "--repeat", "6", "--compress", "1000")
    found = assay("throughput", *words, "--json").document
    makespans = [test["makespan"] for test in found["tests"]]
    figure = next(each for each in found["figures"] if each["name"] == "makespan")
    assert len(makespans) == found["repetitions"] == 6 and found["lost"] == found["failed"] == 0
    assert figure["ci95"] == figure["range"] == pytest.approx([min(makespans), max(makespans)])
    assert figure["value"] == pytest.approx(sorted(makespans)[2] / 2 + sorted(makespans)[3] / 2)
    for name in ("echo", "good"):  # per program, in the time that was compressed
        slowdowns = []
        for test in found["tests"]:
            own = [job for job in test["jobs"] if job["name"].startswith(name)]
            times = [(1000 * (job["ended"] - job["submitted"]), 1000 * (job["ended"] - job["started"])) for job in own]
            slowdowns.append(sum(max(1.0, response / max(run, 10)) for response, run in times) / len(times))
        of_program = next(each for each in found["figures"] if each["name"] == f"bounded_slowdown of {name}")
        assert of_program["ci95"] == pytest.approx([min(slowdowns), max(slowdowns)], rel=1e-3)
    assert "fairness" in [each["name"] for each in found["figures"]]
    assert "Over 6 repetitions" in (mix / "out/report.html").read_text() and (mix / "out/6/report.html").exists()
    shown = assay("throughput", *words)  # resumed: nothing runs again
    assert shown.status == 0 and "6 repetitions" in shown.out and "95% interval" in shown.out
    assert sum(line["event"] == "submitting" for n in range(1, 7) for line in log_lines(mix / f"out/{n}")) == 18
    answer = assay("throughput", "eurobench2000", "--on", "ipsc860", "--repeat", "2")
    assert answer.status == 2 and "--repeat: is of a test on a real batch system" in answer.err
    answer = assay("throughput", "mix", "--on", "delta", "--beside", "one", "--beside", "other")
    assert answer.status == 2 and "--beside: is of a test on a real batch system; got 'one other'" in answer.err


def overlap(jobs: list[dict[str, Any]]) -> int:
    """The most processors that were in use at one time."""
    changes = sorted((when, sign * job["processors"]) for job in jobs for when, sign in
                     ((job["started"], 1), (job["ended"], -1)))  # fmt: skip
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


@pytest.mark.parametrize("policy", ["fcfs", "firstfit", "conservative"])
def test_the_policies_are_the_simulated_ones(mix: Path, policy: str) -> None:
    """On 4 slots, wide (3) before wide and good (1): only FCFS lets good wait behind the second wide one."""
    (mix / "jobs.toml").write_text(
        '[wide]\nprocessors = 3\ntime = "0.8 s"\n[good]\nprocessors = 1\ntime = "0.4 s"\nlimit = "0.8 s"\n'
    )
    schedule = "0: 2 * wide\n0: 1 * good\n"
    found = assay("throughput", *local(mix, schedule, "--slots", "4", "--policy", policy, "--json")).document
    starts = {job["name"]: job["started"] for job in found["jobs"]}
    first_end = min(job["ended"] for job in found["jobs"] if job["name"].startswith("wide"))
    assert (starts["good.1"] >= first_end - 0.01) == (policy == "fcfs")
    assert starts["wide.2"] >= first_end - 0.01 and overlap(found["jobs"]) <= 4
    assert found["policy"] == policy and set(found["ideal"]) >= {"fcfs", "easy", "conservative"}


def test_jobs_are_pinned_to_hardware_threads_of_their_own(mix: Path) -> None:
    command = 'command = "grep Cpus_allowed_list /proc/self/status"'
    (mix / "jobs.toml").write_text(f'[see]\nprocessors = 1\ntime = "1 s"\n{command}\n')
    found = assay("throughput", *local(mix, "0: 3 * see", "--json")).document
    assert found["processors"] == len(os.sched_getaffinity(0)) and found["completed"] == 3
    threads = [path.read_text().split()[-1] for path in (mix / "out/jobs").glob("*/output")]
    assert {int(each) for each in threads} <= os.sched_getaffinity(0) and len(threads) == 3


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--policy", "sjf"), "--policy: no such policy; got 'sjf'"),
        (("--compress", "0"), "--compress: is no factor"),
        (("--on", "ipsc860"), "--on: is of a simulated batch system"),
        (("--only-resume",), "--out: holds no throughput test to resume"),
    ],
)
def test_wrong_options_are_refused_in_a_line(mix: Path, more: tuple[str, ...], words: str) -> None:
    answer = assay("throughput", *local(mix, "0: 1 * good", *more))
    assert answer.status == 2 and answer.err.count("\n") == 1 and words in answer.err, answer.err


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('[a]\nprocessors = 1\ntime = "1 s"\ncommand = "a \'b"\n', ":4: a.command: no closing quotation"),
        ('[a]\nprocessors = 1\ntime = "1 s"\ncommand = []\n', ":4: a.command: is no command"),
        ('[a]\nprocessors = 1\ntime = "1 s"\ncommand = "a"\nwait = "1 s"\n', ":5: a.wait: is of a synthetic job"),
        ('[a]\nprocessors = 1\ntime = "1 s"\nanswer = "42"\n', ":4: a.answer: is of a command"),
        ('[a]\nprocessors = 1\ntime = "1 s"\nwait = "1 B"\n', ":4: a.wait:"),
    ],
)
def test_a_wrong_command_is_refused_in_a_line(tmp_path: Path, table: str, words: str) -> None:
    (tmp_path / "jobs.toml").write_text(table)
    answer = assay("throughput", *local(tmp_path, "0: 1 * a"))
    assert answer.status == 2 and answer.err.count("\n") == 1 and words in answer.err, answer.err


def test_a_job_and_its_starter_killed_are_named(mix: Path) -> None:
    """kill -9 of a job's command, and of what started it: both named, and the rest goes on."""
    (mix / "jobs.toml").write_text('[sleeps]\nprocessors = 1\ntime = "1 s"\ncommand = "sleep 60"\n' + TABLE)
    process = throughput(*local(mix, "0: 2 * sleeps\n0.3: 1 * good", "--slots", "2", "--json"))
    starts = []
    while len(starts) < 2 and process.poll() is None:
        time.sleep(0.05)
        paths = sorted((mix / "out").glob("jobs/*sleeps*/record.jsonl"))
        starts = [json.loads(path.read_text().splitlines()[0]) for path in paths if path.read_text()]
    os.killpg(starts[0]["group"], signal.SIGKILL)
    os.kill(starts[1]["pid"], signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    found = json.loads(out)
    assert process.returncode == 1 and (found["failed"], found["lost"], found["completed"]) == (2, 0, 1)
    texts = {each["job"]: each["text"] for each in found["findings"]}
    assert texts["sleeps.1"] == "killed by signal 9" and "no end is in its record" in texts["sleeps.2"]


def test_ctrl_c_cancels_what_was_queued(mix: Path) -> None:
    process = throughput(*local(mix, "0: 3 * long", "--slots", "1", "--compress", "0.01"))
    while not any((mix / "out").glob("jobs/*/record.jsonl")) and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130 and "3 jobs that waited or ran were cancelled" in err
    found = assay("throughput", *local(mix, "0: 3 * long", "--slots", "1", "--compress", "0.01", "--json")).document
    assert found["cancelled"] and [job["state"] for job in found["jobs"]] == ["deleted"] * 3
    assert sum(bool(events(mix / "out", f"000{n}-long.{n}")) for n in (1, 2, 3)) == 1


def killed_at_random(folder: Path, kills: int, seed: int) -> None:
    """Kill the submitter `kills` times, each after a random time; resume to the end: nothing twice, nothing lost."""
    job_programs.compiled()
    generator = random.Random(seed)
    schedule = "\n".join(f"{at / 8}: 1 * {name}" for at in range(12) for name in ("good", "wide"))
    words = local(folder, schedule, "--slots", "4", "--policy", "easy", "--json")
    killed = 0
    for _ in range(kills):
        process = throughput(*words)
        until = time.monotonic() + 60
        while not (folder / "out/log.jsonl").exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        try:
            process.wait(generator.uniform(0.0, 1.0))
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.communicate()
    out, err = throughput(*words).communicate(timeout=200)
    found = json.loads(out)
    assert (found["lost"], found["failed"], found["completed"]) == (0, 0, 24), (err, found["findings"])
    lines = log_lines(folder / "out")
    assert Counter(Counter(line["job"] for line in lines if line["event"] == "submitted").values()) == {1: 24}
    records = Counter(tuple(event for event in events(folder / "out", path.name) if event != "again")
                      for path in (folder / "out/jobs").iterdir())  # fmt: skip
    assert records == {("start", "end"): 24} and killed > 0
    assert overlap(found["jobs"]) <= 4


def test_kills_of_the_submitter_submit_nothing_twice(mix: Path) -> None:
    killed_at_random(mix, 3, 1)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(20))
def test_two_hundred_kills_of_the_submitter(mix: Path, seed: int) -> None:
    killed_at_random(mix, 10, 100 + seed)


@pytest.mark.parametrize("compress", [2000, pytest.param(100, marks=pytest.mark.nightly)])
def test_the_papers_schedule_runs(mix: Path, compress: int) -> None:
    """33 jobs of van der Steen 2000 on 18 slots, compressed; the job table's numbers are those of the IBM."""
    out = str(mix / "out")
    asked = ("eurobench2000", "--jobs", "eurobench2000-ibm", "--via", "local", "--slots", "18")
    more = ("--compress", str(compress), "--policy", "firstfit", "--out", out, "--json")
    found = assay("throughput", *asked, *more).document
    assert found["completed"] == 33 and found["lost"] == found["failed"] == 0 and found["findings"] == []
    assert overlap(found["jobs"]) <= 18 and found["makespan"] >= found["least_makespan"]
    table = job_table.load(job_table.find("eurobench2000-ibm"))
    wanted = Counter({name: sum(b.count for b in schedule_file.published() if b.name == name) for name in table})
    assert Counter(job["name"].rpartition(".")[0] for job in found["jobs"]) == wanted
    assert all(job["processors"] == table[job["name"].rpartition(".")[0]].processors for job in found["jobs"])
