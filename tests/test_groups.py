"""Groups of ranks (`split` by colour and key): the same checks on simulated ranks, under the sanitizers, and by MPI."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from assay.execute.mpi import launch_environment
from compiled import SANITIZERS, WORLD_SOURCES, compile_to
from mpis_here import CROWD, MPI
from started import words

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "tests" / "native"


def test_groups_of_simulated_ranks(tmp_path: Path) -> None:
    flags = ("-O0", f"-I{ROOT / 'core'}", f"-I{NATIVE}")
    program = compile_to(
        tmp_path / "groups_test", NATIVE / "groups.test.cpp", *flags, base=SANITIZERS, more=WORLD_SOURCES
    )
    ended = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ended.stderr, ended.returncode) == ("", 0)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_groups_by_mpi(tmp_path: Path) -> None:
    assert MPI is not None
    source = NATIVE / "groups_program.hpp"
    flags = (f'-DASSAY_PROGRAM="{source}"', f"-I{NATIVE}", "-O0")
    program = compile_to(tmp_path / "groups", ROOT / "programs" / "mpi" / "main.cpp", *flags, mpi=MPI)
    command = [MPI.mpiexec, "-n", "6", str(program), *words("barrier", "--deadline", "100")]
    environment = launch_environment(os.environ) | CROWD
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert [each["passed"] for each in found if each["event"] == "check"] == [True], ended.stderr
    assert ended.returncode == 0
