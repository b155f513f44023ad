"""Programs are copied where nobody else can put one: files, folders and links planted by another user are not used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import slurm_cluster
from assay.errors import MeasurementError
from assay.execute import private_folder
from assay.execute.job import launcher
from test_hosts import FAKE_SSH, fake_ssh, job, programs  # noqa: F401  (fixtures)
from test_launchers import gone, marked

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="planting a file as another user needs root")


def as_nobody(script: str) -> None:
    subprocess.run([*NOBODY, "sh", "-c", script], check=True)


def planted_program(marker: Path) -> str:
    return f"#!/bin/sh\\ntouch {marker}\\n"


@pytest.fixture
def guessed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The name of the next private folder, as if it had been guessed."""
    path = Path(f"/tmp/assay-guessed-{os.getpid()}")
    monkeypatch.setattr(private_folder, "random_name", lambda: str(path))
    yield path
    if path.is_symlink():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def marker() -> Iterator[Path]:
    """A file that a planted program makes when it runs; anybody may make it."""
    folder = Path(f"/tmp/assay-marker-{os.getpid()}")
    folder.mkdir()
    folder.chmod(0o777)
    yield folder / "ran"
    shutil.rmtree(folder)


@needs_root
def test_a_program_planted_under_the_former_name_is_not_run(tmp_path, programs, fake_ssh, marker):  # noqa: F811
    command = programs("tick")
    former = Path(f"/tmp/assay-{os.getuid()}-{Path(command[0]).name}")
    as_nobody(f"printf '{planted_program(marker)}' >{former} && chmod 755 {former}")
    made = launcher(fake_ssh("blind"))
    try:
        outcome = made.run(job(tmp_path, command))
    finally:
        made.close()
        former.unlink()
    assert outcome.status == 0 and not marker.exists()
    assert f"/{Path(command[0]).name}" in " ".join(outcome.command)


@needs_root
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_planted_folder_is_refused_by_name(tmp_path, programs, fake_ssh, guessed, marker, kind):  # noqa: F811
    command = programs("tick")
    theirs = guessed if kind == "folder" else marker.parent / "theirs"
    name = Path(command[0]).name
    as_nobody(f"mkdir {theirs} && printf '{planted_program(marker)}' >{theirs}/{name} && chmod -R 755 {theirs}")
    if kind == "link":
        as_nobody(f"ln -s {theirs} {guessed}")
    made = launcher(fake_ssh("blind"))
    with pytest.raises(MeasurementError, match=rf"no private folder in /tmp of blind: refused {guessed}: (d|l)rwx"):
        made.run(job(tmp_path, command))
    made.close()
    assert not marker.exists() and (theirs / name).exists(), "nor is another user's folder removed"


def test_the_folder_is_this_users_alone_and_removed_at_the_end(tmp_path, programs, fake_ssh, guessed):  # noqa: F811
    made = launcher(fake_ssh("blind"))
    assert made.run(job(tmp_path, programs("tick"))).status == 0
    seen = guessed.stat()
    assert seen.st_mode & 0o7777 == 0o700 and seen.st_uid == os.getuid()
    program, mark = sorted(guessed.iterdir(), key=lambda path: path.name == ".assay-process")
    assert program.stat().st_mode & 0o777 == 0o700 and mark.stat().st_mode & 0o777 == 0o600
    made.close()
    assert not guessed.exists()


_HOLD = """
import sys, time
from collections.abc import Iterator
from pathlib import Path
from assay.execute import private_folder
from assay.execute.job import Job, launcher
private_folder.random_name = lambda: sys.argv[3]
folder = Path(sys.argv[1])
made = launcher(sys.argv[2])
made.run(Job("tick", (sys.argv[4],), None, None, None, folder / "l.jsonl", folder / "log", 60))
(folder / "done").touch()
time.sleep(1000)
"""


def test_kill_9_of_assay_removes_the_folder(tmp_path, programs, fake_ssh, guessed):  # noqa: F811
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path), fake_ssh("blind"), str(guessed), *programs("tick")],
        env={**os.environ, "ASSAY_TEST_MARK": str(tmp_path)},
    )
    try:
        end = time.monotonic() + 60
        while not (tmp_path / "done").exists() and time.monotonic() < end:
            assert process.poll() is None
            time.sleep(0.05)
        assert guessed.is_dir()
    finally:
        process.kill()
        process.wait()
    assert gone(marked(f"ASSAY_TEST_MARK={tmp_path}"), 10)
    assert not guessed.exists()


@pytest.fixture(scope="module")
def cluster():
    if (why := slurm_cluster.missing()) is not None:
        pytest.skip(why)
    with slurm_cluster.SlurmCluster() as started:
        yield started


@pytest.fixture
def blind_slurm(cluster, monkeypatch):
    """Slurm's launcher, as where no node sees the run's folder."""
    for key in [key for key in os.environ if key.startswith(("SLURM", "SBATCH", "SALLOC"))]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("SLURM_CONF", str(cluster.folder / "slurm.conf"))
    made = launcher("slurm")
    monkeypatch.setattr(made, "_shared", lambda *_: False)
    yield made
    made.close()


@pytest.mark.slurm
def test_slurm_copies_to_a_private_folder_and_removes_it(tmp_path, programs, blind_slurm, guessed):  # noqa: F811
    for launch in range(2):
        outcome = blind_slurm.run(job(tmp_path, programs("tick"), nodes=3, out=tmp_path / f"{launch}.jsonl"))
        assert outcome.status == 0 and len(outcome.hosts) == 3, (tmp_path / "log").read_text()
        assert outcome.command[-1] == f"{guessed}/{Path(programs('tick')[0]).name}"
    assert guessed.stat().st_mode & 0o7777 == 0o700
    blind_slurm.close()
    assert not guessed.exists()


@needs_root
@pytest.mark.slurm
def test_slurm_does_not_run_what_another_user_planted(tmp_path, programs, blind_slurm, guessed, marker):  # noqa: F811
    command = programs("tick")
    former = Path(f"/tmp/assay-{os.getuid()}-{Path(command[0]).name}")
    as_nobody(f"printf '{planted_program(marker)}' >{former} && chmod 755 {former}")
    as_nobody(f"mkdir {guessed}.theirs && ln -s {guessed}.theirs {guessed}")
    try:
        with pytest.raises(MeasurementError, match="no private folder in /tmp of 2 nodes: "):
            blind_slurm.run(job(tmp_path, command, nodes=2))
        guessed.unlink()
        assert blind_slurm.run(job(tmp_path, command, nodes=2)).status == 0
    finally:
        former.unlink()
        Path(f"{guessed}.theirs").rmdir()
    assert not marker.exists()
