"""Trees of /sys and /proc as the kernel of a stated machine would show them: as lists of CPU numbers and as masks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.machine import reading

CPU = "sys/devices/system/cpu"


@dataclass(frozen=True)
class StatedCache:
    """A cache and who shares it; `size` as the kernel writes it."""

    level: int
    type: str
    size: str
    cpus: tuple[int, ...]


@dataclass(frozen=True)
class StatedMachine:
    """A machine: sockets as lists of cores, a core as its hardware threads; caches; nodes as (CPUs, MiB).

    `offline` hardware threads are possible and shown nowhere else; `cpuset`: those that a control group leaves;
    `package_ids`: what the kernel calls each socket (None: 0, 1, …); `lists`: whether it has lists beside its masks;
    `gpu_nodes`: the numbers of nodes that are a GPU's memory; `levels`: files of further levels (`book_siblings`) with
    who shares each.
    """

    sockets: tuple[tuple[tuple[int, ...], ...], ...]
    caches: tuple[StatedCache, ...] = ()
    nodes: tuple[tuple[tuple[int, ...], int], ...] = ()
    offline: tuple[int, ...] = ()
    cpuset: tuple[int, ...] | None = None
    package_ids: tuple[int, ...] | None = None
    lists: bool = True
    gpu_nodes: tuple[int, ...] = ()
    levels: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = ()

    @property
    def online(self) -> tuple[int, ...]:
        """All hardware threads that work."""
        return tuple(sorted(cpu for socket in self.sockets for core in socket for cpu in core))

    @property
    def cores(self) -> list[tuple[int, ...]]:
        """All cores."""
        return [core for socket in self.sockets for core in socket]


def mask(cpus: Iterable[int]) -> str:
    """CPU numbers as the kernel's mask: hexadecimal words of 32 bits, commas between, the highest first."""
    number = sum(1 << cpu for cpu in set(cpus))
    words = [number >> shift & 0xFFFFFFFF for shift in range(0, max(1, number.bit_length()), 32)]
    return ",".join(f"{word:08x}" for word in reversed(words)) + "\n"


def listed(cpus: Iterable[int]) -> str:
    """CPU numbers as the kernel's list."""
    return reading.spans(tuple(cpus)) + "\n"


