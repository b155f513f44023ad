"""MPI programs of the tests, compiled by `assay mpicc` and run on described machines in this process."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from assay.benchmark.own import cache_root
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from assay.mpi import request, wrappers
from assay.mpi.launch import MpiLaunch, Request, launch
from assay.mpi.library import library
from compiled import made_once

SOURCES = Path(__file__).parent / "mpi"
CACHE = str(cache_root())  # the library is half a minute's compiling, and no test's own


def written(name: str) -> bytes:
    """What the program tests/mpi/NAME.c is compiled from."""
    return b"\0".join(path.read_bytes() for path in (SOURCES / f"{name}.c", *sorted(SOURCES.glob("*.h"))))


@functools.cache
def compiled(name: str) -> Path:
    """The program tests/mpi/NAME.c; kept while neither it nor the library's interface changes."""
    source = SOURCES / f"{name}.c"
    command = wrappers.command("c", ["-w", "-O1", str(source)])
    key = hashlib.sha256(written(name) + "\0".join(command).encode()).hexdigest()[:20]
    return made_once(name, key, lambda fresh: subprocess.run([*command, "-o", str(fresh)], check=True))


def shared_memory() -> set[Path]:
    """What lies in shared memory: of this test, and of those that run at the same time."""
    return {*Path("/dev/shm").iterdir()}


def gone(files: set[Path]) -> None:
    """Wait until these are not there: what another test has in shared memory goes with that test."""
    end = time.monotonic() + 60
    while left := [str(each) for each in files if each.exists()]:
        assert time.monotonic() < end, f"left in shared memory: {left}"
        time.sleep(0.1)


def resolved(*words: str) -> list[str]:
    """Words of a command, with a program's path for each `mpi:NAME`, which are run with what is compiled already."""
    if "ASSAY_CACHE" in os.environ and any(word.startswith("mpi:") for word in words):
        os.environ["ASSAY_CACHE"] = CACHE  # a test that set another one restores it
    return [str(compiled(word.removeprefix("mpi:"))) if word.startswith("mpi:") else word for word in words]


def asked(machine: str | DescribedMachine, ranks: int, name: str, *arguments: str, **options: object) -> Request:
    """A request for one of these programs; `options`: of the request, and `placement`, a way and a seed."""
    description = open_described(machine, {}) if isinstance(machine, str) else machine
    placement = options.pop("placement", None)
    tables, places, processors = request.places_of(description, ranks, None, placement)  # type: ignore[arg-type]
    words = [str(compiled(name)), *arguments]
    return Request(words, tables, places, processors, **options)  # type: ignore[arg-type]


def ran(wish: Request) -> tuple[MpiLaunch, str]:
    """What became of it, and its standard output."""
    with tempfile.TemporaryFile() as out:
        made = launch(replace(wish, output=out.fileno()), library())
        out.seek(0)
        return made, out.read().decode()


def output(machine: str | DescribedMachine, ranks: int, name: str, *arguments: str, **options: object) -> str:
    """The standard output of a program that ends well."""
    made, text = ran(asked(machine, ranks, name, *arguments, **options))
    assert not made.served.failure and not made.served.waiting and made.exit_status == 0, made.served.failure
    return text
