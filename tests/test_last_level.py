"""The last-level cache that arrays must not fit into: what the system names, and what a guest may count on."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from compiled import WARNINGS, compile_to

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
MIB = 1 << 20
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include "memory/caches.hpp"
// ROOT/ CPU…
int main(int count, char** words) {
  std::vector<int> cpus;
  for (int i = 2; i < count; ++i) cpus.push_back(std::atoi(words[i]));
  const auto found = assay::memory::find_last_level(cpus, words[1]);
  std::printf("%ld %ld %s\n", static_cast<long>(found.bytes), static_cast<long>(found.stated), found.warning.c_str());
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("last-level")
    (folder / "last.cpp").write_text(PROGRAM)
    return compile_to(folder / "last", folder / "last.cpp", *WARNINGS)


def machine(root: Path, third: str, shared: dict[int, str], guest: bool) -> None:
    """A machine with second and third levels; `shared`: which processors share the third with each."""
    for cpu, with_whom in shared.items():
        for index, (level, size, list_) in enumerate((("2", "2048K", str(cpu)), ("3", third, with_whom))):
            folder = root / f"sys/devices/system/cpu/cpu{cpu}/cache/index{index}"
            folder.mkdir(parents=True)
            for name, text in (("level", level), ("type", "Unified"), ("size", size), ("shared_cpu_list", list_)):
                (folder / name).write_text(text + "\n")
    (root / "proc").mkdir(parents=True)
    flags = "fpu avx2 hypervisor lahf_lm" if guest else "fpu avx2 lahf_lm"
    (root / "proc/cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\nvmx flags\t: vnmi\n")


def found(program: Path, root: Path, *cpus: int) -> tuple[int, int, str]:
    said = subprocess.run([program, f"{root}/", *map(str, cpus)], capture_output=True, text=True, check=True).stdout
    counted, stated, doubt = said.split(" ", 2)
    return int(counted), int(stated), doubt.strip()


@pytest.mark.parametrize(
    ("third", "guest", "cpus", "counted", "stated"),
    [
        ("491520K", True, (0, 1), 64, 480),  # a socket's, named to a guest of two
        ("491520K", True, (1,), 32, 480),
        ("491520K", False, (0, 1), 480, 480),  # a machine of its own holds what it says
        ("65536K", True, (0, 1), 64, 64),
        ("36608K", True, (0, 1), 35.75, 35.75),
    ],
)
def test_a_guest_counts_on_no_more_than_a_processor_has_had(
    program: Path, tmp_path: Path, third: str, guest: bool, cpus: tuple[int, ...], counted: float, stated: float
) -> None:
    machine(tmp_path, third, {0: "0-1", 1: "0-1"}, guest)
    count, named, doubt = found(program, tmp_path, *cpus)
    assert (count, named) == (counted * MIB, stated * MIB)
    assert bool(doubt) is (count < named)
    if doubt:
        assert f"{stated} MiB" in doubt and f"{counted} MiB" in doubt


def test_each_instance_counts_once_and_silence_is_32_mebibytes(program: Path, tmp_path: Path) -> None:
    machine(tmp_path, "32M", {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"}, guest=False)
    assert found(program, tmp_path, 0, 1, 2)[:2] == (64 * MIB, 64 * MIB)
    assert found(program, tmp_path / "nowhere", 0) == (32 * MIB, 32 * MIB, "")
