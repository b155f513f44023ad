"""Memory by node: which cells a machine's matrix has, from trees of sysfs that no hardware here has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import programs_root
from assay.execute.compiler import DEFAULT_FLAGS
from by_night import by_night
from compiled import SANITIZERS, WARNINGS, compile_to, kept
from started import words

PROGRAMS = programs_root()
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
NODES = r"""
#include <cstdio>
#include <cstdlib>
#include "memory/nodes.hpp"
// ROOT/ CPU…: the nodes as one JSON document.
int main(int count, char** words) {
  std::vector<int> usable;
  for (int i = 2; i < count; ++i) usable.push_back(std::atoi(words[i]));
  const auto nodes = assay::memory::read_nodes(usable, words[1]);
  const auto list = [](const char* name, const auto& values, const char* end) {
    std::printf("\"%s\": [", name);
    for (std::size_t i = 0; i < values.size(); ++i) std::printf(i ? ", %ld" : "%ld", static_cast<long>(values[i]));
    std::printf("]%s", end);
  };
  std::printf("{");
  list("from", assay::memory::with_processors(nodes), ", ");
  list("to", assay::memory::with_memory(nodes), ", \"nodes\": [");
  for (const auto& node : nodes) {
    std::printf("%s{\"id\": %ld, ", &node == &nodes.front() ? "" : ", ", static_cast<long>(node.id));
    list("cpus", node.cpus, ", ");
    list("away", node.away, "}");
  }
  std::printf("]}\n");
}
"""


@pytest.fixture(scope="module", params=by_night(["plain", "sanitized"], ["plain"]))
def nodes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("nodes")
    (folder / "nodes.cpp").write_text(NODES)
    base = SANITIZERS if request.param == "sanitized" else DEFAULT_FLAGS
    program = compile_to(folder / "nodes", folder / "nodes.cpp", *WARNINGS, base=base)

    def read(root: Path, usable: list[int]) -> Any:
        done = subprocess.run([program, f"{root}/", *map(str, usable)], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return read


def tree(root: Path, online: str, cpus: dict[int, str], memory: dict[int, int], mems: str | None) -> None:
    """Write what the kernel would show: nodes, their processors, memory in kB, and what this process may take."""
    base = root / "sys/devices/system/node"
    for node in cpus:
        folder = base / f"node{node}"
        folder.mkdir(parents=True)
        (folder / "cpulist").write_text(cpus[node] + "\n")
        (folder / "meminfo").write_text(f"Node {node} MemTotal:       {memory[node]} kB\nNode {node} MemFree: 5 kB\n")
        (folder / "distance").write_text(" ".join("10" if other == node else "21" for other in cpus) + "\n")
    base.mkdir(parents=True, exist_ok=True)
    (base / "online").write_text(online + "\n")
    (root / "proc/self").mkdir(parents=True)
    status = "Name:\tx\n" + ("" if mems is None else f"Mems_allowed:\tff\nMems_allowed_list:\t{mems}\n")
    (root / "proc/self/status").write_text(status)


@pytest.mark.parametrize(
    ("online", "cpus", "memory", "mems", "usable", "sides"),
    [
        ("0", {0: "0-3"}, {0: 9}, "0", [0, 1, 2, 3], ([0], [0])),
        ("0-3", {n: f"{4 * n}-{4 * n + 3}" for n in range(4)}, dict.fromkeys(range(4), 9), "0-3", None, None),
        # two numbered with a gap, threads of a core apart
        ("0,2", {0: "0-1,8-9", 2: "2-3,10-11"}, {0: 9, 2: 9}, "0,2", None, ([0, 2], [0, 2])),
        # memory without processors (CXL), and processors without memory
        ("0-2", {0: "0-3", 1: "4-7", 2: ""}, {0: 9, 1: 0, 2: 9}, "0-2", None, ([0, 1], [0, 2])),
        # a cpuset: two processors of node 1, memory of node 0 alone
        ("0-1", {0: "0-3", 1: "4-7"}, {0: 9, 1: 9}, "0", [4, 5], ([1], [0])),
        # the kernel does not say what may be taken: everything
        ("0-1", {0: "0-3", 1: "4-7"}, {0: 9, 1: 9}, None, [0, 4], ([0, 1], [0, 1])),
        ("0-1", {0: "0-3", 1: "4-7"}, {0: 9, 1: 9}, "", [0, 4], ([0, 1], [0, 1])),
    ],
)
def test_the_matrix_has_a_row_for_processors_and_a_column_for_memory(
    nodes: Any, tmp_path: Path, online: str, cpus: Any, memory: Any, mems: Any, usable: Any, sides: Any
) -> None:
    tree(tmp_path, online, cpus, memory, mems)
    every = sorted(
        cpu
        for spans in cpus.values()
        for span in spans.split(",")
        if span
        for cpu in range(int(span.split("-")[0]), int(span.split("-")[-1]) + 1)
    )
    usable = every if usable is None else usable
    found = nodes(tmp_path, usable)
    assert (found["from"], found["to"]) == (sides or (list(cpus), list(cpus)))
    assert sorted(cpu for node in found["nodes"] for cpu in node["cpus"]) == usable  # each on one node, none lost
    for node in found["nodes"]:
        assert node["away"] == [10 if other == node["id"] else 21 for other in cpus]


def test_a_kernel_that_lists_no_nodes_has_one(nodes: Any, tmp_path: Path) -> None:
    found = nodes(tmp_path, [0, 5])
    assert (found["from"], found["to"]) == ([0], [0])
    assert found["nodes"][0]["cpus"] == [0, 5]


def test_garbled_lists_do_not_run_away(nodes: Any, tmp_path: Path) -> None:
    tree(tmp_path, "0-,x,1-99999999999", {0: "0-1"}, {0: 9}, "0")
    assert nodes(tmp_path, [0, 1])["from"] == [0]


def test_the_memory_lies_where_it_was_asked_for_or_it_is_said(tmp_path: Path) -> None:
    """Here: every cell of this machine's own matrix; a node that is not here is left out."""
    program = kept("memory/numa")
    few = ["--set", "size=1048576", "--slice", "0.001", "--blocks", "1"]
    done = subprocess.run([program, *words("numa", *few)], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    checks = [line for line in lines if line["event"] == "check"]
    listed = Path("/sys/devices/system/node")
    count = len(list(listed.glob("node[0-9]*"))) if listed.is_dir() else 1
    if count == 1 and len(os.sched_getaffinity(0)) >= 1:
        assert [(c["case"]["from"], c["case"]["to"]) for c in checks] == [(0, 0)]
        assert any("one node" in line.get("text", "") for line in lines)
    assert all(check["passed"] for check in checks)
    absent = subprocess.run([program, *words("numa", *few, "--set", "to=4000")], capture_output=True, text=True)
    assert "node 4000 has no memory for this process" in absent.stdout
