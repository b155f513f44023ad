"""Killed at any moment, a command loses no finished sample, its resumption completes, and no process stays."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.stored import seal
from described_echo import MACHINE
from example_inputs import small_mix

FEW, MANY = 1, 60  # of each command; the nightly ones make 300 kills of five commands
NETWORK = '[network]\ntopology = "hypercube"\ndimension = 4\n[method]\ncycles = 30000\nwarmup_cycles = 100\n'
COMMANDS = {
    "run": ("run", "fft", "--set", "size=1024", "--launches", "3", "--out", "out"),
    "described": ("run", "echo", "--on", "machine.toml", "--launches", "3", "--out", "out"),
    "evaluate": ("evaluate", "--on", "machine.toml", "--out", "out"),
    "sweep": (
        *("simulate", "network.toml", "--sweep", "traffic.load=0.1,0.2,0.3,0.4", "--executor", "processes"),
        *("--out", "out.jsonl"),
    ),
    "throughput": (
        *("throughput", "mix", "--jobs", "jobs.toml", "--via", "local", "--slots", "4", "--compress", "200"),
        *("--out", "out"),
    ),
}
SEEDS = [
    pytest.param(name, seed, marks=[pytest.mark.nightly] if seed >= FEW else [])
    for name in COMMANDS
    for seed in range(MANY)
]


def started(words: tuple[str, ...], place: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "assay", *words],
        cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "KILLED_HERE": str(place)},
    )  # fmt: skip


def of_this(place: Path) -> list[str]:
    """What still runs of the commands that were started here: by their environment, which children inherit."""
    mark, found = f"KILLED_HERE={place}".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0") and (words := (path.parent / "cmdline").read_bytes()):
                found.append(words.replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def finished(place: Path) -> dict[Path, list[bytes]]:
    """The whole lines of samples, points and jobs that were kept."""
    files = [*place.glob("out/launches/*.jsonl"), *place.glob("out.jsonl"), *place.glob("out/jobs/*/record.jsonl")]
    return {path: [line for line in path.read_bytes().split(b"\n")[:-1] if line] for path in files}


@pytest.mark.parametrize(("name", "seed"), SEEDS)
def test_a_command_that_is_killed_loses_nothing(name: str, seed: int, tmp_path: Path) -> None:
    dice = random.Random(f"{name}{seed}")
    small_mix(tmp_path)
    (tmp_path / "machine.toml").write_text(MACHINE)
    (tmp_path / "network.toml").write_text(NETWORK)
    process = started(COMMANDS[name], tmp_path)
    try:
        process.wait(dice.uniform(0.1, 2.5))
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    end = time.monotonic() + 30
    while (left := of_this(tmp_path)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not left
    kept = finished(tmp_path)
    assert all(seal.intact(line) for lines in kept.values() for line in lines)
    words = COMMANDS[name]
    if name in ("run", "described", "evaluate") and (tmp_path / "out" / "run.json").exists():
        words = ("evaluate", "--resume", "out")
    elif (tmp_path / "out").is_dir() and name != "throughput":
        words = (*words[:-1], "out2")  # killed before there was a run: its folder is kept
    again = started(words, tmp_path)
    _, said = again.communicate(timeout=120)
    assert again.returncode == 0 and "Traceback" not in said, said
    after = finished(tmp_path)
    assert all(set(lines) <= set(after.get(path, ())) for path, lines in kept.items())
    assert not of_this(tmp_path)
