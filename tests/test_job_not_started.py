"""A job that its starter cannot start: it says why, leaves no record of a job that ran, and runs nothing."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.throughput import job_programs
from memory_mounts import mounted_in_memory

NOBODY = 65534


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder with the starter in it that every user can write into."""
    folder = Path(tempfile.mkdtemp())
    shutil.copy(job_programs.compiled().record, folder / "starter")
    for path in (folder, folder / "starter"):
        path.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def words(starter: Path, record: Path, ran: Path) -> list[str]:
    return [str(starter), "--record", str(record), "--output", f"{ran}.output", "--", "touch", str(ran)]


def test_a_job_whose_record_finds_the_disk_full_is_not_started(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    starter = job_programs.compiled().record
    with mounted_in_memory(tmp_path / "full", "size=64k") as full:
        (full / "fill").write_bytes(bytes(64 * 1024))
        record = full / "record.jsonl"
        done = subprocess.run(words(starter, record, ran), capture_output=True, text=True)
        assert done.returncode == 74 and len(done.stderr.splitlines()) == 1
        assert f"{record}: the disk is full" in done.stderr and "the job was not started" in done.stderr
        assert not ran.exists() and not record.exists()


def test_a_job_for_which_no_process_can_be_made_is_not_started(open_to_all: Path) -> None:
    """No process beyond the starter: it ends by itself and signals nobody."""
    ran = open_to_all / "ran"
    done = subprocess.run(
        words(open_to_all / "starter", open_to_all / "record.jsonl", ran), capture_output=True, text=True, timeout=60,
        user=NOBODY if os.geteuid() == 0 else None,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)),
    )  # fmt: skip
    assert done.returncode == 127 and len(done.stderr.splitlines()) == 1
    assert "no process can be made" in done.stderr and "the job was not started" in done.stderr
    assert not ran.exists() and not (open_to_all / "record.jsonl").exists()
