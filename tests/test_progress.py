"""What is said while a run goes on: where standard error is no terminal a few plain lines, with what is left."""

from __future__ import annotations

from assay.execute.plan import Task
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


def test_times_to_go_are_written_as_people_do() -> None:
    assert [_progress.duration(s) for s in (0.2, 40, 100, 5300, 9000)] == ["1 s", "40 s", "2 min", "88 min", "2.5 h"]
    assert _progress.doing(tasks(4), 4) == "writing the tables" and _progress.doing(tasks(4), 1) == "b1"
