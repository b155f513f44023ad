"""Sockets, cores, hardware threads, caches and NUMA nodes: our two readers of sysfs agree with hwloc's lstopo.

lstopo reads the kernel's masks, ours its lists; the trees hold both, written from one statement (sysfs_trees.py).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from assay.machine import reading, topology
from assay.machine.caches import caches, numa
from assay.machine.limits import limits
from assay.machine.processors import processors
from compiled import WARNINGS, compile_to
from sysfs_trees import MACHINES, plant

Cpus = tuple[int, ...]
LSTOPO = shutil.which("lstopo-no-graphics")
needs_lstopo = pytest.mark.skipif(LSTOPO is None, reason="needs lstopo-no-graphics (Debian: hwloc-nox)")
PROGRAM = r"""
#include <cstdio>
#include "timing/topology.hpp"
// ROOT/: what the programs see of the topology, as one JSON document.
using namespace assay::timing;
void list(const Cpus& values) {
  std::printf("[");
  for (std::size_t i = 0; i < values.size(); ++i) std::printf(i ? ", %ld" : "%ld", static_cast<long>(values[i]));
  std::printf("]");
}
int main(int, char** words) {
  const std::string root = words[1];
  const Cpus online = online_cpus(root);
  const char* comma = "";
  std::printf("{\"threads\": [");
  for (const std::int64_t cpu : online) {
    std::printf("%s{\"cpu\": %ld, \"socket\": %ld, \"core\": ", comma, static_cast<long>(cpu),
                static_cast<long>(socket_of(cpu, root)));
    list(core_of(cpu, root));
    std::printf(", \"caches\": [");
    comma = "";
    for (const CacheInstance& cache : caches_of(cpu, root)) {
      std::printf("%s{\"level\": %d, \"type\": \"%s\", \"size\": %ld, \"cpus\": ", comma, cache.level,
                  cache.type.c_str(), static_cast<long>(cache.bytes));
      list(cache.cpus);
      std::printf("}");
      comma = ", ";
    }
    std::printf("]}");
    comma = ", ";
  }
  std::printf("], \"nodes\": [");
  comma = "";
  for (const MemoryNode& node : memory_nodes(root)) {
    std::printf("%s{\"id\": %ld, \"memory\": %ld, \"cpus\": ", comma, static_cast<long>(node.id),
                static_cast<long>(node.memory));
    list(node.cpus);
    std::printf(", \"distances\": ");
    list(node.distances);
    std::printf("}");
    comma = ", ";
  }
  std::printf("], \"levels\": {");
  comma = "";
  for (const Level& level : levels_of(online, root)) {
    std::printf("%s\"%s\": [", comma, level.name.c_str());
    comma = "";
    for (const Cpus& each : level.sets) {
      std::printf("%s", comma);
      list(each);
      comma = ", ";
    }
    std::printf("]");
    comma = ", ";
  }
  const Span span = span_of(online, root);
  std::printf("}, \"span\": [%ld, %ld, %ld]}\n", static_cast<long>(span.sockets), static_cast<long>(span.cores),
              static_cast<long>(span.threads));
}
"""


@dataclass(frozen=True)
class Seen:
    """What a reader found; caches as (level, type, bytes, who shares it), nodes as (number, bytes, CPUs)."""

    online: Cpus
    sockets: frozenset[Cpus]
    cores: frozenset[Cpus]
    caches: frozenset[tuple[int, str, int, Cpus]]
    nodes: frozenset[tuple[int, int, Cpus]]


def by_front(root: Path) -> Seen:
    threads = [topology.hardware_thread(cpu, root) for cpu in topology.online_cpus(root)]
    sockets = {each.socket: tuple(t.cpu for t in threads if t.socket == each.socket) for each in threads}
    sockets.pop(None, None)
    return Seen(
        online=topology.online_cpus(root),
        sockets=frozenset(sockets.values()),
        cores=frozenset(each.core or (each.cpu,) for each in threads),
        caches=frozenset((c.level, c.type, c.size, c.cpus or ()) for c in topology.cache_instances(root)),
        nodes=frozenset((node.id, node.memory or 0, node.cpus) for node in topology.memory_nodes(root)),
    )


def by_programs(program: Path, root: Path) -> Seen:
    said: Any = json.loads(subprocess.run([program, f"{root}/"], capture_output=True, check=True).stdout)
    threads = said["threads"]
    sockets = {each["socket"]: tuple(t["cpu"] for t in threads if t["socket"] == each["socket"]) for each in threads}
    sockets.pop(-1, None)
    seen = Seen(
        online=tuple(each["cpu"] for each in threads),
        sockets=frozenset(sockets.values()),
        cores=frozenset(tuple(each["core"]) for each in threads),
        caches=frozenset(
            (c["level"], c["type"].lower(), c["size"], tuple(c["cpus"])) for each in threads for c in each["caches"]
        ),
        nodes=frozenset((node["id"], node["memory"], tuple(node["cpus"])) for node in said["nodes"]),
    )
    assert said["span"] == [len(seen.sockets), len(seen.cores), len(seen.online)]
    return seen


def objects(root: Path) -> list[ElementTree.Element]:
    """What lstopo shows of the host under `root`, and of what control groups keep from this process too."""
    other = {} if root == Path("/") else {"HWLOC_FSROOT": str(root), "HWLOC_THISSYSTEM": "0"}
    environment = os.environ | other | {"HWLOC_COMPONENTS": "linux,stop"}
    command = [str(LSTOPO), "--no-io", "--disallowed", "--of", "xml", "-"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return list(ElementTree.fromstring(done.stdout).iter("object"))


def cpus_of(words: str) -> Cpus:
    """The numbers of hwloc's mask: words of 32 bits, the highest first; an empty one is nothing."""
    number = 0
    for word in words.split(","):
        number = number << 32 | int(word or "0", 16)
    return tuple(bit for bit in range(number.bit_length()) if number >> bit & 1)


