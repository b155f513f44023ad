"""`assay version`: what is installed."""

from __future__ import annotations

import typer

from assay.verbs._options import Json, Quiet


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def version(quiet: Quiet = False, json: Json = False) -> None:
        """Print the version."""
        from assay import __version__
        from assay.cli import emit

        emit({"assay": __version__}) if json else print(f"assay {__version__}")