def plant(root: Path, machine: StatedMachine) -> Path:
    """Write the machine's files under `root`, for readers of lists (ours) and of masks (hwloc)."""
    files: dict[str, str] = {
        f"{CPU}/online": listed(machine.online),
        f"{CPU}/possible": listed(machine.online + machine.offline),
        f"{CPU}/present": listed(machine.online + machine.offline),
    }
    cpuinfo = []
    for number, socket in enumerate(machine.sockets):
        package = tuple(cpu for core in socket for cpu in core)
        called = machine.package_ids[number] if machine.package_ids else number
        for index, core in enumerate(socket):
            for cpu in core:
                folder = f"{CPU}/cpu{cpu}"
                files |= {
                    f"{folder}/online": "1\n",
                    f"{folder}/topology/physical_package_id": f"{called}\n",
                    f"{folder}/topology/core_id": f"{index}\n",
                    f"{folder}/topology/core_cpus": mask(core),
                    f"{folder}/topology/core_cpus_list": listed(core),
                    f"{folder}/topology/thread_siblings": mask(core),
                    f"{folder}/topology/thread_siblings_list": listed(core),
                    f"{folder}/topology/package_cpus": mask(package),
                    f"{folder}/topology/core_siblings": mask(package),
                }
                for file, sets in machine.levels:
                    (shared,) = (each for each in sets if cpu in each)
                    files |= {
                        f"{folder}/topology/{file}": mask(shared),
                        f"{folder}/topology/{file}_list": listed(shared),
                    }
                mine = sorted((each for each in machine.caches if cpu in each.cpus), key=lambda each: each.level)
                for at, cache in enumerate(mine):
                    files |= {
                        f"{folder}/cache/index{at}/level": f"{cache.level}\n",
                        f"{folder}/cache/index{at}/type": f"{cache.type}\n",
                        f"{folder}/cache/index{at}/size": f"{cache.size}\n",
                        f"{folder}/cache/index{at}/coherency_line_size": "64\n",
                        f"{folder}/cache/index{at}/number_of_sets": "64\n",
                        f"{folder}/cache/index{at}/ways_of_associativity": "8\n",
                        f"{folder}/cache/index{at}/shared_cpu_map": mask(cache.cpus),
                        f"{folder}/cache/index{at}/shared_cpu_list": listed(cache.cpus),
                    }
                cpuinfo.append((cpu, f"processor\t: {cpu}\nphysical id\t: {number}\ncore id\t\t: {index}\n"))
    for cpu in machine.offline:
        files[f"{CPU}/cpu{cpu}/online"] = "0\n"
    files["proc/cpuinfo"] = "\n".join(words for _, words in sorted(cpuinfo))
    nodes = machine.nodes
    files["sys/devices/system/node/online"] = listed(range(len(nodes))) if nodes else ""
    for node, (cpus, memory) in enumerate(nodes):
        folder = f"sys/devices/system/node/node{node}"
        files |= {
            f"{folder}/cpulist": listed(cpus) if cpus else "\n",
            f"{folder}/cpumap": mask(cpus),
            f"{folder}/meminfo": f"Node {node} MemTotal: {memory * 1024} kB\nNode {node} MemFree: 5 kB\n",
            f"{folder}/distance": " ".join("10" if other == node else "21" for other in range(len(nodes))) + "\n",
        }
    for number in machine.gpu_nodes:
        files[f"proc/driver/nvidia/gpus/0004:0{number}:00.0/numa_status"] = f"Node:      {number}\nStatus:    online\n"
    if not machine.lists:
        unlisted = ("core_cpus", "core_cpus_list", "package_cpus", "thread_siblings_list", "shared_cpu_list", "cpulist")
        files = {name: words for name, words in files.items() if Path(name).name not in unlisted}
    total = sum(memory for _, memory in nodes) or 1024  # of GPUs, too: so does the kernel
    files["proc/meminfo"] = f"MemTotal: {total * 1024} kB\nMemFree: 1000 kB\n"
    if machine.cpuset is not None:
        files |= {
            "proc/self/cgroup": "0::/pod\n",
            "proc/self/mountinfo": "26 25 0:23 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n",
            "proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
            "sys/fs/cgroup/cgroup.controllers": "cpuset cpu memory\n",
            "sys/fs/cgroup/pod/cgroup.controllers": "cpuset cpu memory\n",
            "sys/fs/cgroup/pod/cpuset.cpus.effective": listed(machine.cpuset),
            "sys/fs/cgroup/pod/cpuset.mems.effective": listed(range(len(nodes))) if nodes else "0\n",
        }
    for name, words in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)
    return root


def private(cpus: Iterable[Iterable[int]], level: int, kind: str, size: str) -> tuple[StatedCache, ...]:
    """One cache for each group of CPUs."""
    return tuple(StatedCache(level, kind, size, tuple(each)) for each in cpus)


def _server() -> StatedMachine:
    """Two sockets of four cores with two threads each, four nodes: threads of a core eight numbers apart."""
    sockets = tuple(tuple((core, core + 8) for core in range(4 * s, 4 * s + 4)) for s in range(2))
    cores = [core for socket in sockets for core in socket]
    packages = [tuple(sorted(cpu for core in socket for cpu in core)) for socket in sockets]
    caches = (
        *private(cores, 1, "Data", "48K"),
        *private(cores, 1, "Instruction", "32K"),
        *private(cores, 2, "Unified", "2048K"),
        *private(packages, 3, "Unified", "36608K"),
    )
    nodes = tuple(((2 * n, 2 * n + 1, 2 * n + 8, 2 * n + 9), 16384) for n in range(4))
    return StatedMachine(sockets, caches, nodes)


def _hybrid() -> StatedMachine:
    """Two performance cores with two threads, four efficiency cores that share a second level."""
    cores: tuple[tuple[int, ...], ...] = ((0, 1), (2, 3), (4,), (5,), (6,), (7,))
    caches = (
        *private(cores[:2], 1, "Data", "48K"),
        *private(cores[2:], 1, "Data", "32K"),
        *private([*cores[:2], (4, 5, 6, 7)], 2, "Unified", "2048K"),
        *private([range(8)], 3, "Unified", "24576K"),
    )
    return StatedMachine((cores,), caches, ((tuple(range(8)), 32768),))


