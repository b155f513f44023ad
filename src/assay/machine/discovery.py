"""Discovery: all that is known of this host, gathered from the readers in this package.

Nothing here needs root, nothing raises because a file is missing or garbled: what cannot be found out is None, and a
note gives the reason. The short form that goes with every launch is `assay.machine.provenance`.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from assay.machine import reading
from assay.machine.accelerators import Accelerators, accelerators, add_driver_devices, query_drivers
from assay.machine.activity import Activity, activity
from assay.machine.batch import BatchSystems, batch
from assay.machine.caches import Caches, Numa, caches, numa
from assay.machine.energy import Energy, energy
from assay.machine.filesystems import FileSystems, filesystems
from assay.machine.limits import Limits, limits
from assay.machine.memory import Memory, memory
from assay.machine.network import HostNetwork, network
from assay.machine.processors import Processors, processors
from assay.machine.software import FindLibrary, FindMpi, Software, software
from assay.machine.system import System, system


class Host(reading.HostPart):
    """This host. SI units: seconds, bytes, Hz; hardware threads have the kernel's CPU numbers."""

    system: System
    processors: Processors
    caches: Caches
    numa: Numa
    memory: Memory
    limits: Limits
    accelerators: Accelerators
    network: HostNetwork
    filesystems: FileSystems
    software: Software
    batch: BatchSystems
    activity: Activity
    energy: Energy = Energy()
    user: str
    root: bool
    taken: str
    seconds: float

    def all_notes(self) -> tuple[str, ...]:
        """Every note of every part, with the part's name before it."""
        parts = ((name, getattr(self, name)) for name in type(self).model_fields)
        return tuple(
            f"{name}: {note}" for name, part in parts if isinstance(part, reading.HostPart) for note in part.notes
        )


def discover(find_mpi: FindMpi | None = None, find_library: FindLibrary | None = None) -> Host:
    """Find out what this host is; takes under a second. Never raises for what it cannot read.

    `find_mpi` is `assay.execute.mpi.find_mpi`, for callers that may import it; without it MPI is not looked for.
    `find_library` is `assay.execute.libraries.find_here`, whose trial links take some seconds more.
    """
    began = time.monotonic()
    root = Path("/")
    with ThreadPoolExecutor(max_workers=4) as pool:
        watching = pool.submit(activity, root)
        kernel = system(root)
        counting = pool.submit(energy, root, kernel.virtualised)
        installed = pool.submit(software, root, find_mpi=find_mpi, find_library=find_library)
        batches = pool.submit(batch)
        drivers = pool.submit(query_drivers)
        mounted = pool.submit(filesystems, root)
        bounds = limits(root)
        return Host(
            system=kernel,
            processors=processors(root),
            caches=caches(root),
            numa=numa(root),
            memory=memory(root, bounds),
            limits=bounds,
            accelerators=add_driver_devices(accelerators(root), drivers.result()),
            network=network(root),
            filesystems=mounted.result(),
            software=installed.result(),
            batch=batches.result(),
            activity=watching.result(),
            energy=counting.result(),
            user=_user(),
            root=os.geteuid() == 0,
            taken=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=time.monotonic() - began,
        )


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())
