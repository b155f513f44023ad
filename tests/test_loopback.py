"""Ranks that are all on this host listen on the loopback device at most, and still share memory."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.job import Job, launcher
from assay.execute.loopback import loopback
from assay.execute.mpi import Mpi
from assay.execute.transports import variables
from small_programs import script
from started import words
from test_launchers import MPIS, marked

pytestmark = pytest.mark.paced

each_mpi = pytest.mark.parametrize("mpi", MPIS.values(), ids=[f"{m.implementation} {m.version}" for m in MPIS.values()])


def listening(pids: list[int]) -> dict[str, set[str]]:
    """Addresses (as the kernel writes them) on which these processes listen, by the name of the program."""
    owners: dict[str, set[str]] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    owners.setdefault(str(descriptor.readlink()), set()).add(name)
    found: dict[str, set[str]] = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                for name in owners.get(f"socket:[{words[9]}]", ()):
                    found.setdefault(name, set()).add(words[1].partition(":")[0])
    return found


LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


@pytest.mark.mpi
@each_mpi
def test_ranks_listen_on_the_loopback_device_at_most(tmp_path: Path, mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TEST_MARK", str(tmp_path))
    program = build([benchmark("echo")], mpi=mpi)["echo"].path
    given = ("--set", "bytes=8,65536", "--slice", "1", "--blocks", "2")
    command = (str(program), *words("echo", *given))
    seen: dict[str, set[str]] = {}

    def look() -> None:
        end = time.monotonic() + 60
        while not (tmp_path / "l.jsonl").exists() and time.monotonic() < end:
            time.sleep(0.05)
        pids = [pid for pid in marked(f"ASSAY_TEST_MARK={tmp_path}") if pid != os.getpid()]
        seen.update(listening(pids))
        seen.setdefault("processes", set()).update(map(str, pids))

    watcher = threading.Thread(target=look)
    watcher.start()
    outcome = launcher("mpiexec", mpi).run(
        Job("echo", command, 2, None, None, tmp_path / "l.jsonl", tmp_path / "log", 90)
    )
    watcher.join()
    assert outcome.status == 0, outcome.reason
    assert len(seen.pop("processes")) >= 3
    ranks = {name: where for name, where in seen.items() if name.startswith("echo")}
    # hydra's own socket is inherited by what it starts; see docs/clusters.md
    inherited = next((where for name, where in seen.items() if name.startswith(("mpiexec", "hydra"))), set())
    for name, where in ranks.items():
        assert where - (inherited if mpi.implementation == "MPICH" else set()) <= LOOPBACK, (name, seen)
    launch = json.loads((tmp_path / "l.jsonl").read_text().splitlines()[0])
    assert launch["transport"] == "shared memory"


def test_what_a_person_has_set_stays() -> None:
    assert loopback("Open MPI", {})["OMPI_MCA_btl"] == "^tcp"
    assert "OMPI_MCA_btl" not in loopback("Open MPI", {"OMPI_MCA_btl": "self,tcp"})
    assert "OMPI_MCA_btl" not in loopback("Open MPI", {}, spawns=True)
    assert loopback("Some MPI", {}) == {}


@pytest.mark.parametrize("transport", ["tcp", "UCX_TLS=self,tcp"])
def test_messages_by_tcp_are_not_held_to_the_loopback_device(tmp_path: Path, transport: str) -> None:
    """UCX 1.20 (MPICH's wheel): `tcp/lo - no route`. The starter is a script that says what it was told."""
    starter = script(
        tmp_path / "bin", "mpiexec", "echo devices=$UCX_NET_DEVICES tls=$UCX_TLS hydra=$HYDRA_IFACE; exit 1"
    )
    mpi = Mpi("/bin/false", str(starter), "MPICH", "5.0", False)
    job = Job("x", ("/bin/true",), 2, None, None, tmp_path / "l.jsonl", tmp_path / "log", 20)
    assert "devices=lo tls= hydra=lo" in (launcher("mpiexec", mpi).run(job).reason or "")
    by_tcp = replace(job, environment=variables(transport, mpi, here=True))
    reason = launcher("mpiexec", mpi).run(by_tcp).reason or ""
    assert "devices= tls=" in reason and "hydra=lo" in reason


@pytest.mark.mpi
@pytest.mark.parametrize("key", ["SLURM_JOB_ID", "HYDRA_HOST_FILE"])
def test_several_hosts_keep_their_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """The starter is a script that says what it was told."""
    starter = script(
        tmp_path / "bin", "mpiexec", "echo btl=$OMPI_MCA_btl dir=$OMPI_MCA_btl_sm_backing_directory >&2; exit 1"
    )
    mpi = Mpi("/bin/false", str(starter), "Open MPI", "5.0", False)
    job = Job("x", ("/bin/true",), 2, None, None, tmp_path / "l.jsonl", tmp_path / "log", 20)
    for name in ("OMPI_MCA_btl", key):
        monkeypatch.delenv(name, raising=False)
    assert "btl=^tcp dir=/dev/shm/assay-" in (launcher("mpiexec", mpi).run(job).reason or "")
    monkeypatch.setenv(key, "1")
    assert "btl= dir=" in (launcher("mpiexec", mpi).run(job).reason or "")
