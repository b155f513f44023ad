"""Where Assay keeps what outlives a run: the index of runs, and the ledger of folders that launches make."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder `assay` below ASSAY_RUNS, else XDG_STATE_HOME, else ~/.local/state; it need not exist."""
    home = os.environ.get("ASSAY_RUNS") or os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "assay"
