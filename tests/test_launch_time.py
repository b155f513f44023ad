"""How long a launch of a message-passing program measures at most, and that what was cut short is said."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace
from typing import Any

import pytest

from assay.benchmark.record import benchmark, programs_root
from assay.benchmark.resolved import sampling
from assay.execute import duration as durations
from assay.execute.duration import duration
from assay.execute.mpi import launch_environment
from assay.execute.plan import make
from assay.report.judge.verdict import verdict
from assay.report.render.terminal import show
from compiled import compile_to
from made_documents import document, figure, section
from mpis_here import MPI, yielding
from remarked import texts

PROGRAMS = programs_root()
NAP = 0.8  # s that a reading takes beyond what it says, as where each message waits for others' time slices
# A kernel whose readings say a microsecond.
SLOW = r"""
#pragma once
#include <unistd.h>
#include "ranks/sampling.hpp"
namespace assay::ranks {
struct Slow {
  static constexpr std::string_view record = "name = \"slow\"\n[metric.time]\nunit = \"s\"\n";
  struct Kernel {
    struct Case { std::int64_t size; };
    static constexpr std::string_view metric = "time";
    static constexpr std::string_view record = Slow::record;
    Case at(const timing::CaseSettings& settings) const { return {settings.at("size").integer}; }
    template <class C> timing::Json label(C&, const Case& at) const { return timing::Json().integer("size", at.size); }
    std::string_view cache(const Case&) const { return ""; }
    bool single(const Case&) const { return true; }
    template <class C> Task operate(C& comm, Case, Run run, std::int64_t* ticks) {
      for (std::int64_t i = 0; i < run.readings; ++i) {
        if (comm.rank() == 0) usleep(NAP);
        if (ticks) ticks[i] = static_cast<std::int64_t>(C::ticks_a_second / 1000000);
      }
      co_return;
    }
    template <class C> Task verify(C&, Case, Verdict& verdict) { verdict.passed = true; co_return; }
  };
  template <Communicator C> static Task run(C& comm, Session& session) {
    Kernel kernel;
    co_await sample(comm, session, kernel);
  }
};
using Program = Slow;
}  // namespace assay::ranks
"""


@pytest.mark.mpi
@pytest.mark.paced
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_a_launch_ends_when_its_time_is_over_with_every_case_measured_once(tmp_path: Path) -> None:
    """Three blocks of four cases, each of 0.8 s and more, a first one of 1.6 s more: above 16 s; 10 s are allowed."""
    assert MPI is not None
    source, program = tmp_path / "slow.hpp", tmp_path / "slow"
    source.write_text(SLOW.replace("NAP", str(int(NAP * 1e6))))
    compile_to(program, PROGRAMS / "mpi" / "main.cpp", f'-DASSAY_PROGRAM="{source}"', "-O0", mpi=MPI)
    given = ["--profile", "quick", "--slice", "0.01", "--metrics", "time", "--integer", "size=1,2,3,4"]
    environment = launch_environment(os.environ) | yielding()
    began, started = time.monotonic(), []
    for more in ([], ["--repetitions", "1"]):  # both at a time: they sleep
        command = [MPI.mpiexec, "-n", "2", str(program), *given, "--blocks", "3", *more]
        started.append(subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, env=environment))
    for process, cut in zip(started, (True, False), strict=True):
        out, err = process.communicate(timeout=100)
        took = time.monotonic() - began
        found: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines()]
        assert process.returncode == 0 and found[-1]["event"] == "done", err
        blocks = [each for each in found if each["event"] == "block"]
        assert {each["case"]["size"] for each in blocks} == {1, 2, 3, 4}
        notes = texts(found)
        if not cut:  # so many readings as a person asked for
            assert not notes and [len(each["values"]) for each in blocks] == [1] * 12
            continue
        (note,) = notes
        count = len(blocks)
        assert took > 9 and count in (4, 8)
        assert note.startswith(f"cut short, as measuring takes at most 10 s in a launch: {count} of 12 blocks")


def test_what_a_quick_run_takes_at_most_is_the_programs_own_bound() -> None:
    """The header's numbers: twelve times the slices of a launch, ten seconds at least."""
    header = (PROGRAMS / "ranks" / "launch_time.hpp").read_text()
    assert f"slices = {durations.MOST_SLICES}, least = {durations.LEAST_MOST:g};" in header
    record = benchmark("collective-overlap")
    slice_, blocks = sampling(record, "quick")
    plan = make([record], profile="quick", sizes={record.name: [SimpleNamespace(ranks=2, ppn=None)]})  # type: ignore[list-item]
    found = duration(plan, {record.name: record}, "nowhere", [])
    cases = 3 * 6 * 2 * 2  # operations, algorithms, lengths and calls; some of them the table does not have
    assert found.seconds == pytest.approx(3 * (0.5 + blocks * cases * slice_))
    assert found.most == pytest.approx(3 * (0.5 + 12 * blocks * cases * slice_))
    echo = benchmark("self")
    plan = make([echo], profile="quick", launches=1)
    assert duration(plan, {echo.name: echo}, "nowhere", []).most >= 10.5


def test_what_was_cut_short_is_among_the_anomalies_and_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    note = "cut short, as measuring takes at most 10 s in a launch: 4 of 12 blocks were measured"
    cut, whole = (
        section(
            name,
            [figure("time", 1e-6, "s")],
            notes=[text for _, text in said],
            remarks=[{"kind": kind, "text": text} for kind, text in said],
        )
        for name, said in (("a", [("cut", note)]), ("b", []))
    )
    (found,) = [each.text for each in verdict(document(cut, whole)).findings if "cut short" in each.text]
    assert found == "cut short, as launches would have taken too long: a; fewer readings support their figures"
    assert not [each for each in verdict(document(whole)).findings if "cut short" in each.text]
    show(document(cut))
    assert "4 of 12 blocks" in " ".join(capsys.readouterr().out.split())
