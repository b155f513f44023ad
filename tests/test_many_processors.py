"""Hosts with more than 1,024 hardware threads, which the C library's own set of them (cpu_set_t) cannot hold.

A preloaded library answers as the kernel of such a host does: it refuses a mask shorter than its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.benchmark.record import programs_root
from compiled import WARNINGS, compile_to

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
HOST = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
enum { most = 8192 };  // what the kernel was built for (CONFIG_NR_CPUS)
int sched_getaffinity(pid_t who, size_t bytes, cpu_set_t* mask) {
  if (bytes < most / 8) { errno = EINVAL; return -1; }
  memset(mask, 0, bytes);
  CPU_SET_S(1500, bytes, mask);
  CPU_SET_S(8191, bytes, mask);
  return 0;
}
int sched_setaffinity(pid_t who, size_t bytes, const cpu_set_t* mask) {
  for (size_t cpu = 0; cpu < 8 * bytes; ++cpu)
    if (CPU_ISSET_S(cpu, bytes, mask)) fprintf(stderr, "bound to %zu\n", cpu);
  return 0;
}
"""
SEEN = r"""
#include <cstdio>
#include "timing/affinity.hpp"
int main() {
  for (const std::int64_t cpu : assay::timing::own_affinity()) std::printf("%ld ", static_cast<long>(cpu));
  return assay::timing::bind_to({1500, 70000});
}
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("host")
    (folder / "host.c").write_text(HOST)
    made = folder / "host.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", made, folder / "host.c"], check=True)
    return os.environ | {"LD_PRELOAD": str(made)}


def test_sets_of_hardware_threads_have_no_end(tmp_path: Path, host: dict[str, str]) -> None:
    (tmp_path / "seen.cpp").write_text(SEEN)
    program = compile_to(tmp_path / "seen", tmp_path / "seen.cpp", *WARNINGS)
    done = subprocess.run([program], env=host, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split() == ["1500", "8191"]
    assert done.stderr.splitlines() == ["bound to 1500", "bound to 70000"]


def test_a_job_is_bound_to_any_hardware_thread(tmp_path: Path, host: dict[str, str]) -> None:
    program = compile_to(tmp_path / "job_record", programs_root() / "jobs" / "job_record.cpp", *WARNINGS)
    words = ["--record", str(tmp_path / "r"), "--output", str(tmp_path / "o"), "--cpus"]
    bound = subprocess.run([program, *words, "1500,1501", "--", "true"], env=host, capture_output=True, text=True)
    assert (bound.returncode, bound.stderr.splitlines()) == (0, ["bound to 1500", "bound to 1501"])
    assert json.loads((tmp_path / "r").read_text().splitlines()[0])["event"] == "start"
    for wrong in ("a", "1,,2", "-1", "1048576", "99999999999999999999", "1;2"):
        refused = subprocess.run([program, *words, wrong, "--", "true"], capture_output=True, text=True)
        assert refused.returncode == 64 and "--cpus takes numbers below 1048576" in refused.stderr


def test_no_program_has_a_set_of_fixed_size() -> None:
    fixed = re.compile(r"cpu_set_t\s+\w|CPU_SETSIZE|CPU_(SET|ISSET|ZERO|COUNT)\(")
    sources = [path for kind in ("cpp", "hpp") for path in programs_root().rglob(f"*.{kind}")]
    assert len(sources) > 100
    assert [path.name for path in sources if fixed.search(path.read_text())] == []
