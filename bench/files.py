"""`./x bench files --folder DIR`: file-rate beside fio, past the page cache, on the same file system.

METHOD rule 9, thirty launches. A launch holds fio, fio again (A/A) and ours in a drawn order: the same bytes in the
same blocks by the same system calls, each block once, one process, O_DIRECT, no space allocated beforehand. 1 MiB
sequential (pread and pwrite), and 4 KiB in random order with 1 read in flight (pread) and 16 (io_uring, where the
kernel takes it). What is compared is the time per byte of a launch. fio lays its file out before the first launch,
ours at each start: an SSD may serve them unequally, which is a finding. Rates of ours that came from no device are
named, and nothing is compared then. fio counts whole milliseconds: `--size` should keep a pass well above a tenth of
a second. `--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assay.analysis.comparison import ComparisonVerdict
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import build
from bench._pairs import Trio, in_one_launch
from bench._program_output import output_lines, run


@dataclass(frozen=True)
class FileMatch:
    """One comparison: ours by its settings, fio by its options; `share` of --size is moved in a pass."""

    name: str
    settings: tuple[str, ...]
    options: tuple[str, ...]
    bytes: int
    share: int = 1

    @property
    def direction(self) -> str:
        """What is compared: read or write."""
        return "write" if "direction=write" in self.settings else "read"


READ, WRITE = ("direction=read", "before=emptied"), ("direction=write",)
MATCHES = (
    FileMatch("1 MiB sequential read", (*READ, "engine=direct"), ("--rw=read", "--ioengine=psync"), 1048576),
    FileMatch(
        "1 MiB sequential write",
        (*WRITE, "engine=direct"),
        ("--rw=write", "--ioengine=psync", "--end_fsync=1", "--fallocate=none"),
        1048576,
    ),
    FileMatch(
        "4 KiB random read, depth 1",
        (*READ, "access=random", "engine=direct"),
        ("--rw=randread", "--ioengine=psync"),
        4096,
        16,
    ),
    FileMatch(
        "4 KiB random read, depth 16",
        (*READ, "access=random", "engine=uring", "depth=16"),
        ("--rw=randread", "--ioengine=io_uring", "--iodepth=16"),
        4096,
        4,
    ),
)


def fio_seconds_per_byte(text: str, direction: str, wanted: int) -> float:
    """Time per byte of fio's JSON; MeasurementError where it failed or moved another number of bytes."""
    try:
        (job,) = json.loads(text[text.index("{") :])["jobs"]
        done, runtime, error = job[direction]["io_bytes"], job[direction]["runtime"], job["error"]
    except (ValueError, KeyError, TypeError) as wrong:
        raise MeasurementError(f"fio's answer has no such figure ({wrong}): {text.strip()[-200:]}") from None
    if error or done != wanted or runtime <= 0:
        raise MeasurementError(f"fio: error {error}, {done} of {wanted} bytes in {runtime} ms")
    return float(runtime) / 1000 / float(done)


def our_seconds_per_byte(lines: list[str]) -> float:
    """Time per byte of file-rate's lines, which must all be of the device."""
    events: list[dict[str, Any]] = [json.loads(line) for line in lines if line.startswith("{")]
    blocks = [each for each in events if each["event"] == "block" and each["metric"] == "time"]
    sources = {each["case"]["source"] for each in blocks}
    if sources != {"device"}:
        notes = "; ".join(each["text"] for each in events if each["event"] == "note")
        seen = ", ".join(sorted(sources)) or "nowhere"
        raise MeasurementError(f"ours is of {seen}, not the device alone: {notes}")
    refused = [each["text"] for each in events if each["event"] == "note" and "io_uring is refused" in each["text"]]
    if refused:
        raise MeasurementError(refused[0])
    (value,) = (value for each in blocks for value in each["values"])
    return float(value)


def launch(match: FileMatch, fio: str, program: Path, folder: Path, size: int, number: int) -> Trio:
    """Fio, fio again and ours, in a drawn order; s per byte."""
    words = ["--set", f"folder={folder}", "--set", f"size={size}", "--set", f"bytes={match.bytes}"]
    words += [word for each in match.settings for word in ("--set", each)]
    words += ["--blocks", "1", "--slice", "600", "--seed", str(number)]
    command = [str(program), *program_words(benchmark("file-rate"), words)]
    peer = [fio, "--name=peer", f"--filename={folder / match.direction}", f"--size={size}", f"--bs={match.bytes}"]
    peer += ["--direct=1", "--output-format=json", f"--randseed={number}", "--overwrite=0", *match.options]
    found = [0.0, 0.0, 0.0]
    for side in random.Random(f"{match.name} {number}").sample(range(3), 3):
        if side == 2:
            found[side] = our_seconds_per_byte(output_lines(command))
        else:
            if match.direction == "write":  # a new file, as ours
                (folder / "write").unlink(missing_ok=True)
            found[side] = fio_seconds_per_byte(run(peer).stdout, match.direction, size)
    return found[0], found[1], found[2]


def main(arguments: list[str]) -> int:
    """Run the comparisons; 1 where one differs or could not be made."""
    parser = argparse.ArgumentParser(prog="./x bench files", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="a folder on the file system to measure")
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument("--size", type=int, default=1 << 29, help="bytes of a sequential pass; random ones take a part")
    parser.add_argument("--only", help="a part of a comparison's name: read, write, random, depth 16")
    parser.add_argument("--fio", default=shutil.which("fio"), help="fio (default: the one of PATH)")
    given = parser.parse_args(arguments)
    if given.fio is None:
        print("fio is not here: apt-get install fio, or --fio PATH")
        return 2
    matches = [match for match in MATCHES if given.only is None or given.only in match.name]
    program = build([benchmark("file-rate")], mpi=None)["file-rate"].path
    version = run([given.fio, "--version"]).stdout.strip()
    print(f"load {os.getloadavg()[0]:.1f}; {given.launches} launches in {given.folder}; {version}")
    failed = False
    with tempfile.TemporaryDirectory(prefix="assay-bench-", dir=given.folder) as folder:
        for match in matches:
            size = given.size // match.share
            one = partial(launch, match, given.fio, program, Path(folder), size)
            try:
                found = in_one_launch(one, given.launches, f"{match.name}, fio", unit=(1e9, "ns/B"))
                failed |= found.verdict is ComparisonVerdict.DIFFERS
            except MeasurementError as error:  # a word on the next is still worth having
                print(f"{match.name}: {error}", flush=True)
                failed = True
    return 1 if failed else 0
