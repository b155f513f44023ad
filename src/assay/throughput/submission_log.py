"""The folder of a throughput test, and the log of what was submitted: synced lines of JSON, so that nothing is lost.

OUT/plan.json        the jobs and what they were to run on; a folder is resumed only by the same plan
OUT/log.jsonl        one line for each submission that is begun, made, refused, and for each job that came to its end
OUT/lock             locked by the process that submits
OUT/submitting       locked by it and by the command that hands a job to the batch system, as long as either lives
OUT/alone/NAME/      tests of single programs before it, where these were requested: folders like OUT
OUT/jobs/ID/         a job's folder: its own record, its output, and what it writes itself
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import cast

from assay import trusted, versions
from assay.errors import InputError, MeasurementError
from assay.stored import seal
from assay.stored.lines import (
    ALTERED,
    FULL,
    TORN,
    LostLinesError,
    append,
    next_place,
    numbered_lines,
    read_document,
    write_whole,
)
from assay.throughput.live_jobs import LiveJob
from assay.throughput.occupancy import Occupancy
from assay.throughput.submission_lines import LogLine, PlanFile, PlannedTest, PlanOfTest, SettledJob

PLAN, LOG = "plan.json", "log.jsonl"
BEFORE_PLAN = ("lock", "submitting", "alone", LOG, "plan.new")  # what may lie in a folder before its plan
IN_FLIGHT_AT_MOST = 120.0  # s, that a submission command of a killed process may take until it ends


@dataclass(frozen=True, kw_only=True)
class LoggedJob:
    """One job in the log. Times in seconds since 1970; None: unknown.

    `began`, `submitted`: when the submission command was started, and had ended; `batch_ids`: all ids that it was
    submitted under; `refused`: the batch system's message instead; `settled`: what became of it, once it had ended.
    """

    began: float | None = None
    submitted: float | None = None
    batch_ids: tuple[str, ...] = ()
    refused: str | None = None
    settled: SettledJob | None = None


@dataclass
class SubmissionLog:
    """The log of one folder, open for writing; `occupancy`: what was seen of others' use, by seconds since 1970."""

    folder: Path
    begun: float
    mark: str
    jobs: dict[str, LoggedJob] = field(default_factory=dict)
    resumed: list[float] = field(default_factory=list)
    cancelled: bool = False
    finished: bool = False
    occupancy: list[tuple[float, Occupancy]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Nothing is open yet."""
        self._locks: list[int] = []

    @property
    def submitting(self) -> int:
        """The descriptor of the lock that submission commands inherit."""
        return self._locks[1]

    def write(self, event: str, job: str | None = None, **about: object) -> None:
        """Add a line, and wait until it is on the disk; MeasurementError where that fails, and the log is as before."""
        line = {"event": event, "time": time.time(), **({"job": job} if job else {}), **about}
        path = self.folder / LOG
        try:
            text = json.dumps(versions.marked(versions.SUBMISSIONS, line))
            append(path, seal.sealed(text, next_place(path)))
        except OSError as error:
            raise not_written(path, error) from None
        self._take(cast(LogLine, line))

    def finish(self) -> None:
        """Record that the test has ended, and the checksums of its results' sources in its plan."""
        self.write("finished")
        path = self.folder / PLAN
        try:
            document = _document(path)
            records = self.folder.glob("jobs/*/*.jsonl")
            document["checksums"] = {
                str(each.relative_to(self.folder)): seal.of_file(each) for each in sorted((self.folder / LOG, *records))
            }
            _write_plan(path, document)
        except OSError as error:
            raise not_written(path, error) from None

    def handed_over(self, job: LiveJob) -> bool:
        """Whether a job was submitted, refused, or has ended."""
        logged = self.jobs.get(job.id)
        return logged is not None and bool(logged.batch_ids or logged.refused or logged.settled)

    def close(self) -> None:
        """Let go of the locks."""
        for each in self._locks:
            os.close(each)
        self._locks = []

    def _take(self, line: LogLine) -> None:
        when = float(line["time"])
        if line["event"] == "resumed":
            self.resumed.append(when)
        elif line["event"] == "cancelled":
            self.cancelled = True
        elif line["event"] == "finished":
            self.finished = True
        elif line["event"] == "occupancy":
            self.occupancy.append((when, Occupancy(**line["about"])))
        name = line.get("job")
        if name is not None:
            self.jobs[name] = _after(self.jobs.get(name, LoggedJob()), line, when)

    def _lock(self) -> None:
        for name, within, who in (("lock", 0.0, "another assay"), ("submitting", IN_FLIGHT_AT_MOST, "a submission")):
            held = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._locks.append(held)
            end = time.monotonic() + within
            while True:
                try:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= end:
                        self.close()
                        raise InputError(f"is in use by {who}", file=self.folder, accepted="a folder that is free"
                                         ) from None  # fmt: skip
                    time.sleep(0.05)


def _after(known: LoggedJob, line: LogLine, when: float) -> LoggedJob:
    if line["event"] == "submitting":
        return replace(known, began=known.began or when)
    if line["event"] == "submitted" or line["event"] == "found":
        batch_ids = (*known.batch_ids, str(line["batch_id"]))
        return replace(known, submitted=known.submitted or when, batch_ids=batch_ids)
    if line["event"] == "refused":
        return replace(known, refused=str(line["reason"]))
    return replace(known, settled=SettledJob(**line["about"])) if line["event"] == "settled" else known


def not_written(path: Path, error: OSError) -> MeasurementError:
    """The error where a file of a test cannot be written."""
    why = "the disk is full" if error.errno in FULL else f"cannot be written ({error.strerror})"
    then = "free space" if error.errno in FULL else "mend that"
    return MeasurementError(f"{path}: {why}; written data is intact: {then}, then the same command resumes the test")


def opened(folder: Path, plan: PlanOfTest, jobs: Sequence[LiveJob], resume: bool) -> SubmissionLog:
    """Begin an experiment in a folder, or resume the one that was begun there by the same plan.

    InputError for a folder of another plan, one in use, one that holds something else, and, where `resume`, for one
    that holds no experiment.
    """
    whole: PlannedTest = {"plan": plan, "jobs": [_planned(job) for job in jobs]}
    digest = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]
    path = folder / "plan.json"
    refuse_others(folder, resume)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log = SubmissionLog(folder, time.time(), "assay-" + digest)
        log._lock()
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=folder) from None
    try:
        _begin_or_read(log, path, digest, whole)
    except BaseException:
        log.close()
        raise
    return log


