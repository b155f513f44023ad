"""Cycles of work by the clock kernel beside it: one reading that was interrupted decides nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

from compiled import WARNINGS, compile_to

SOURCE = r"""
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdio>
#include <ctime>
#include "processor/cycles_beside.hpp"
using namespace assay;
// The thread's own time, so that what else the host does is in none of it.
extern "C" int clock_gettime(clockid_t, timespec* at) noexcept {
  return static_cast<int>(syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, at));
}
void last(double seconds) {
  const std::int64_t until = timing::now_ns() + static_cast<std::int64_t>(1e9 * seconds);
  while (timing::now_ns() < until) {
  }
}
int main() {
  using processor::median_cycles;
  for (const double found : {median_cycles({{8, true}, {2, false}, {2, false}}),
                             median_cycles({{8, true}, {2, true}, {2, false}}), median_cycles({{8, true}, {2, true}}),
                             median_cycles({{9, false}, {2, true}, {2, true}, {8, true}}), median_cycles({{2, false}})})
    std::printf("%g ", found);
  int calls = 0;
  const auto work = [&calls](std::int64_t) { last(calls++ == 0 ? 8e-3 : 2e-3); };  // the first one is interrupted
  const double cycles = processor::cycles_of(work, 1);
  std::printf("%d %g\n", calls, cycles * processor::cycle_seconds());
}
"""


def test_of_long_work_one_interrupted_reading_does_not_decide(tmp_path: Path) -> None:
    """Work of 2 ms, once 8: the least that it can take is 2 ms, and three times as much is the interruption.

    Before it the same of given readings, with and without chains that agree: 2 of each.
    """
    source = tmp_path / "cycles.cpp"
    source.write_text(SOURCE)
    program = compile_to(tmp_path / "cycles", source, *WARNINGS)
    ended = subprocess.run([program], capture_output=True, text=True, check=True)
    *given, calls, seconds = ended.stdout.split()
    assert given == ["2"] * 5
    assert 3 <= int(calls) <= 20 and 1.5e-3 < float(seconds) < 5e-3, ended.stdout
