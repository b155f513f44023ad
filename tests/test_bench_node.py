"""`./x bench node`: plain program and ours do the same work on the same processors; peers' words are read right."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

import pytest
from bench import _node_peers as peers
from bench import node

from assay.errors import MeasurementError
from small_programs import script

SYNCBENCH = """echo 'BARRIER time     = 0.450000 microseconds +/- 0.010000'
echo 'BARRIER overhead = 0.325000 microseconds +/- 0.020000'
echo 'SINGLE overhead = 9.9 microseconds +/- 0.1'"""
# as likwid-bench 5.5.1 says it under a hypervisor that does not tell the clock
CLOCKLESS = r"""printf 'Cycles:\t\t\t2000000\nCPU Clock:\t\t0\nTime:\t\t\tinf sec\nMFlops/s:\t\t0.00\n'
printf 'Data volume (Byte):\t4000000\nMByte/s:\t\t0.00\nCycles per update:\t26.25\n'"""
LIKWID = r"""printf 'MFlops/s:\t\t1000.00\nMByte/s:\t\t12500.00\n'; echo "$@" >> words"""
WALK = "echo '\"stride=64' >&2; echo '0.00049 1.500' >&2; echo '128.00000 95.250' >&2"


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("cc") is None or shutil.which("g++") is None, reason="needs cc and g++")
def test_both_sides_make_their_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(node, "MATCHES", [node.Match("mutex", "lock", ("kind=mutex", "sharing=one"), 500, 5, "median")])
    assert node.main(["--launches", "2"]) in (0, 1)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("mutex")]
    assert "mutex, 1 thread, plain with itself" in lines[0] and "no A/A run" not in lines[0]
    assert "mutex, 1 thread, ours over plain, medians" in lines[1]
    assert len(lines) == 2 * min(2, len(os.sched_getaffinity(0)))


def test_processors_are_taken_core_by_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    for cpu, siblings in ((0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")):
        topology = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(siblings + "\n")
    assert node.processors(tmp_path) == [0, 2, 1, 3]


def test_what_peers_print_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert peers.epcc_barrier(script(tmp_path, "syncbench", SYNCBENCH), 2, 0) == pytest.approx(0.325e-6)
    assert peers.likwid_stream(script(tmp_path, "likwid", LIKWID), 2, 150_000_000) == pytest.approx(80e-12)
    assert (tmp_path / "words").read_text().split() == ["-t", "stream", "-W", "N:450000kB:2"]
    monkeypatch.setattr(peers, "tick", lambda: 4e-10)
    assert peers.likwid_stream(script(tmp_path, "clockless", CLOCKLESS), 2, 150_000_000) == pytest.approx(2e-10)
    older = script(tmp_path, "older", f"[ $# = 0 ] || {{ echo Invalid parameters >&2; exit 1; }}\n{SYNCBENCH}")
    assert peers.epcc_barrier(older, 2, 0) == pytest.approx(0.325e-6)
    script(tmp_path, "lat_mem_rd", WALK)
    script(tmp_path, "lat_proc", "echo 'Process fork+exit: 171.4483 microseconds' >&2")
    assert peers.lmbench_latency(tmp_path, 1, 0) == pytest.approx(95.25e-9)
    assert peers.lmbench_fork(tmp_path, 1, 0) == pytest.approx(171.4483e-6)


@pytest.mark.skipif(shutil.which("cc") is None or platform.machine() != "x86_64", reason="needs cc on x86")
def test_a_tick_is_that_of_a_processor() -> None:
    assert 1e-10 < peers.tick() < 1e-8


def test_a_peer_that_says_nothing_or_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MeasurementError, match="syncbench printed no such figure"):
        peers.epcc_barrier(script(tmp_path, "quiet", "echo hello"), 2, 0)
    monkeypatch.setattr(peers, "LONGEST", 0.2)
    with pytest.raises(MeasurementError, match=r"no answer within 0\.2 s"):
        peers.likwid_stream(script(tmp_path, "stuck", "exec sleep 20"), 1, 1000)
    monkeypatch.setattr(peers, "LONGEST", 60.0)
    negative = SYNCBENCH.replace("overhead = 0.325", "overhead = -0.325")
    with pytest.raises(MeasurementError, match="disturbed three times"):
        peers.epcc_barrier(script(tmp_path, "negative", negative), 2, 0)
    with pytest.raises(MeasurementError, match="no counters"):
        peers.likwid_stream(script(tmp_path, "broken", "echo no counters >&2; exit 3"), 2, 1000)