def refuse_others(folder: Path, resume: bool) -> None:
    """InputError for a folder that holds something else, and, where `resume`, for one that holds no experiment."""
    try:
        if (folder / "plan.json").exists():
            return
        if resume:
            raise InputError("holds no throughput test to resume", key="--out", value=str(folder))
        if folder.exists() and any(not _before_plan(each.name) for each in folder.iterdir()):
            raise InputError("is not empty, and holds no throughput test", key="--out", value=str(folder))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=folder) from None


def _before_plan(name: str) -> bool:
    return name in BEFORE_PLAN or (name.startswith(".assay-") and name.endswith(".new"))  # of `write_whole`


def _planned(job: LiveJob) -> dict[str, object]:
    """A job of the plan; what jobs did not always have only where it has it, so that plans of before are the same."""
    later = ("queue", "program", "arguments", "parts", "nodes", "alone", "ports", "instances", "on")
    return {key: value for key, value in asdict(job).items() if value or key not in later}


def _begin_or_read(log: SubmissionLog, path: Path, digest: str, whole: PlannedTest) -> None:
    lines = log.folder / LOG
    if path.exists():
        _check_trust(log.folder, whole["jobs"])
        document = _document(path)
        if document.get("digest") != digest and _planned_as(document) != json.loads(json.dumps(_resolved(whole))):
            was: Mapping[str, object] = document.get("plan", {})
            now: Mapping[str, object] = _resolved(whole)["plan"]
            differs = [key for key in sorted({*was, *now}) if was.get(key) != now.get(key)] or ["its jobs"]
            problem = f"holds the throughput test of another plan (differs: {', '.join(differs)})"
            raise InputError(
                problem, key="--out", value=str(log.folder), accepted="another folder, or the same command"
            )
        log.begun, log.mark = float(document["begun"]), str(document["mark"])
        _read_lines(log, lines)
        _check_files(log, document)
        if not log.finished:
            log.write("resumed")
        return
    mark = f"assay-{digest[:8]}-{int(log.begun * 1000) % 10**9:x}"
    plan = _resolved(whole)
    made: PlanFile = {"digest": digest, "mark": mark, "begun": log.begun, "plan": plan["plan"], "jobs": plan["jobs"]}
    try:
        lines.write_bytes(b"")  # before the plan: where that is, a log that is not there was lost
        _write_plan(path, made)
    except OSError as error:
        raise not_written(path, error) from None
    log.mark = mark


