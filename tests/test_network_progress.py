"""Long simulations show how far they are; those that need more memory than there is say so instead of being killed."""

from __future__ import annotations

import os
import pty
import re
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import assay._core
from assay.network import description, progress, saturation, simulation, sweep, workers
from command_line import assay
from example_inputs import HYPERCUBE


@pytest.mark.parametrize(("kind", "count"), [("threads", 1), ("threads", 2), ("processes", 2)])
def test_all_cycles_are_counted_whoever_simulates_them(kind: workers.WorkerKind, count: int) -> None:
    found = description.load(Path(HYPERCUBE), ["method.cycles=5000", "method.replications=3", "method.precision=0.2"])
    meter = progress.Meter()
    documents = []
    with workers.executor(kind, count) as pool:
        sweep.drive(
            [simulation.steps(found), saturation.steps(found)], pool, lambda _, one: documents.append(one), meter
        )
    pilots = sum(one["warmup"]["pilot_cycles"] for one in documents if "warmup" in one)
    assert meter.expected == sum(one["simulated_cycles"] for one in documents) + pilots
    assert meter.cycles == meter.expected


def test_a_long_run_without_a_terminal_says_so_in_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("assay.progress.EVERY", 0.01)
    meters = threading.Event()
    with progress.bar("simulating") as meter:
        meter.points, meter.of, meter.expected, meter.elsewhere = 1, 3, 4_000_000, 1_000_000
        meters.wait(0.2)
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert re.fullmatch(
        r"simulating: 1 of 3 points, 1,000,000 of 4,000,000 cycles requested so far, 0 s, about 0 s left for these",
        first,
    )
    assert second == first


def test_a_short_run_says_nothing_but_its_result() -> None:
    assert assay("simulate", HYPERCUBE, "--set", "method.cycles=2000").err == ""


def test_a_terminal_has_a_bar() -> None:
    """Standard error is a terminal; the bar goes away with Ctrl-C and leaves the line."""
    ours, theirs = pty.openpty()
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from assay.cli import main; main()"
    words = ["simulate", HYPERCUBE, "--set", "network.dimension=14", "--set", "method.cycles=2000000000"]
    ran = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    try:
        while not re.search(rb"[1-9][\d,]* of 2,000,002,000 cycles", seen):
            seen += os.read(ours, 4096)
        ran.send_signal(2)
        assert ran.wait(60) == 130
        while not seen.endswith(b"assay: interrupted\r\n"):
            seen += os.read(ours, 4096)
    finally:
        ran.kill()
        ran.communicate()
        os.close(ours)
    assert b"simulating" in seen
    assert seen.count(b"\x1b[?25h") == 1  # the cursor is back


def test_more_memory_than_there_is_is_refused_in_a_line() -> None:
    """2^22 nodes take .75 GiB; with a limit of .375 the allocation fails before anything is used."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (3 * 2**27, 3 * 2**27))

    words = ["simulate", HYPERCUBE, "--set", "network.dimension=22", "--set", "method.cycles=1000"]
    ran = subprocess.run(
        [sys.executable, "-m", "assay", *words], capture_output=True, text=True, timeout=120, preexec_fn=limit
    )
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert re.match(rf"assay: {HYPERCUBE}: needs more memory than the 0\.\d+ GiB that are free here; expected ", line)


def test_the_limit_on_memory_ends_with_the_verb() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    assert assay("simulate", HYPERCUBE, "--set", "method.cycles=2000").status == 0
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
