"""Operations from an agreed moment: an entry that comes late does not make one look fast."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpis_here import MPI
from rank_checks import passes_by_mpi


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_an_operation_that_a_rank_enters_late_counts_from_the_first_entry(tmp_path: Path) -> None:
    passes_by_mpi("windows", 2, tmp_path)
