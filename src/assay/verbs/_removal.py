"""`assay runs --keep N --remove`: old runs are deleted, each that can be."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from assay.decide.retention import remove_run
from assay.errors import InputError
from assay.store import Run


def remove_all(runs: Sequence[Run]) -> list[Run]:
    """Delete these runs; those that are gone. What stays is reported on standard error."""
    gone = []
    for run in runs:
        try:
            remove_run(run)
            gone.append(run)
        except InputError as error:
            print(f"assay: {error}", file=sys.stderr)
    return gone
