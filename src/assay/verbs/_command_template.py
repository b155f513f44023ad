"""`assay run --command TEMPLATE`: a real code, or a site's own command, by its entry in a job table."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from assay.document.grid import Grid, grid
from assay.throughput.command_alone import CommandRuns

LAUNCHES = 3
TAKES = ("--command", "-n", "--launches", "--out", "--quiet", "--json")


def run_command(
    template: str, ranks: str | None, launches: int | None, out: Path | None, *, quiet: bool, json: bool
) -> bool:
    """Start it, show it; whether every launch gave a right answer."""
    from assay.cli import emit
    from assay.errors import InputError
    from assay.execute.run_request import counts
    from assay.report.render.console import listing
    from assay.throughput.command_alone import find, launched

    several = counts(ranks, "-n")
    if len(several) > 1:
        raise InputError("is one number with --command", key="-n", value=ranks, accepted="-n 2")
    _, name = find(template)
    folder = out or Path("runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr)

    found = launched(template, folder, launches or LAUNCHES, several[0] if several else None, say)
    if json:
        emit(found.to_dict())
        return found.valid
    if not quiet:
        listing().print(table(found).rich())
    print(line(found))
    return found.valid


def table(found: CommandRuns) -> Grid:
    """A row for each launch."""
    rows = [
        (str(number), *(_seconds(value) for value in (each.elapsed, each.user, each.system)),
         "–" if each.merit is None else f"{each.merit:g} {found.unit}".strip(), each.state)
        for number, each in enumerate(found.launches, 1)
    ]  # fmt: skip
    headings = ("launch", "wall", "user", "system", "figure of merit", "state")
    return grid(f"{found.name} on {found.processors} processors", headings, rows, f"Output and record: {found.folder}")


def line(found: CommandRuns) -> str:
    """The result in one line."""
    figures = {each["name"]: each for each in found.figures()}
    shown = [f"{_seconds(figures['time']['value'])}"] if "time" in figures else []
    shown += [f"{figures['merit']['value']:g} {found.unit}".strip()] if "merit" in figures else []
    wrong = sum(each.state != "completed" for each in found.launches)
    end = f"; {wrong} of {len(found.launches)} launches without a right answer" if wrong else ""
    return f"{found.name}: {', '.join(shown) or 'no valid result'} (median of {len(found.launches)} launches){end}"


def _seconds(value: float | None) -> str:
    from assay.report.units import human

    return "–" if value is None else human(value, "s", 3)
