"""The host's topology as the Linux kernel shows it: the one reader of /sys/devices/system/cpu and …/node.

Hardware threads are the kernel's CPU numbers. A core is the set of hardware threads that share it (`core_cpus_list`,
before Linux 5.3 `thread_siblings_list`), a socket a `physical_package_id`, a cache the set of hardware threads that
share it (`shared_cpu_list`). What is offline has no topology and no caches, and is not counted. The programs have the
same reader in C++ (programs/timing/topology.hpp); tests hold both to hwloc.

Source: Documentation/admin-guide/cputopology.rst and Documentation/ABI/testing/sysfs-devices-system-cpu of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.machine import reading

CPU = "sys/devices/system/cpu"
NODE = "sys/devices/system/node"


@dataclass(frozen=True)
class HardwareThread:
    """One hardware thread: the hardware threads of its core, itself among them, and its socket's number.

    None where the kernel does not say.
    """

    cpu: int
    core: tuple[int, ...] | None
    socket: int | None


@dataclass(frozen=True)
class CacheInstance:
    """One cache: its size and line in bytes, its associativity, and the hardware threads that share it.

    `type`: data, instruction or unified. `cpus` is None where the kernel does not say who shares it.
    """

    level: int
    type: str
    size: int
    line: int | None
    ways: int | None
    cpus: tuple[int, ...] | None


@dataclass(frozen=True)
class MemoryNode:
    """A NUMA node: hardware threads, memory in bytes, distances to all nodes (10 is itself)."""

    id: int
    cpus: tuple[int, ...]
    memory: int | None
    memory_free: int | None
    distances: tuple[int, ...]


def online_cpus(root: Path = Path("/")) -> tuple[int, ...]:
    """The hardware threads that are online; empty where the kernel does not say."""
    listed = reading.cpus(reading.text(root / CPU / "online"))
    numbered = reading.numbered(root / CPU, "cpu")
    return listed or tuple(number for number, folder in numbered if reading.number(folder / "online") != 0)


def hardware_thread(cpu: int, root: Path = Path("/")) -> HardwareThread:
    """Where one hardware thread is."""
    folder = root / CPU / f"cpu{cpu}" / "topology"
    core = reading.cpus(reading.text(folder / "core_cpus_list"))
    core = core or reading.cpus(reading.text(folder / "thread_siblings_list"))
    return HardwareThread(cpu, core, reading.number(folder / "physical_package_id"))


def cores_of(cpus: Iterable[int], root: Path = Path("/")) -> list[tuple[int, ...]]:
    """The cores that hardware threads are on, each once, in the order in which `cpus` reach them.

    One whose core is unknown counts as a core of its own.
    """
    found: dict[tuple[int, ...], None] = {}
    for cpu in cpus:
        found[hardware_thread(cpu, root).core or (cpu,)] = None
    return list(found)


def core_by_core(cpus: Iterable[int], root: Path = Path("/")) -> list[int]:
    """`cpus` in the order in which threads are placed: one hardware thread of each core before any second."""
    ordered = sorted(cpus)
    within = [[cpu for cpu in ordered if cpu in core] for core in cores_of(ordered, root)]
    deepest = max(map(len, within), default=0)
    return [threads[i] for i in range(deepest) for threads in within if i < len(threads)]


def cache_instances(root: Path = Path("/")) -> list[CacheInstance]:
    """Every cache once, by level, type and size; empty where the kernel hides them."""
    found: dict[tuple[int, str, int, str], CacheInstance] = {}
    for cpu in online_cpus(root):
        for _, index in reading.numbered(root / CPU / f"cpu{cpu}" / "cache", "index"):
            level, kind = reading.number(index / "level"), reading.text(index / "type")
            size = reading.size(reading.text(index / "size"))
            if level is None or kind is None or not size:
                continue
            shared = reading.text(index / "shared_cpu_list")
            found.setdefault(
                (level, kind.lower(), size, shared or f"cpu{cpu}"),
                CacheInstance(
                    level=level,
                    type=kind.lower(),
                    size=size,
                    line=reading.number(index / "coherency_line_size"),
                    ways=reading.number(index / "ways_of_associativity"),
                    cpus=reading.cpus(shared),
                ),
            )
    return sorted(found.values(), key=lambda each: (each.level, each.type, each.size))


def memory_nodes(root: Path = Path("/")) -> list[MemoryNode]:
    """The NUMA nodes by their numbers; empty where the kernel shows none."""
    nodes = []
    for number, folder in reading.numbered(root / NODE, "node"):
        meminfo = {
            key.split()[-1]: reading.size(value)
            for key, value in reading.pairs(reading.text(folder / "meminfo"), ":").items()
        }
        distances = (reading.text(folder / "distance") or "").split()
        nodes.append(
            MemoryNode(
                id=number,
                cpus=reading.cpus(reading.text(folder / "cpulist")) or (),
                memory=meminfo.get("MemTotal"),
                memory_free=meminfo.get("MemFree"),
                distances=tuple(int(each) for each in distances if each.isdecimal()),
            )
        )
    return nodes
