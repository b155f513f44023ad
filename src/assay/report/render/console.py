"""The console of everything that has tables: piped or written to a file, a row is a line, for programs that cut it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 80  # columns of a terminal, where a text is laid out for one unseen
UNBROKEN = 100_000  # columns; a table is no wider than its cells


def listing() -> Console:
    """Give the console of a table: as wide as the terminal or COLUMNS say; of neither, no row is broken."""
    from assay.sanitised import console

    bounded = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return console(width=None if bounded else UNBROKEN)
