"""SIGTERM and Ctrl-C end long simulations within two seconds, with 143 and 130, and nothing is left.

Each runs here on an input with which it would take minutes. Ctrl-C goes to all processes of the group, as a terminal
sends it, SIGTERM to the verb alone, as batch systems do.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from example_inputs import HYPERCUBE
from test_interrupts import LONG, PATIENCE, STUDY, members, started, until

pytestmark = pytest.mark.measures

WITHIN = 2.0  # s
NODES = "[machine]\nnodes = 128\ncpus_per_node = 1\n"
CROWD = ("--set", "lublin.jobs=40000", "--set", "lublin.load=3", "--set", "estimates.factor=10")
PLACED = '[machine]\nnodes = 128\ncpus_per_node = 1\n[batch]\nallocation = "contiguous"\n'

VERBS: dict[str, tuple[object, ...]] = {
    "simulate": ("simulate", HYPERCUBE, *LONG),
    "saturation": ("simulate", HYPERCUBE, *LONG, "--saturation"),
    "sweep": ("simulate", HYPERCUBE, *LONG, "--sweep", "traffic.load=0.1,0.2", "--workers", 2),
    "processes": (
        *("simulate", HYPERCUBE, *LONG, "--sweep", "traffic.load=0.1,0.2"),
        *("--workers", 2, "--executor", "processes"),
    ),
    "study": ("study", "{tmp}/study.toml"),
    "run on": ("run", "alltoall", "-n", 1728, "--set", "bytes=65536", "--on", "torus-tofud", "--out", "{tmp}/run"),
    "evaluate on": ("evaluate", "-N", 1728, "--on", "torus-tofud", "--out", "{tmp}/run"),
    "evaluate all": ("evaluate", "--on", "all", "--docs", "{tmp}/docs"),
    "conservative": ("throughput", "lublin", "--on", "{tmp}/nodes.toml", *CROWD, "--policy", "conservative"),
    "conservative in time": (
        *("throughput", "lublin", "--on", "{tmp}/nodes.toml", *CROWD, "--policy", "conservative"),
        *("--set", "batch.decision_cost=2"),
    ),
    "fair share": (
        *("throughput", "lublin", "--on", "{tmp}/nodes.toml", "--policy", "fairshare"),
        *("--set", "lublin.jobs=1000000", "--set", "lublin.load=3"),
    ),
    "placed": ("throughput", "lublin", "--on", "{tmp}/placed.toml", *CROWD, "--policy", "conservative"),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_stop_ends_a_verb_in_two_seconds(
    verb: str, number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, text in (("study", STUDY), ("nodes", NODES), ("placed", PLACED)):
        (tmp_path / f"{name}.toml").write_text(text)
    words = [str(word).replace("{tmp}", str(tmp_path)) for word in VERBS[verb]]
    with started(*words) as ran:
        began = time.monotonic()
        os.killpg(ran.pid, number) if number == signal.SIGINT else ran.send_signal(number)
        _, err = ran.communicate(timeout=PATIENCE)
        seconds = time.monotonic() - began
        assert ran.returncode == 128 + number, err
        last = err.splitlines()[-1]
        assert last.startswith("assay: interrupted") and "Traceback" not in err
        assert until(lambda: not members(ran.pid), WITHIN), members(ran.pid)
    assert seconds < WITHIN
