"""`./x test --sanitize`: the native code under the address and undefined-behaviour sanitizers.

Builds the core with its native tests and runs them; then every node program for a few repetitions, and every
message-passing program on two ranks where there is an MPI. A finding ends with exit status 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.benchmark.record import Benchmark, benchmarks
from assay.execute.mpi import find_mpi

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "sanitized"
FLAGS = [
    "-std=c++20",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
]
SMALL = {"memory": ["--slice", "0.01"], "caltech": ["--set", "form=latency"]}


def step(name: str, command: list[str], **environment: str) -> bool:
    """Run one command; says how it ended and returns whether it was clean."""
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    clean = done.returncode == 0
    print(f"{'clean' if clean else 'FAILED'}: {name}", flush=True)
    if not clean:
        print((done.stdout + done.stderr)[-6000:])
    return clean


def program(record: Benchmark, folder: Path) -> bool:
    """Compile and run one node program."""
    binary = folder / record.name
    flags = list(record.extra.get("flags", ()))
    compiled = step(
        f"{record.name}, compiled",
        [os.environ.get("CXX", "g++"), *FLAGS, *flags, "-I", "programs", str(record.path), "-o", str(binary)],
    )
    words = ["--profile", "quick", "--repetitions", "2", "--blocks", "1", *SMALL.get(record.name, [])]
    return compiled and step(record.name, [str(binary), *words, "--out", os.devnull])


def ranks(record: Benchmark, folder: Path) -> bool:
    """Compile and run one message-passing program on two ranks; leaks inside MPI libraries are not ours."""
    mpi = find_mpi()
    if mpi is None:
        print(f"left out: {record.name}, there is no MPI here")
        return True
    binary = folder / record.name
    text = f'-DASSAY_PROGRAM="ranks/{record.path.name}"'
    compile_it = [str(mpi.mpicxx), *FLAGS, "-I", "programs", text, "programs/mpi/main.cpp", "-o", str(binary)]
    run_it = [str(mpi.mpiexec), "-n", "2", str(binary), "--repetitions", "2", "--blocks", "1", "--deadline", "120"]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return step(f"{record.name}, compiled", compile_it) and step(
        record.name, [*run_it, "--out", os.devnull], ASAN_OPTIONS="detect_leaks=0", **root
    )


def main() -> int:
    """Do every step; 1 where any was not clean."""
    configure = ["cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", "-DASSAY_SANITIZE=ON", "-DASSAY_TESTS=ON"]
    clean = step("core, configured", [*configure, "-DCMAKE_BUILD_TYPE=Debug"])
    clean = clean and step("core, compiled", ["cmake", "--build", str(BUILD)])
    clean = clean and step("core, native tests", ["ctest", "--test-dir", str(BUILD), "--output-on-failure"])
    with tempfile.TemporaryDirectory() as folder:
        for record in benchmarks().values():
            clean &= (program if record.kind == "node" else ranks)(record, Path(folder))
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
