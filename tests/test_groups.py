"""Groups of ranks (`split` by colour and key): the same checks on simulated ranks and by MPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpis_here import MPI
from rank_checks import HOW, passes_by_mpi, passes_simulated


@pytest.mark.timeout(900)
@pytest.mark.parametrize("how", HOW)
def test_groups_of_simulated_ranks(how: str, tmp_path: Path) -> None:
    passes_simulated("groups", tmp_path, how)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_groups_by_mpi(tmp_path: Path) -> None:
    passes_by_mpi("groups", 6, tmp_path)
