"""Any tag, the first of several receives, testing and probing: the same checks on simulated ranks and by MPI."""

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


def test_asking_for_messages_on_simulated_ranks(tmp_path: Path) -> None:
    """Under the sanitizers; also where messages overtake one another, and where nothing ever comes."""
    flags = ("-O0", f"-I{ROOT / 'core'}", f"-I{NATIVE}")
    source = NATIVE / "polling.test.cpp"
    program = compile_to(tmp_path / "polling_test", source, *flags, base=SANITIZERS, more=WORLD_SOURCES)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ended.stderr, ended.returncode) == ("", 0)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_asking_for_messages_by_mpi(tmp_path: Path) -> None:
    assert MPI is not None
    source = NATIVE / "polling_program.hpp"
    flags = (f'-DASSAY_PROGRAM="{source}"', f"-I{NATIVE}", "-O0")
    program = compile_to(tmp_path / "polling", ROOT / "programs" / "mpi" / "main.cpp", *flags, mpi=MPI)
    command = [MPI.mpiexec, "-n", "4", str(program), *words("barrier", "--deadline", "100")]
    environment = launch_environment(os.environ) | CROWD
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert [each["passed"] for each in found if each["event"] == "check"] == [True], ended.stderr
    assert ended.returncode == 0
