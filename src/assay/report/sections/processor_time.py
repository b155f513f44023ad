"""User and system time of a run, by benchmark: what its processes took of the processors, and of that in the kernel."""

from __future__ import annotations

from collections.abc import Iterable

from assay.document.grid import Grid, grid
from assay.document.processor_time import ProcessorTime
from assay.document.run_document import Document
from assay.report.registry import BenchmarkSource, Derived, ReportSection, RunView, only
from assay.report.units import human
from assay.samples import Launch
from assay.store import Run
from assay.stored.journal_entries import BegunEntry

TITLE = "Processor time"
NOTE = (
    "Of all processes of the launches, as each took it by itself (getrusage); elapsed: from the start of a launch to "
    "its end, launcher included."
)


def of_launches(run: Run, benchmark: str, launches: Iterable[Launch]) -> ProcessorTime | None:
    """What the complete launches state; None where none states it, as of earlier runs and of described machines."""
    whole = [each for each in launches if each.complete]
    stated = [each for each in whole if each.user_seconds is not None and each.system_seconds is not None]
    if not stated:
        return None
    return ProcessorTime(
        launches=len(stated),
        user=sum(each.user_seconds or 0.0 for each in stated),
        system=sum(each.system_seconds or 0.0 for each in stated),
        elapsed=_elapsed(run, benchmark) if len(stated) == len(whole) else None,
    )


def _elapsed(run: Run, benchmark: str) -> float | None:
    """Wall seconds of the launches that ended by themselves; None where the journal lacks one's."""
    entries = run.entries()
    files = {entry["file"] for entry in entries if entry["event"] == "begun" and _of(entry) == benchmark}
    ended = [entry for entry in entries if entry["event"] == "ended" and entry.get("file") in files]
    took = [entry.get("seconds") for entry in ended if not entry.get("rejected") and entry.get("reason") is None]
    known = [float(seconds) for seconds in took if isinstance(seconds, int | float)]
    return sum(known) if known and len(known) == len(took) else None


def _of(entry: BegunEntry) -> str | None:
    about = entry.get("about")
    return about.get("benchmark") if isinstance(about, dict) else None


def table(document: Document) -> Grid | None:
    """A row for each benchmark whose programs stated it; None where none did."""
    found = [(section.benchmark, section.processor_time) for section in document.benchmarks]
    rows = [_row(name, spent) for name, spent in found if spent is not None]
    headings = ("benchmark", "launches", "user", "system", "system of both", "elapsed")
    return grid(TITLE, headings, rows, NOTE) if rows else None


def _row(name: str, spent: ProcessorTime) -> tuple[str, ...]:
    both = spent.user + spent.system
    share = f"{100 * spent.system / both:.1f}%" if both else "–"
    times = (human(seconds, "s", 3) for seconds in (spent.user, spent.system))
    return (name, str(spent.launches), *times, share, human(spent.elapsed, "s", 3))


def lines(document: Document) -> list[str]:
    """The same of one benchmark, in a sentence."""
    made = []
    for section in document.benchmarks:
        if (spent := section.processor_time) is not None:
            _, launches, user, system, share, elapsed = _row(section.benchmark, spent)
            of = f" in {elapsed} elapsed" if spent.elapsed is not None else ""
            many = "launch" if spent.launches == 1 else "launches"
            made.append(f"Processor time: user {user}, system {system} ({share} of both){of}, {launches} {many}")
    return made


def _derive(source: BenchmarkSource) -> Derived:
    return Derived(values={"processor_time": of_launches(source.run, source.record.name, source.lines.launches)})


SECTION = ReportSection(
    order=770,
    derive=_derive,
    of_run=RunView(
        title=lambda document: TITLE,
        anchor="processor-time",
        tables=lambda document: only(table(document)),
        terminal_tables=lambda document: [],
        terminal_lines=lambda document: lines(document) if len(document.benchmarks) == 1 else [],
    ),
)
