"""`./x bench files --folder DIR`: file-rate beside fio, past the page cache, on the same file system; `--ior PATH` and
`--elbencho PATH` in its place.

method.md, rule 9, thirty launches. Each runs the peer, the peer again (A/A) and ours in random order: the same bytes
in the same blocks by the same system calls, each block once, one process, O_DIRECT, no space allocated beforehand.
1 MiB sequential (pread and pwrite; a peer's block lies in huge pages, as ours: of scattered ones a device may make two
requests), and 4 KiB in random order with 1 read in flight (pread) and 16 (io_uring, where the kernel takes it;
elbencho: libaio; not of IOR). What is compared is the time per byte of a launch. fio lays its file out before the first
launch, ours at each start: an SSD may serve them unequally, which is a finding. Rates of ours that came from no device
are named, and nothing is compared then. fio and elbencho count whole milliseconds: `--size` should keep a pass well
above a tenth of a second. elbencho's random reads do not come to each block once, and its writes end without fsync:
such pairs claim nothing of the difference. `--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from assay.analysis.comparison import ComparisonVerdict
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import build
from bench._file_peers import FIO, PEERS, FileMatch, FilePeer, Pass
from bench._pairs import Trio, in_one_launch
from bench._program_output import output_lines

READ, WRITE = ("direction=read", "before=emptied"), ("direction=write",)
MATCHES = (
    FileMatch("1 MiB sequential read", (*READ, "engine=direct"), 1048576),
    FileMatch("1 MiB sequential write", (*WRITE, "engine=direct"), 1048576),
    FileMatch("4 KiB random read, depth 1", (*READ, "access=random", "engine=direct"), 4096, 16, random=True),
    FileMatch(
        "4 KiB random read, depth 16", (*READ, "access=random", "engine=uring", "depth=16"), 4096, 4, True, depth=16
    ),
)


def our_seconds_per_byte(lines: list[str]) -> float:
    """Time per byte of file-rate's lines, which must all be of the device."""
    events: list[dict[str, Any]] = [json.loads(line) for line in lines if line.startswith("{")]
    blocks = [each for each in events if each["event"] == "block" and each["metric"] == "time"]
    sources = {each["case"]["source"] for each in blocks}
    if sources != {"device"}:
        notes = "; ".join(each["text"] for each in events if each["event"] == "note")
        seen = ", ".join(sorted(sources)) or "nowhere"
        raise MeasurementError(f"ours is of {seen}, not the device alone: {notes}")
    (value,) = (value for each in blocks for value in each["values"])
    return float(value)


def launch(
    match: FileMatch, peer: FilePeer, program_of_peer: str, program: Path, folder: Path, size: int, number: int
) -> Trio:
    """The peer, the peer again and ours, in a drawn order; s per byte."""
    words = ["--set", f"folder={folder}", "--set", f"size={size}", "--set", f"bytes={match.bytes}"]
    words += [word for each in match.settings for word in ("--set", each)]
    words += ["--blocks", "1", "--slice", "600", "--seed", str(number)]
    command = [str(program), *program_words(benchmark("file-rate"), words)]
    one = Pass(match, folder / f"{match.direction}-{size}", size, number, folder / "answer.json")
    found = [0.0, 0.0, 0.0]
    for side in random.Random(f"{match.name} {number}").sample(range(3), 3):
        if side == 2:
            found[side] = our_seconds_per_byte(output_lines(command))
        else:
            found[side] = peer.seconds_per_byte(program_of_peer, one)
    return found[0], found[1], found[2]


def main(arguments: list[str]) -> int:
    """Run the comparisons; 1 where one differs or could not be made."""
    parser = argparse.ArgumentParser(prog="./x bench files", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="a folder on the file system to measure")
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument("--size", type=int, default=1 << 29, help="bytes of a sequential pass; random ones take a part")
    parser.add_argument("--only", help="a part of a comparison's name: read, write, random, depth 16")
    parser.add_argument("--fio", help="fio (default: the one of PATH, where no other peer is given)")
    parser.add_argument("--ior", help="IOR, built with an MPI")
    parser.add_argument("--elbencho", help="elbencho")
    given = parser.parse_args(arguments)
    peers = [(peer, path) for peer in PEERS if (path := getattr(given, peer.name.lower())) is not None]
    if not peers and (fio := shutil.which("fio")) is not None:
        peers = [(FIO, fio)]
    if not peers:
        print("fio is not here: apt-get install fio, or --fio PATH, --ior PATH, --elbencho PATH")
        return 2
    for peer, path in peers:
        if shutil.which(path) is None:
            print(f"--{peer.name.lower()} {path}: no such program; expected a program's path")
            return 2
    matches = [match for match in MATCHES if given.only is None or given.only in match.name]
    program = build([benchmark("file-rate")], mpi=None)["file-rate"].path
    print(f"load {os.getloadavg()[0]:.1f}; {given.launches} launches in {given.folder}")
    failed = False
    with tempfile.TemporaryDirectory(prefix="assay-bench-", dir=given.folder) as folder:
        for peer, path in peers:
            print(f"{peer.name}: {path}", flush=True)
            for match in matches:
                if match.depth > peer.most_depth:
                    print(f"{match.name}: {peer.name} has no such depth", flush=True)
                    continue
                one = partial(launch, match, peer, path, program, Path(folder), given.size // match.share)
                try:
                    found = in_one_launch(one, given.launches, f"{match.name}, {peer.name}", unit=(1e9, "ns/B"))
                    failed |= found.verdict is ComparisonVerdict.DIFFERS
                except MeasurementError as error:  # a word on the next is still worth having
                    print(f"{match.name}: {error}", flush=True)
                    failed = True
            for left in Path(folder).glob("[rw]*"):  # the next peer lays out its own
                left.unlink()
    return 1 if failed else 0
