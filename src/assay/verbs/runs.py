"""`assay runs`: which runs there are."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def runs(json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False) -> None:
        """List the runs made here, the newest last."""
        import time

        from assay.cli import emit
        from assay.store import known_runs

        found = [
            {
                "id": run.about["id"],
                "created": run.about.get("created"),
                "state": run.about.get("state"),
                "machine": run.about.get("machine"),
                "profile": run.about.get("profile"),
                "benchmarks": list(run.about.get("wishes", {}).get("names", [])),
                "folder": str(run.folder),
            }
            for run in known_runs()
        ]
        if json:
            emit({"runs": found})
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, header_style="bold")
        for heading in ("run", "made (UTC)", "state", "machine", "benchmarks"):
            table.add_column(heading, overflow="fold")
        for run in found:
            made = time.strftime("%Y-%m-%d %H:%M", time.gmtime(run["created"] or 0))
            names = run["benchmarks"]
            what = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            table.add_row(run["id"], made, run["state"], run["machine"], what)
        Console().print(table if found else "No runs yet: assay evaluate makes one.")
