"""`assay version`: what is installed."""

from __future__ import annotations

import typer

from assay.verbs._options import Json, Quiet


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def version(quiet: Quiet = False, json: Json = False) -> None:
        """Print the version and, where it is known, the commit."""
        from assay import __version__, installed
        from assay.cli import emit

        if json:
            emit({"assay": __version__, "commit": installed.commit()})
        else:
            print(f"assay {installed.version()}")
