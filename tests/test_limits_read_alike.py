"""Limits anywhere on the way to the root of a hierarchy: the front and the programs find the same least one.

The trees are drawn: version 1, version 2 or both, any group with or without the controller's files, in a container
whose mount shows only part of the hierarchy or not. What is expected is computed from the drawn groups, not from files.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.machine.limits import limits
from assay.machine.memory import memory
from compiled import WARNINGS, compile_to

MIB = 1 << 20
ALL = 1 << 40
PROGRAM = r"""
#include <cstdio>
#include "timing/memory_limits.hpp"
#include "timing/quota.hpp"
int main(int, char** words) {
  for (int at = 1; words[at]; ++at)
    std::printf("%.6f %lld\n", assay::timing::read_quota(words[at]).share,
                static_cast<long long>(assay::memory::read_headroom(words[at]).bytes));
}
"""


@dataclass(frozen=True)
class Group:
    """What one group has: memory limit, use and reclaimable cache in MiB, a quota in hundredths; None: no files."""

    memory: tuple[int | None, int, int] | None
    quota: int | None


GROUPS = st.lists(
    st.builds(
        Group,
        st.none() | st.tuples(st.none() | st.integers(1, 4000), st.integers(0, 4000), st.integers(0, 2000)),
        st.none() | st.integers(10, 6400),
    ),
    min_size=1,
    max_size=5,
)
FORMS = ("version 1", "version 2", "hybrid", "split")
V1 = {"cpu": "cpu,cpuacct", "memory": "memory"}


def planted(root: Path, form: str, groups: list[Group], hidden: int) -> None:
    """Write the drawn groups; of the first `hidden` nothing is seen in the mount."""
    old = {"version 1": {"cpu", "memory"}, "version 2": set(), "hybrid": {"cpu", "memory"}, "split": {"cpu"}}[form]
    path = "".join(f"/g{number}" for number in range(1, len(groups)))
    top = "".join(f"/g{number}" for number in range(1, hidden + 1)) or "/"
    unified = "/sys/fs/cgroup" if form == "version 2" else "/sys/fs/cgroup/unified"
    belongs = [f"{7 + at}:{V1[name]}:{path or '/'}" for at, name in enumerate(sorted(old))]
    mounts = [
        f"3{at} 30 0:2{at} {top} /sys/fs/cgroup/{V1[n]} rw - cgroup cgroup rw,{V1[n]}" for at, n in enumerate(old)
    ]
    if form != "version 1":
        belongs.append(f"0::{path or '/'}")
        mounts.append(f"40 30 0:40 {top} {unified} rw - cgroup2 cgroup2 rw")
    files = {
        "proc/self/cgroup": "\n".join(belongs) + "\n",
        "proc/self/mountinfo": "\n".join(mounts) + "\n",
        "proc/meminfo": f"MemTotal: {ALL // 1024} kB\nMemAvailable: {ALL // 1024} kB\n",
    }
    for number, group in enumerate(groups[hidden:], hidden):
        inside = "".join(f"/g{each}" for each in range(hidden + 1, number + 1))
        at = {name: f"sys/fs/cgroup/{V1[name]}" if name in old else unified[1:] for name in V1}
        cpu, memory_at = at["cpu"] + inside, at["memory"] + inside
        if group.quota is not None and "cpu" in old:
            files |= {f"{cpu}/cpu.cfs_quota_us": f"{group.quota * 1000}\n", f"{cpu}/cpu.cfs_period_us": "100000\n"}
        elif group.quota is not None:
            files[f"{cpu}/cpu.max"] = f"{group.quota * 1000} 100000\n"
        if group.memory is None:
            continue
        limit, used, cache = group.memory
        old_kind = ("total_inactive_file", "total_active_file")[cache % 2]
        kind = ("inactive_file", "active_file", "slab_reclaimable")[cache % 3]
        bound, other = (("memory.max", "memory.high"), ("memory.high", "memory.max"))[used % 2]
        if "memory" in old:
            files |= {
                f"{memory_at}/memory.limit_in_bytes": f"{9223372036854771712 if limit is None else limit * MIB}\n",
                f"{memory_at}/memory.usage_in_bytes": f"{used * MIB}\n",
                f"{memory_at}/memory.stat": f"inactive_file 1\n{old_kind} {cache * MIB}\n",
            }
        else:
            files |= {
                f"{memory_at}/{bound}": "max\n" if limit is None else f"{limit * MIB}\n",
                f"{memory_at}/{other}": "max\n",
                f"{memory_at}/memory.current": f"{used * MIB}\n",
                f"{memory_at}/memory.stat": f"anon 5\n{kind} {cache * MIB}\n",
            }
    for name, words in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(words)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limits")
    (folder / "shown.cpp").write_text(PROGRAM)
    return compile_to(folder / "shown", folder / "shown.cpp", *WARNINGS)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FORMS), GROUPS, st.integers(0, 2))
def test_the_least_limit_on_the_way_is_found(program: Path, form: str, groups: list[Group], hidden: int) -> None:
    hidden = min(hidden, len(groups) - 1)
    seen = groups[hidden:]
    quota = min((each.quota / 100 for each in seen if each.quota is not None), default=None)
    stated = [each.memory for each in seen if each.memory is not None]
    left = min(
        (MIB * (limit - max(0, used - cache)) for limit, used, cache in stated if limit is not None), default=None
    )
    left = None if left is None else max(0, left)
    least = min((MIB * limit for limit, *_ in stated if limit is not None), default=None)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        planted(root, form, groups, hidden)
        found = limits(root, affinity=tuple(range(128)))
        said = subprocess.run([program, f"{root}/"], capture_output=True, text=True, check=True).stdout.split()
        assert (found.cpu_quota, found.memory_left, found.memory_limit) == (quota, left, least)
        assert memory(root, found).usable == (ALL if left is None else left)
        assert (float(said[0]), int(said[1])) == (pytest.approx(quota or 0), ALL if left is None else left)
