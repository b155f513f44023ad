"""What `--via` cannot mean is one clear line before anything is compiled or written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import assay


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


def one_line(*words: str) -> str:
    answer = assay(*words)
    assert answer.status == 2 and answer.out == "", answer
    assert not Path("runs").exists(), "complained before a folder was made"
    lines = answer.err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize("verb", [("run", "sieve"), ("evaluate", "--only", "processor")])
def test_a_file_of_hosts_in_another_encoding_names_its_line(verb: tuple[str, ...]) -> None:
    Path("hosts").write_bytes(b"alpha\nb\xe4ta slots=2\n")
    line = one_line(*verb, "--via", "hosts:hosts")
    assert "hosts:2: is not text in UTF-8; got 'byte 0xe4'" in line


def test_options_of_slurm_that_cannot_be_split_are_named() -> None:
    line = one_line("run", "sieve", "--via", "slurm:'x")
    assert '--via slurm: cannot be split into words (no closing quotation); got "\'x"' in line


@pytest.mark.parametrize(
    ("via", "says"),
    [("slurm", "Slurm is not here: no srun, salloc, squeue, sinfo on PATH"), ("hosts:h", "ssh is not here")],
)
def test_what_a_launcher_needs_and_is_not_here_is_said_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, via: str, says: str
) -> None:
    Path("h").write_text("alpha\n")
    for name in ("sh", "c++", "g++"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or "/bin/false")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    line = one_line("run", "sieve", "--via", via)
    assert says in line and "apt-get install" in line


@pytest.mark.parametrize("verb", [("run", "sieve"), ("evaluate", "--only", "processor")])
def test_a_cluster_whose_controller_is_silent_is_refused_before_each_benchmark_fails_of_it(
    verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("srun", "salloc", "squeue", "sinfo"):
        (folder / name).write_text("#!/bin/sh\necho 'slurm_load: unable to contact slurm controller' >&2\nexit 1\n")
        (folder / name).chmod(0o755)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    line = one_line(*verb, "--via", "slurm")
    assert "Slurm's controller does not answer: slurm_load: unable to contact slurm controller" in line
