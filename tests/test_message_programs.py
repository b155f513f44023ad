"""The message-passing programs beyond echo, self and ring: closed forms on the constant machine, right data on MPI."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.described.machine_file import DescribedMachine, load
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from by_night import by_night
from compiled import compile_to
from mpis_here import CROWD, MPI, start_ranks
from remarked import texts
from started import play, words

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
STARTUP = 1e-5
MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
).for_core()
# name -> ranks, arguments that keep it short
SMALL = {
    "forced": (2, ["--set", "bytes=0,8,70000"]),
    "late-receive": (2, ["--set", "bytes=8,70000", "--set", "send=ordinary"]),
    "bulk-synchronous": (3, ["--set", "work=1e-5", "--set", "steps=10"]),
    "message-rate": (5, ["--set", "bytes=0,100"]),
    "alltoall": (5, ["--set", "bytes=1,100,5000"]),
    "fan-in": (4, ["--set", "bytes=0,100,70000"]),
    "fan-out": (4, ["--set", "bytes=0,100,70000"]),
    "contention": (5, ["--set", "bytes=1,5000", "--set", "load=0,50,100"]),
    "overlap": (3, ["--set", "bytes=0,5000"]),
    "loggp": (3, ["--set", "bytes=0,5000"]),
}


def played(name: str, ranks: int, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in play(name, MACHINE, ranks, list(arguments)).splitlines()]


def value(name: str, ranks: int, metric: str, *arguments: str) -> list[float]:
    return [
        value
        for event in played(name, ranks, *arguments)
        if event["event"] == "block" and event["metric"] == metric
        for value in event["values"]
    ]


@pytest.mark.parametrize("name", SMALL)
def test_data_are_right_on_the_constant_machine_and_cases_are_those_asked_for(name: str) -> None:
    ranks, arguments = SMALL[name]
    events = played(name, ranks, *arguments, "--repetitions", "2")
    checks = [event for event in events if event["event"] == "check"]
    assert checks and all(check["passed"] for check in checks) and events[-1]["event"] == "done"
    metrics = set(benchmark(name).metrics) - benchmark(name).errors  # there is one clock
    metrics -= {"load_length", "load_reached"}  # of a load that is set by length
    metrics -= {"receive_overhead", "latency"}  # of a machine whose senders carry each message
    for check in checks:
        own = [e for e in events if e["event"] == "block" and e["case"] == check["case"]]
        assert {event["metric"] for event in own} == metrics
        assert all(len(event["values"]) == 2 for event in own)


@pytest.mark.parametrize("share", [10, 50, 90, 100])
def test_a_load_that_is_set_by_length_is_that_part_of_the_long_messages_rate(share: int) -> None:
    """On T = alpha + beta N (and a quarter of a 1-byte credit) N = r alpha / (1 - r beta) reaches the rate r."""
    alpha, beta, longest = 70e-6 + (70e-6 + 0.4e-6) / 4, 0.4e-6, 8192
    arguments = ["--set", "bytes=100", "--set", f"load={share}", "--set", "load_by=length"]
    described = load(PROGRAMS.parent / "examples" / "constant.toml").for_core()
    events = [json.loads(line) for line in play("contention", described, 4, arguments).splitlines()]
    found = {e["metric"]: e["values"][0] for e in events if e["event"] == "block"}
    rate = share / 100 * longest / (alpha + beta * longest)
    assert found["load_reached"] == pytest.approx(share / 100, rel=0.02)
    assert found["load_length"] == pytest.approx(rate * alpha / (1 - rate * beta), rel=0.02, abs=1)
    assert all(e["passed"] for e in events if e["event"] == "check")


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("name", by_night(SMALL, ["late-receive", "alltoall", "contention"]))
def test_data_are_right_on_mpi(name: str) -> None:
    """More ranks than processors perhaps: what is held here is right and wrong, not time."""
    ranks, arguments = SMALL[name]
    assert MPI is not None
    program = build([benchmark(name)], mpi=MPI)[name].path
    few = ["--blocks", "1", "--repetitions", "3", "--batch", "2", "--deadline", "100"]
    ended = start_ranks(MPI, ranks, program, *words(name, *few, *arguments))
    assert ended.returncode == 0, ended.stderr
    events = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    checks = [event for event in events if event["event"] == "check"]
    assert checks and all(check["passed"] for check in checks) and events[-1]["event"] == "done"
    theirs = {json.dumps(e["case"], sort_keys=True) for e in played(name, ranks, *arguments) if e["event"] == "check"}
    assert {json.dumps(check["case"], sort_keys=True) for check in checks} == theirs


def test_a_forced_echo_is_two_messages() -> None:
    assert value("forced", 2, "round_trip", "--set", "bytes=1000") == [pytest.approx(2.2e-5)] * 2


@pytest.mark.parametrize("ranks", [2, 3, 8, 13])
def test_all_to_all_is_a_message_after_the_other(ranks: int) -> None:
    assert value("alltoall", ranks, "time", "--set", "bytes=1000") == [pytest.approx((ranks - 1) * 1.1e-5)]


def test_fan_in_on_a_machine_without_a_network_takes_what_each_sends_at_once() -> None:
    """Each sender's 12 further messages follow one another; the senders were told to begin one startup apart."""
    for count in (1, 2, 4):
        (time,) = value("fan-in", 5, "time", "--set", "bytes=1000", "--set", f"neighbours={count}")
        assert 12 * 1.1e-5 - 1e-12 <= time <= 12 * 1.1e-5 + (count - 1) * STARTUP + 1e-12


