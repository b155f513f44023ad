"""The shared bus: stream and messages alone and together; every byte checked; what a machine lacks is left out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import started
from assay.benchmark.record import programs_root
from command_line import assay
from compiled import WARNINGS, compile_to
from mpis_here import MPI, start_ranks
from remarked import texts
from test_disturbed_run import hog
from test_last_level import machine

PROGRAMS = programs_root()
BOTH = len(os.sched_getaffinity(0)) >= 2
with_mpi = pytest.mark.skipif(MPI is None or not BOTH, reason="needs MPI and two processors")
SMALL = ["--set", "size=4194304", "--set", "window=0.0005", "--slice", "0.005", "--blocks", "2"]


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Runs the program on so many ranks, compiled with what is defined besides; gives its lines and its status."""
    folder = tmp_path_factory.mktemp("bus")
    assert MPI is not None
    mpi = MPI

    def run(ranks: int, *words: str, defines: tuple[str, ...] = ()) -> tuple[list[dict[str, Any]], int]:
        program = folder / ("bus" + "-".join(defines))
        if not program.exists():
            named = ['-DASSAY_PROGRAM="ranks/bus.hpp"', *(f"-D{each}" for each in defines)]
            compile_to(program, PROGRAMS / "mpi" / "main.cpp", *named, "-O1", mpi=mpi)
        done = start_ranks(mpi, ranks, program, "--deadline", "100", *started.words("bus", *SMALL, *words))
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return lines, done.returncode

    return run


def values(lines: list[dict[str, Any]], metric: str, load: str) -> list[float]:
    return [
        value
        for line in lines
        if line["event"] == "block" and line["metric"] == metric and line["case"]["load"] == load
        for value in line["values"]
    ]


@with_mpi
@pytest.mark.measures
def test_two_processors_are_enough(bus: Callable[..., Any]) -> None:
    """Put: what each side moves alone and together, the sum of the two in each window, and what each keeps."""
    lines, status = bus(2, "--set", "kernel=read")
    assert status == 0 and lines[-1]["event"] == "done"
    checks = [line for line in lines if line["event"] == "check"]
    assert checks and all(check["passed"] for check in checks)
    assert {line["case"]["form"] for line in lines if line["event"] == "block"} == {"put"}
    assert any(text.startswith("left out: form echo: it needs 3 ranks") for text in texts(lines))
    blocks = [line for line in lines if line["event"] == "block"]
    assert [line["order"] for line in blocks] == list(range(len(blocks)))
    leads = [line["metric"] == "stream" and line["case"]["load"] == "alone" for line in blocks]  # of seven lines
    assert sum(leads) == len(blocks) / 7 and [line["accounting"]["wall"] > 0 for line in blocks] == leads
    kept = [line["metric"].endswith("_kept") for line in blocks]
    firsts = [line["block"] == 0 and not is_kept for line, is_kept in zip(blocks, kept, strict=True)]
    assert [line["first"] is not None for line in blocks] == firsts
    for metric in ("stream", "messages"):
        for load in ("alone", "both"):
            assert min(values(lines, metric, load)) > 0
    both = zip(values(lines, "stream", "both"), values(lines, "messages", "both"), strict=True)
    assert values(lines, "sum", "both") == pytest.approx([a + b for a, b in both])
    for metric in ("stream", "messages"):  # of totals over windows of nearly equal time: between the extremes
        together, alone = values(lines, metric, "both"), values(lines, metric, "alone")
        for kept in values(lines, f"{metric}_kept", "both"):
            assert 0.5 * min(together) / max(alone) < kept < 2 * max(together) / min(alone)


@with_mpi
@pytest.mark.nightly
@pytest.mark.parametrize(("form", "ranks"), [("put", 2), ("echo", 3)])
def test_a_wrong_byte_is_caught(bus: Callable[..., Any], form: str, ranks: int) -> None:
    words = ["--set", f"form={form}", "--set", "kernel=copy", "--set", "bytes=64,65536"]
    right, status = bus(ranks, *words, defines=("ASSAY_CROWDED",))
    assert status == 0 and all(line["passed"] for line in right if line["event"] == "check")
    assert min(values(right, "messages", "both")) > 0
    wrong, status = bus(ranks, *words, defines=("ASSAY_CROWDED", "ASSAY_BREAK"))
    assert status == 1 and not any(line["passed"] for line in wrong if line["event"] == "check")


@with_mpi
def test_where_ranks_would_share_a_processor_nothing_is_measured(bus: Callable[..., Any]) -> None:
    processors = len(os.sched_getaffinity(0))
    lines, status = bus(3, "--set", "form=echo") if processors < 3 else bus(2, "--set", "form=echo")
    assert status == 0 and not [line for line in lines if line["event"] == "block"]
    assert any("each with a hardware thread of its own" in line.get("text", "") for line in lines)


@with_mpi
def test_where_memory_is_short_nothing_is_taken(bus: Callable[..., Any]) -> None:
    """Sixteen gibibytes an array, four arrays: no machine of ours has twice that to spare, and it says what it has."""
    room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if room > 2**37:
        pytest.skip("this machine has the memory")
    lines, status = bus(2, "--set", "form=put", "--set", "size=17179869184")
    assert status == 0 and not [line for line in lines if line["event"] == "block"]
    assert any("more than half of the" in line.get("text", "") for line in lines)


