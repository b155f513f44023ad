"""Folders for what an MPI keeps while its ranks run on this host, removed with the tree of processes, however it ends.

An MPI removes its own shared memory and session folders only where it ends in order; a starter that is killed leaves
them in /dev/shm and TMPDIR. Folders of the launch's own hold them, and the supervisor removes these.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")
# Variables for the place of libraries' shared memory: Open MPI 5, Open MPI 4, its windows, UCX below MPICH.
_SEGMENT_SETTINGS = (
    "OMPI_MCA_btl_sm_backing_directory",
    "OMPI_MCA_btl_vader_backing_directory",
    "OMPI_MCA_osc_sm_backing_directory",
    "UCX_POSIX_DIR",
)
_LONGEST = 60  # characters of TMPDIR: sockets in the folders below it may have 108


def scratch(environment: Mapping[str, str]) -> tuple[list[Path], dict[str, str]]:
    """Folders that the supervisor is to make, and the variables that name them; what a person has set stays."""
    folders, added = [], {}
    name = f"assay-{secrets.token_hex(6)}"
    temporary = Path(environment.get("TMPDIR") or "/tmp")
    if os.access(temporary, os.W_OK | os.X_OK) and len(str(temporary)) <= _LONGEST:
        folders.append(temporary / name)
        added["TMPDIR"] = str(folders[-1])
    if os.access(_SHARED_MEMORY, os.W_OK | os.X_OK):
        folders.append(_SHARED_MEMORY / name)
        added |= {key: str(folders[-1]) for key in _SEGMENT_SETTINGS if key not in environment}
    return folders, added
