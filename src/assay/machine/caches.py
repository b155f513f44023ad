"""Caches and NUMA nodes of this host, summed up; where the kernel hides the caches, what getconf reports."""

from __future__ import annotations

import subprocess
from pathlib import Path

from assay.machine import reading
from assay.machine.reading import spans
from assay.machine.topology import CPU, CacheInstance, cache_instances, memory_nodes, online_cpus

PATIENCE = 2.0


class Cache(reading.HostPart):
    """All caches of one level and type: size of one instance and of a line in bytes, and who shares it."""

    level: int
    type: str
    size: int
    line: int | None = None
    ways: int | None = None
    instances: int | None = None
    shared_by: int | None = None


class Caches(reading.HostPart):
    """The caches from the nearest to the farthest."""

    caches: tuple[Cache, ...] = ()
    source: str | None = None

    def last(self) -> Cache | None:
        """The last level of data cache; None where unknown."""
        return max((each for each in self.caches if each.type != "instruction"), key=lambda c: c.level, default=None)


class NumaNode(reading.HostPart):
    """A NUMA node: hardware threads, memory in bytes, distances to all nodes (10 is itself)."""

    id: int
    cpus: tuple[int, ...] = ()
    memory: int | None = None
    memory_free: int | None = None
    distances: tuple[int, ...] = ()


class Numa(reading.HostPart):
    """The NUMA nodes; empty where the kernel has none."""

    nodes: tuple[NumaNode, ...] = ()


def caches(root: Path = Path("/")) -> Caches:
    """Read the caches of every hardware thread and group them by level, type and size."""
    groups: dict[tuple[int, str, int], list[CacheInstance]] = {}
    for each in cache_instances(root):
        groups.setdefault((each.level, each.type, each.size), []).append(each)
    found = [
        Cache(
            level=level,
            type=type_,
            size=bytes_,
            line=instances[0].line,
            ways=instances[0].ways,
            instances=len(instances),
            shared_by=len(instances[0].cpus) if instances[0].cpus else None,
        )
        for (level, type_, bytes_), instances in groups.items()
    ]
    if found:
        return Caches(caches=tuple(found), source=f"/{CPU}")
    fallback = _by_getconf() if root == Path("/") else ()
    if fallback:
        return Caches(caches=fallback, source="getconf", notes=("who shares a cache is not visible",))
    return Caches(notes=("the caches are not visible (no /sys/devices/system/cpu/cpu*/cache, nothing from getconf)",))


def _by_getconf() -> tuple[Cache, ...]:
    try:
        done = subprocess.run(["getconf", "-a"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.SubprocessError):
        return ()
    return parse_getconf(done.stdout)


def parse_getconf(words: str) -> tuple[Cache, ...]:
    """The caches in the output of `getconf -a`: lines such as `LEVEL1_DCACHE_SIZE  32768`."""
    known = {line.split()[0]: int(line.split()[1]) for line in words.splitlines() if _numeric(line)}
    names = [("LEVEL1_DCACHE", 1, "data"), ("LEVEL1_ICACHE", 1, "instruction")]
    names += [(f"LEVEL{level}_CACHE", level, "unified") for level in (2, 3, 4)]
    return tuple(
        Cache(
            level=level,
            type=type_,
            size=known[f"{name}_SIZE"],
            line=known.get(f"{name}_LINESIZE") or None,
            ways=known.get(f"{name}_ASSOC") or None,
        )
        for name, level, type_ in names
        if known.get(f"{name}_SIZE", 0) > 0
    )


def _numeric(line: str) -> bool:
    parts = line.split()
    return len(parts) == 2 and parts[1].isdecimal()


def numa(root: Path = Path("/")) -> Numa:
    """Read the NUMA nodes with their hardware threads, memory and distances."""
    listed = memory_nodes(root)
    nodes = [
        NumaNode(
            id=node.id,
            cpus=node.cpus,
            memory=node.memory,
            memory_free=node.memory_free,
            distances=node.distances,
        )
        for node in listed
    ]
    notes = [] if nodes else ["the kernel shows no NUMA nodes; one is assumed"]
    if of_gpus := memory_nodes(root, of_accelerators=True):
        numbers = spans(tuple(node.id for node in of_gpus))
        notes.append(f"left out: nodes {numbers}, which are the memory of GPUs")
    if bare := tuple(node.id for node in nodes if not node.cpus):
        notes.append(f"nodes {spans(bare)} are memory without processors")
    homeless = set(online_cpus(root)) - {cpu for node in nodes for cpu in node.cpus}
    if nodes and homeless:
        notes.append(f"hardware threads {spans(tuple(homeless))} are in no node")
    return Numa(nodes=tuple(nodes), notes=tuple(notes))
