"""A run of the echo on the smallest described machine: made in milliseconds, stored as every other run.

Tests that resume, damage or query runs copy the one of the fixture `echo_run` (conftest.py), and change the copy.
"""

from __future__ import annotations

from pathlib import Path

from command_line import assay

MACHINE = 'name = "constant"\nnodes = 2\n[messages]\nstartup = "70 us"\nper_byte = "0.4 us/B"\n'


def described_echo(folder: Path, lengths: str = "8,64,1000", launches: int = 3) -> Path:
    """Make a run of messages of these lengths in `folder`; returns the run's own folder."""
    (folder / "constant.toml").write_text(MACHINE)
    words = ("--on", str(folder / "constant.toml"), "--launches", str(launches), "--set", f"bytes={lengths}", "--json")
    answer = assay("run", "echo", *words, "--out", str(folder / "run"))
    assert answer.status == 0, answer.err
    return folder / "run"
