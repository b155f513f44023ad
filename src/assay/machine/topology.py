"""The host's topology as the Linux kernel shows it: the one reader of /sys/devices/system/cpu and …/node.

Hardware threads are the kernel's CPU numbers. A core is the set of hardware threads that share it (`core_cpus`,
before Linux 5.3 `thread_siblings`), a socket that of `package_cpus` (before: `core_siblings`), a cache that of
`shared_cpu_map`: each a mask, with which newer kernels have a list (`…_list`). `physical_package_id` serves only
where no set is shown: it is -1 on several machines, and repeats from book to book on s390. Drawers, books, dies and
clusters are read in the same way. What is offline has no topology and no caches, and is not counted. The programs have
the same reader in C++ (programs/timing/topology.hpp); tests hold both to hwloc.

Source: Documentation/admin-guide/cputopology.rst and Documentation/ABI/testing/sysfs-devices-system-cpu of the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.machine import reading

CPU = "sys/devices/system/cpu"
NODE = "sys/devices/system/node"
# Levels besides cores and sockets, the largest first: the files that list who shares one, with their older names.
LEVELS = {
    "drawer": ("drawer_cpus", "drawer_siblings"),
    "book": ("book_cpus", "book_siblings"),
    "die": ("die_cpus",),
    "cluster": ("cluster_cpus",),
}


@dataclass(frozen=True)
class HardwareThread:
    """One hardware thread: the hardware threads of its core, itself among them, and a number of its socket.

    The number is the first hardware thread of the socket, else the kernel's own. None where unknown.
    """

    cpu: int
    core: tuple[int, ...] | None
    socket: int | None


@dataclass(frozen=True)
class CacheInstance:
    """One cache: its size and line in bytes, its associativity, and the hardware threads that share it.

    `type`: data, instruction or unified. `cpus` is None where the kernel does not report who shares it.
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
    """The hardware threads that are online; empty where unknown."""
    listed = reading.cpus(reading.text(root / CPU / "online"))
    numbered = reading.numbered_entries(root / CPU, "cpu")
    return listed or tuple(number for number, folder in numbered if reading.number(folder / "online") != 0)


def hardware_thread(cpu: int, root: Path = Path("/")) -> HardwareThread:
    """Where one hardware thread is."""
    folder = root / CPU / f"cpu{cpu}" / "topology"
    core = _set(folder, "core_cpus", "thread_siblings")
    socket = _set(folder, "package_cpus", "core_siblings")
    number = reading.number(folder / "physical_package_id")
    known = number if number is not None and number >= 0 else None
    return HardwareThread(cpu, core, socket[0] if socket else known)


def levels(cpus: Iterable[int], root: Path = Path("/")) -> dict[str, tuple[tuple[int, ...], ...]]:
    """What is above a socket, or between a socket and a core, by name, the largest first: each as its hardware threads.

    Drawers and books of s390, dies, clusters of cores. Those that are only the sockets, the cores or the whole machine
    over again are left out, as are those that not every hardware thread has.
    """
    online = frozenset(cpus)
    shown = _shown_levels(min(online, default=0), root)
    threads = [hardware_thread(cpu, root) for cpu in online] if shown else []
    by_socket: dict[int | None, set[int]] = {}
    for each in threads:
        by_socket.setdefault(each.socket, set()).add(each.cpu)
    cores, sockets = {frozenset(each.core or ()) for each in threads}, set(map(frozenset, by_socket.values()))
    known = [{online}, sockets, cores]
    found: dict[str, tuple[tuple[int, ...], ...]] = {}
    for name, files in shown.items():
        sets = [_set(root / CPU / f"cpu{cpu}" / "topology", *files) for cpu in sorted(online)]
        stated = {online.intersection(each) for each in sets if each}
        if all(sets) and stated not in known:
            known.append(stated)
            found[name] = tuple(sorted(tuple(sorted(each)) for each in stated))
    return found


def _shown_levels(cpu: int, root: Path) -> dict[str, tuple[str, ...]]:
    """The LEVELS that one hardware thread has: most machines have none, and hundreds of threads."""
    folder = root / CPU / f"cpu{cpu}" / "topology"
    return {name: files for name, files in LEVELS.items() if _set(folder, *files)}


def _set(folder: Path, *names: str) -> tuple[int, ...] | None:
    """The hardware threads that the first of these files holds, as a mask or as a list; None where there is none."""
    found = (
        read(reading.text(folder / file))
        for name in names
        for file, read in ((name, reading.mask), (_list_name(name), reading.cpus))
    )
    return next(filter(None, found), None)


