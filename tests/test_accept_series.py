"""Real acceptances on this host: healthy ones in a row, then a quota and hogs, of which none may be passed; nightly."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from bench.decisions import HERE as WORKERS
from bench.decisions import competing
from scipy import stats

from cgroup_quota import processor_share
from command_line import assay

pytestmark = [
    *(pytest.mark.nightly, pytest.mark.measures),
    *(pytest.mark.timeout(3600), pytest.mark.usefixtures("own_folder")),
]
HEALTHY, TOLERANCE = 20, "5%"
WORKS = {"sieve": ("sieve",), "stream": ("stream", "--set", "kernel=triad", "--set", "threads=1")}
LEAST_ACCEPTED = {"sieve": 1, "stream": 11}  # of the healthy ones, on a shared host: one that accepts nothing is no use
SHARE = 0.25  # of a processor


@pytest.fixture(params=WORKS)
def work(request: pytest.FixtureRequest) -> str:
    """A contract from a run of this work on this host: each limit is worse than the run by the tolerance."""
    name = str(request.param)
    assert assay("run", *WORKS[name], "--launches", "10", "--out", "reference").status == 0
    written = assay("accept", "--from", "reference", "--tolerance", TOLERANCE, "-o", "contract.toml")
    assert written.status == 0, written.err
    return name


def accepted(number: int, prefix: Sequence[str] = ()) -> int:
    """The exit status of one acceptance, in a process of its own: 0 accepted, 3 rejected, 4 not shown."""
    words = ["accept", "contract.toml", "--seed", str(number + 1), "--out", f"run-{number}"]
    done = subprocess.run([*prefix, sys.executable, "-m", "assay", *words], capture_output=True, text=True)
    assert done.returncode in (0, 3, 4), done.stderr
    return done.returncode


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    """The competitors of `./x bench decisions`."""
    program = tmp_path / "worker"
    subprocess.run(["cc", "-O2", "-o", str(program), str(WORKERS / "worker.c")], check=True)
    return program


def test_healthy_acceptances_in_a_row_have_no_more_alarms_than_stated(work: str) -> None:
    found = [accepted(number) for number in range(HEALTHY)]
    print(f"{work}: {found.count(0)} accepted, {found.count(3)} rejected, {found.count(4)} not shown")
    assert found.count(3) <= stats.binom.ppf(0.99, HEALTHY, 0.05)
    assert found.count(0) >= LEAST_ACCEPTED[work]


def test_a_quota_is_never_passed(work: str) -> None:
    with processor_share(SHARE) as prefix:
        assert accepted(0, prefix) in (3, 4)


@pytest.mark.parametrize("kind", ["busy", "memory"])
def test_a_hog_on_every_processor_is_never_passed(work: str, kind: str, worker: Path) -> None:
    with competing(worker, (kind,) * 2 * (os.cpu_count() or 1)):
        assert accepted(0) in (3, 4)


def test_a_hog_in_the_last_third_is_never_passed(work: str, worker: Path) -> None:
    """It begins when two thirds of the launches before the first look are over, and stays."""
    plan = assay("accept", "contract.toml", "--plan", "--json").document["planned"]
    first = min(look for each in plan for look in each["looks"])
    with _late_hog(worker, Path("run-0"), 2 * first // 3):
        assert accepted(0) in (3, 4)


@contextlib.contextmanager
def _late_hog(worker: Path, run: Path, after: int) -> Iterator[None]:
    """Have hogs on every processor once so many launches of a run have begun."""
    over = threading.Event()

    def compete() -> None:
        while not over.is_set() and len(list(run.glob("launches/*.jsonl"))) <= after:
            time.sleep(0.02)
        with competing(worker, ("memory",) * 2 * (os.cpu_count() or 1)):
            over.wait()

    thread = threading.Thread(target=compete)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
