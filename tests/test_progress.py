"""What is said while a run goes on: where standard error is no terminal a few plain lines, with what is left."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from assay.execute.plan import Task
from assay.machine.units import waiting_time
from assay.verbs import _progress


def tasks(count: int) -> list[Task]:
    return [Task(f"b{i % 4}", i // 4, 0, None, (), 300.0) for i in range(count)]


def test_compiling_takes_one_line_and_not_one_a_program() -> None:
    now, out = [0.0], list[str]()
    shown = _progress._lines(tasks(8), out.append, lambda: now[0])
    for name in ("echo", "self", "ring"):
        now[0] += 1
        shown.say(f"compiling {name} (g++ 12, -O3)")
    assert out == ["compiling what this run needs (once)"]
    now[0] += 20
    shown.say("compiling bus (g++ 12, -O3)")
    assert out[1:] == ["compiling: 4 begun, now bus"]
    shown.say("echo: exit status 1")
    assert out[2:] == ["echo: exit status 1"]


def test_measuring_says_what_is_done_and_how_long_it_will_take() -> None:
    now, out = [0.0], list[str]()
    shown = _progress._lines(tasks(40), out.append, lambda: now[0])
    for _ in range(10):
        now[0] += 4
        shown.advance("b")
    assert out == [
        "measured 3 of 40 launches, about 2 min left; now b3, launch 1 of 10",
        "measured 6 of 40 launches, about 2 min left; now b2, launch 2 of 10",
        "measured 9 of 40 launches, about 2 min left; now b1, launch 3 of 10",
    ]


def test_a_long_launch_has_a_line_every_ten_seconds() -> None:
    """Three launches of 16 s: never more than ten seconds and a tick without a line, and none twice within ten."""
    now, printed = [0.0], list[tuple[float, str]]()
    shown = _progress._lines(tasks(3), lambda text: printed.append((now[0], text)), lambda: now[0])
    shown.say("compiling b0 (g++ 12, -O3)")
    for second in range(1, 73):
        now[0] = second
        if second == 24:
            shown.begin()
        elif second in (40, 56, 72):
            shown.advance("b")
        shown.tick()
    times = [0.0, *(at for at, _ in printed[1:])]
    gaps = [after - before for before, after in zip(times, [*times[1:], 72.0], strict=True)]
    assert max(gaps) <= 11 and min(gaps[:-1]) >= 10
    assert [text for _, text in printed] == [
        "compiling what this run needs (once)",
        "compiling: 1 begun, now b0, 10 s so far",
        "compiling: 1 begun, now b0, 20 s so far",
        "measured 0 of 3 launches; now b0, 6 s so far",
        "measured 1 of 3 launches; now b1",
        "measured 1 of 3 launches; now b1, 10 s so far",
        "measured 2 of 3 launches, about 16 s left; now b2, 4 s so far",
        "measured 2 of 3 launches, about 16 s left; now b2, 14 s so far",
    ]


def test_the_clock_of_plain_lines_ends_with_them(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(_progress, "TICK", 0.01)
    monkeypatch.setattr(_progress, "EVERY", 0.05)
    with _progress.shown(tasks(3), 1):
        time.sleep(0.3)
    assert "measured 0 of 3 launches; now b0, 0 s so far" in capsys.readouterr().err
    assert not [each for each in threading.enumerate() if each.name == "progress"]


def test_times_to_go_are_written_as_people_do() -> None:
    assert [waiting_time(s) for s in (0.2, 40, 100, 5300, 9000)] == ["0 s", "40 s", "2 min", "88 min", "2.5 h"]
    assert _progress.current_task(tasks(4), 4) == "writing the tables" and _progress.current_task(tasks(4), 1) == "b1"


def test_a_terminal_gets_one_display_and_no_line_a_program(tmp_path: Path) -> None:
    """On a terminal of its own: compiling, then measuring with what is done now, redrawn in place."""
    script = tmp_path / "shows.py"
    script.write_text(
        "import time\n"
        "from assay.execute.plan import Task\n"
        "from assay.verbs._progress import shown\n"
        "tasks = [Task(f'b{i % 4}', i // 4, 0, None, (), 300.0) for i in range(8)]\n"
        "with shown(tasks, 4) as progress:\n"
        "    for name in ('echo', 'self'):\n"
        "        progress.say(f'compiling {name} (g++ 12, -O3)')\n"
        "        time.sleep(0.3)\n"
        "    progress.say('echo: exit status 1')\n"
        "    for task in tasks[:5]:\n"
        "        progress.advance(task.benchmark)\n"
        "    time.sleep(0.5)\n"
    )
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.Popen([sys.executable, str(script)], stderr=theirs, stdout=subprocess.PIPE, env=environment)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert done.wait(60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode("utf-8", "replace"))
    assert "compiling" in text and "self" in text and "g++ 12" not in text  # the compiler's words are no line of theirs
    assert "echo: exit status 1" in text
    assert "measuring" in text and "5/8" in text and "b1, launch 2 of 2" in text
