"""`assay compare RUN RUN|MACHINE…`: a run beside others, and beside what was published."""

from __future__ import annotations

from typing import Annotated, Any

import typer

MARGIN = 0.03  # METHOD.md, rule 9


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def compare(
        run: Annotated[str, typer.Argument(help="a run: its folder or id")],
        others: Annotated[list[str], typer.Argument(help="runs, or published machines")],
        margin: Annotated[
            float | None,
            typer.Option(
                min=0.001, max=0.9, help="what counts as equal, relative; stated, a difference is exit status 3"
            ),
        ] = None,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Say what differs, what is equal and what cannot be told; the margin is 0.03 where none is stated."""
        import sys

        from rich.console import Console

        from assay.cli import emit
        from assay.errors import InputError
        from assay.machine.catalogue import load
        from assay.report import comparing
        from assay.report.document import document
        from assay.store import Run

        first = Run.open(run)
        whole = document(first)
        made: list[dict[str, Any]] = []
        for name in others:
            try:
                other = Run.open(name)
            except InputError:
                if name not in load().machines:
                    accepted = "a run's folder or id, or a machine of `assay catalogue`"
                    raise InputError("is no run and no machine", key="compare", value=name, accepted=accepted) from None
                rows = comparing.against_machine(whole, name)
                made.append({"with": name, "kind": "quoted", "state": None, "warnings": [], "rows": rows})
            else:
                second = document(other)
                without = comparing.invalid(whole) | comparing.invalid(second)
                rows = comparing.against_run(first, other, margin or MARGIN, without)
                about = {"state": second["state"], "warnings": second["warnings"]}
                made.append({"with": other.about["id"], "kind": "measured", **about, "rows": rows})
        if json:
            about = {"state": whole["state"], "warnings": whole["warnings"]}
            emit({"run": first.about["id"], **about, "comparisons": made})
            _judge(made, margin)
            return
        for name, state in ((first.about["id"], whole["state"]), *((entry["with"], entry["state"]) for entry in made)):
            if state not in (None, "clean"):
                print(f"{name} is {state}: `assay report {name}` says why", file=sys.stderr)
        draw = {"quoted": comparing.table_of_machine, "measured": comparing.table_of_runs}
        for entry in made:
            if entry["rows"]:
                Console().print(draw[entry["kind"]](entry["rows"], first.about["id"], entry["with"]).rich())
            else:
                print(f"nothing that {first.about['id']} measured is known of {entry['with']}")
        _judge(made, margin)


def _judge(made: list[dict[str, Any]], margin: float | None) -> None:
    """Exit with status 3 where a margin was stated and a figure of another run differs by more."""
    rows = [row for entry in made if entry["kind"] == "measured" for row in entry["rows"]]
    if margin is not None and any(row["verdict"] == "differs" for row in rows):
        raise typer.Exit(3)