def by_hwloc(root: Path) -> Seen:
    kinds = {"0": "unified", "1": "data", "2": "instruction"}

    def of(kind: str) -> Iterator[tuple[ElementTree.Element, Cpus]]:
        return ((each, cpus_of(each.get("cpuset", ""))) for each in objects(root) if each.get("type") == kind)

    return Seen(
        online=tuple(sorted(cpu for _, cpus in of("PU") for cpu in cpus)),
        sockets=frozenset(cpus for _, cpus in of("Package")),
        cores=frozenset(cpus for _, cpus in of("Core")),
        caches=frozenset(
            (int(e.get("depth", "")), kinds[e.get("cache_type", "")], int(e.get("cache_size", "")), cpus)
            for level in (1, 2, 3, 4)
            for kind in (f"L{level}Cache", f"L{level}iCache")
            for e, cpus in of(kind)
        ),
        nodes=frozenset(
            (int(each.get("os_index", "")), int(each.get("local_memory", "0")), cpus) for each, cpus in of("NUMANode")
        ),
    )


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("topology")
    (folder / "shown.cpp").write_text(PROGRAM)
    return compile_to(folder / "shown", folder / "shown.cpp", *WARNINGS)


@pytest.mark.parametrize("name", MACHINES)
def test_the_front_reads_what_the_tree_states(tmp_path: Path, name: str) -> None:
    machine = MACHINES[name]
    seen = by_front(plant(tmp_path, machine))
    assert seen.online == machine.online
    assert seen.cores == frozenset(machine.cores)
    assert seen.sockets == {tuple(sorted(cpu for core in socket for cpu in core)) for socket in machine.sockets}
    stated = {(c.level, c.type.lower(), reading.size(c.size) or 0, tuple(sorted(c.cpus))) for c in machine.caches}
    assert seen.caches == stated
    stated_nodes = [(number, mib << 20, cpus) for number, (cpus, mib) in enumerate(machine.nodes)]
    assert seen.nodes == {node for node in stated_nodes if node[0] not in machine.gpu_nodes}
    assert topology.contradictions(tmp_path) == []


