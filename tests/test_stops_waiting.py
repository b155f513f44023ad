"""Where a batch system has to be waited for, a stop says so at once and ends within a bound; a second stop at once.

Slurm is played by commands that answer, or hang.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from assay.execute import process_tree
from assay.throughput import experiment
from assay.throughput.systems.slurm import SlurmSystem
from command_line import assay
from stopped import stopped
from throughput_transcripts import Replayed

pytestmark = pytest.mark.paced

HANGS = "exec sleep 600"
JOBS = '[a]\nprocessors = 1\ntime = "100 s"\ncommand = ["sleep", "100"]\n'


def commands(folder: Path, **texts: str) -> dict[str, str]:
    """Give the folder commands by name, and the environment in which they are found."""
    (folder / "bin").mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / "bin" / name).chmod(0o755)
    return {"PATH": f"{folder}/bin:{os.environ['PATH']}", "ASSAY_RUNS": str(folder / "state")}


def pending(folder: Path, scancel: str) -> dict[str, str]:
    """A Slurm that never grants an allocation."""
    return commands(folder, sinfo="echo main", srun="echo slurm 22.05", squeue="echo Priority", scancel=scancel,
                    salloc=f"touch {folder}/asked; {HANGS}")  # fmt: skip


RUN = ("run", "lock", "--via", "slurm", "--out", "run")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_pending_allocation_is_taken_back(number: signal.Signals, tmp_path: Path) -> None:
    taken_back = tmp_path / "taken-back"
    environment = pending(tmp_path, f'echo "$*" >{taken_back}')
    found = stopped(RUN, tmp_path, number, group=False, when=(tmp_path / "asked").exists, environment=environment)
    assert found.status == 128 + number and not found.processes and not found.files, found
    assert "the batch system ends what was started there" in found.err, found
    assert taken_back.read_text().startswith("--name=assay-")


def test_a_second_ctrl_c_does_not_wait_for_slurm(tmp_path: Path) -> None:
    when, environment = (tmp_path / "asked").exists, pending(tmp_path, HANGS)
    found = stopped(RUN, tmp_path, signal.SIGINT, group=True, when=when, second=1.5, environment=environment)
    assert found.status == 130 and found.seconds is not None and found.seconds < 5 < process_tree.ENDS_WITHIN, found
    assert f"may take {process_tree.ENDS_WITHIN:g} s" in found.err
    assert found.err.splitlines()[-1] == "assay: interrupted"


def live(folder: Path) -> tuple[str, ...]:
    (folder / "live").write_text("0: 1 * a\n")
    (folder / "live.toml").write_text(JOBS)
    return (
        "throughput",
        f"{folder}/live",
        "--jobs",
        f"{folder}/live.toml",
        "--via",
        "slurm",
        "--out",
        f"{folder}/test",
    )


def hanging(folder: Path) -> dict[str, str]:
    """A Slurm whose job runs, and whose scancel hangs."""
    (folder / "bin").mkdir()
    Replayed("slurm", folder / "bin")
    return commands(folder, scancel=HANGS)


def test_a_second_ctrl_c_leaves_jobs_to_the_same_command(tmp_path: Path) -> None:
    environment = hanging(tmp_path)
    log = tmp_path / "test" / "log.jsonl"

    def submitted() -> bool:
        """It is, and that is known: a signal between the two has the job looked up by its mark, which is not here."""
        return log.exists() and '"submitted"' in log.read_text() and time.time() - log.stat().st_mtime > 0.5

    found = stopped(
        live(tmp_path), tmp_path, signal.SIGINT, group=True, when=submitted, second=1.5, environment=environment
    )
    assert found.status == 130 and found.seconds is not None and found.seconds < 5, found
    assert f"Slurm cancels the jobs of this test, which may take {experiment.CANCELS_WITHIN:g} s" in found.err
    assert found.err.splitlines()[-1].endswith("jobs of this test may be left in Slurm: the same command cancels them")


def test_a_batch_system_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in hanging(tmp_path).items():
        monkeypatch.setenv(key, value)

    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment, "CANCELS_WITHIN", 1.0)
    with monkeypatch.context() as patch:
        patch.setattr(SlurmSystem, "wait", pressed)
        found = assay(*live(tmp_path))
    assert found.status == 130 and "jobs of this test may be left in Slurm" in found.err.splitlines()[-1], found.err
    (tmp_path / "bin" / "scancel").write_text(
        f'#!/bin/sh\necho "$*" >{tmp_path}/cancelled\necho later >{tmp_path}/bin/time\n'
    )
    found = assay(*live(tmp_path))
    assert (tmp_path / "cancelled").read_text().split() == ["12"], found.err
