"""The MPIs that tests start ranks with, and what lets ranks be more than processors."""

from assay.execute.mpi import find_mpi

MPI = find_mpi()
WHEEL = find_mpi({"PATH": "/nowhere"})  # this environment's own, which can start processes beside a job's ranks
CROWD = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
