"""What became of each job, by comparing three accounts: the submission log, the batch system's
accounting, and the job's own record. Where they differ, the difference is named.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.throughput.batch_system import ENDED, RUNNING, WAITING, Accounted
from assay.throughput.job_record import JobRecord
from assay.throughput.live_jobs import LiveJob
from assay.throughput.submission_log import LoggedJob

COMPLETED, FAILED, KILLED, LIMITED = "completed", "failed", "killed", "time limit"
DELETED, DROPPED, LOST, REFUSED, UNSUBMITTED = "deleted", "dropped", "lost", "refused", "not submitted"
NEVER = "never started"
LOSSES = (DROPPED, LOST)
FAILURES = (FAILED, KILLED, LIMITED, DELETED, REFUSED, NEVER)
WRONG, TWICE, DISAGREES, DAMAGED = "wrong answer", "started twice", "accounts differ", "record damaged"


@dataclass(frozen=True, kw_only=True)
class JobFinding:
    """A finding about one job: its kind, and its evidence in a line."""

    job: str
    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Reconciled:
    """What became of a job, and contradictions of the accounts."""

    state: str
    findings: tuple[JobFinding, ...]


def reconcile(job: LiveJob, logged: LoggedJob, accounted: Accounted | None, record: JobRecord | None) -> Reconciled:
    """Judge one job. `accounted` None: the batch system does not know it; `record` None: the job wrote nothing."""
    state, text = _state(logged, accounted, record)
    findings = [] if state == COMPLETED else [JobFinding(job=job.name, kind=state, text=text)]

    def found(kind: str, words: str) -> None:
        findings.append(JobFinding(job=job.name, kind=kind, text=words))

    if len(set(logged.batch_ids)) > 1:
        found(TWICE, f"submitted under several ids: {', '.join(dict.fromkeys(logged.batch_ids))}")
    if record is not None and record.starts > 1:
        found(TWICE, f"the batch system started it {record.starts} times; the first start ran, the others did nothing")
    if record is not None and record.damaged:
        found(DAMAGED, f"{record.damaged} lines of its record cannot be read")
    if record is not None and record.answer is False:
        found(WRONG, record.wrong or "ended well, and its answer is wrong")
    if accounted is not None and accounted.stage == RUNNING and record is not None and record.ended is not None:
        found(DISAGREES, f"its record reports its end, the batch system still reports {accounted.word}")
    if accounted is not None and accounted.stage == ENDED and record is not None and record.ended is not None:
        if record.well and accounted.well is False and not record.starts > 1:
            found(DISAGREES, f"its record reports success, the batch system reports {accounted.word}")
        elif not record.well and accounted.well is True:
            found(DISAGREES, f"the batch system reports {accounted.word}, its record {_how(record)}")
    return Reconciled(state=state, findings=tuple(findings))


def _state(logged: LoggedJob, accounted: Accounted | None, record: JobRecord | None) -> tuple[str, str]:
    known = f"submitted as {logged.batch_ids[-1]}" if logged.batch_ids else "not submitted"
    word = "the batch system does not know it" if accounted is None else f"the batch system reports {accounted.word}"
    if record is not None and record.ended is not None:
        if record.well:
            return COMPLETED, ""
        if record.limited:
            return LIMITED, _how(record)
        if record.cancelled:
            return (DELETED if accounted is not None and accounted.cancelled else KILLED), f"{_how(record)}; {word}"
        return (KILLED if record.signal else FAILED), _how(record)
    if logged.refused is not None and not logged.batch_ids:
        return REFUSED, f"the batch system refused it: {logged.refused}"
    if not logged.batch_ids:
        return UNSUBMITTED, "the test ended before it was submitted"
    if record is not None:
        if accounted is not None and accounted.cancelled:
            return DELETED, f"it started and was deleted; {word}"
        return KILLED, f"it started, and no end is in its record: it was killed, or its node failed; {word}"
    if accounted is None:
        return DROPPED, f"{known}, never started, and {word}"
    if accounted.never_after is not None and accounted.stage == ENDED:
        return NEVER, f"{known}, and it could not start: {word}; this test deleted it"
    if accounted.cancelled:
        return DELETED, f"{known} and deleted before it started; {word}"
    if accounted.stage == WAITING:
        return UNSUBMITTED, f"{known}, and still waiting when the test ended"
    if accounted.well is False:
        return FAILED, f"it never started; {word}"
    return LOST, f"{word}, and it left no record"


def _how(record: JobRecord) -> str:
    if record.limited:
        return "ended at its time limit"
    if record.cancelled:
        return "ended by a signal to its starter"
    if record.signal:
        return f"killed by signal {record.signal}"
    if record.storage:
        status = f" (exit status {record.status})" if record.status else ""
        return f"nothing can be written into its folder: {record.storage}{status}"
    return f"exit status {record.status}"
