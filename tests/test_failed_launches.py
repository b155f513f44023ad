"""A launch that goes wrong ends by its deadline with one line that names the rank, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from assay.benchmark.record import PlainProgram
from assay.errors import MeasurementError
from assay.execute import failure, placement
from assay.execute.build import build
from assay.execute.job import Job, launcher
from assay.execute.mpi import Mpi
from by_night import by_night
from command_line import assay
from compiled import own_cache
from mpi_programs import gone as released
from test_launchers import MPIS, gone, marked
from wrong_program import WRONG, started_as

each_mpi = pytest.mark.parametrize("mpi", MPIS.values(), ids=[f"{m.implementation} {m.version}" for m in MPIS.values()])
pytestmark = [pytest.mark.mpi, pytest.mark.paced]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Mpi], str]:
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "wrong.hpp").write_text(WRONG)
    cache = own_cache(folder / "cache")
    source = PlainProgram("wrong", folder / "wrong.hpp", "ranks")
    return lambda mpi: str(build([source], mpi=mpi, cache=cache)["wrong"].path)


def segments() -> set[str]:
    """What an MPI keeps in shared memory."""
    kept = ("vader", "sm_segment", "ompi", "ucx", "mpich", "osc", "assay")
    return {path.name for path in Path("/dev/shm").iterdir() if any(word in path.name for word in kept)}


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever is launched: no process, nothing of ours in shared memory or the folder for temporary files."""
    scratch = Path("/tmp") / f"assay-t{os.getpid()}"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setenv("ASSAY_TEST_MARK", str(tmp_path))
    before = segments()
    yield
    monkeypatch.delenv("ASSAY_TEST_MARK")
    left = [pid for pid in marked(f"ASSAY_TEST_MARK={tmp_path}") if pid != os.getpid()]
    try:
        assert gone(left, 3)
        released({Path("/dev/shm") / each for each in segments() - before})
        assert list(scratch.iterdir()) == []
    finally:
        shutil.rmtree(scratch)


def failed(tmp_path: Path, mpi: Mpi, program: str, how: str, timeout: float = 60, deadline: float = 2) -> str:
    """The reason that is given, with the log's name cut off; it must end in time."""
    words = (program, *started_as(how), "--deadline", f"{deadline:g}")
    job = Job("wrong", words, 2, None, None, tmp_path / "l.jsonl", tmp_path / "log", timeout)
    began = time.monotonic()
    outcome = launcher("mpiexec", mpi).run(job)
    assert outcome.status != 0 and time.monotonic() - began < deadline + 20
    assert outcome.reason is not None and "\n" not in outcome.reason
    text, named, log = outcome.reason.rpartition("; log: ")
    assert not named or log == str(tmp_path / "log")
    return text or outcome.reason


@each_mpi
@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("stuck", "rank 0 was in receive from rank 1, tag 5; rank 1 was in receive from rank 0, tag 5"),
        ("stopped", "rank 1 did not answer: stopped, or without a processor; rank 0 was in receive from rank 1, tag 5"),
        ("rank", "rank 1: sends to rank 9; expected 0 to 1"),
        ("below", "rank 1: sends to rank -1; expected 0 to 1"),
        ("tag", "rank 1: sends to rank 0 with tag -5; expected 0 to 29999"),
    ],
)
def test_what_went_wrong_is_said_in_the_programs_own_words(
    tmp_path: Path, mpi: Mpi, program: Callable[[Mpi], str], how: str, says: str
) -> None:
    assert failed(tmp_path, mpi, program(mpi), how).endswith(says)


@each_mpi
@pytest.mark.parametrize("late", by_night([0, 2], [2]))
def test_a_rank_that_never_starts_is_named(tmp_path: Path, mpi: Mpi, program: Callable[[Mpi], str], late: int) -> None:
    """The others wait for it where MPI starts; the launch ends by its deadline, with the sleeper."""
    script = tmp_path / "late"
    script.write_text(
        f'#!/bin/sh\n[ "${{PMIX_RANK:-$PMI_RANK}}" = {late} ] && exec sleep 600\nexec {program(mpi)} "$@"\n'
    )
    script.chmod(0o755)
    words = (str(script), *started_as("stuck"), "--deadline", "3")
    job = Job("late", words, 3, None, None, tmp_path / "l.jsonl", tmp_path / "log", 60)
    outcome = launcher("mpiexec", mpi).run(job)
    others = ", ".join(str(rank) for rank in range(3) if rank != late)
    said = f"not started after 3 s: rank {late} never started; ranks {others} waited in MPI_Init"
    assert outcome.status != 0 and outcome.reason is not None and said in outcome.reason


