"""Bad input of every kind: one clear line on standard error, exit status 2 or 1, nothing on standard output."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import Benchmark
from assay.execute.job import Job, Outcome
from assay.execute.real import Real
from assay.store import Run, known_runs
from command_line import assay


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "eccho"), "did you mean echo"),
        (("run", "echo", "--on", "ipsc861"), "no such machine"),
        (("run", "echo", "--on", "missing.toml"), "no such file"),
        (("run", "echo", "--set", "bites=8"), "did you mean bytes"),
        (("run", "echo", "--set", "bytes=-8"), "out of bounds"),
        (("run", "echo", "--set", "bytes=many"), "is no integer"),
        (("run", "echo", "--set", "bytes"), "is not KEY=VALUE"),
        (("run", "echo", "--via", "pigeon"), "no such way of launching"),
        (("run", "echo", "--via", "local"), "expected --via mpiexec"),
        (("run", "echo", "--profile", "slow"), "expected quick, standard, full"),
        (("run", "echo", "--set", "machine.nodes=8"), "expected --on"),
        (("run", "echo", "-n", "1"), "expected 2 or more"),
        (("run", "sieve", "-n", "4"), "is for message-passing benchmarks"),
        (("evaluate", "--only", "engines"), "no such part"),
        (("evaluate", "--resume", "nowhere"), "no such run"),
        (("plan", "--only", "processor", "--via", "pigeon"), "no such way of launching"),
        (("plan", "--only", "processor", "--via", "hosts:nowhere"), "nowhere: cannot be read: No such file"),
        (("plan", "-N", "4"), "-N: are more nodes than this host; got 4, expected 1, or --via hosts:FILE or slurm"),
        (("evaluate", "--docs", "pages"), "--docs: has no effect here; got 'pages', expected with --on all"),
        (("evaluate", "--on", "all", "--profile", "full"), "--profile: has no effect with --on all; got 'full'"),
        (("report", "nowhere"), "no such run"),
        (("export", "nowhere"), "no such run"),
        (("query", "SELECT nonsense FROM nowhere"), "expected DuckDB's SQL"),
        (("catalogue", "ipsc861"), "ipsc860"),
        (("run", "sieve", "-o", ""), "--out: is wrong; got '', expected a path (. is the current folder)"),
        (("evaluate", "--out", ""), "--out: is wrong; got '', expected a path (. is the current folder)"),
        (("study", "fig4", "--plots", ""), "--plots: is wrong; got '', expected a path (. is the current folder)"),
        (("export", "x", "--table", "foo"), "got 'foo', expected samples, blocks, checks, launches,"),
    ],
)
def test_bad_words_are_one_clear_line(words: tuple[str, ...], said: str) -> None:
    answer = assay(*words)
    assert answer.status == 2, answer
    assert answer.out == ""
    assert said in answer.err
    assert len(answer.err.strip().splitlines()) == 1
    assert not list(Path().glob("runs/*"))  # complained before a folder was made


def test_negative_counts_are_refused() -> None:
    answer = assay("run", "echo", "-n", "-2")
    assert answer.status == 2 and "-n" in answer.err and answer.out == ""


def test_a_broken_description_names_file_and_line() -> None:
    Path("broken.toml").write_text('name = "m"\n[messages\n')
    answer = assay("run", "echo", "--on", "broken.toml")
    assert answer.status == 2 and "broken.toml" in answer.err and "line 2" in answer.err.replace(":2", "line 2")


def test_an_unwritable_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = assay("run", "sieve", "--out", str(tmp_path / "file" / "run"))
    assert answer.status == 2 and "cannot be written" in answer.err and answer.out == ""


def test_a_compiler_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "bad++"
    compiler.write_text(
        "#!/bin/sh\ncase \"$*\" in *--version*) echo bad++ 1; exit 0;; esac\necho 'no such luck' >&2\nexit 3\n"
    )
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    answer = assay("run", "sieve", "--json")
    assert answer.status == 2 and "no such luck" in answer.err and answer.out == ""


def test_a_compiler_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", str(tmp_path / "nothing++"))
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    answer = assay("run", "sieve", "--json")
    assert answer.status == 2 and "nothing++" in answer.err and answer.out == ""
    assert known_runs() == []


@pytest.mark.mpi
def test_an_mpiexec_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPIEXEC", str(tmp_path / "mpinothing"))
    answer = assay("run", "echo", "--json", "--set", "bytes=8")
    assert answer.status in (1, 2) and "mpinothing" in answer.err and answer.out == ""


def test_a_full_disk_is_a_failure_and_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    folder, create = tmp_path / "run", Run.create

    def on_a_full_disk(out: Path | None, about: dict[str, Any]) -> Run:
        run = create(out, about)
        (folder / "journal.jsonl").symlink_to("/dev/full")
        return run

    monkeypatch.setattr(Run, "create", staticmethod(on_a_full_disk))
    answer = assay("run", "sieve", "--out", str(folder), "--json")
    assert answer.status == 1 and "disk is full" in answer.err and answer.out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("run", "file-rate", "--set", "bytes=1000"),
            "bytes: are no whole sectors; got '1000', expected a multiple of 512",
        ),
        (
            ("run", "fft", "--set", "size=3", "--set", "code=ours"),
            "assay: fft: parameter size: is no power of two; got '3', expected powers of two\n",
        ),
        (("run", "metadata", "--set", "folder=/proc"), "metadata: folder /proc: cannot make assay-files-"),
        (
            ("run", "metadata", "--set", "folder=/proc"),
            " in it: No such file or directory; expected a folder",
        ),
        (("run", "parallel-files", "-n", "2", "--set", "bytes=1000"), "expected a multiple of 512"),
        (
            ("run", "gemm", "--set", "threads=4096", "--set", "code=ours"),
            f"; got threads=4096, expected threads from 1 to {len(os.sched_getaffinity(0))}\n",
        ),
        (
            ("run", "gemm", "--set", "threads=4096,4095", "--set", "size=64", "--set", "code=ours"),
            "; got threads=4096, threads=4095, expected threads from 1 to ",
        ),
    ],
)
def test_what_only_the_program_can_judge_ends_the_run_at_its_first_launch(
    words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No second launch would do better, and it is the input that is wrong, not the measurement: no run is left."""
    launched, perform = [], Real.perform

    def counted(self: Real, record: Benchmark, job: Job) -> Outcome:
        launched.append(job.name)
        return perform(self, record, job)

    monkeypatch.setattr(Real, "perform", counted)
    answer = assay(*words, "-q")
    assert answer.status == 2 and answer.out == "", answer
    assert len(answer.err.strip().splitlines()) == 1 and said in answer.err, answer.err
    assert not known_runs() and not any(Path("runs").glob("*"))
    assert len(launched) == 1


def test_the_largest_size_that_is_accepted_is_measured_and_the_next_is_not() -> None:
    """What a refusal names as accepted is; lengths of fft double."""
    words = ("run", "fft", "--set", "code=ours", "--launches", "1", "--set", "repetitions=1", "--set")
    refused = assay(*words, f"size={1 << 24}")
    if refused.status == 0:
        pytest.skip("the last cache is so large that every size is measured")
    found = re.search(r"got size=16777216, expected size up to (\d+)\n\Z", refused.err)
    assert refused.status == 2 and found is not None, refused.err
    most = int(found[1])
    assert most & (most - 1) == 0
    assert assay(*words, f"size={2 * most}").status == 2
    assert assay(*words, f"size={most}").status == 0