def _list_name(name: str) -> str:
    """The kernel's name of the list that belongs to a mask."""
    return {"shared_cpu_map": "shared_cpu_list", "cpumap": "cpulist"}.get(name, f"{name}_list")


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
    found: dict[tuple[int, str, int, tuple[int, ...]], CacheInstance] = {}
    for cpu in online_cpus(root):
        for _, index in reading.numbered_entries(root / CPU / f"cpu{cpu}" / "cache", "index"):
            level, kind = reading.number(index / "level"), reading.text(index / "type")
            size = reading.size(reading.text(index / "size"))
            if level is None or kind is None or not size:
                continue
            shared = _set(index, "shared_cpu_map")
            if reading.mask(reading.text(index / "shared_cpu_map")) == ():  # seen on Itanium: it is the core's then
                shared = shared or hardware_thread(cpu, root).core
            found.setdefault(
                (level, kind.lower(), size, shared or (cpu,)),
                CacheInstance(
                    level=level,
                    type=kind.lower(),
                    size=size,
                    line=reading.number(index / "coherency_line_size"),
                    ways=reading.number(index / "ways_of_associativity"),
                    cpus=shared,
                ),
            )
    return sorted(found.values(), key=lambda each: (each.level, each.type, each.size))


def accelerator_nodes(root: Path = Path("/")) -> set[int]:
    """The numbers of NUMA nodes that are the memory of a GPU (POWER9, Grace): what its driver states."""
    stated = (
        reading.pairs(reading.text(folder / "numa_status"), ":").get("Node", "")
        for folder in reading.entries(root / "proc/driver/nvidia/gpus")
    )
    return {int(each) for each in stated if each.isdecimal()}


def memory_nodes(root: Path = Path("/"), *, of_accelerators: bool = False) -> list[MemoryNode]:
    """The NUMA nodes by their numbers; empty where the kernel shows none.

    Memory of GPUs is no memory of the host and left out; `of_accelerators`: that alone.
    """
    nodes = []
    of_gpus = accelerator_nodes(root)
    folders = reading.numbered_entries(root / NODE, "node")
    kept = [(number in of_gpus) == of_accelerators for number, _ in folders]
    for number, folder in folders:
        if (number in of_gpus) != of_accelerators:
            continue
        meminfo = {
            key.split()[-1]: reading.size(value)
            for key, value in reading.pairs(reading.text(folder / "meminfo"), ":").items()
        }
        distances = (reading.text(folder / "distance") or "").split()
        nodes.append(
            MemoryNode(
                id=number,
                cpus=_set(folder, "cpumap") or (),
                memory=meminfo.get("MemTotal"),
                memory_free=meminfo.get("MemFree"),
                distances=tuple(
                    int(each) for at, each in enumerate(distances) if each.isdecimal() and (at >= len(kept) or kept[at])
                ),
            )
        )
    return nodes


def contradictions(root: Path = Path("/")) -> list[str]:
    """Where the kernel's own statements exclude one another, in words; nothing on a sound machine.

    A set of hardware threads that share something contradicts itself where one in it states another set, and where its
    list and its mask differ. Such files come from firmware with faults, and from trees that were put together by hand.
    """
    kinds: dict[str, dict[int, tuple[int, ...]]] = {}
    unlike: list[str] = []
    online = online_cpus(root)
    shown = _shown_levels(min(online, default=0), root)
    for cpu in online:
        folder = root / CPU / f"cpu{cpu}"
        sets: list[tuple[str, Path, tuple[str, ...]]] = [
            ("core", folder / "topology", ("core_cpus", "thread_siblings")),
            ("socket", folder / "topology", ("package_cpus", "core_siblings")),
            *((name, folder / "topology", files) for name, files in shown.items()),
        ]
        for _, index in reading.numbered_entries(folder / "cache", "index"):
            name = f"level {reading.number(index / 'level')} {(reading.text(index / 'type') or '').lower()} cache"
            sets.append((name, index, ("shared_cpu_map",)))
        for kind, place, names in sets:
            if found := _set(place, *names):
                kinds.setdefault(kind, {})[cpu] = found
            unlike += [f"{kind} of hardware thread {cpu}" for name in names if _differ(place, name)]
    for number, folder in reading.numbered_entries(root / NODE, "node"):
        unlike += [f"node {number}" for _ in range(_differ(folder, "cpumap"))]
    seen = Counter(cpu for node in memory_nodes(root) for cpu in node.cpus)
    several = tuple(cpu for cpu, nodes in seen.items() if nodes > 1)
    statements = [f"the list and the mask of {_few(unlike)} contradict each other"] if unlike else []
    statements += [
        f"what hardware threads {reading.spans(tuple(wrong))} state of their {kind} contradicts what others state of it"
        for kind, sets_of in kinds.items()
        if (wrong := [c for c, own in sets_of.items() if c not in own or any(sets_of.get(o, own) != own for o in own)])
    ]
    if several:
        statements.append(f"the nodes contradict each other: hardware threads {reading.spans(several)} are in several")
    return statements


def _differ(folder: Path, name: str) -> bool:
    listed, masked = reading.cpus(reading.text(folder / _list_name(name))), reading.mask(reading.text(folder / name))
    return bool(listed) and bool(masked) and listed != masked


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
