"""Any tag, the first of several receives, testing and probing: the same checks on simulated ranks and by MPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpis_here import MPI
from rank_checks import HOW, passes_by_mpi, passes_simulated


@pytest.mark.timeout(900)
@pytest.mark.parametrize("how", HOW)
def test_asking_for_messages_on_simulated_ranks(how: str, tmp_path: Path) -> None:
    """Also where messages overtake one another, and where nothing ever comes."""
    passes_simulated("polling", tmp_path, how)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_asking_for_messages_by_mpi(tmp_path: Path) -> None:
    passes_by_mpi("polling", 4, tmp_path)