def _chiplets() -> StatedMachine:
    """A socket of two core complexes with a third level each; memory on a node of its own without processors."""
    cores = tuple((cpu,) for cpu in range(8))
    caches = (
        *private(cores, 1, "Data", "32K"),
        *private(cores, 2, "Unified", "1024K"),
        *private([range(4), range(4, 8)], 3, "Unified", "32768K"),
    )
    return StatedMachine((cores,), caches, ((tuple(range(8)), 65536), ((), 131072)))


def _offline() -> StatedMachine:
    """Two cores of two threads of which one thread is offline, and a whole core offline."""
    caches = (
        *private([(0, 2), (1,)], 1, "Data", "32K"),
        *private([(0, 1, 2)], 2, "Unified", "8192K"),
    )
    return StatedMachine((((0, 2), (1,)),), caches, (((0, 1, 2), 4096),), offline=(3, 4, 5))


def _confined() -> StatedMachine:
    """The server's first socket, of which a control group leaves two cores and one thread."""
    whole = _server()
    cpus = set(range(4)) | set(range(8, 12))
    caches = tuple(each for each in whole.caches if set(each.cpus) <= cpus)
    return StatedMachine(whole.sockets[:1], caches, ((tuple(sorted(cpus)), 16384),), cpuset=(0, 1, 2, 8, 9))


def _power() -> StatedMachine:
    """Eight cores of four threads of an old kernel: no lists, and every socket is called -1."""
    cores = tuple(tuple(range(4 * core, 4 * core + 4)) for core in range(8))
    caches = (
        *private(cores, 1, "Data", "32K"),
        *private(cores, 1, "Instruction", "32K"),
        *private(cores, 2, "Unified", "256K"),
        *private(cores, 3, "Unified", "4096K"),
    )
    sockets = tuple(cores[4 * s : 4 * s + 4] for s in range(2))
    nodes = ((tuple(range(16)), 8192), (tuple(range(16, 32)), 8192))
    return StatedMachine(sockets, caches, nodes, package_ids=(-1, -1), lists=False)


def _books() -> StatedMachine:
    """Two books of an IBM Z with two sockets each, whose numbers begin anew in every book."""
    sockets = tuple(tuple((cpu,) for cpu in range(3 * s, 3 * s + 3)) for s in range(4))
    caches = private([(cpu,) for cpu in range(12)], 2, "Data", "2048K")
    halves = (tuple(range(6)), tuple(range(6, 12)))
    levels = (("book_siblings", halves), ("drawer_siblings", (tuple(range(12)),)))
    return StatedMachine(sockets, caches, ((tuple(range(12)), 8192),), package_ids=(0, 1, 0, 1), levels=levels)


def _clusters() -> StatedMachine:
    """Two sockets of an Arm machine with clusters of two cores; the one die of each says nothing new."""
    sockets = tuple(tuple((cpu,) for cpu in range(at, at + 4)) for at in (0, 4))
    pairs = tuple((cpu, cpu + 1) for cpu in range(0, 8, 2))
    levels = (("cluster_cpus", pairs), ("die_cpus", (tuple(range(4)), tuple(range(4, 8)))))
    cores = [core for socket in sockets for core in socket]
    return StatedMachine(sockets, private(cores, 1, "Data", "64K"), ((tuple(range(8)), 8192),), levels=levels)


def _with_gpus() -> StatedMachine:
    """A socket beside two GPUs whose memory the kernel shows as nodes, and memory behind CXL on another."""
    cores = tuple((2 * core, 2 * core + 1) for core in range(4))
    nodes = ((tuple(range(8)), 65536), ((), 32768), ((), 16384), ((), 16384))
    return StatedMachine((cores,), private(cores, 1, "Data", "32K"), nodes, gpu_nodes=(2, 3))


MACHINES = {
    "power": _power(),
    "books": _books(),
    "clusters": _clusters(),
    "with-gpus": _with_gpus(),
    "server": _server(),
    "hybrid": _hybrid(),
    "chiplets": _chiplets(),
    "offline": _offline(),
    "confined": _confined(),
    "many": StatedMachine(
        (tuple((cpu, cpu + 40) for cpu in range(40)),),
        private([(cpu, cpu + 40) for cpu in range(40)], 2, "Unified", "1024K"),
        ((tuple(range(80)), 8192),),
    ),
}