def _write_plan(path: Path, document: PlanFile) -> None:
    text = json.dumps(versions.marked(versions.EXPERIMENT, document), indent=1)
    write_whole(path, seal.sealed(text) + "\n")


def _resolved(whole: PlannedTest) -> PlannedTest:
    """A plan with its files by their whole paths, so that a relative one is the same."""
    plan = whole["plan"].copy()
    if "workload" in plan:
        plan["workload"] = _whole_path(plan["workload"])
    if "jobs" in plan:
        plan["jobs"] = _whole_path(plan["jobs"])
    return {"plan": plan, "jobs": whole["jobs"]}


def _whole_path(name: str | None) -> str | None:
    return str(Path(name).resolve()) if isinstance(name, str) and Path(name).exists() else name


def _planned_as(document: PlanFile) -> PlannedTest:
    return _resolved({"plan": document.get("plan", {}), "jobs": document.get("jobs", [])})


def _check_files(log: SubmissionLog, document: PlanFile) -> None:
    """InputError where a file that results are made from is not what it was, or where the log has lost a job."""
    accepted = "the whole file; or another folder, for a new test"
    for name, checksum in sorted(document.get("checksums", {}).items()):
        file = log.folder / name
        if not file.is_file():
            raise InputError("is missing", file=file, accepted=accepted)
        if seal.of_file(file) != checksum:
            raise InputError(ALTERED, file=file, accepted=accepted)
    for record in sorted(log.folder.glob("jobs/*/record.jsonl")):
        if record.parent.name not in log.jobs:
            problem = f"has no submission of job {record.parent.name}, which has a record"
            raise InputError(problem, file=log.folder / LOG, accepted=accepted)


def _check_trust(folder: Path, jobs: Sequence[Mapping[str, object]]) -> None:
    """InputError for a folder whose records, by which processes are signalled, others may have written."""
    trusted.check(folder, key="--out")
    below = [folder / name for name in ("plan.json", "log.jsonl", "lock", "submitting", "jobs")]
    for job in jobs:
        own = folder / "jobs" / str(job["id"])
        below += [own, own / "record.jsonl"]
    for each in below:
        trusted.check(each, key="--out", above=folder)


def _document(path: Path) -> PlanFile:
    try:
        found = read_document(path)
    except ValueError as error:
        accepted = "the whole file; or another folder, for a new test"
        raise InputError(f"cannot be read: {error}", file=path, accepted=accepted) from None
    return cast(PlanFile, versions.current(versions.EXPERIMENT, found, versions.in_file(path)))


def _read_lines(log: SubmissionLog, path: Path) -> None:
    """Read the log; a line that was cut short by a crash was not on the disk, so that it did not happen.

    InputError where the log is missing, MeasurementError where it is damaged: what was submitted is then not known.
    """
    accepted = "the whole log; or another folder, for a new test"
    if not path.exists():
        raise InputError("is missing: what was submitted is not known", file=path, accepted=accepted)
    read = list(numbered_lines(path))
    for at, (number, text, line) in enumerate(read):
        if not text.strip() and not isinstance(line, LostLinesError):
            continue
        if not isinstance(line, dict):
            following = next((later for _, later, _ in read[at + 1 :] if later.strip()), None)
            if text.endswith(TORN.encode()) or (text and (following is None or b'"resumed"' in following)
                                                and not text.startswith(b'{"version": 2')):  # fmt: skip
                continue
            raise MeasurementError(f"{path}:{number}: the log is damaged: {line}; expected {accepted}")
        try:
            log._take(cast(LogLine, versions.current(versions.SUBMISSIONS, line, versions.in_file(path, number))))
        except (LookupError, TypeError, ValueError) as error:
            raise MeasurementError(f"{path}:{number}: the log is damaged: {error}; expected {accepted}") from None
