"""`./x test --sanitize`: the native code under the address and undefined-behaviour sanitizers.

Builds the core with its native tests and runs them; plays a sample of the twin's networks, of crowded ones and of I/O
nodes through the engines so built, and jobs that come and are ended on described machines; then every node program for
a few repetitions, and every message-passing program on two ranks where there is an MPI. A finding ends with status 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import several_jobs
import small_mixes
import started
import test_twin_chains
import twin_cases
from assay.benchmark.record import Benchmark, benchmarks
from assay.errors import MeasurementError
from assay.execute.build import build
from assay.execute.mpi import Mpi, find_mpi

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "sanitized"
FLAGS = "-O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all"
SMALL = {"memory": ["--slice", "0.01"], "caltech": ["--set", "form=latency"]}


def step(name: str, command: list[str], **environment: str) -> bool:
    """Run one command; says how it ended and returns whether it was clean."""
    halt = {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
    done = subprocess.run(command, cwd=ROOT, env=os.environ | halt | environment, capture_output=True, text=True)
    clean = done.returncode == 0
    print(f"{'clean' if clean else 'FAILED'}: {name}", flush=True)
    if not clean:
        print((done.stdout + done.stderr)[-6000:])
    return clean


def networks(folder: Path) -> bool:
    """The twin's networks, small ones of every topology, through the engines: any difference counts as well."""
    library, flags = (
        BUILD / "libassay_core.a",
        ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    )
    engine, twin = twin_cases.engine(library, flags), twin_cases.twin()
    cases = [twin_cases.case(number, 7, 100) for number in range(300)]
    cases += [twin_cases.case(number, 8, 60, twin_cases.LANES) for number in range(60)]
    cases += [twin_cases.crowded_cube(number, 9, 300) for number in range(40)]
    (folder / "cases").write_text("".join(case.text() for case in cases))
    files = [str(folder / name) for name in ("cases", "found", "expected")]
    clean = step("twin's networks", [str(engine), files[0], files[1]])
    clean = clean and step("the twin itself", [str(twin), files[0], files[2]])
    clean = clean and step("engines and twin alike", ["cmp", files[1], files[2]])
    machines = [test_twin_chains.machine(number).line(number) + "\n" for number in range(20)]
    (folder / "machines").write_text("".join(machines))
    chains = twin_cases.chains(library, flags)
    return step("I/O nodes", [str(chains), str(folder / "machines"), str(folder / "sent")]) and clean


def jobs(folder: Path) -> bool:
    """Jobs that begin, end and are ended at random on described machines, messages and files of several at a time."""
    flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    source = ROOT / "tests" / "native" / "several_jobs.cpp"
    player = twin_cases.build(
        "several_jobs", [source], str(BUILD / "libassay_core.a"), *flags, depends=[BUILD / "libassay_core.a"]
    )
    files = ("parallel-files", 3, ("--set", "bytes=5000", "--set", "section=20000", "--set", "repetitions=1"))
    written = ("parallel-files", 2, (*files[2], "--set", "direction=write", "--set", "layout=sections"))
    programs = [
        ("echo", 2, ("--set", "bytes=8,3000", "--set", "repetitions=3")),
        ("alltoall", 4, ("--set", "bytes=64,2048")),
        ("collective", 5, ("--set", "operation=allreduce", "--set", "algorithm=ring", "--set", "bytes=4096")),
    ]
    clean = True
    for name, text in (("crossbar", small_mixes.CROSSBAR), ("cube", small_mixes.CUBE), ("line", small_mixes.LINE)):
        with_files = name != "line"  # which has too few nodes for I/O nodes of its own
        more = small_mixes.STORAGE + small_mixes.DEVICE + small_mixes.BUFFERS if with_files else ""
        several_jobs.write(
            folder / name, small_mixes.described(folder, text + more), programs + [files, written] * with_files
        )
        clean &= step(f"jobs beside one another, {name}", [str(player), str(folder / name), "40"])
    return clean


def compiled(record: Benchmark, mpi: Mpi | None) -> Path | None:
    """The program under the sanitizers, as a run compiles it; None where it does not compile."""
    try:
        binary = build([record], mpi=mpi, cache=BUILD)[record.name].path
    except MeasurementError as error:
        print(f"FAILED: {record.name}, compiled\n{error}", flush=True)
        return None
    return binary


def program(record: Benchmark) -> bool:
    """Compile and run one node program."""
    binary = compiled(record, None)
    words = ["--profile", "quick", "--repetitions", "2", "--blocks", "1", *SMALL.get(record.name, [])]
    return binary is not None and step(
        record.name, [str(binary), *started.words(record.name, *words, "--out", os.devnull)]
    )


def ranks(record: Benchmark) -> bool:
    """Compile and run one message-passing program on two ranks; leaks inside MPI libraries are not ours."""
    mpi = find_mpi()
    if mpi is None:
        print(f"left out: {record.name}, there is no MPI here")
        return True
    binary = compiled(record, mpi)
    words = started.words(record.name, "--repetitions", "2", "--blocks", "1", "--deadline", "120", "--out", os.devnull)
    run_it = [str(mpi.mpiexec), "-n", "2", str(binary), *words]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return binary is not None and step(record.name, run_it, ASAN_OPTIONS="detect_leaks=0", **root)


def main() -> int:
    """Do every step; 1 where any was not clean."""
    configure = ["cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", "-DASSAY_SANITIZE=ON", "-DASSAY_TESTS=ON"]
    clean = step("core, configured", [*configure, "-DCMAKE_BUILD_TYPE=Debug"])
    clean = clean and step("core, compiled", ["cmake", "--build", str(BUILD)])
    clean = clean and step("core, native tests", ["ctest", "--test-dir", str(BUILD), "--output-on-failure"])
    with tempfile.TemporaryDirectory() as folder:
        clean = clean and networks(Path(folder)) and jobs(Path(folder))
    os.environ["CXXFLAGS"] = FLAGS
    for record in benchmarks().values():
        clean &= (program if record.kind == "node" else ranks)(record)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
