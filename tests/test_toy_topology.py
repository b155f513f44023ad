"""A topology is one file in its folder: a new one, in a copy of the folder, is simulated with no other file changed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from assay import _core

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent

LINE = """// A line of routers, a node at each.
#include "network/registry.hpp"

namespace assay::network::topologies::line {
namespace {

Fabric build(const Settings& settings, const LinkClasses& classes) {
  const auto nodes = static_cast<std::uint32_t>(settings.integer("nodes"));
  FabricBuilder builder("line", nodes, classes.network, classes.injection, classes.ejection);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    builder.attach(node);
    if (node == 0) continue;
    builder.connect(node - 1, node, 0, 1);
    builder.connect(node, node - 1, 0, -1);
  }
  return builder.finish(nullptr);
}

}  // namespace

extern const TopologyRecord record;
const TopologyRecord record{"line",          "line of routers", "Node i sits at router i.",
                            {{"nodes", Kind::integer, {}, "", "how many", 1, most_routers}},
                            "shortest-path", build};

}  // namespace assay::network::topologies::line
"""
LIST = """cmake_minimum_required(VERSION 3.25)
project(list NONE)
include({root}/cmake/registry.cmake)
write_registry(topologies TopologyRecord SOURCES)
"""


def core_with_a_line(folder: Path) -> Path:
    """The core's module of this checkout, linked anew with a folder of topologies that has one more."""
    built = ROOT / "build" / "core"
    topologies = folder / "core" / "network" / "topologies"
    shutil.copytree(ROOT / "core" / "network" / "topologies", topologies)
    (topologies / "line.cpp").write_text(LINE)
    (folder / "CMakeLists.txt").write_text(LIST.format(root=ROOT))
    ninja = ("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={TOOLS / 'ninja'}")
    subprocess.run([TOOLS / "cmake", *ninja, "-S", folder, "-B", folder / "made"], check=True)
    (compiled,) = [
        each
        for each in json.loads((built / "compile_commands.json").read_text())
        if each["file"] == f"{ROOT}/core/network/topologies/bind.cpp" and "assay_core" not in each["output"]
    ]
    flags = [
        word for word in shlex.split(compiled["command"]) if word.startswith(("-I", "-std", "-f", "-m", "-isystem"))
    ]
    objects = []
    for source in (topologies / "line.cpp", folder / "made" / "registry" / "topologies.cpp"):
        objects.append(str(source.with_suffix(".o")))
        subprocess.run(["g++", *flags, "-O1", "-c", source, "-o", objects[-1]], cwd=built, check=True)
    target = Path(_core.__file__).relative_to(built)
    listed = subprocess.run(
        [TOOLS / "ninja", "-t", "commands", target], cwd=built, capture_output=True, text=True, check=True
    ).stdout.splitlines()[-1]
    made = folder / target.name
    link = listed.removeprefix(": && ").removesuffix(" && :").replace(f"-o {target}", f"-o {made}")
    first, *rest = shlex.split(link)
    # The list that the build wrote lies in the library, too: the first one is taken.
    subprocess.run([first, "-Wl,--allow-multiple-definition", *objects, *rest], cwd=built, check=True)
    return made


def test_a_file_in_the_folder_is_a_topology(tmp_path: Path) -> None:
    """It gives what the same graph gives as a list of links; its way is the only one."""
    nodes = 12
    links = [[at, at + 1] for at in range(nodes - 1)]
    method = '[traffic]\npattern = "uniform"\nload = 0.1\n[method]\ncycles = 40000\n'
    (tmp_path / "line.toml").write_text(f'[network]\ntopology = "line"\nnodes = {nodes}\n{method}')
    (tmp_path / "graph.toml").write_text(f'[network]\ntopology = "graph"\nlinks = {links}\n{method}')
    environment = os.environ | {"ASSAY_CORE": str(core_with_a_line(tmp_path))}
    found = []
    for name in ("line", "graph"):
        words = [sys.executable, "-P", "-m", "assay", "simulate", str(tmp_path / f"{name}.toml"), "--json"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    line, graph = ({each["name"]: each["value"] for each in of["figures"]} for of in found)
    assert line == graph and line
    assert found[0]["messages"] == found[1]["messages"] > 1000