@needs_lstopo
@pytest.mark.parametrize("name", MACHINES)
def test_hwloc_sees_the_same(tmp_path: Path, name: str) -> None:
    root = plant(tmp_path, MACHINES[name])
    theirs, ours = by_hwloc(root), by_front(root)
    bare = {number for number, _, cpus in ours.nodes if not cpus}  # hwloc may say whose processors are nearest to these
    at = frozenset((number, memory, () if number in bare else cpus) for number, memory, cpus in theirs.nodes)
    assert replace(theirs, nodes=at) == ours


LEVELS = {"books": {"book": 2}, "clusters": {"cluster": 4}}  # a drawer of all and the dies say nothing new


def levels_by_hwloc(root: Path) -> dict[str, set[Cpus]]:
    """Drawers, books, dies and clusters: hwloc's groups of that name, and its dies."""
    found: dict[str, set[Cpus]] = {}
    for each in objects(root):
        name = (each.get("subtype") or each.get("type") or "").lower()
        if name in topology.LEVELS:
            found.setdefault(name, set()).add(cpus_of(each.get("cpuset", "")))
    return found


@pytest.mark.parametrize("name", MACHINES)
def test_books_and_clusters_are_those_that_the_tree_states(tmp_path: Path, name: str) -> None:
    machine = MACHINES[name]
    found = processors(plant(tmp_path, machine), "x86_64").levels
    assert {each.name: len(each.cpus) for each in found} == LEVELS.get(name, {})
    stated = {file.partition("_")[0]: set(sets) for file, sets in machine.levels}
    assert all(set(each.cpus) == stated[each.name] for each in found)


def levels_by_programs(program: Path, root: Path) -> dict[str, tuple[Cpus, ...]]:
    said = json.loads(subprocess.run([program, f"{root}/"], capture_output=True, check=True).stdout)
    return {name: tuple(map(tuple, sets)) for name, sets in said["levels"].items()}


@pytest.mark.parametrize("name", MACHINES)
def test_the_programs_read_books_and_clusters(program: Path, tmp_path: Path, name: str) -> None:
    machine = MACHINES[name]
    found = levels_by_programs(program, plant(tmp_path, machine))
    assert {each: len(sets) for each, sets in found.items()} == LEVELS.get(name, {})
    stated = {file.partition("_")[0]: set(sets) for file, sets in machine.levels}
    assert all(set(sets) == stated[each] for each, sets in found.items())


@needs_lstopo
def test_hwloc_sees_the_same_clusters(tmp_path: Path) -> None:
    """Books it looks for on s390 only: those of tests/test_public_snapshots.py are compared."""
    root = plant(tmp_path, MACHINES["clusters"])
    assert levels_by_hwloc(root) == {name: set(sets) for name, sets in topology.levels(range(8), root).items()}


def test_levels_are_in_the_order_of_their_size_and_of_what_is_online(program: Path, tmp_path: Path) -> None:
    machine = replace(
        MACHINES["offline"], levels=(("book_cpus", ((0, 1, 4), (2, 3, 5))), ("cluster_cpus", ((0,), (1,), (2,))))
    )
    root, stated = plant(tmp_path, machine), {"book": ((0, 1), (2,)), "cluster": ((0,), (1,), (2,))}
    for found in (topology.levels(machine.online, root), levels_by_programs(program, root)):
        assert found == stated and list(found) == list(stated)