ARRAYS = r"""
#include <cstdio>
#include "ranks/bus.hpp"
using namespace assay;
// ROOT/ RANK…, of each its processor and those that it may have: 0:01
int main(int count, char** words) {
  std::vector<ranks::Seat> seats;
  for (int i = 2; i < count; ++i) {
    ranks::Seat seat;
    seat.cpu = words[i][0] - '0';
    for (const char* at = words[i] + 2; *at; ++at) seat.allowed.set(static_cast<std::size_t>(*at - '0'));
    seats.push_back(seat);
  }
  const auto found = memory::find_last_level(ranks::processors_of(seats, 3), words[1]);
  std::printf("%zu\n", ranks::array_bytes(found) >> 20);
}
"""


@pytest.mark.parametrize(
    ("third", "guest", "ranks", "mebibytes"),
    [
        ("327680K", True, ("0:0", "1:1"), 256),  # 320 MiB reported to a guest of two processors
        ("327680K", True, ("0:01", "0:01"), 256),  # not bound: both are where one of them was seen
        ("327680K", True, ("0:0", "0:0"), 128),  # both bound to one
        ("327680K", False, ("0:0", "1:1"), 1024),  # the machine's own cache: four times it is more than is taken
        ("8192K", True, ("0:0", "1:1"), 64),
    ],
)
def test_arrays_are_four_times_what_a_guest_can_count_on(
    tmp_path: Path, third: str, guest: bool, ranks: tuple[str, ...], mebibytes: int
) -> None:
    (tmp_path / "arrays.cpp").write_text(ARRAYS)
    machine(tmp_path, third, {0: "0-1", 1: "0-1"}, guest)
    program = compile_to(tmp_path / "arrays", tmp_path / "arrays.cpp", *WARNINGS)
    said = subprocess.run([program, f"{tmp_path}/", *ranks], capture_output=True, text=True, check=True).stdout
    assert int(said) == mebibytes


@with_mpi
def test_a_guest_that_is_told_a_socket_s_cache_says_so(bus: Callable[..., Any]) -> None:
    """On machines that are no such guest nothing is said."""
    level = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")
    cache = int(level.read_text().rstrip("K\n")) << 10 if level.exists() else 0
    guest = " hypervisor " in Path("/proc/cpuinfo").read_text()
    lines, status = bus(2, "--set", "form=put", "--set", "kernel=read", "--set", "size=0")
    assert status == 0
    said = [line["text"] for line in lines if "is named to this guest" in line.get("text", "")]
    assert bool(said) is (guest and cache > 2 * (32 << 20))


@with_mpi
def test_one_command_gives_shares_and_sum_and_a_hog_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--set", "form=put", "--set", "kernel=read", "--set", "size=4194304", "--launches", "2", "--json"]
    with hog(1):
        answer = assay("run", "bus", *words, "--out", "run")
    assert answer.status in (0, 1), answer.err
    main = [f for f in answer.document["figures"] if f["statistic"] == "median" or f["state"] == "bound"]
    found = {(f["name"], f["params"]["load"]): f for f in main}
    assert set(found) == {
        ("stream", "alone"),
        ("messages", "alone"),
        ("stream", "both"),
        ("messages", "both"),
        ("sum", "both"),
        ("stream_kept", "both"),
        ("messages_kept", "both"),
    }
    assert answer.document["state"] != "clean" and answer.document["failed_checks"] == 0


def test_a_description_without_the_speed_of_a_stream_leaves_the_bus_out() -> None:
    machine: dict[str, str | float] = {"name": "m", "messages.startup": 1e-5, "messages.per_byte": 1e-9}
    lines = [json.loads(line) for line in started.play("bus", machine, 4, []).splitlines()]
    assert lines[-1]["event"] == "done" and not [line for line in lines if line["event"] == "block"]
    (note,) = texts(lines)
    assert note.startswith("left out: ") and "how fast a processor streams" in note


SEATS = r"""
#include "ranks/seats.hpp"
#include <cstdio>
#include <cstdlib>
// Words of digits, a rank's host and the processors that it may use: 0:01 0:1 1:1 …
int main(int count, char** words) {
  std::vector<assay::ranks::Seat> seats;
  for (int i = 1; i < count; ++i) {
    assay::ranks::Seat seat;
    seat.host = static_cast<std::size_t>(words[i][0]);
    for (const char* at = words[i] + 2; *at; ++at) seat.allowed.set(static_cast<std::size_t>(*at - '0'));
    seats.push_back(seat);
  }
  return assay::ranks::apart(seats, seats.size()) ? 0 : 1;
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_ranks_have_processors_of_their_own_if_there_is_a_matching(tmp_path: Path) -> None:
    import networkx as nx

    (tmp_path / "seats.cpp").write_text(SEATS)
    program = compile_to(tmp_path / "seats", tmp_path / "seats.cpp", *WARNINGS)
    cases = [
        ["0:01", "0:0"],
        ["0:01", "0:01", "0:01"],
        ["0:01", "0:01", "1:01"],
        ["0:012", "0:01", "0:0"],
        ["0:0", "0:01", "0:12", "0:23"],
        ["0:23", "0:12", "0:01", "0:12"],
        ["0:01", "0:12", "0:02", "0:012"],
        ["0:", "0:1"],
    ]
    for seats in cases:
        graph = nx.Graph()
        ranks = [f"rank {i}" for i in range(len(seats))]
        graph.add_nodes_from(ranks, bipartite=0)
        for rank, seat in zip(ranks, seats, strict=True):
            graph.add_edges_from((rank, f"{seat[0]} {cpu}") for cpu in seat[2:])
        expected = len(nx.bipartite.maximum_matching(graph, top_nodes=ranks)) // 2 == len(seats)
        assert (subprocess.run([program, *seats]).returncode == 0) == expected, seats
