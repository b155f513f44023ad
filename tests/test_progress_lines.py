"""What a program says of its progress while a launch lasts reaches the person while it lasts, and only that."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.execute.job import Job
from assay.execute.progress_lines import WITHIN, follow_progress
from assay.execute.real import Real
from assay.verbs import _progress
from compiled import kept
from started import words

# Writes each line only when the one before was seen: it waits for a file that `say` makes.
PROGRAM = """
import json, pathlib, sys, time
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
def write(text):
    with out.open("a") as lines:
        lines.write(text)
for done in range(3):
    write(json.dumps({"event": "note", "text": "no progress"}, separators=(",", ":")) + "\\n")
    line = json.dumps({"event": "progress", "done": done, "of": 3, "now": f"piece {done}"}, separators=(",", ":"))
    write(line[:20])
    write(line[20:] + "\\n")
    until = time.monotonic() + 60
    while not pathlib.Path(f"{out}.seen{done}").exists() and time.monotonic() < until:
        time.sleep(0.01)
write('{"event":"progress","done":"many"}\\n')
sys.exit(3)
"""


def test_each_piece_is_said_before_the_next_one_begins(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    out, texts = tmp_path / "lines.jsonl", list[str]()
    before = '{"event":"progress","done":7,"of":9,"now":"of an attempt before"}\n'
    out.write_text(before)

    def say(text: str) -> None:
        Path(f"{out}.seen{len(texts)}").touch()
        texts.append(text)

    command = (sys.executable, str(tmp_path / "program.py"))
    job = Job("it", command, None, None, None, out, tmp_path / "log", 120.0, say=say)
    outcome = Real(None, None).perform(benchmark("intrinsics"), job)
    assert outcome.status == 3 and outcome.seconds < 60, "each line was seen while the program went on"
    first, second, third = texts
    assert first == f"{WITHIN}it: piece 0: 1 of 3"
    assert second.startswith(f"{WITHIN}it: piece 1: 2 of 3, about ") and second.endswith(" left")
    assert third.startswith(f"{WITHIN}it: piece 2: 3 of 3, about ")


def test_each_node_s_program_is_followed_by_its_own_file_and_pace(tmp_path: Path) -> None:
    """`--via hosts` and `--via slurm`: a file a node, which may begin late and stand in the folder already."""
    texts, out = list[str](), tmp_path / "it.jsonl"
    old = tmp_path / "it@a.jsonl"
    old.write_text('{"event":"progress","done":7,"of":9,"now":"of an attempt before"}\n')
    with follow_progress(
        Job("it", ("program",), None, 2, 1, out, tmp_path / "log", 120.0, say=texts.append), every=0.01
    ):
        for done in range(2):
            for node in ("a", "b"):
                with (tmp_path / f"it@{node}.jsonl").open("a") as lines:
                    lines.write(f'{{"event":"progress","done":{done},"of":2,"now":"piece {done}"}}\n')
            until = time.monotonic() + 60
            while len(texts) < 2 * (done + 1) and time.monotonic() < until:
                time.sleep(0.01)
    assert texts[:2] == [f"{WITHIN}it on a: piece 0: 1 of 2", f"{WITHIN}it on b: piece 0: 1 of 2"]
    assert [text.partition(",")[0] for text in texts[2:]] == [f"{WITHIN}it on {node}: piece 1: 2 of 2" for node in "ab"]


def test_plain_lines_show_the_first_at_once_and_then_one_every_ten_seconds() -> None:
    now, out = [0.0], list[str]()
    shown = _progress._lines([], out.append, lambda: now[0])
    for done in range(25):
        shown.say(f"{WITHIN}intrinsics: exp: {done + 1} of 88")
        now[0] += 1
    assert out == [f"intrinsics: exp: {done + 1} of 88" for done in (0, 10, 20)]


@pytest.mark.timeout(300)
def test_the_first_launch_of_the_intrinsics_says_which_loop_it_judges(tmp_path: Path) -> None:
    """Two of these eight cases are judged at all 2^32 arguments: float32, over all of them, of one argument."""
    out = tmp_path / "lines.jsonl"
    settings = ("function=sqrt,pow", "type=float32,float64", "variant=scalar,fast", "range=all")
    given = words("intrinsics", "--profile", "full", *(each for text in settings for each in ("--set", text)))
    program = [str(kept("kernels/intrinsics")), *given, "--launch", "0", "--out", str(out)]
    found: list[dict[str, object]] = []
    with subprocess.Popen(program, stderr=subprocess.PIPE) as process:
        while not found and process.poll() is None:
            time.sleep(0.1)
            lines = out.read_text().splitlines() if out.exists() else []
            found = [json.loads(each) for each in lines if '"progress"' in each and each.endswith("}")]
        process.kill()
    seen = [{key: of for key, of in each.items() if key not in ("seq", "crc")} for each in found]
    assert seen == [{"event": "progress", "done": 0, "of": 2, "now": found[0]["now"]}]
    assert found[0]["now"] in [f"all 2^32 arguments of sqrt, float32, {variant}" for variant in ("scalar", "fast")]
