"""The start of `assay`: signals are answered before anything slow is imported, and until the process has gone."""

from __future__ import annotations

import atexit
import sys

from assay import stops


def main() -> None:
    """Run the command line."""
    stop = stops.begin()
    atexit.register(stop.gone)  # the first one registered is the last one called
    try:
        from assay import since_start

        since_start.this_process_is_it()
        from assay.cli import main as command

        command()
    except KeyboardInterrupt:  # while it was imported, or while the last words were written
        sys.stderr.write("assay: interrupted\n")
        sys.exit(stop.status)
    finally:
        stop.over()
