"""Ctrl-C, SIGTERM and SIGKILL at simulations that would take minutes: they end at once, with all that they started."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import assay._core
from assay.execute import session
from command_line import assay
from example_inputs import CONSTANT, HYPERCUBE

pytestmark = pytest.mark.paced

LONG = ("--set", "method.cycles=2000000000", "--set", "network.dimension=10")
STUDY = """
[study]
title = "long"
[network]
topology = "hypercube"
dimension = 10
[method]
cycles = 2000000000
warmup_cycles = 1000
replications = 2
[sweep]
"traffic.load" = [0.1, 0.2]
"""
PROGRESS = re.compile(  # network/progress.py: where, how far, how long, and how long still
    r"simulating: (?:\d+ of \d+ points, |[^,\n]+, )?[\d,]+(?: of [\d,]+)? cycles(?: requested so far)?, [\w. ]+"
    r"(?:, about [\w. ]+ left for these)?\n"
    r"|measured \d+ of \d+ launches; now \w+, [\w. ]+ so far\n"  # verbs/_progress.py
)
PATIENCE = 60  # s, on a machine that does much else


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def members(session: int) -> dict[int, tuple[str, float]]:
    """(state, CPU seconds) of each process of a session, by process id."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found[int(entry.parent.name)] = fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


@contextmanager
def started(*words: object, computing: int = 1) -> Iterator[subprocess.Popen[str]]:
    """An assay in a session of its own, once so many of its processes compute; the session is empty afterwards."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from assay.start import main; main()"
    )
    ran = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )

    def busy() -> bool:
        assert ran.poll() is None, ran.communicate()
        return sum(cpu > 2.0 for _, cpu in members(ran.pid).values()) >= computing  # more than imports take

    try:
        assert until(busy), members(ran.pid)
        yield ran
    finally:
        left = members(ran.pid)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        ran.communicate()


def interrupted(ran: subprocess.Popen[str], number: signal.Signals = signal.SIGINT) -> tuple[int, str, str, float]:
    """Ctrl-C as a terminal sends it, to every process; status, both streams, and the seconds it took.

    Without the lines of progress, of which there are some by the pace of this machine: none but these is left out, and
    none that comes after another line.
    """
    began = time.monotonic()
    os.killpg(ran.pid, number)
    out, err = ran.communicate(timeout=PATIENCE)
    seconds = time.monotonic() - began
    lines = err.splitlines(keepends=True)
    said = itertools.dropwhile(PROGRESS.fullmatch, lines)
    return ran.returncode, out, "".join(said), seconds


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--saturation",),
        ("--sweep", "traffic.load=0.1,0.2,0.3", "--workers", 2),
        ("--sweep", "traffic.load=0.1,0.2,0.3", "--workers", 1),
        ("--set", "network.switching=store-and-forward"),
        ("--set", "network.channels=2"),
        ("--sweep", "traffic.load=0.1,0.2,0.3", "--workers", 2, "--executor", "processes"),
    ],
    ids=lambda words: " ".join(map(str, words)) or "alone",
)
def test_ctrl_c_ends_a_simulation_at_once(words: tuple[object, ...]) -> None:
    with started("simulate", HYPERCUBE, *LONG, *words, computing=2 if "processes" in words else 1) as ran:
        status, out, err, seconds = interrupted(ran)
        assert (status, out, err) == (130, "", "assay: interrupted\n")
        assert seconds < 15  # a second on a machine of its own; the run itself takes minutes
        assert until(lambda: not members(ran.pid))


def test_ctrl_c_says_what_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "points.jsonl"
    sweep = ("--set", "network.dimension=10", "--sweep", "method.cycles=20000,2000000000", "--workers", 1)
    with started("simulate", HYPERCUBE, *sweep, "--out", out) as ran:
        assert until(out.exists)
        status, _, err, _ = interrupted(ran)
    assert status == 130 and len(out.read_text().splitlines()) == 1
    assert err == f"assay: interrupted; finished points are in {out}, the same command resumes from there\n"


@pytest.mark.parametrize("words", [("--saturation",), ("--sweep", "traffic.load=0.1,0.2")], ids=lambda words: words[0])
def test_ctrl_c_before_a_point_is_finished_says_so(words: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "points.jsonl"
    with started("simulate", HYPERCUBE, *LONG, *words, "--out", out) as ran:
        status, _, err, _ = interrupted(ran)
    assert status == 130 and not out.exists()
    assert err == f"assay: interrupted; no point was finished yet, and {out} is not there\n"


def test_ctrl_c_ends_a_replay(tmp_path: Path) -> None:
    messages = tmp_path / "messages.csv"
    rows = "".join(f"{i},{i // 4},{i % 128},{(i * 7 + 1) % 128},100000\n" for i in range(400_000))
    messages.write_text("id,cycle,source,destination,flits\n" + rows)
    way = ("--set", "network.routing=valiant", "-o", tmp_path / "out.csv")
    with started("replay", HYPERCUBE, messages, *way) as ran:
        status, _, err, seconds = interrupted(ran)
    assert (status, err) == (130, "assay: interrupted\n")
    assert seconds < 15


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("run", "alltoall", "-n", 1728, "--set", "bytes=65536"), signal.SIGINT),
        (("evaluate", "-N", 1728), signal.SIGINT),
        (("evaluate", "-N", 1728), signal.SIGTERM),
    ],
)
def test_a_signal_ends_ranks_on_a_described_machine(
    words: tuple[object, ...], number: signal.Signals, tmp_path: Path
) -> None:
    """A simulated program of ranks is one call of the core."""
    with started(*words, "--on", "torus-tofud", "--out", tmp_path / "run") as ran:
        status, _, err, seconds = interrupted(ran, number)
    assert status == 128 + number
    *left_out, last = err.splitlines()
    assert last.startswith("assay: interrupted") and all(line.startswith("left out: ") for line in left_out)
    assert seconds < 15


def naming(folder: Path) -> list[int]:
    """Processes of any session whose command names a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if os.fsencode(folder) in entry.read_bytes():
                found.append(int(entry.parent.name))
    return found


