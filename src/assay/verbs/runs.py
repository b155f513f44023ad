"""`assay runs`: which runs there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from assay.number_words import number_of
from assay.verbs._completion import run_names
from assay.verbs._options import Json, Label, Quiet

if TYPE_CHECKING:
    from rich.text import Text

    from assay.document.known_run import KnownRun
    from assay.store import Run

HEADINGS = ("run", "label", "made (UTC)", "state", "machine", "benchmarks", "folder")
LEFT_OUT_FIRST = ("benchmarks", "made (UTC)", "machine")  # where a row is too long; an id begins with its date
BETWEEN = 2  # columns


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def runs(
        run: Annotated[
            str | None, typer.Argument(metavar="[RUN]", help="the run to be given a label", autocompletion=run_names)
        ] = None,
        label: Label = None,
        last: Annotated[int | None, typer.Option("--last", metavar="N", min=1, help="only the newest N")] = None,
        keep: Annotated[
            int | None,
            typer.Option(
                "--keep",
                metavar="N",
                min=1,
                help="only those that are not among the newest N of their machine, and have no label",
            ),
        ] = None,
        remove: Annotated[bool, typer.Option("--remove", help="with --keep: delete the folders of these runs")] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """List all runs that you made and that are still there, in whatever folder, the newest last.

        With RUN and --label: give that run this label. Several runs may have the same: it names the newest of them.
        With --keep N --remove: delete old runs. Runs with a label stay, but for those of `assay watch`.
        """
        from assay.cli import emit
        from assay.decide.retention import beyond_newest
        from assay.errors import InputError
        from assay.report.render.console import listing
        from assay.store import Run, known_runs
        from assay.verbs._removal import remove_all

        if remove and keep is None:
            raise InputError("has no effect alone", key="--remove", accepted="--keep N --remove")
        if keep is not None:
            for key, given in (("RUN", run), ("--label", label), ("--last", last)):
                if given is not None:
                    raise InputError("has no effect with --keep", key=key, value=given, accepted="--keep N [--remove]")
        if (run is None) != (label is None):
            key, value, accepted = ("RUN", run, "RUN --label NAME") if label is None else ("--label", label, "RUN too")
            raise InputError("has no effect without the other", key=key, value=value, accepted=accepted)
        if run is not None and label is not None:
            if last is not None:
                raise InputError("has no effect with --label", key="--last", value=last, accepted="RUN --label NAME")
            named = Run.open(run)
            named.give_label(label)
            if json:
                emit({"runs": [_entry(named)]})
            else:
                print(f"{label}: {named.about['id']}")
            return
        known = known_runs()
        chosen = known[-(last or 0) :] if keep is None else beyond_newest(known, keep)
        found = [_entry(run) for run in chosen]
        if remove:
            chosen = remove_all(chosen)
            found = [each for each in found if each["folder"] in {str(run.folder) for run in chosen}]
        if json:
            emit({"runs": found})
            return
        if remove:
            print(f"{number_of(len(found), 'run')} removed")
            return
        if quiet:
            latest = f", the latest {found[-1]['id']} ({found[-1]['state']})" if found else ""
            print(f"{number_of(len(found), 'run')}{latest}")
            return
        console = listing()
        if not found:
            console.print("No runs yet: assay evaluate makes one." if keep is None else _none_older(keep))
            return
        for line in _lines([_cells(each) for each in found], console.width):
            console.print(line, soft_wrap=True)


def _none_older(keep: int) -> str:
    newest = f"the newest {keep} of their machines" if keep > 1 else "the newest of their machines"
    return f"No run may go: all are among {newest}, have a label, or are being written."


def _cells(entry: KnownRun) -> dict[str, str]:
    """Give one run's cell by each heading."""
    import time

    names = entry["benchmarks"]
    what = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    made = time.strftime("%Y-%m-%d %H:%M", time.gmtime(entry["created"] or 0))
    cells = (entry["id"], entry.get("label"), made, entry["state"], entry["machine"], what, _from_here(entry["folder"]))
    return {heading: str(cell or "") for heading, cell in zip(HEADINGS, cells, strict=True)}


def _lines(rows: Sequence[dict[str, str]], width: int) -> list[Text]:
    """One line per run with the columns that fit next to whole ids and folders, else the folder below it."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    head = {heading: heading for heading in HEADINGS}
    wide = {heading: max(cell_len(row[heading]) for row in (head, *rows)) for heading in HEADINGS}

    def taken(headings: Sequence[str]) -> int:
        return sum(wide[each] + BETWEEN for each in headings) - BETWEEN

    def fitting(headings: Sequence[str]) -> list[str]:
        kept = list(headings)
        for heading in LEFT_OUT_FIRST:
            if taken(kept) > width:
                kept.remove(heading)
        return kept

    def line(row: dict[str, str], headings: Sequence[str]) -> str:
        return (" " * BETWEEN).join(set_cell_size(row[each], wide[each]) for each in headings).rstrip()

    shown = fitting(HEADINGS)
    if taken(shown) <= width:
        return [Text(line(head, shown), "bold"), *(Text(line(row, shown)) for row in rows)]
    *others, place = HEADINGS
    others = fitting(others)
    return [Text(text) for row in rows for text in (line(row, others), f"{' ' * BETWEEN}{row[place]}")]


def _from_here(folder: str) -> str:
    """A folder as it is named from the working directory, where it lies in that; else whole."""
    from pathlib import Path

    path = Path(folder)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else folder


def _entry(run: Run) -> KnownRun:
    """One run; a run in state running without a process that writes into it is interrupted."""
    names = run.about.get("wishes", {}).get("names")
    return {
        "id": run.about["id"],
        "label": run.about.get("label"),
        "created": run.about.get("created"),
        "state": run.state,
        "machine": run.about.get("machine"),
        "profile": run.about.get("profile"),
        "benchmarks": [str(name) for name in names] if isinstance(names, list) else [],
        "folder": str(run.folder),
    }
