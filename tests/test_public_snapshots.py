"""Snapshots of real machines that hwloc and util-linux publish with their tests: we count as they do.

The folder `ASSAY_PUBLIC_DATA` has `hwloc/*.tar.bz2` (hwloc's tests/hwloc/linux) and, below `lscpu`, util-linux's
`dumps/*.tar.gz`. A snapshot agrees where each count is hwloc's or lscpu's; what contradicts itself must say so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.machine import topology
from assay.machine.caches import caches, numa
from assay.machine.processors import processors
from test_topology import by_front, by_hwloc, by_programs, cpus_of, levels_by_hwloc, objects, program

__all__ = ["program"]  # the fixture
pytestmark = pytest.mark.nightly
DATA = Path(os.environ.get("ASSAY_PUBLIC_DATA", "/nonexistent"))
SNAPSHOTS = sorted([*DATA.glob("hwloc/*.tar.bz2"), *DATA.glob("lscpu/**/dumps/*.tar.gz")])
needs_data = pytest.mark.skipif(not SNAPSHOTS, reason="needs ASSAY_PUBLIC_DATA with hwloc/ and lscpu/")
needs_tools = pytest.mark.skipif(
    not (shutil.which("lstopo-no-graphics") and shutil.which("lscpu")), reason="needs lstopo-no-graphics and lscpu"
)
Counts = dict[str, Any]


def unpacked(archive: Path, folder: Path) -> Path:
    subprocess.run(["tar", "-xf", archive, "-C", folder, "--no-same-owner"], check=True)
    inside = list(folder.iterdir())
    return folder if (folder / "sys").exists() or len(inside) != 1 else inside[0]


def ours(root: Path) -> Counts:
    found = processors(root, "x86_64")
    return {
        "sockets": found.sockets or 0,
        "cores": found.cores or 0,
        "threads": found.threads or 0,
        "nodes": max(1, len(numa(root).nodes)),  # where the kernel shows none, one is assumed
        "caches": {(each.level, each.type, each.size): each.instances for each in caches(root).caches},
    }


def hwloc_s(root: Path) -> Counts:
    seen = by_hwloc(root)
    return {
        "sockets": len(seen.sockets),
        "cores": len(seen.cores),
        "threads": len(seen.online),
        "nodes": len(seen.nodes),
        "caches": dict(Counter(each[:3] for each in seen.caches)),
    }


def lscpu_s(root: Path) -> Counts:
    def asked(*options: str) -> str:
        return subprocess.run(["lscpu", "--sysroot", root, *options], capture_output=True, text=True).stdout

    rows = [line.split(",") for line in asked("-p=CPU,CORE,SOCKET").splitlines() if not line.startswith("#")]
    columns = [len({row[at] for row in rows if row[at]}) for at in range(3)]
    summary = dict(line.split(":", 1) for line in asked().splitlines() if ":" in line)
    try:
        listed = json.loads(asked("-J", "-C", "--bytes"))["caches"]
    except ValueError:
        listed = []
    keys = ("level", "type", "one-size", "all-size")
    whole = [[each[key] for key in keys] for each in listed if all(each.get(key) for key in keys)]
    sizes = {(int(level), kind.lower(), int(one)): int(total) for level, kind, one, total in whole}
    return {
        "threads": columns[0],
        "cores": columns[1],
        "sockets": columns[2],
        "nodes": max(1, int(summary.get("NUMA node(s)", "0"))),
        "caches": {key: total // key[2] for key, total in sizes.items() if key[2]},
    }


@needs_data
@needs_tools
@pytest.mark.parametrize("archive", SNAPSHOTS, ids=lambda path: path.name)
def test_counts_agree_with_hwloc_or_lscpu(archive: Path, tmp_path: Path) -> None:
    root = unpacked(archive, tmp_path)
    mine, others = ours(root), (hwloc_s(root), lscpu_s(root))
    unlike = {
        key: (value, *(other[key] for other in others))
        for key, value in mine.items()
        if value not in [other[key] for other in others]
    }
    notes = processors(root, "x86_64").notes
    assert not unlike or any("contradict" in note for note in notes), (unlike, notes)


HWLOC_HAS_NONE = {"s390-lpar.tar.gz": "book"}  # two by each processor's files; lscpu has four, by the firmware's word


@needs_data
@needs_tools
@pytest.mark.parametrize("archive", SNAPSHOTS, ids=lambda path: path.name)
def test_drawers_books_dies_and_clusters_are_hwlocs(archive: Path, tmp_path: Path) -> None:
    """Where hwloc merges a level with another one that has the same processors, it has an object with these."""
    root = unpacked(archive, tmp_path)
    mine, theirs = topology.levels(topology.online_cpus(root), root), levels_by_hwloc(root)
    assert {name: set(mine.get(name, ())) for name in theirs} == theirs
    every = {cpus_of(each.get("cpuset", "")) for each in objects(root)}
    assert not [
        (name, cpus)
        for name, sets in mine.items()
        for cpus in sets
        if cpus not in every and HWLOC_HAS_NONE.get(archive.name) != name
    ]


@needs_data
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("archive", SNAPSHOTS, ids=lambda path: path.name)
def test_programs_and_front_read_alike(archive: Path, tmp_path: Path, program: Path) -> None:
    root = unpacked(archive, tmp_path)
    theirs, mine = by_programs(program, root), by_front(root)
    if any(cpus == () for *_, cpus in mine.caches):  # who shares it is unknown: the programs take it as private
        theirs, mine = replace(theirs, caches=frozenset()), replace(mine, caches=frozenset())
    assert theirs == mine
