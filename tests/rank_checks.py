"""Checks of tests/native that each communicator must pass: simulated ranks, by night also sanitized, and by MPI."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import twin_cases
from by_night import by_night
from compiled import SANITIZERS, WORLD_SOURCES, compile_to
from mpis_here import MPI, start_ranks
from started import words

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "tests" / "native"
HOW = by_night(["plain", "sanitized"], ["plain"])


def passes_simulated(name: str, folder: Path, how: str) -> None:
    """Compile NAME.test.cpp with the core's library, or all of it under the sanitizers, and run it: it says nothing."""
    source = NATIVE / f"{name}.test.cpp"
    if how == "sanitized":
        flags = ("-O0", f"-I{ROOT / 'core'}", f"-I{NATIVE}")
        program = compile_to(folder / f"{name}_test", source, *flags, base=SANITIZERS, more=WORLD_SOURCES)
    else:
        headers = [*(ROOT / "core").rglob("*.hpp"), *NATIVE.glob("*.hpp"), twin_cases.LIBRARY]
        words = (str(twin_cases.LIBRARY), f"-I{NATIVE}")
        program = twin_cases.build(f"{name}-test", [source], *words, depends=headers)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert (ended.stderr, ended.returncode) == ("", 0)


def passes_by_mpi(name: str, ranks: int, folder: Path) -> None:
    """Compile NAME_program.hpp for MPI into `folder` and run it on so many ranks: its one check passes."""
    assert MPI is not None
    flags = (f'-DASSAY_PROGRAM="{NATIVE / f"{name}_program.hpp"}"', f"-I{NATIVE}", "-O0")
    program = compile_to(folder / name, ROOT / "programs" / "mpi" / "main.cpp", *flags, mpi=MPI)
    ended = start_ranks(MPI, ranks, program, *words("barrier", "--deadline", "100"))
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert [each["passed"] for each in found if each["event"] == "check"] == [True], ended.stderr
    assert ended.returncode == 0
