"""The Slurm launcher on a live cluster of eight nodes on this host."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import slurm_cluster
from assay.errors import InputError, MeasurementError, NotGrantedError
from assay.execute import process_tree
from assay.execute.job import Job, launcher, outputs
from assay.execute.mpi import Mpi
from assay.since_start import ending_at
from by_night import first_by_day
from command_line import assay
from small_programs import builder
from started import words
from test_launchers import MPIS, gone, marked

pytestmark = [
    pytest.mark.paced,
    pytest.mark.slurm,
    pytest.mark.skipif(slurm_cluster.missing() is not None, reason=str(slurm_cluster.missing())),
]
IDS = [f"{m.implementation} {m.version}" for m in MPIS.values()]
each_mpi = pytest.mark.parametrize("mpi", MPIS.values(), ids=IDS)
one_mpi = pytest.mark.parametrize("mpi", first_by_day(MPIS.values()), ids=IDS)


@pytest.fixture(scope="module")
def cluster():
    with slurm_cluster.SlurmCluster() as started:
        yield started


@pytest.fixture
def outside(cluster, monkeypatch):
    """This process as a user of the cluster, in no allocation."""
    for key in [key for key in os.environ if key.startswith(("SLURM", "SBATCH", "SALLOC"))]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("SLURM_CONF", str(cluster.folder / "slurm.conf"))
    yield cluster
    assert cluster.left() == [], "a test left a job"


@pytest.fixture
def slurm(outside):
    made = []

    def make(mpi: Mpi | None = None, option: str = ""):
        made.append(launcher(f"slurm:{option}" if option else "slurm", mpi))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return builder(tmp_path_factory.mktemp("small"))


def job(tmp_path: Path, command: tuple[str, ...], nodes: int | None, ranks: int | None = None, **more: object) -> Job:
    plain = Job("hello" if ranks else "tick", command, ranks, nodes, None, tmp_path / "l.jsonl", tmp_path / "log", 60)
    return replace(plain, **more)  # type: ignore[arg-type]


def test_a_node_program_runs_once_on_each_of_eight_nodes(tmp_path, programs, slurm):
    outcome = slurm().run(job(tmp_path, programs("tick"), 8))
    assert outcome.status == 0, (tmp_path / "log").read_text()
    assert set(outcome.hosts) == {f"n{i}" for i in range(1, 9)}
    assert len(outcome.placement) == 8
    assert [node for node, _ in outputs(tmp_path / "l.jsonl")] == [f"n{i}" for i in range(1, 9)]


def test_files_of_two_nodes_lie_apart_in_one_folder_and_go(tmp_path, outside):
    place = tmp_path / "shared"
    place.mkdir()
    small = ("--set", f"folder={place}", "--launches", "1", "--json", "--out")
    asked = {
        "file-rate": ("size=65536", "bytes=4096", "engine=buffered", "direction=write"),
        "metadata": ("files=20", "processes=1"),
    }
    for name, given in asked.items():
        settings = [word for each in given for word in ("--set", each)]
        answer = assay("run", name, "--via", "slurm", "-N", "2", *settings, *small, str(tmp_path / name))
        assert answer.status == 0, answer.err
        assert all(f'"{node}"' in json.dumps(answer.document) for node in ("n1", "n2"))
        assert list(place.iterdir()) == []


def test_nodes_that_do_not_see_the_folder_answer_through_srun(tmp_path, programs, slurm, monkeypatch):
    made = slurm()
    monkeypatch.setattr(made, "_shared", lambda *_: False)
    outcome = made.run(job(tmp_path, programs("tick"), 3))
    assert outcome.status == 0 and len(outcome.hosts) == 3 and "srun's standard output" in outcome.channel
    assert outcome.command[-1].startswith("/tmp/assay-")


def test_one_allocation_serves_many_launches(tmp_path, programs, slurm, cluster):
    made = slurm()
    seen = []
    for launch in range(3):
        made.run(job(tmp_path, programs("tick"), 2, out=tmp_path / f"{launch}.jsonl"))
        seen.append(cluster.jobs())
    assert len(seen[0]) == 1 and seen == [seen[0]] * 3
    made.run(job(tmp_path, programs("tick"), 4, out=tmp_path / "more.jsonl"))
    assert len(cluster.ask("squeue", "-h", "-t", "running", "-o", "%i").split()) == 1
    made.close()
    assert cluster.left() == []


@pytest.mark.mpi
@each_mpi
def test_ranks_run_across_nodes(tmp_path, programs, slurm, mpi):
    outcome = slurm(mpi).run(job(tmp_path, programs("hello", mpi), 4, 4))
    assert outcome.status == 0, (tmp_path / "log").read_text()
    assert sorted(outcome.hosts) == ["n1", "n2", "n3", "n4"], outcome.channel


@pytest.mark.mpi
@each_mpi
def test_ranks_fill_nodes_by_ppn(tmp_path, programs, slurm, mpi):
    outcome = slurm(mpi).run(job(tmp_path, programs("hello", mpi), 2, 4, ppn=2))
    assert [rank["host"] for rank in outcome.placement] == ["n1", "n1", "n2", "n2"], outcome.channel
    assert not outcome.warnings


@pytest.mark.mpi
@each_mpi
def test_more_ranks_than_processors_is_a_warning(tmp_path, programs, slurm, mpi):
    outcome = slurm(mpi).run(job(tmp_path, programs("hello", mpi), 1, 3))
    assert len(outcome.placement) == 3 and "oversubscribed" in outcome.warnings[0]


_INSIDE = """
import sys
from pathlib import Path
from assay.execute.job import Job, launcher
folder = Path(sys.argv[1])
command = (sys.argv[2], "--set", "seconds=" + sys.argv[3])
job = Job("tick", command, None, None, None, folder / "l.jsonl", folder / "log", 600)
print(sorted(launcher("slurm").run(job).hosts))
"""


@pytest.mark.parametrize("starter", [(), ("srun", "-N1", "-n1")], ids=["batch script", "step"])
def test_inside_an_allocation_all_its_nodes_are_used(tmp_path, programs, outside, starter):
    """Started in the allocation's own script, or in a step of it."""
    words = [
        "salloc",
        "-N3",
        "--exclusive",
        *starter,
        sys.executable,
        "-c",
        _INSIDE,
        str(tmp_path),
        *programs("tick"),
        "0",
    ]
    said = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert said.stdout.strip() == "['n1', 'n2', 'n3']", said.stderr