@pytest.mark.parametrize("verb", [("run", "noise"), ("evaluate", "--only", "threads")], ids=lambda words: words[0])
def test_sigterm_ends_a_measurement_as_ctrl_c_does(verb: tuple[str, ...], tmp_path: Path) -> None:
    """A batch system sends it at a time limit, to this process alone: programs are ended, and the way on is named."""
    run = tmp_path / "run"
    words = (*verb, "--launches", 10, "--out", run)
    ran = subprocess.Popen(
        [sys.executable, "-m", "assay", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"ASSAY_RUNS": str(tmp_path / "state")},
    )
    try:
        assert until(lambda: any((run / "launches").glob("*.jsonl")), 2 * PATIENCE)
        ran.send_signal(signal.SIGTERM)
        _, err = ran.communicate(timeout=PATIENCE)
        assert not naming(run)
    finally:
        ran.kill()
        ran.communicate()
    kept = f"finished launches are stored; to resume: assay evaluate --resume {run}"
    assert (ran.returncode, err.splitlines()[-1]) == (143, f"assay: interrupted; {kept}")
    assert json.loads((run / "run.json").read_text())["state"] == "interrupted"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("verb", ["simulate", "study"])
def test_workers_end_with_their_parent(verb: str, number: signal.Signals, tmp_path: Path) -> None:
    """The workers and their fork server, which outlives its parent for as long as a worker lives."""
    file = tmp_path / "long.toml"
    file.write_text(STUDY)
    words = (
        ("study", file) if verb == "study" else ("simulate", HYPERCUBE, *LONG, "--sweep", "traffic.load=0.1,0.2,0.3")
    )
    with started(*words, "--workers", 2, "--executor", "processes", computing=2) as ran:
        assert len(members(ran.pid)) >= 4  # itself, the fork server, two workers (and a resource tracker)
        os.kill(ran.pid, number)
        ran.wait(PATIENCE)
        assert until(lambda: not members(ran.pid), 20), members(ran.pid)


@pytest.mark.parametrize("verb", [("evaluate", "-N", "4"), ("run", "echo")], ids=lambda words: words[0])
def test_the_way_to_go_on_is_named(verb: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "do", pressed)
    found = assay(*verb, "--on", CONSTANT, "--out", str(tmp_path / "run"))
    kept = f"; finished launches are stored; to resume: assay evaluate --resume {tmp_path / 'run'}"
    assert (found.status, found.out) == (130, "")
    assert found.err == f"assay: interrupted{kept}\n"


@pytest.mark.parametrize("where", ["assay.verbs._compared_document.document", "assay.report.render.page.html"])
def test_ctrl_c_while_the_report_is_made_says_how_to_get_it(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    run = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(where, pressed)
        found = assay("evaluate", "--on", CONSTANT, "-N", "2", "--out", str(run), "-q")
    assert (found.status, found.out) == (130, "")
    kept = f"interrupted; the run is complete, and its report is made by: assay report {run}"
    assert found.err.splitlines()[-1] == f"assay: {kept}"
    assert assay("report", str(run), "-q").status == 0


@pytest.mark.parametrize("words", [("runs",), ("catalogue", "ipsc860")], ids=lambda words: words[0])
def test_other_verbs_say_that_they_were_interrupted(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.store.known_runs", pressed)
    monkeypatch.setattr("assay.machine.catalogue.load", pressed)
    found = assay(*words)
    assert (found.status, found.out, found.err) == (130, "", "assay: interrupted\n")


def test_a_worker_that_fails_ends_the_others() -> None:
    """A point that cannot be built, beside one that would take minutes."""
    words = ("--sweep", "network.failed_nodes=[],[9999]", "--workers", 2)
    ran = subprocess.run(
        [sys.executable, "-m", "assay", "simulate", HYPERCUBE, *LONG, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 2
    assert "failed_nodes" in ran.stderr and len(ran.stderr.splitlines()) == 1
