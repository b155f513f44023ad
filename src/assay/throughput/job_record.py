"""A job's own record, as its starter wrote it (programs/jobs/job_record.cpp): when it really started and ended."""

from __future__ import annotations

import fcntl
from dataclasses import dataclass
from pathlib import Path

from assay import versions
from assay.execute.checks import failed_checks
from assay.stored.lines import numbered_lines


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """A job's own record. Times in seconds since 1970; None where unknown.

    `starts`: how often it was started; only the first start ran it. `answer`: whether its result was right, None
    without a check; `wrong`: the check of a benchmark program that failed. `damaged`: lines that cannot be read. `pid`,
    `began`: its starter, and when that began in the kernel's ticks. `storage`: why nothing could be written into its
    folder when it ended, in the system's words. `user_seconds`, `system_seconds`: processor time of what it started
    and waited for, on the host of its starter.
    """

    starts: int = 0
    started: float | None = None
    ended: float | None = None
    host: str | None = None
    pid: int | None = None
    began: int | None = None
    group: int | None = None
    status: int | None = None
    signal: int | None = None
    limited: bool = False
    cancelled: bool = False
    answer: bool | None = None
    wrong: str | None = None
    user_seconds: float | None = None
    system_seconds: float | None = None
    damaged: int = 0
    storage: str | None = None

    @property
    def well(self) -> bool:
        """Whether the command ended by itself, with status 0 or because a check of its own failed."""
        if self.ended is None or self.signal or self.limited or self.cancelled or self.storage:
            return False
        return not self.status or self.wrong is not None


def read(path: Path) -> JobRecord | None:
    """Read a record; None where there is none."""
    if not path.is_file():
        return None
    found: dict[str, object] = {}
    starts = damaged = 0
    with path.open("rb") as lines:
        torn = not all(line.endswith(b"\n") for line in lines)
    for number, _, document in numbered_lines(path):
        if not isinstance(document, dict):
            damaged += 1
            continue
        about = versions.current(versions.JOB_RECORD, document, versions.in_file(path, number))
        event = about.get("event")
        starts += event in ("start", "again")
        try:
            if event == "start":
                found |= {"started": about["time"], **{key: about[key] for key in ("host", "pid", "group")}}
                found["began"] = about.get("began")
            elif event == "end":
                ended = {key: about[key] for key in ("ended", "status", "signal", "limited", "cancelled", "answer")}
                ended |= {"user_seconds": about["user"], "system_seconds": about["system"]}
                ended["wrong"] = failed_checks([about["check"]]) if "check" in about else None
                ended["storage"] = about.get("storage")
                found |= ended
        except (LookupError, TypeError):
            damaged += 1
    damaged += torn
    return JobRecord(starts=starts, damaged=damaged, **found)  # type: ignore[arg-type]


def held(path: Path) -> bool:
    """Whether the starter of this job still runs on this host: it keeps its record locked."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
