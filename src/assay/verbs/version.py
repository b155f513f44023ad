"""`assay version`: what is installed."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def version(json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False) -> None:
        """Say which Assay this is."""
        from assay import __version__
        from assay.cli import emit

        emit({"assay": __version__}) if json else print(f"assay {__version__}")
