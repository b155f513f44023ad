"""The MPIs that tests start ranks with, and what lets ranks be more than processors."""

import os
import subprocess
from pathlib import Path

from assay.execute.mpi import Mpi, find_mpi, launch_environment

MPI = find_mpi()
WHEEL = find_mpi({"PATH": "/nowhere"})  # this environment's own, which can start processes beside a job's ranks
CROWD = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def start_ranks(mpi: Mpi, ranks: int, program: Path, *given: str) -> subprocess.CompletedProcess[str]:
    """Start so many ranks of a compiled program, more than there are hardware threads if need be, and wait for them."""
    command = [mpi.mpiexec, "-n", str(ranks), str(program), *given]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=launch_environment(os.environ) | CROWD
    )
