"""Every long verb says what it does, how far it is and how long it takes, in one form (assay.progress)."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import progress
from assay.machine.units import waiting_time
from assay.progress import ProgressReading
from command_line import Answer, assay
from example_inputs import CONSTANT, EXAMPLES, HYPERCUBE, SHORT, described_runs

NUMBER = r"(\d[\d,]*)"
LONG = {  # what is asked, the title, and the last text of its progress
    "simulate": ((HYPERCUBE, *SHORT, "--sweep", "traffic.load=0.1,0.2"), "simulating", rf"2 of 2 points, {NUMBER} of"),
    "study": (("study.toml", "--quick"), "study", rf"{NUMBER} of {NUMBER} points"),
    "replay": ((HYPERCUBE, "messages.csv", "-o", "delivered.csv"), "replaying", "8 of 8 cycles"),
    "replay --goal": (("--goal", str(EXAMPLES / "incast.goal"), "--on", CONSTANT), "replaying", "the schedule of .*"),
    "throughput": (("mix", "--jobs", "jobs.toml", "--on", "batch.toml"), "simulating", "the schedule"),
    "throughput --set": (
        ("mix", "--jobs", "jobs.toml", "--on", "batch.toml", "--set", "machine.nodes=2,3"),
        "simulating",
        "2 of 2 combinations",
    ),
    "fit": (("--on", "delta"), "fitting", rf"{NUMBER} of {NUMBER} fits"),
    "history": (("--import", "a", "--machine", "constant"), "reading", "1 of 1 runs"),
    "accept": (("contract.toml", "--on", CONSTANT, "--out", "accepted"), "measuring", "1 of at most 1 launches"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return described_runs(tmp_path_factory.mktemp("long"))


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("quiet", [False, True], ids=["", "-q"])
def test_a_long_verb_shows_what_and_how_far(
    name: str, quiet: bool, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, ProgressReading]] = []

    def record(title: str, now: Callable[[], ProgressReading], ended: threading.Event) -> None:
        ended.wait()
        seen.append((title, now()))

    for each in folder.iterdir():
        (tmp_path / each.name).symlink_to(each)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.setattr(progress, "_lines", record)
    words, title, text = LONG[name]
    answer: Answer = assay(name.partition(" ")[0], *words, *(("-q",) if quiet else ()))
    assert answer.status in (0, 3), answer.err
    if quiet:
        assert not seen
        return
    ((shown, last),) = seen
    assert shown == title and re.match(text, last.text), (shown, last)
    assert last.of == 0 or last.done == last.of


def test_lines_come_at_one_pace_and_end_with_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.01)
    with progress.counted("measuring", "pairs", 20, at_most=True) as advance:
        advance(5)
        threading.Event().wait(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "measuring: 5 of at most 20 pairs, 0 s, at most 1 s left" or lines[-1].endswith("0 s left")
    assert not [each for each in threading.enumerate() if each.name == "progress"]


@given(st.integers(1, 10**9), st.data(), st.floats(progress.SOON * 1.01, 1e6))
def test_the_time_left_is_what_the_pace_so_far_gives(of: int, data: st.DataObject, seconds: float) -> None:
    done = data.draw(st.integers(0, of))
    left = ProgressReading("x", done, of).left(seconds)
    if done in (0, of):
        assert left == ""
    else:
        assert left == f", about {waiting_time(seconds / done * (of - done))} left" or abs(of - done) < 1e-9 * of
    assert ProgressReading("x").line(seconds) == f"x, {waiting_time(seconds)}"


def test_a_terminal_has_a_bar_without_control_characters_in_words() -> None:
    """Standard error as the verbs have it, with what is not theirs escaped."""
    code = (
        "import sys, time; from assay import progress, sanitised\n"
        "sys.stderr = sanitised.TerminalStream(sys.stderr)\n"
        "with progress.counted('reading', 'runs [b]', 4) as advance:\n"
        "    for done in range(1, 5):\n"
        "        advance(done); time.sleep(0.4)\n"
    )
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", code], stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        seen += piece
    os.close(ours)
    assert done.wait(60) == 0
    text = seen.decode()
    assert "reading" in text and "3 of 4 runs [b]" in text and r"\r" not in text and r"\x1b" not in text
