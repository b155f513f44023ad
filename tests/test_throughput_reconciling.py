"""What becomes of each job by three accounts that differ: every difference is named; and a batch system that drops."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import InputError, MeasurementError
from assay.throughput import experiment, job_programs, submission_log
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    Accounted,
    NodeCommand,
    SilentSystemError,
    SystemFacts,
    SystemWork,
)
from assay.throughput.job_record import JobRecord, read
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_results import LiveThroughput, live_result
from assay.throughput.occupancy import Occupancy
from assay.throughput.reconciling import reconcile
from assay.throughput.submission_log import LoggedJob
from throughput_folder import events, log_lines

JOB = LiveJob(id="0001-a.1", number=1, name="a.1", due=0.0, processors=1, per_node=None, expected=1.0, requested=1.0,
              limit=60.0, user="", priority=0.0)  # fmt: skip
LOGGED = LoggedJob(began=1.0, submitted=1.1, batch_ids=("7",))
GOOD = JobRecord(starts=1, started=2.0, ended=3.0, host="n1", status=0, signal=0)


def said(stage: str, word: str, well: bool | None = None, cancelled: bool | None = None) -> Accounted:
    return Accounted(batch_id="7", stage=stage, word=word, well=well, cancelled=cancelled)


DONE = said(ENDED, "COMPLETED", True, False)
CASES = {
    "all agree": (LOGGED, DONE, GOOD, "completed", []),
    "wrong answer": (LOGGED, DONE, replace(GOOD, answer=False), "completed", ["wrong answer"]),
    "started twice": (LOGGED, DONE, replace(GOOD, starts=2), "completed", ["started twice"]),
    "two ids": (replace(LOGGED, batch_ids=("7", "8")), DONE, GOOD, "completed", ["started twice"]),
    "dropped": (LOGGED, None, None, "dropped", ["dropped"]),
    "deleted while waiting": (LOGGED, said(ENDED, "CANCELLED", False, True), None, "deleted", ["deleted"]),
    "no record": (LOGGED, DONE, None, "lost", ["lost"]),
    "killed": (LOGGED, said(ENDED, "FAILED", False, False), replace(GOOD, ended=None), "killed", ["killed"]),
    "killed by a signal": (LOGGED, said(ENDED, "FAILED", False), replace(GOOD, signal=9), "killed", ["killed"]),
    "failed": (LOGGED, said(ENDED, "FAILED", False), replace(GOOD, status=3), "failed", ["failed"]),
    "time limit": (LOGGED, said(ENDED, "FAILED", False), replace(GOOD, limited=True), "time limit", ["time limit"]),
    "deleted while running": (
        LOGGED, said(ENDED, "CANCELLED", False, True), replace(GOOD, cancelled=True), "deleted", ["deleted"],
    ),
    "the queue says failed": (LOGGED, said(ENDED, "FAILED", False), GOOD, "completed", ["accounts differ"]),
    "the queue says completed": (LOGGED, DONE, replace(GOOD, status=3), "failed", ["failed", "accounts differ"]),
    "the queue says running": (LOGGED, said(RUNNING, "RUNNING"), GOOD, "completed", ["accounts differ"]),
    "refused": (LoggedJob(began=1.0, refused="no such queue"), None, None, "refused", ["refused"]),
    "never submitted": (LoggedJob(), None, None, "not submitted", ["not submitted"]),
    "never started": (LOGGED, said(ENDED, "NODE_FAIL", False, False), None, "failed", ["failed"]),
    "still waiting": (LOGGED, said(WAITING, "PENDING"), None, "not submitted", ["not submitted"]),
    "damaged": (LOGGED, DONE, replace(GOOD, damaged=1), "completed", ["record damaged"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_difference_is_named(case: str) -> None:
    logged, accounted, record, state, kinds = CASES[case]
    found = reconcile(JOB, logged, accounted, record)
    assert (found.state, [each.kind for each in found.findings]) == (state, kinds)
    assert all(each.job == "a.1" and each.text for each in found.findings)


class FakeSystem:
    """Runs each job at once as a process; drops some, starts some twice, falls silent now and then."""

    name = "fake"
    summary = "for tests"
    record_within = 0.2
    decisions = None
    on_each_node = NodeCommand()
    rules: frozenset[str] = frozenset()

    def __init__(self, drops: tuple[str, ...] = (), twice: tuple[str, ...] = (), silent: tuple[int, ...] = ()) -> None:
        self.drops, self.twice, self.silent = drops, twice, set(silent)
        self.processes: dict[str, list[subprocess.Popen[bytes]]] = {}
        self.submissions: list[str] = []
        self.asked = 0

    def check(self) -> None:
        pass

    def facts(self) -> SystemFacts:
        return SystemFacts(name="fake", version="1", policy="none", processors=4, nodes=("here",), queues=())

    def open(self, work: SystemWork) -> None:
        self.work = work

    def _silence(self) -> None:
        self.asked += 1
        if self.asked in self.silent:
            raise SilentSystemError("Unable to contact the controller")

    def submit(self, job: LiveJob, keep: int) -> str:
        self.submissions.append(job.id)
        if job.name not in self.drops:
            starts = 2 if job.name in self.twice else 1
            self.processes[job.id] = [subprocess.Popen(self.work.commands[job.id]) for _ in range(starts)]
        self._silence()
        if job.name.startswith("refused"):
            raise MeasurementError("no such queue")
        return job.id

    def find(self, job: LiveJob) -> str | None:
        return job.id if job.id in self.processes else None

    def time_limit(self, job: LiveJob) -> float:
        return job.requested

    def poll(self) -> Mapping[str, Accounted]:
        self._silence()
        return {
            job: Accounted(batch_id=job, stage=RUNNING, word="R") if any(each.poll() is None for each in made)
            else Accounted(batch_id=job, stage=ENDED, word="C", well=True, cancelled=False)
            for job, made in self.processes.items()
        }  # fmt: skip

    def occupancy(self) -> Occupancy | None:
        return None

    def wait(self, seconds: float) -> None:
        time.sleep(min(seconds, 0.02))

    def cancel(self, batch_ids: Iterable[str]) -> None:
        for each in batch_ids:
            for process in self.processes.get(each, []):
                process.terminate()

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def programs() -> job_programs.JobPrograms:
    return job_programs.compiled()


def jobs_named(*names: str) -> list[LiveJob]:
    return [replace(JOB, id=f"{at:04d}-{name}", number=at, name=name, wait=0.05) for at, name in enumerate(names, 1)]


def result_of(out: Path, system: FakeSystem, jobs: list[LiveJob], programs: job_programs.JobPrograms) -> LiveThroughput:
    log = submission_log.opened(out, {"of": "a test"}, jobs, False)
    try:
        followed = experiment.follow(system, system.facts(), jobs, programs, log)
    finally:
        log.close()
    return live_result(followed, system.facts(), "mix", 1.0, str(out))


def test_a_dropped_job_and_others_are_named(
    tmp_path: Path, programs: job_programs.JobPrograms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "UNKNOWN_WITHIN", 0.3)
    jobs = jobs_named("good.1", "drop.1", "twice.1", "refused.1", "wide.1")
    jobs[1] = replace(jobs[1])
    jobs[4] = replace(jobs[4], processors=9)
    system = FakeSystem(drops=("drop.1", "refused.1"), twice=("twice.1",))
    found = result_of(tmp_path, system, jobs, programs)
    assert {job.name: job.state for job in found.jobs} == {
        "good.1": "completed", "drop.1": "dropped", "twice.1": "completed", "refused.1": "refused",
    }  # fmt: skip
    assert (found.lost, found.failed, found.submitted, found.completed) == (1, 1, 3, 2)
    assert [job.name for job in found.refused] == ["wide.1"] and not found.good
    assert {(each.job, each.kind) for each in found.findings} == {
        ("drop.1", "dropped"), ("twice.1", "started twice"), ("refused.1", "refused"),
    }  # fmt: skip
    assert "submitted as 0002-drop.1, never started" in next(e.text for e in found.findings if e.job == "drop.1")
    assert sorted(events(tmp_path, "0003-twice.1")) == ["again", "end", "start"]


def test_a_silent_batch_system_gets_no_job_twice(tmp_path: Path, programs: job_programs.JobPrograms) -> None:
    """The second submission is taken, but the answer is lost: the job is found again, not submitted again."""
    system = FakeSystem(silent=(2, 4, 5))
    found = result_of(tmp_path, system, jobs_named("a.1", "a.2", "a.3"), programs)
    assert found.good and found.completed == 3
    assert sorted(system.submissions) == ["0001-a.1", "0002-a.2", "0003-a.3"]


def test_utilisation_and_ideal_by_hand(tmp_path: Path, programs: job_programs.JobPrograms) -> None:
    """Numbers from the records: four processors, what each job held them for, from submission to the last end."""
    found = result_of(tmp_path, FakeSystem(), jobs_named("a.1", "a.2"), programs)
    records = [read(tmp_path / f"jobs/000{n}-a.{n}/record.jsonl") for n in (1, 2)]
    began = min(line["time"] for line in log_lines(tmp_path) if line["event"] == "submitting")
    assert all(each is not None and each.answer is True for each in records)
    ends = [each.ended for each in records if each and each.ended]
    work = sum(each.ended - each.started for each in records if each and each.ended and each.started)
    assert found.makespan == pytest.approx(max(ends) - began, abs=1e-5)
    assert found.utilisation == pytest.approx(work / 4 / found.makespan, rel=1e-4)
    for ideal in found.ideal.values():  # both fit at once: nobody waits
        assert ideal.mean_wait == 0 and ideal.makespan <= found.makespan + 1e-3


def test_a_folder_is_resumed_by_its_own_plan_only(tmp_path: Path, programs: job_programs.JobPrograms) -> None:
    jobs = jobs_named("a.1")
    result_of(tmp_path, FakeSystem(), jobs, programs)
    again = FakeSystem()
    assert result_of(tmp_path, again, jobs, programs).completed == 1 and again.submissions == []
    with pytest.raises(InputError, match="another plan"):
        result_of(tmp_path, FakeSystem(), jobs_named("b.1"), programs)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").touch()
    with pytest.raises(InputError, match="holds no throughput test"):
        submission_log.opened(tmp_path / "other", {}, jobs, False)
    with pytest.raises(InputError, match="holds no throughput test to resume"):
        submission_log.opened(tmp_path / "none", {}, jobs, True)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    held = submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
    try:
        with pytest.raises(InputError, match="is in use by another assay"):
            submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
    finally:
        held.close()


def test_a_resumption_waits_for_a_submission_in_flight(tmp_path: Path) -> None:
    """The command that submits outlives its killed parent: its lock is waited for, so that what it did can be seen."""
    log = submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(1.0); open('done', 'w').close()"],
        pass_fds=(log.submitting,), cwd=tmp_path,
    )  # fmt: skip
    log.close()
    seen = []

    def resume() -> None:
        again = submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
        seen.append((tmp_path / "done").exists())
        again.close()

    thread = threading.Thread(target=resume)
    thread.start()
    thread.join()
    assert process.wait() == 0 and seen == [True]


def test_a_line_cut_short_by_a_crash_did_not_happen(tmp_path: Path) -> None:
    log = submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
    log.write("submitting", "0001-a.1")
    log.write("submitted", "0001-a.1", batch_id="7")
    log.close()
    path = tmp_path / "log.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b"\n") + 20])
    again = submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
    assert again.jobs["0001-a.1"].began is not None and again.jobs["0001-a.1"].batch_ids == ()
    again.write("found", "0001-a.1", batch_id="7")
    again.close()
    third = submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
    assert third.jobs["0001-a.1"].batch_ids == ("7",) and len(third.resumed) == 2
    third.close()
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(MeasurementError, match=r"log.jsonl:1: the log is damaged"):
        submission_log.opened(tmp_path, {}, jobs_named("a.1"), False)
