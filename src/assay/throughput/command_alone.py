"""A command of a job table by itself, several times: its times, whether its answer is right, its figure of merit.

Each launch is a job as a batch system would start it (programs/jobs/job_record.cpp): in a folder of its own, ended at
its limit, its answer checked.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from assay.document.verb_figure import VerbFigure
from assay.errors import InputError, MeasurementError
from assay.throughput import job_record, job_table
from assay.throughput.job_programs import command_of, compiled, job_folder, record_file
from assay.throughput.live_jobs import of_schedule
from assay.throughput.schedule_file import JobBatch

TEMPLATES = "real-codes"


@dataclass(frozen=True)
class CommandLaunch:
    """One launch. Times in s; `merit` in the table's unit; `state`: `completed`, or what went wrong."""

    elapsed: float | None
    user: float | None
    system: float | None
    merit: float | None
    state: str


@dataclass(frozen=True)
class CommandRuns:
    """All launches of one command on `processors`; `folder` has a folder for each, `unit` is that of the merit."""

    name: str
    table: str
    processors: int
    folder: str
    unit: str
    launches: list[CommandLaunch]

    @property
    def valid(self) -> bool:
        """Whether every launch completed with a right answer."""
        return all(each.state == "completed" for each in self.launches)

    def figures(self) -> list[VerbFigure]:
        """Medians, with the range over the launches that completed."""
        figures: list[VerbFigure] = []
        for name, unit in (("time", "s"), ("user", "s"), ("system", "s"), ("merit", self.unit)):
            key = "elapsed" if name == "time" else name
            values = [getattr(each, key) for each in self.launches if each.state == "completed"]
            known = [value for value in values if value is not None]
            if known:
                about = {"command": self.name, "processors": self.processors}
                figures.append({
                    "name": name, "unit": unit, "statistic": "median", "value": median(known),
                    "range": [min(known), max(known)], "launches": len(known), "params": about,
                })  # fmt: skip
        return figures

    def to_dict(self) -> dict[str, object]:
        """The JSON document."""
        return {**asdict(self), "valid": self.valid, "figures": self.figures()}


def find(template: str) -> tuple[Path, str]:
    """The table and the name in it: NAME of the shipped templates, TABLE.toml:NAME, or TABLE.toml with one job."""
    table, colon, name = template.rpartition(":")
    if not colon:
        table, name = (template, "") if template.endswith(".toml") else (TEMPLATES, template)
    path = job_table.find(table)
    known = job_table.load(path)
    if not name and len(known) == 1:
        name = next(iter(known))
    if name not in known:
        raise InputError("no such job in the table", file=path, key="--command", value=template,
                         accepted=", ".join(known))  # fmt: skip
    if known[name].command is None:
        raise InputError("has no command", file=path, key=name, accepted='command = ["./program", "input"]')
    return path, name


def launched(
    template: str, out: Path, launches: int, processors: int | None, say: Callable[[str], None] = lambda text: None
) -> CommandRuns:
    """Start a template so many times, one after the other; `processors` in place of the table's."""
    path, name = find(template)
    kind = job_table.load(path)[name]
    if processors is not None:
        kind = kind.model_copy(update={"processors": processors})
    batches = [JobBatch(float(number), 1, name, 0) for number in range(launches)]
    jobs = of_schedule(batches, {name: kind}, path, path.parent.resolve(), 1.0, waits=False)
    programs = compiled(say)
    made = []
    for number, job in enumerate(jobs, 1):
        say(f"{name}: launch {number} of {launches}")
        folder = job_folder(out, job)
        try:
            folder.mkdir(parents=True, exist_ok=False)
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", file=folder, accepted="another --out") from None
        subprocess.run(command_of(job, programs, out.resolve()), cwd=folder, check=False)
        made.append(_launch(record_file(out, job), folder / "output", kind.merit))
    return CommandRuns(name, str(path), kind.processors, str(out), kind.merit_unit, made)


def _launch(record: Path, output: Path, merit: str | None) -> CommandLaunch:
    found = job_record.read(record)
    if found is None or found.started is None:
        raise MeasurementError(f"{record.parent}: the job wrote no record")
    elapsed = None if found.ended is None else found.ended - found.started
    text = output.read_text(errors="replace") if output.is_file() else ""
    matches = re.findall(merit, text, re.MULTILINE) if merit else []
    try:
        value = float(matches[-1]) if matches else None
    except ValueError:
        value = None
    return CommandLaunch(elapsed, found.user_seconds, found.system_seconds, value, _state(found))


def _state(record: job_record.JobRecord) -> str:
    if record.limited:
        return "time limit"
    if not record.well:
        return f"failed: status {record.status}" if record.status else "failed"
    return "wrong answer" if record.answer is False else "completed"