@each_mpi
def test_mpis_own_words_reach_the_reader(tmp_path: Path, mpi: Mpi, program: Callable[[Mpi], str]) -> None:
    reason = failed(tmp_path, mpi, program(mpi), "longer")
    assert "rank 0: MPI_Recv with rank 1: " in reason and "truncated" in reason and "abort" not in reason.lower()


@each_mpi
def test_a_killed_rank_is_named(tmp_path: Path, mpi: Mpi, program: Callable[[Mpi], str]) -> None:
    reason = failed(tmp_path, mpi, program(mpi), "killed")
    assert "rank 1 (process " in reason and reason.endswith("was killed by SIGKILL")


@each_mpi
def test_a_killed_starter_is_named_and_its_ranks_end(tmp_path: Path, mpi: Mpi, program: Callable[[Mpi], str]) -> None:
    def kill() -> None:
        end = time.monotonic() + 30
        while not (tmp_path / "l.jsonl").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.3)
        for pid in marked(f"ASSAY_TEST_MARK={tmp_path}"):
            with suppress(FileNotFoundError, ProcessLookupError):  # a helper of the starter's may end meanwhile
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if b"-n" in words and program(mpi).encode() in words:
                    os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    reason = failed(tmp_path, mpi, program(mpi), "stuck", deadline=30)
    killer.join()
    assert reason.endswith(f"{Path(mpi.mpiexec).name} was killed by SIGKILL"), reason


@each_mpi
def test_a_rank_that_is_stopped_past_the_time_limit_is_named(
    tmp_path: Path, mpi: Mpi, program: Callable[[Mpi], str]
) -> None:
    words = (program(mpi), *started_as("stopped"))
    with pytest.raises(MeasurementError, match=r"timed out after 3 s .*; stopped by a signal: rank 1 \(process \d+\)"):
        launcher("mpiexec", mpi).run(Job("wrong", words, 2, None, None, tmp_path / "l.jsonl", tmp_path / "log", 3))


def stop_rank_one(launched: Path, seconds: float | None) -> threading.Thread:
    """Send SIGSTOP to rank 1 as soon as `launched` says which process it is, and SIGCONT after `seconds`."""

    def act() -> None:
        end = time.monotonic() + 30
        while not (launched.exists() and '"rank":1' in launched.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        (line,) = [json.loads(one) for one in launched.read_text().splitlines() if '"launch"' in one]
        (pid,) = [rank["pid"] for rank in line["placement"] if rank["rank"] == 1]
        os.kill(pid, signal.SIGSTOP)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=act)
    thread.start()
    return thread