@needs_lstopo
def test_hwloc_sees_the_same_of_this_host() -> None:
    ours, theirs = by_front(Path("/")), by_hwloc(Path("/"))
    assert (ours.online, ours.sockets, ours.cores, ours.caches) == (
        *(theirs.online, theirs.sockets, theirs.cores, theirs.caches),
    )
    assert {(number, cpus) for number, _, cpus in ours.nodes} == {(number, cpus) for number, _, cpus in theirs.nodes}


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("name", MACHINES)
def test_programs_and_front_read_alike(program: Path, tmp_path: Path, name: str) -> None:
    root = plant(tmp_path, MACHINES[name])
    assert by_programs(program, root) == by_front(root)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_programs_and_front_read_this_host_alike(program: Path) -> None:
    assert by_programs(program, Path("/")) == by_front(Path("/"))


@needs_lstopo
def test_a_control_groups_processors_are_those_that_hwloc_allows(tmp_path: Path) -> None:
    machine = MACHINES["confined"]
    root = plant(tmp_path, machine)
    allowed = cpus_of(objects(root)[0].get("allowed_cpuset", ""))
    found = limits(root, affinity=machine.online)
    assert found.cpuset == allowed == machine.cpuset
    assert found.cpus == len(allowed) == 5


@needs_lstopo
@pytest.mark.parametrize("name", MACHINES)
def test_what_doctor_prints_counts_as_hwloc_does(tmp_path: Path, name: str) -> None:
    """Sums, not instances: sockets, cores, threads, instances of each cache, nodes with their distances."""
    root = plant(tmp_path, MACHINES[name])
    theirs = by_hwloc(root)
    found = processors(root, "x86_64")
    counts = (len(theirs.sockets), len(theirs.cores), len(theirs.online))
    assert (found.sockets, found.cores, found.threads) == counts
    for cache in caches(root).caches:
        alike = [c for c in theirs.caches if c[:3] == (cache.level, cache.type, cache.size)]
        assert cache.instances == len(alike)
        assert cache.shared_by in {len(cpus) for *_, cpus in alike}
    nodes = numa(root).nodes
    assert [node.id for node in nodes] == sorted(number for number, *_ in theirs.nodes)
    assert all(node.distances[node.id] == 10 and len(node.distances) == len(nodes) for node in nodes)


def test_without_a_topology_each_hardware_thread_is_a_core_of_its_own(tmp_path: Path) -> None:
    (tmp_path / topology.CPU).mkdir(parents=True)
    (tmp_path / topology.CPU / "online").write_text("0-2\n")
    assert topology.cores_of((0, 1, 2), tmp_path) == [(0,), (1,), (2,)]
    assert topology.core_by_core((2, 0, 1), tmp_path) == [0, 1, 2]
    assert topology.cache_instances(tmp_path) == [] and topology.memory_nodes(tmp_path) == []


@needs_lstopo
def test_what_is_offline_has_no_caches_even_where_files_of_it_are_left(tmp_path: Path) -> None:
    """Also where no list of what is online exists, each CPU's own file says so."""
    root = plant(tmp_path, MACHINES["offline"])
    left = root / topology.CPU / "cpu5/cache/index0"
    left.mkdir(parents=True)
    for name, words in (("level", "1"), ("type", "Data"), ("size", "32K"), ("shared_cpu_list", "5")):
        (left / name).write_text(words + "\n")
    (left / "shared_cpu_map").write_text("00000020\n")
    assert by_front(root) == by_hwloc(root)
    (root / topology.CPU / "online").unlink()
    assert by_front(root) == by_hwloc(root)


@pytest.mark.parametrize(
    ("name", "order"),
    [("server", [*range(16)]), ("hybrid", [0, 2, 4, 5, 6, 7, 1, 3]), ("offline", [0, 1, 2])],
)
def test_threads_take_one_of_each_core_first(tmp_path: Path, name: str, order: list[int]) -> None:
    root = plant(tmp_path, MACHINES[name])
    assert topology.core_by_core(MACHINES[name].online, root) == order


def test_older_kernels_list_siblings_by_another_name(program: Path, tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["server"])
    for path in root.glob(f"{topology.CPU}/cpu*/topology/core_cpus_list"):
        path.unlink()
    seen = by_front(root)
    assert len(seen.cores) == 8 and by_programs(program, root) == seen