def test_a_failing_node_is_told_with_its_words(tmp_path, programs, slurm):
    outcome = slurm().run(job(tmp_path, (*programs("tick"), "--set", "status=1"), 2))
    assert (
        outcome.status in (1, 143) and outcome.reason
    )  # srun gives the greater: the second node may be ended by SIGTERM
    # whichever node failed first: the other one may be ended before it speaks
    assert "told to fail" in outcome.reason
    assert re.search("^n[12]: tick: it was told to fail$", (tmp_path / "log").read_text(), re.MULTILINE)
    assert not list(tmp_path.glob("log@*")), "each node's words are in the log, and nowhere else"


@pytest.mark.mpi
@each_mpi
def test_a_failing_rank_is_told_with_its_words(tmp_path, programs, slurm, mpi):
    command = (*programs("hello", mpi), "--set", "status=1")
    outcome = slurm(mpi).run(job(tmp_path, command, 2, 2))
    assert outcome.status != 0
    assert "n1: tick: it was told to fail" in (tmp_path / "log").read_text()


@pytest.mark.mpi
@one_mpi
def test_a_rank_that_never_starts_is_named(tmp_path, slurm, mpi):
    """The node's process of rank 2 sleeps before MPI: the others wait in MPI_Init until the deadline."""
    from assay.benchmark.record import benchmark
    from assay.execute.build import build

    program, script = build([benchmark("echo")], mpi=mpi)["echo"].path, tmp_path / "late"
    rank = "${PMIX_RANK:-${PMI_RANK:-$SLURM_PROCID}}"
    script.write_text(f'#!/bin/sh\n[ "{rank}" = 2 ] && exec sleep 600\nexec {program} "$@"\n')
    script.chmod(0o755)
    command = (str(script), *words("echo", "--deadline", "3"))
    outcome = slurm(mpi).run(job(tmp_path, command, 3, 3))
    assert outcome.status != 0 and outcome.reason is not None, (tmp_path / "log").read_text()
    assert "rank 2 never started; ranks 0, 1 waited in MPI_Init" in outcome.reason


def test_a_hanging_program_is_ended_on_every_node(tmp_path, programs, slurm, monkeypatch):
    monkeypatch.setenv("ASSAY_TEST_MARK", str(tmp_path))
    with pytest.raises(MeasurementError, match="timed out after 2 s"):
        slurm().run(job(tmp_path, (*programs("tick"), "--set", "seconds=1000"), 4, timeout=2))
    assert gone([pid for pid in marked(f"ASSAY_TEST_MARK={tmp_path}") if is_tick(pid)])


def is_tick(pid: int) -> bool:
    try:
        return "tick-" in Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return False


def test_kill_9_of_assay_ends_programs_and_allocation(tmp_path, programs, outside, monkeypatch):
    monkeypatch.setenv("ASSAY_TEST_MARK", str(tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-c", _INSIDE, str(tmp_path), *programs("tick"), "1000"], start_new_session=True
    )
    try:
        end = time.monotonic() + 30
        while not list(tmp_path.glob("l@*.jsonl")) and time.monotonic() < end:
            assert process.poll() is None
            time.sleep(0.05)
        assert outside.jobs()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert gone(marked(f"ASSAY_TEST_MARK={tmp_path}"), 10)
    assert outside.left() == []


def test_what_slurm_refuses_is_told(tmp_path, programs, slurm):
    with pytest.raises(MeasurementError, match="Slurm gave no allocation of 9 nodes"):
        slurm().run(job(tmp_path, programs("tick"), 9))
    with pytest.raises(MeasurementError, match="nowhere"):
        slurm(option="--partition=nowhere").run(job(tmp_path, programs("tick"), 1))


def test_a_wait_for_nodes_ends_with_the_budget(tmp_path, programs, slurm, outside):
    """All nodes are another job's; what is granted later than the budget's end is given back."""
    waiting = job(tmp_path, programs("tick"), 1)
    busy = outside.ask(
        "sbatch", "--parsable", "-N8", "--exclusive", "--output=/dev/null", "--wrap", "sleep 300"
    ).strip()
    try:
        began = time.monotonic()
        with (
            ending_at(began + 4),
            pytest.raises(NotGrantedError, match="the budget ended while Slurm had not granted 1 "),
        ):
            slurm().run(waiting)
        assert 4 <= time.monotonic() - began < 4 + process_tree.ENDS_WITHIN
        assert outside.jobs() == [busy]
    finally:
        outside.ask("scancel", busy)


def test_more_nodes_than_the_allocation_has(tmp_path, monkeypatch):
    for key, value in {"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "2(x2)"}.items():
        monkeypatch.setenv(key, value)
    with pytest.raises(InputError, match=r"-N: the allocation has fewer nodes; got 3, expected 1 to 2"):
        launcher("slurm").run(job(tmp_path, ("/bin/true",), 3))