@each_mpi
def test_a_launch_does_not_wait_long_for_a_rank_that_is_stopped(
    tmp_path: Path, mpi: Mpi, program: Callable[[Mpi], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the deadline it ends, names the rank, and said beforehand that it would."""
    monkeypatch.setattr(placement, "STOPPED_AT_MOST", 1.0)
    said: list[str] = []
    words = (program(mpi), *started_as("stuck"), "--deadline", "100")
    job = Job("wrong", words, 2, None, None, tmp_path / "l.jsonl", tmp_path / "log", 120, say=said.append)
    stopper = stop_rank_one(job.out, None)
    began = time.monotonic()
    with pytest.raises(MeasurementError) as error:
        launcher("mpiexec", mpi).run(job)
    stopper.join()
    assert time.monotonic() - began < 60
    who = r"rank 1 \(process \d+\) was stopped by a signal \(SIGSTOP\)"
    reason = str(error.value)
    assert re.match(rf"on 2 ranks: {who} for more than 1 s; the launch was ended with all its processes; log: ", reason)
    assert "\n" not in reason
    (line,) = said
    assert re.fullmatch(rf"wrong: {who}; the launch ends in 1 s unless that is continued", line)


def test_a_rank_that_is_continued_leaves_a_run_that_says_so(tmp_path: Path) -> None:
    """By the command line: said while it runs, with the cause and what to do in the document, and no figure clean."""
    run = tmp_path / "run"
    stopper = stop_rank_one(run / "launches" / "000-echo.jsonl", 3)
    done = assay(
        *("run", "echo", "-n", "2", "--set", "bytes=8", "--launches", "1", "--set", "repetitions=500"),
        *("--json", "--out", str(run)),
    )
    stopper.join()
    assert done.status == 0, done.err
    found = done.document
    (cause,) = [cause for cause in found["causes"] if "SIGSTOP" in cause["text"]]
    assert re.search(r"rank 1 \(process \d+\) was stopped by a signal \(SIGSTOP\) for about \d+ s", cause["text"])
    assert "measure again" in cause["advice"]
    assert found["figures"] and not any(figure["state"] == "clean" for figure in found["figures"])
    assert "was stopped by a signal (SIGSTOP)" in done.err


def test_many_ranks_are_counted_and_not_listed(tmp_path: Path) -> None:
    lines = [f"x: not done after 60 s: rank {rank} was in barrier, with any rank, tag 0" for rank in range(90)]
    (tmp_path / "log").write_text("\n".join(lines))
    placement = [{"rank": rank, "pid": rank} for rank in range(100)]
    reason = failure.reason("x", 1, tmp_path / "log", 0, placement, "mpiexec")
    assert "ranks 90, 91, 92, 93, … did not answer" in reason and "and 86 more ranks waited" in reason


def test_words_of_a_program_behind_the_name_of_a_node_are_found(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("old words\nsrun: error: n2: task 1: Exited\nn2: echo: rank 1: no such luck\n")
    before = len("old words\n")
    assert failure.reason("echo", 1, tmp_path / "log", before, [], None).startswith(
        "exit status 1: rank 1: no such luck; log: "
    )
    (tmp_path / "log").write_text("it was: told to fail\n")
    assert "it was: told to fail; log" in failure.reason("echo", 1, tmp_path / "log", 0, [], None)


ADVICE = "This typically means that none of the installed\ncomponents can be loaded. Look at the path.\n"
RULE = "-" * 74 + "\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "There are not enough slots available in the system to satisfy the 4\n"
            "slots that were requested by the application:\n\n  /tmp/echo\n\n"
            "You can ignore the number of available slots when deciding the number of processes\nto launch.\n",
            "There are not enough slots available in the system to satisfy the 4 slots that were requested by the "
            "application",
        ),
        (f"No components were able to be opened in the pml framework.\n\n{ADVICE}\n  Host:      vm\n  Framework: pml\n",
         "No components were able to be opened in the pml framework"),
        ("mpirun was unable to launch it. It may be\nthat x.y is not here.\n", "mpirun was unable to launch it"),
    ],
)  # fmt: skip
def test_of_a_starters_help_the_sentence_that_says_what_failed_is_given(text: str, says: str, tmp_path: Path) -> None:
    """Open MPI 5.0.11's own texts, shortened; what it says of how the job ended is about no cause."""
    ended = f"{RULE}prterun has exited due to process rank 1 with PID 0 on node vm calling\n{RULE}"
    warned = f"{RULE}WARNING: no fast network was found.\n{RULE}"
    for log in (f"{RULE}{text}{RULE}", f"{ended}{RULE}{text}{RULE}", f"{warned}{RULE}{text}{RULE}{ended}"):
        (tmp_path / "log").write_text(log)
        assert failure.reason("echo", 213, tmp_path / "log", 0, [], "mpiexec").startswith(
            f"exit status 213: {says}; log:"
        )
    (tmp_path / "log").write_text(f"{RULE}{text}{RULE}vm: echo: rank 1: its own words\n")
    assert "exit status 1: rank 1: its own words" in failure.reason("echo", 1, tmp_path / "log", 0, [], "mpiexec")
