"""MPICH as PyPI's wheel has it, for `assay mpirun --library mpich`: where `./x test` has installed it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.mpi.fabric import PLACE, Mpich, find_mpich

INSTALLED = Path(__file__).parents[1] / "build" / "mpich"
FOLDER = os.environ.get(PLACE) or (str(INSTALLED) if (INSTALLED / "bin" / "mpiexec").is_file() else None)
needs_mpich = pytest.mark.skipif(FOLDER is None, reason="MPICH's wheel is not here")


def mpich() -> Mpich:
    """The installation."""
    assert FOLDER is not None
    return find_mpich({PLACE: FOLDER})


def apart(folder: Path, words: Sequence[str]) -> list[str]:
    """Words that write each rank's output into a file of its own: MPICH's launcher mixes parts of lines."""
    return ["sh", "-c", 'exec "$@" >"$0/$PMI_RANK"', str(folder), *words]


def lines(folder: Path) -> list[str]:
    """All lines of these files, in order."""
    return sorted(line for path in folder.iterdir() for line in path.read_text().splitlines())


def really(folder: Path, ranks: int, words: Sequence[str]) -> list[str]:
    """What a program prints over the same MPICH on this computer."""
    here = mpich()
    command = [str(here.mpiexec), "-n", str(ranks), *apart(folder, words)]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(here.libraries)}
    subprocess.run(command, check=True, env=environment, stdin=subprocess.DEVNULL, timeout=120)
    return lines(folder)
