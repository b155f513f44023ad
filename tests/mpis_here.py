"""The MPIs that tests start ranks with, and what lets ranks be more than processors."""

import functools
import hashlib
import os
import subprocess
from pathlib import Path

from assay.benchmark.own import cache_root
from assay.execute.mpi import Mpi, find_mpi, launch_environment

MPI = find_mpi()
WHEEL = find_mpi({"PATH": "/nowhere"})  # this environment's own, which can start processes beside a job's ranks
CROWD = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


@functools.cache
def yielding() -> dict[str, str]:
    """Have ranks that wait (MPICH over UCX, Open MPI) give their processor to others, and allow more than there are.

    For tests of what is right, not of times: two ranks a processor spin for a time slice each before either goes on.
    """
    source = Path(__file__).parent / "native" / "yielding.c"
    made = cache_root() / "tests" / f"yielding-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        own = made.with_suffix(f".{os.getpid()}")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(own), str(source)], check=True)
        own.replace(made)  # at once, as others may be making it too
    return CROWD | {"OMPI_MCA_mpi_yield_when_idle": "1", "LD_PRELOAD": str(made)}


def start_ranks(mpi: Mpi, ranks: int, program: Path, *given: str) -> subprocess.CompletedProcess[str]:
    """Start so many ranks of a compiled program, more than there are hardware threads if need be, and wait for them.

    Those that wait give way to others: what they measure means nothing.
    """
    command = [mpi.mpiexec, "-n", str(ranks), str(program), *given]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=launch_environment(os.environ) | yielding()
    )
