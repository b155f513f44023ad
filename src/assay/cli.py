"""The command line: one verb a file in `verbs/`, found by lying there. Heavy imports happen inside the verbs."""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
import sys
from typing import Any

import typer

from assay import verbs
from assay.errors import AssayError

app = typer.Typer(
    name="assay",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Evaluate a parallel machine: one that you have, or one that is only described.",
)


@app.callback()
def root() -> None:
    """Evaluate a parallel machine: one that you have, or one that is only described."""
    gc.set_threshold(100_000, 50, 100)  # what a verb imports stays: looking at it again took a tenth of a start


for _found in sorted(pkgutil.iter_modules(verbs.__path__), key=lambda module: module.name):
    if _found.name.startswith("_"):
        continue  # shared by verbs, no verb itself
    importlib.import_module(f"assay.verbs.{_found.name}").register(app)


def emit(document: Any) -> None:
    """Print the one JSON document that a verb under --json owes to standard output."""
    json.dump(document, sys.stdout, allow_nan=False, indent=2, default=str)
    sys.stdout.write("\n")


def main() -> None:
    """Run the command line; an AssayError becomes one line on standard error and its exit status."""
    try:
        app()
    except AssayError as error:
        sys.stderr.write(f"assay: {error}\n")
        sys.exit(error.status)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
