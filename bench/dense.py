"""`./x bench dense [--hpl FOLDER]`: Cholesky and LU beside the library's on one process, and LU beside HPL's.

On one process with one thread: `dense` with the site's BLAS, and LAPACK's dpotrf and dgesv as SciPy brings them. On two
and more, where `--hpl` is given: the folder of HPL's `xhpl` or of `hpcc` (Debian's package of that name), with the same
equations, block and grid. Both run in turn, as often as `--launches` says; of each launch the best time of three counts
on one process (HPL: its one run), and the ratio is that of the launches' medians. A result that does not pass its check
is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import InputError
from assay.execute.build import build
from assay.execute.mpi import Mpi, find_mpi, launch_environment

WITHIN = 900.0  # seconds of a launch
READINGS = 3
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
LIBRARY = """
import sys, time
import numpy as np
from scipy.linalg import lapack
n, what, kind, readings = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
random = np.random.default_rng(1)
made = random.random((n, n)).astype(kind) - 0.5
if what == "cholesky":
    made = np.tril(made) + np.tril(made, -1).T + n * np.eye(n, dtype=kind)
right = random.random(n).astype(kind)
letter = {"float64": "d", "float32": "s"}[kind]
best = float("inf")
for _ in range(readings + 1):  # the first touches memory
    a, b = np.array(made, order="F"), right.copy()
    began = time.perf_counter()
    if what == "cholesky":
        status = getattr(lapack, letter + "potrf")(a, lower=1, overwrite_a=1, clean=0)[-1]
    else:
        status = getattr(lapack, letter + "gesv")(a, b, overwrite_a=1, overwrite_b=1)[-1]
    best = min(best, time.perf_counter() - began)
    assert status == 0
print(best)
"""
# HPL.dat, and hpcc's hpccinf.txt, whose further lines say that nothing more is asked for.
HPL_DAT = """HPLinpack benchmark input file
made by ./x bench dense
HPL.out      output file name (if any)
6            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{size}       Ns
1            # of NBs
{block}      NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{rows}       Ps
{columns}    Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
8            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
2            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
0            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### further lines are hpcc's
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


def operations(what: str, size: int) -> float:
    """Flops as LINPACK counts them."""
    n = float(size)
    return n**3 / 3 + n**2 / 2 + n / 6 if what == "cholesky" else 2 * n**3 / 3 + 3 * n**2 / 2


def library(mpi: Mpi, what: str, size: int, kind: str) -> float | None:
    """Flop/s of LAPACK's on one thread, started as ours are, so that a scheduler treats both in one way."""
    words = [mpi.mpiexec, "-n", "1", sys.executable, "-c", LIBRARY, str(size), what, kind, str(READINGS)]
    found = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=WITHIN,
        check=True,
        env=launch_environment(os.environ) | ONE_THREAD,
    )
    return operations(what, size) / float(found.stdout)


def ours(mpi: Mpi, program: Path, ranks: int, what: str, size: int, kind: str, block: int) -> float | None:
    """Flop/s of ours."""
    given = (f"factorisation={what}", f"size={size}", f"type={kind}", f"block={block}", "code=library")
    words = program_words(benchmark("dense"), [word for each in given for word in ("--set", each)])
    line = [mpi.mpiexec, "-n", str(ranks), str(program), *words, "--blocks", "1", "--repetitions", str(READINGS)]
    found = subprocess.run(
        line, capture_output=True, text=True, timeout=WITHIN, check=False, env=launch_environment(os.environ)
    )
    events = [json.loads(text) for text in found.stdout.splitlines() if text.startswith("{")]
    if not any(event["event"] == "check" and event["passed"] for event in events):
        return None
    (block_event,) = (event for event in events if event["event"] == "block")
    return float(operations(what, size) / min(block_event["values"]))


def hpl(mpiexec: str, folder: Path, ranks: int, size: int, block: int) -> float | None:
    """Flop/s that HPL prints; None where its residual does not pass."""
    program = next((folder / name for name in ("xhpl", "hpcc") if (folder / name).is_file()), None)
    if program is None:
        raise InputError("holds neither xhpl nor hpcc", key="--hpl", value=str(folder), accepted="the folder of one")
    rows = max(each for each in range(1, int(ranks**0.5) + 1) if ranks % each == 0)
    text = HPL_DAT.format(size=size, block=block, rows=rows, columns=ranks // rows)
    with tempfile.TemporaryDirectory(prefix="assay-hpl-") as scratch:
        for name in ("HPL.dat", "hpccinf.txt"):
            (Path(scratch) / name).write_text(text)
        line = [mpiexec, "-n", str(ranks), str(program)]
        environment = os.environ | ONE_THREAD
        found = subprocess.run(
            line, capture_output=True, text=True, timeout=WITHIN, check=False, env=environment, cwd=scratch
        )
        written = Path(scratch) / "hpccoutf.txt"
        output = found.stdout + (written.read_text() if written.is_file() else "")
    rate = re.search(r"^W[RC]\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+[\d.]+\s+(\S+)", output, re.MULTILINE)
    return 1e9 * float(rate[1]) if rate and "PASSED" in output else None


def row(words: str, mine: Callable[[], float | None], theirs: Callable[[], float | None], launches: int) -> bool:
    """Print a ratio of medians; False where one of both has no result."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(launches):
        for rates, rate in zip(found, (mine(), theirs()), strict=True):
            rates.extend([] if rate is None else [rate])
    if not all(found):
        print(f"{words}no result of {'ours' if not found[0] else 'theirs'} passed")
        return False
    one, other = (statistics.median(rates) for rates in found)
    counts = f"{len(found[0])} and {len(found[1])} launches"
    print(f"{words}{one / 1e9:10.2f}{other / 1e9:10.2f}{one / other:8.2f}   Gflop/s; {counts}", flush=True)
    return True


def main(arguments: Sequence[str]) -> int:
    """Print a row for each factorisation, type and size."""
    parser = argparse.ArgumentParser(prog="./x bench dense", description=__doc__)
    parser.add_argument("--hpl", type=Path, help="folder of xhpl or hpcc")
    parser.add_argument("--hpl-mpiexec", help="the mpiexec of HPL's MPI, where it is another than that found here")
    parser.add_argument("--sizes", default="1000,2000,4000")
    parser.add_argument("--types", default="float64,float32")
    parser.add_argument("--ranks", type=int, default=2, help="beside HPL")
    parser.add_argument("--block", type=int, default=64)
    parser.add_argument("--launches", type=int, default=5)
    options = parser.parse_args(arguments)
    mpi = find_mpi()
    if mpi is None:
        raise InputError("no MPI is installed here", accepted="an MPI library with mpicxx and mpiexec")
    program, block, launches = build([benchmark("dense")], mpi=mpi)["dense"].path, options.block, options.launches
    sizes = [int(size) for size in options.sizes.split(",")]
    passed = True
    print(f"{'':32}{'ours':>10}{'theirs':>10}{'ratio':>8}")
    for size in sizes:
        for kind in options.types.split(","):
            for what in ("cholesky", "lu"):
                passed &= row(
                    f"{what:10}{kind:9}{size:6} LAPACK ",
                    partial(ours, mpi, program, 1, what, size, kind, block),
                    partial(library, mpi, what, size, kind),
                    launches,
                )
        if options.hpl:
            passed &= row(
                f"{'lu':10}{'float64':9}{size:6} HPL    ",
                partial(ours, mpi, program, options.ranks, "lu", size, "float64", block),
                partial(hpl, options.hpl_mpiexec or mpi.mpiexec, options.hpl, options.ranks, size, block),
                launches,
            )
    return int(not passed)
