"""An output file that is a FIFO without a reader is refused at once by every writer; one with a reader is written."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from command_line import assay
from example_inputs import CONSTANT, CONTRACT, EXAMPLES, HYPERCUBE, small_mix

MESSAGES = str(EXAMPLES / "messages.csv")
SHORT = ("--set", "method.cycles=500")
ECHO = ("run", "echo", "--on", str(CONSTANT), "--set", "bytes=8", "-q")
BATCH = ("throughput", "mix", "--jobs", "jobs.toml", "--on", "batch.toml")
# The words of each writer, and the name of the file that ends them.
WRITERS = {
    "rows": (("export", "echo", "-o"), "rows.csv"),
    "a page": (("report", "echo", "-o"), "page.html"),
    "a sheet": (("accept", "contract.toml", "--run", "echo", "--sheet"), "sheet.html"),
    "JUnit": (("accept", "contract.toml", "--run", "echo", "--junit"), "verdicts.xml"),
    "a heat map": (("simulate", HYPERCUBE, *SHORT, "--heatmap"), "map.svg"),
    "points of a sweep": (("simulate", HYPERCUBE, *SHORT, "--sweep", "traffic.load=0.1,0.2", "-o"), "points"),
    "deliveries": (("replay", HYPERCUBE, MESSAGES, "-o"), "out.csv"),
    "a timeline": ((*ECHO, "--timeline"), "trace.json"),
    "a matrix": ((*ECHO, "--matrix"), "matrix.csv"),
    "a schedule": ((*BATCH, "--schedule"), "out.swf"),
    "jobs": ((*BATCH, "--export"), "jobs.csv"),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, echo_run: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    small_mix(tmp_path)
    shutil.copytree(echo_run, "echo")
    (tmp_path / "contract.toml").write_text(CONTRACT)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_fifo_that_no_process_reads_is_refused_and_not_waited_for(writer: str, tmp_path: Path) -> None:
    words, name = WRITERS[writer]
    os.mkfifo(tmp_path / name)
    answer = assay(*words, name)
    assert answer.status == 2 and name in answer.err, answer.err
    assert "FIFO" in answer.err and "Traceback" not in answer.err


def test_a_fifo_with_a_reader_gets_every_row(tmp_path: Path) -> None:
    assert assay("export", "echo", "-o", "rows.csv").status == 0
    fifo = tmp_path / "fifo.csv"
    os.mkfifo(fifo)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    waiting = os.open(fifo, os.O_WRONLY)  # so that the reader does not end before the first row
    os.set_blocking(reading, True)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.extend(iter(lambda: os.read(reading, 65536), b"")), daemon=True)
    reader.start()
    assert assay("export", "echo", "-o", str(fifo)).status == 0
    os.close(waiting)
    reader.join(timeout=60)
    os.close(reading)
    assert b"".join(read) == (tmp_path / "rows.csv").read_bytes()
