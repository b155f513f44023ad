"""The transport that messages used, as the ranks found it: a figure with another label would be wrong.

A program that was linked with one MPI runs on another where that has the same file name and is found first
(LD_LIBRARY_PATH; MPICH, Intel MPI and MVAPICH replace each other by design), and an MPI chooses another transport than
the requested one. Each rank program states the library that it runs on (MPI_Get_library_version), and how its
messages went (programs/mpi/transport.hpp).
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import MeasurementError
from assay.execute.mpi import Mpi
from assay.execute.placement import read_launches
from assay.program_lines import LaunchEvent

# How MPI_Get_library_version begins, in small letters, by implementation. MVAPICH, Cray's and others come from MPICH
# and have its starter, by which an MPI is named.
_FAMILIES = {
    "Open MPI": ("open mpi",),
    "Intel MPI": ("intel",),
    "MPICH": ("mpich", "mvapich", "mpi version", "parastation"),
}
# What a requested transport is found to be on one host, and what it never is on several.
_ON_ONE_HOST = {"shm": "shared memory", "tcp": "tcp"}
_ON_SEVERAL = {"tcp": "interconnect past the kernel"}


def check(out: Path, mpi: Mpi, transport: str | None, *, here: bool) -> None:
    """MeasurementError where a launch's own words contradict the MPI or the transport that its figures would be of.

    `out`: the launch's lines; `transport`: the requested one, None without one; `here`: all ranks are on this
    host. Libraries and transports that are not known pass.
    """
    none: LaunchEvent = {"event": "launch"}
    launch = next(iter(read_launches(out, 0)), none) if out.is_file() else none
    library, found = str(launch.get("library") or ""), str(launch.get("transport") or "")
    of = next((name for name, signs in _FAMILIES.items() if library.lower().startswith(signs)), None)
    if of is not None and mpi.implementation in _FAMILIES and of != mpi.implementation:
        raise MeasurementError(f"the ranks ran on another library than that of {mpi}: {library}")
    if transport is None or not found:
        return
    wanted = _ON_ONE_HOST.get(transport) if here else None
    if (wanted is not None and found not in (wanted, "none")) or (
        not here and _ON_SEVERAL.get(transport) in found.split(", ")
    ):
        raise MeasurementError(f"{mpi}: messages were to go by {transport} and went by {found}")
