"""`assay runs`: which runs there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from assay.verbs._options import Json, Quiet

if TYPE_CHECKING:
    from assay.store import Run


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def runs(quiet: Quiet = False, json: Json = False) -> None:
        """List all runs that you made and that are still there, in whatever folder, the newest last."""
        import time

        from assay.cli import emit
        from assay.report.listing import listing
        from assay.store import known_runs

        found = [_entry(run) for run in known_runs()]
        if json:
            emit({"runs": found})
            return
        if quiet:
            last = f", the latest {found[-1]['id']} ({found[-1]['state']})" if found else ""
            print(f"{len(found)} run{'s' if len(found) != 1 else ''}{last}")
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold")
        table.add_column("run", no_wrap=True, min_width=max((len(each["id"]) for each in found), default=0))
        for heading in ("made (UTC)", "state", "machine", "benchmarks", "folder"):
            table.add_column(heading, overflow="fold")
        for each in found:
            names = each["benchmarks"]
            what = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            made = time.strftime("%Y-%m-%d %H:%M", time.gmtime(each["created"] or 0))
            cells = (each["id"], made, each["state"], each["machine"], what, _from_here(each["folder"]))
            table.add_row(*(Text(str(cell or "")) for cell in cells))
        listing().print(table if found else "No runs yet: assay evaluate makes one.")


def _from_here(folder: str) -> str:
    """A folder as it is named from the working directory, where it lies in that; else whole."""
    from pathlib import Path

    path = Path(folder)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else folder


def _entry(run: Run) -> dict[str, Any]:
    """One run: a run that says that it runs, and that no process writes into, is interrupted."""
    names = run.about.get("wishes", {}).get("names")
    return {
        "id": run.about["id"],
        "created": run.about.get("created"),
        "state": run.state,
        "machine": run.about.get("machine"),
        "profile": run.about.get("profile"),
        "benchmarks": [str(name) for name in names] if isinstance(names, list) else [],
        "folder": str(run.folder),
    }
