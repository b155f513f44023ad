"""What cannot be measured here because a compiler or an MPI is missing, found out before anything is measured.

Asking a wrapper for its version proves little: a trial program is compiled and linked, once for each compiler and MPI.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.benchmark.own import cache_root
from assay.benchmark.record import Benchmark
from assay.errors import MeasurementError
from assay.execute.compiler import find_compiler
from assay.execute.mpi import find_mpi

NO_MPI = (
    "no MPI found: load the site's module, or put its mpicxx and mpiexec on PATH (or name them in MPICXX and MPIEXEC), "
    "or `pip install 'assay[mpi]'` for one node"
)
_TRIAL = "#include <mpi.h>\nint main(int count, char** words) { return MPI_Init(&count, &words) + MPI_Finalize(); }\n"
_COMPILES_WITHIN = 120.0  # s


@dataclass(frozen=True)
class Absent:
    """Benchmarks that cannot be measured, and why, in a line."""

    records: tuple[Benchmark, ...]
    reason: str

    def to_dict(self) -> dict[str, str]:
        """Give it as an entry of a document's `left_out`."""
        names = ", ".join(record.name for record in self.records)
        return {
            "benchmark": names,
            "title": f"message-passing benchmarks ({names})",
            "reason": self.reason,
            "kind": "software",
        }


def find_unmeasurable(records: Sequence[Benchmark], via: str | None) -> Absent | None:
    """Those of `records` that need ranks, where none can be compiled or started; None where all can be measured."""
    ranks = tuple(record for record in records if record.kind == "ranks")
    reason = mpi_obstacle(via) if ranks else None
    return Absent(ranks, reason) if reason else None


def mpi_obstacle(via: str | None) -> str | None:
    """Why no message-passing program can be compiled here, in a line; None where one can."""
    if via == "local":
        return "--via local starts one process without MPI"
    try:
        mpi = find_mpi()
        if mpi is None:
            return NO_MPI
        compiler = find_compiler(mpi=mpi)
        stamp = cache_root() / "programs" / "trial" / hashlib.sha256(compiler.key().encode()).hexdigest()[:20]
        if stamp.exists():
            return None
        stamp.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".trial-", dir=stamp.parent) as scratch:
            source, made = Path(scratch) / "trial.cpp", Path(scratch) / "trial"
            source.write_text(_TRIAL)
            command = replace(compiler, flags="-O0").command(source, made, Path(scratch), {})
            compiler.make("a trial program with MPI", command, made, _COMPILES_WITHIN)
        stamp.touch()
    except MeasurementError as error:
        return str(error)
    except OSError as error:
        raise MeasurementError(
            f"binaries cannot be stored in {cache_root()}: {error.strerror}; set ASSAY_CACHE"
        ) from None
    return None
