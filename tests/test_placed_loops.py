"""Loops that are compared with one another begin at a line of the cache, wherever the compiler has placed them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark, programs_root

pytestmark = pytest.mark.skipif(
    os.uname().machine != "x86_64" or not shutil.which("objdump") or not shutil.which("g++"),
    reason="needs g++ and objdump on x86-64",
)


def wide_loops(object_: Path) -> list[int]:
    """Addresses of the innermost loops that hold arithmetic of 32 bytes and more."""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", object_], capture_output=True, text=True, check=True
    ).stdout
    code = [(int(at, 16), words) for at, words in re.findall(r"(?m)^ *([0-9a-f]+):\t(.*)$", text)]
    back = [(int(to[1], 16), at) for at, words in code if (to := re.match(r"j\w+ +([0-9a-f]+)", words))]
    loops = [(begin, end) for begin, end in back if begin < end]
    inner = [a for a in loops if not any(a[0] <= b[0] and b[1] <= a[1] and a != b for b in loops)]
    wide = {at for at, words in code if re.search(r"p[ds] .*[yz]mm", words)}
    return [begin for begin, end in inner if any(begin <= at <= end for at in wide)]


def test_vectorised_loops_begin_at_a_line(tmp_path: Path) -> None:
    """Nine of ten at least: the compiler leaves alone those that it takes for short."""
    unit = benchmark("vectors").units["loops"]
    where: dict[bool, list[int]] = {}
    for given in (True, False):
        flags = unit.flags if given else []
        command = ["g++", "-std=c++20", "-O3", "-march=x86-64-v3", f"-I{programs_root()}", *flags, "-c"]
        subprocess.run([*command, programs_root() / unit.source, "-o", tmp_path / "loops.o"], check=True)
        where[given] = wide_loops(tmp_path / "loops.o")
    aligned = {given: sum(at % 64 == 0 for at in found) / len(found) for given, found in where.items()}
    assert len(where[True]) >= 25
    assert aligned[True] >= 0.9 > aligned[False]