def test_fan_out_is_bound_by_the_sender_that_carries_each_message() -> None:
    for count in (1, 3):
        (time,) = value("fan-out", 4, "time", "--set", "bytes=1000", "--set", f"neighbours={count}")
        assert time == pytest.approx(16 * count * 1.1e-5 + STARTUP)


def test_pairs_do_not_meet_on_a_machine_without_a_network() -> None:
    """64 messages and a word back; beyond that only the words by which the senders begin and end together."""
    alone, many = (value("message-rate", 8, "time", "--set", "bytes=0", "--set", f"pairs={n}")[0] for n in (1, 4))
    assert alone == pytest.approx(65 * STARTUP)
    assert alone <= many <= alone + 4 * (STARTUP + 1e-9)


def test_a_load_that_meets_nothing_changes_nothing() -> None:
    rates = {value("contention", 4, "time", "--set", "bytes=1000", "--set", f"load={n}")[0] for n in (0, 30, 100)}
    assert max(rates) == pytest.approx(31 * 1.1e-5) == min(rates)


def test_a_processor_that_carries_its_messages_itself_hides_nothing() -> None:
    arguments = ["--set", "bytes=1000"]
    several = ["--set", "bytes=0,1,8,1000,65536"]
    assert value("overlap", 2, "communication_hidden", *several) == [0] * 5  # no rounding either: equal times
    assert value("overlap", 2, "computing_kept", *arguments) == [pytest.approx(1)]
    assert value("overlap", 2, "together", *arguments)[0] == pytest.approx(2 * 1.1e-5, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "ranks", "arguments", "said"),
    [
        ("contention", 3, [], "4 ranks or more; got 3"),
        ("fan-in", 1, [], "2 ranks or more"),
        (
            "fan-in",
            4,
            ["--set", "neighbours=9"],
            r"neighbours: more neighbours than rank 0 has; got '9', expected 0 \(all\) to 3",
        ),
        (
            "message-rate",
            4,
            ["--set", "pairs=3"],
            r"pairs: more pairs than its ranks make; got '3', expected 0 \(in steps\), 1 to 2",
        ),
        ("echo", 3, ["--set", "hops=4"], "no partner at so many hops"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(name: str, ranks: int, arguments: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        play(name, MACHINE, ranks, arguments)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_done_beside_what_can_is_left_out_and_said(tmp_path: Path) -> None:
    events = played("fan-in", 4, "--set", "neighbours=2,9", "--set", "bytes=8")
    assert {e["case"]["neighbours"] for e in events if e["event"] == "block"} == {2}
    assert [text for text in texts(events) if text.startswith("left out: ")]


def test_evaluating_leaves_out_what_needs_more_ranks_than_there_are_processors() -> None:
    """A fan of two ranks is none; what needs four is not put on two processors, and that is said."""
    from assay.execute.target import enough_ranks

    said: list[str] = []
    records = [benchmark(name) for name in ("contention", "fan-in", "echo", "sieve")]
    kept = enough_ranks(records, None, 1, (2,), said.append)
    assert [record.name for record in kept] == ["echo", "sieve"]
    assert said == ["skipped: only 2 hardware threads: contention (4 ranks), fan-in (3 ranks)"]
    assert enough_ranks(records, None, 4, (1,), said.append) == records
    assert enough_ranks(records, "ipsc860", None, (), said.append) == records and len(said) == 1


# A shipped program whose rank 1 stops at something else, or is gone, in the midst of it.
DISTURBED = r"""
#pragma once
#define Program Shipped
#include "ranks/NAME.hpp"
#undef Program
#include <pthread.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <thread>
namespace assay::ranks {
struct Disturbed {
  static constexpr std::string_view record = Shipped::record;
  template <Communicator C>
  static Task run(C& comm, Session& session) {
    if (comm.rank() == 1) {
      const bool lost = std::string_view(std::getenv("HOW")) == "lost";
      std::signal(SIGUSR1, [](int) { for (;;) pause(); });
      std::thread([lost, main = pthread_self()] {
        usleep(300'000);
        lost ? _exit(7) : static_cast<void>(pthread_kill(main, SIGUSR1));
      }).detach();
    }
    return Shipped::run(comm, session);
  }
};
using Program = Disturbed;
}  // namespace assay::ranks
"""


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize(("name", "ranks"), by_night([("message_rate", 2), ("fan_in", 3)], [("fan_in", 3)]))
def test_a_rank_that_hangs_or_dies_ends_the_job(tmp_path: Path, name: str, ranks: int) -> None:
    """By the deadline, naming the program, the rank and whom it waits for; by the launcher where a rank is gone."""
    assert MPI is not None
    source, program = tmp_path / "disturbed.hpp", tmp_path / "disturbed"
    source.write_text(DISTURBED.replace("NAME", name))
    environment = launch_environment(os.environ) | CROWD
    compile_to(program, PROGRAMS / "mpi" / "main.cpp", f'-DASSAY_PROGRAM="{source}"', "-O0", mpi=MPI)
    for how, deadline in (("stuck", "3"), ("lost", "100")):
        given = words(name.replace("_", "-"), "--set", "bytes=8", "--slice", "300")
        command = [MPI.mpiexec, "-n", str(ranks), str(program), *given]
        ended = subprocess.run(
            [*command, "--deadline", deadline],
            capture_output=True,
            text=True,
            timeout=90,  # below the second deadline: there it is the launcher that ends the job
            env=environment | {"HOW": how},
        )
        assert ended.returncode != 0 and '"done"' not in ended.stdout
        if how == "stuck":  # each rank that still could said so; a slow launcher may have cut off the others
            said = rf"{name.replace('_', '-')}: not done after 3 s: rank \d was in (receive|wait|send)\b.* rank "
            assert re.search(said, ended.stderr), ended.stderr
        else:
            assert "not done after" not in ended.stderr
