"""The programs that `./x bench files` compares with, each by what it is started with and what its answer says.

fio counts whole milliseconds of a pass, elbencho too; IOR the time of its calls, fsync included. What a peer did not do
as wanted is a MeasurementError: another number of bytes, an error, an answer without the figure.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import MeasurementError
from assay.execute.mpi import launch_environment
from bench._program_output import run


@dataclass(frozen=True)
class FileMatch:
    """One comparison: ours by its settings, a peer by the same in numbers; `share` of --size is moved in a pass."""

    name: str
    settings: tuple[str, ...]
    bytes: int
    share: int = 1
    random: bool = False
    depth: int = 1

    @property
    def direction(self) -> str:
        """What is compared: read or write."""
        return "write" if "direction=write" in self.settings else "read"


@dataclass(frozen=True)
class Pass:
    """One pass of a peer: the file, its bytes, the number of the launch, and a file for the answer."""

    match: FileMatch
    file: Path
    size: int
    number: int
    answer: Path


@dataclass(frozen=True)
class FilePeer:
    """A program to compare with: its command for a pass, and the pass's seconds and bytes in what it answered."""

    name: str
    command: Callable[[str, Pass], list[str]]
    moved: Callable[[str, Pass], tuple[float, int]]
    most_depth: int = 1 << 20
    lays_out: bool = True  # a file that is read is made by the pass that reads it

    def seconds_per_byte(self, program: str, one: Pass) -> float:
        """Of one pass; a file that is written is new, as ours."""
        one.answer.unlink(missing_ok=True)
        if one.match.direction == "write":
            one.file.unlink(missing_ok=True)
        elif not self.lays_out and not one.file.exists():
            run([*self.command(program, Pass(LAID_OUT, one.file, one.size, one.number, one.answer))], _environment())
            one.answer.unlink(missing_ok=True)
        output = run(self.command(program, one), _environment()).stdout
        return self.read(output, one)

    def read(self, output: str, one: Pass) -> float:
        """Seconds per byte of an answer; MeasurementError where it has none, or of another number of bytes."""
        try:
            seconds, done = self.moved(output, one)
        except (ValueError, KeyError, TypeError, OSError, StopIteration) as wrong:
            reason = f"no such figure ({type(wrong).__name__} {wrong})"
            raise MeasurementError(f"{self.name}'s answer has {reason}: {output.strip()[-200:]}") from None
        if done != one.size or not seconds > 0:
            raise MeasurementError(f"{self.name}: {done} of {one.size} bytes in {seconds:g} s")
        return seconds / done


LAID_OUT = FileMatch("what is read", ("direction=write",), 1 << 20)


def _environment() -> dict[str, str]:
    """With what an MPI wants that starts one process by itself."""
    return launch_environment(os.environ)


LONG = 1 << 20  # from here on a block of ours lies in a huge page (programs/files/engine.cpp)
HUGE = "glibc.malloc.hugetlb=1"  # the C library asks for huge pages for what it takes from the kernel
HEAP = f"{HUGE}:glibc.malloc.mmap_threshold={1 << 30}:glibc.malloc.top_pad={1 << 26}"


def _in_huge_pages(one: Pass, tunables: str) -> list[str]:
    """What starts a peer so that its long blocks lie in huge pages, as ours do."""
    return ["env", f"GLIBC_TUNABLES={tunables}"] * (one.match.bytes >= LONG)


def _fio(program: str, one: Pass) -> list[str]:
    """Long blocks lie in huge pages, too: the C library asks for them where what is allocated holds a whole one, which
    the alignment makes of it.
    """
    match = one.match
    words = [*_in_huge_pages(one, HUGE), program, "--name=peer"]
    words += [f"--filename={one.file}", f"--size={one.size}", f"--bs={match.bytes}"]
    words += ["--direct=1", "--output-format=json", f"--randseed={one.number}", "--overwrite=0"]
    words += [f"--rw={'rand' if match.random else ''}{match.direction}"]
    words += [f"--ioengine={'psync' if match.depth == 1 else 'io_uring'}", f"--iodepth={match.depth}"]
    words += ["--iomem_align=33554432"] * (match.bytes >= LONG)
    return words + ["--end_fsync=1", "--fallocate=none"] * (match.direction == "write")


def _fio_moved(output: str, one: Pass) -> tuple[float, int]:
    (job,) = json.loads(output[output.index("{") :])["jobs"]
    if job["error"]:
        raise MeasurementError(f"fio: error {job['error']}")
    return job[one.match.direction]["runtime"] / 1000, job[one.match.direction]["io_bytes"]


def _ior(program: str, one: Pass) -> list[str]:
    """Its blocks are allocated without alignment: they lie in huge pages where all that is allocated does."""
    words = [*_in_huge_pages(one, HEAP), program]
    words += ["-a", "POSIX", "--posix.odirect", "-o", str(one.file), "-b", str(one.size)]
    words += ["-t", str(one.match.bytes), "-k", "-O", "summaryFormat=JSON", "-O", f"summaryFile={one.answer}"]
    words += ["-z"] * one.match.random
    return [*words, "-w", "-e"] if one.match.direction == "write" else [*words, "-r"]


def _ior_moved(_: str, one: Pass) -> tuple[float, int]:
    """Of the one pass: the time of its calls; the bytes are the block's."""
    found = next(_with(json.loads(one.answer.read_text()), "wrRdTime"))
    if found["access"] != one.match.direction or found["xferKiB"] * 1024 != one.match.bytes:
        raise MeasurementError(f"IOR: {found['access']} of {found['xferKiB']} KiB")
    return float(found["wrRdTime"]), round(found["blockKiB"] * 1024)


def _with(document: Any, key: str) -> Iterator[dict[str, Any]]:
    """Every table of a JSON document that has this key."""
    if isinstance(document, dict) and key in document:
        yield document
    for inner in document.values() if isinstance(document, dict) else document if isinstance(document, list) else ():
        yield from _with(inner, key)


def _elbencho(program: str, one: Pass) -> list[str]:
    words = [*_in_huge_pages(one, HEAP), program]
    words += ["--direct", "-t", "1", "-s", str(one.size), "-b", str(one.match.bytes)]
    words += ["--jsonfile", str(one.answer), "--iodepth", str(one.match.depth)]
    words += ["--rand"] * one.match.random
    return [*words, "-w" if one.match.direction == "write" else "-r", str(one.file)]


def _elbencho_moved(_: str, one: Pass) -> tuple[float, int]:
    """Until the last thread was done; of random reads some blocks come twice, and others not."""
    phases = [json.loads(line) for line in _documents(one.answer.read_text())]
    (phase,) = (each for each in phases if each["phase_type"] == one.match.direction.upper())
    return float(phase["last_done"]["elapsed_time_ms"]) / 1000, int(phase["last_done"]["bytes"])


def _documents(text: str) -> Iterator[str]:
    """JSON documents that stand one behind the other."""
    decoder, at = json.JSONDecoder(), 0
    while (rest := text[at:].lstrip()) != "":
        _, length = decoder.raw_decode(rest)
        yield rest[:length]
        at = len(text) - len(rest) + length


FIO = FilePeer("fio", _fio, _fio_moved)
IOR = FilePeer("IOR", _ior, _ior_moved, most_depth=1, lays_out=False)
ELBENCHO = FilePeer("elbencho", _elbencho, _elbencho_moved, lays_out=False)
PEERS = (FIO, IOR, ELBENCHO)
