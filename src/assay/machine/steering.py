"""Environment variables that steer the MPI, the threads and the libraries that are measured."""

from __future__ import annotations

import os
from collections.abc import Mapping

PREFIXES = (
    *("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "BLIS_", "MKL_", "GLIBC_TUNABLES", "MALLOC_", "LD_PRELOAD"),
    *("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "MPICH_", "MPIR_CVAR_", "HYDRA_", "I_MPI_", "UCX_", "FI_", "PSM2_"),
    *("CUDA_", "HIP_", "ROCR_", "NVIDIA_", "OCL_", "POCL_"),
)


def steering(environment: Mapping[str, str] = os.environ) -> str:
    """The variables that are set, by name: `OMP_NUM_THREADS=4 UCX_TLS=tcp,self`; empty where none is."""
    return " ".join(f"{name}={value}" for name, value in sorted(environment.items()) if name.startswith(PREFIXES))
