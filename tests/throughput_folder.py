"""A throughput test's folder as the tests read it, and the command line in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any


def log_lines(out: Path) -> list[dict[str, Any]]:
    """The submission log's lines that can be read."""
    found = []
    for text in (out / "log.jsonl").read_text().splitlines():
        try:
            found.append(json.loads(text))
        except ValueError:
            continue
    return found


def events(out: Path, job: str) -> list[str]:
    """The events of one job's own record, without what its node did meanwhile."""
    path = out / "jobs" / job / "record.jsonl"
    found = [json.loads(line)["event"] for line in path.read_text().splitlines()] if path.exists() else []
    return [event for event in found if event != "node"]


def throughput(
    *words: str, environment: dict[str, str] | None = None, before: str = "", **more: Any
) -> subprocess.Popen[str]:
    """`assay throughput …` in a session of its own; `before`: Python that runs first, to set a bound lower."""
    start = ["-c", f"{before}\nfrom assay.start import main\nmain()"] if before else ["-m", "assay"]
    command = [sys.executable, *start, "throughput", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                            env={**os.environ, **(environment or {})}, **more)  # fmt: skip


def end_all_jobs(out: Path) -> None:
    """Kill what a failed test left running."""
    for path in out.glob("jobs/*/record.jsonl"):
        for line in path.read_text().splitlines():
            about = json.loads(line)
            if about["event"] == "start":
                with contextlib.suppress(OSError):  # it has ended
                    if Path(f"/proc/{about['pid']}/comm").read_text().startswith("job_record"):
                        os.kill(about["pid"], signal.SIGKILL)


def four_jobs(processors: int, seconds: int) -> str:
    """A table of jobs for a live batch system; `whole` takes so many processors, and waits so long."""
    return f"""
[short]
processors = 2
time = "0.5 s"
wait = "0.5 s"
[wrong]
processors = 1
time = "0.1 s"
command = ["echo", "41"]
answer = "42"
[long]
processors = 2
time = "60 s"
wait = "60 s"
[whole]
processors = {processors}
time = "{seconds} s"
wait = "{seconds} s"
"""
