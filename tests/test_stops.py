"""SIGTERM and Ctrl-C end every verb within two seconds, with 143 and 130, and nothing is left of it.

They come at moments that are drawn: while it is imported, while it starts, in the middle of its work. Ctrl-C goes to
all processes of the group, as a terminal sends it, or to the verb alone; so does SIGTERM, which batch systems send.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.execute import stale_files
from assay.execute.mpi import Mpi
from compiled import kept
from example_inputs import HYPERCUBE, described_runs
from mpis_here import MPI, WHEEL, yielding
from stopped import Ended, stopped
from test_every_verb import VERBS
from test_interrupts import LONG, STUDY

pytestmark = pytest.mark.measures

WITHIN = 2.0  # s
SIGNALS = (signal.SIGINT, signal.SIGTERM)
NODES = "[machine]\nnodes = 128\ncpus_per_node = 1\n"
CROWD = ("--set", "lublin.jobs=40000", "--set", "lublin.load=3", "--set", "estimates.factor=10")
PLACED = '[machine]\nnodes = 128\ncpus_per_node = 1\n[batch]\nallocation = "contiguous"\n'
SILENT_SSH = "#!/bin/sh\nexec sleep 600\n"
JOBS = '[a]\nprocessors = 1\ntime = "100 s"\ncommand = ["sleep", "100"]\n'
CELLS = "SELECT a.range * b.range FROM range(3000000) a, range({}) b"
COUNTED = f"SELECT count(*) FROM ({CELLS.format(1000)}) WHERE random() > 2"


@dataclass(frozen=True)
class Case:
    """A command; `work`: the processor seconds between which the moments are drawn.

    `ends`: it may have ended by then, or have nothing left to do but to go away. `waits`: it mostly waits, and moments
    are seconds. `well`: Ctrl-C may be how one ends it.
    """

    words: tuple[object, ...]
    work: tuple[float, float] = (0.05, 2.5)
    ends: bool = False
    waits: bool = False
    mpi: Mpi | None = None
    well: bool = False


LOOP = (1.2, 2.2)  # in the simulation, which one call of the core is
THROUGHPUT = ("throughput", "lublin", "--on", "{here}/nodes.toml")
CASES: dict[str, list[Case]] = {
    "accept": [Case(("accept", "contract.toml", "--run", "a"), ends=True)],
    "build": [Case(("build", "stream", "latency", "gemm"), (0.1, 6.0))],
    "cache": [Case(("cache",), (0.05, 1.0), ends=True)],
    "catalogue": [Case(("catalogue",), (0.02, 1.0), ends=True)],
    "compare": [Case(("compare", "a", "b"), ends=True)],
    "doctor": [
        Case(("doctor",), (0.05, 1.5), ends=True),
        Case(("doctor", "--via", "hosts:hosts", "--for", "300"), (0.1, 3.0), waits=True),
        Case(("doctor", "--watch"), (1.0, 3.0), well=True),
    ],
    "lab": [Case(("lab", "list"), (0.05, 1.0), ends=True)],
    "evaluate": [
        Case(("evaluate", "--only", "threads", "--launches", 99, "--out", "run")),
        Case(("evaluate", "-N", 1728, "--on", "torus-tofud", "--out", "run"), LOOP),
        Case(("evaluate", "--on", "all", "--docs", "docs"), (0.5, 3.0)),
        Case(("evaluate", "--only", "threads", "--via", "hosts:hosts", "--out", "run"), (0.1, 4.0), waits=True),
    ],
    "export": [Case(("export", "a", "--format", "json", "-o", "rows.json"), (0.05, 1.0), ends=True)],
    "fit": [Case(("fit", "--on", "ipsc860"), ends=True)],
    "history": [Case(("history", "--import", "a", "--machine", "constant"), ends=True)],
    "mpirun": [Case(("mpirun", "--on", "ipsc860", "-n", 2, "sleep", 300), (0.5, 4.0), waits=True)],
    "plan": [Case(("plan", "--only", "processor"), (0.05, 1.0), ends=True)],
    "predict": [Case(("predict", "model.toml", "a"), ends=True)],
    "query": [Case(("query", CELLS.format(30)), (0.05, 2.0)), Case(("query", COUNTED))],
    "replay": [Case(("replay", HYPERCUBE, "long.csv", "-o", "out.csv", "--set", "network.routing=valiant"))],
    "report": [Case(("report", "a"), ends=True)],
    "run": [
        Case(("run", "noise", "--launches", 999, "--out", "run")),
        Case(("run", "lock", "--launches", 999, "--out", "run")),
        Case(("run", "file-rate", "--launches", 999, "--out", "run", "--set", "folder={here}")),
        *(Case(("run", "echo", "-n", 2, "--launches", 999, "--out", "run"), (0.1, 5.0), mpi=mpi)
          for mpi in {each.mpicxx: each for each in (MPI, WHEEL) if each}.values()),
        Case(("run", "alltoall", "-n", 1728, "--set", "bytes=65536", "--on", "torus-tofud", "--out", "run"), LOOP),
    ],
    "sensitivity": [Case(("sensitivity", "alltoall", "-n", 512, "--on", "torus-tofud"))],
    "simulate": [
        Case(("simulate", HYPERCUBE, *LONG)),
        Case(("simulate", HYPERCUBE, *LONG, "--saturation"), LOOP),
        Case(("simulate", HYPERCUBE, *LONG, "--sweep", "traffic.load=0.1,0.2", "--workers", 2), LOOP),
        Case(("simulate", HYPERCUBE, *LONG, "--sweep", "traffic.load=0.1,0.2", "--workers", 2,
              "--executor", "processes"), (0.5, 5.0)),
    ],
    "study": [Case(("study", "long.toml"), LOOP)],
    "throughput": [
        Case((*THROUGHPUT, *CROWD, "--policy", "conservative"), LOOP),
        Case((*THROUGHPUT, *CROWD, "--policy", "conservative", "--set", "batch.decision_cost=2"), LOOP),
        Case((*THROUGHPUT, "--policy", "fairshare", "--set", "lublin.jobs=1000000", "--set", "lublin.load=3"), LOOP),
        Case(("throughput", "lublin", "--on", "{here}/placed.toml", *CROWD, "--policy", "conservative"), LOOP),
        Case(("throughput", "live", "--jobs", "live.toml", "--via", "local", "--out", "test"), (0.2, 3.0), waits=True),
    ],
    "tune": [Case(("tune", "a", "-o", "tuned.conf"), ends=True)],
}  # fmt: skip
ENDS_SOON = {
    "examples": "copies a score of small files",
    **dict.fromkeys(("mpicc", "mpicxx", "mpifort"), "becomes the compiler"),
    "runs": "lists folders, some hundred a second",
    "version": "prints what is installed",
    "watch": "with --install; its rounds are stopped in tests/test_watch.py",
}


def test_every_verb_is_stopped_or_ends_soon() -> None:
    assert sorted([*CASES, *ENDS_SOON]) == VERBS and not set(CASES) & set(ENDS_SOON)


GOING = """
import atexit, os, signal, sys
atexit.register(lambda: [os.kill(os.getpid(), number) for number in (signal.SIGINT, signal.SIGTERM)])
from assay.start import main
main()
"""


def test_a_signal_after_the_last_word_changes_nothing(tmp_path: Path) -> None:
    """Sent after all that Assay has at exit, where Python takes itself down: what was first registered comes last."""
    for words, status in (("version", 0), ("nosuch", 2)):
        command = [sys.executable, "-P", "-c", GOING, words]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == status and "interrupted" not in ran.stderr, ran


DROPPED = """
import contextlib, os, signal, sys, time
from assay import stops

stop, how = stops.begin(), sys.argv[1]

def signalled():
    os.kill(os.getpid(), signal.SIGTERM)

class Dropping:
    __del__ = lambda self: signalled()

if how == "suppressed":
    with contextlib.suppress(BaseException):
        signalled()
elif how == "in a finalizer":
    Dropping()
elif how == "in a cycle":
    cycle = []
    try:
        signalled()
    except BaseException as error:
        cycle += [error, cycle]
    del cycle
elif how == "twice":
    for _ in range(2):
        with contextlib.suppress(BaseException):
            if stop.number is None:
                signalled()
            time.sleep(60)
elif how == "handled":
    try:
        signalled()
    except KeyboardInterrupt:
        time.sleep(0.5)
        sys.exit(7)
elif how == "answered":
    with contextlib.suppress(BaseException):
        signalled()
    stop.answered = True
    time.sleep(0.5)
    sys.exit(8)
try:
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(stop.status)
"""


COMES_AGAIN = dict.fromkeys(("suppressed", "in a finalizer", "in a cycle", "twice"), 143)


@pytest.mark.parametrize(("how", "status"), [*COMES_AGAIN.items(), ("handled", 7), ("answered", 8)])
def test_a_signal_that_a_library_drops_comes_again(how: str, status: int) -> None:
    """Pandas, imported by pyarrow's own code, was where `assay replay` lost one; what is handled is not disturbed."""
    ran = subprocess.run([sys.executable, "-P", "-c", DROPPED, how], capture_output=True, timeout=30, check=False)
    assert (ran.returncode, ran.stderr) == (status, b"")


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_is_answered_until_all_output_is_written(number: signal.Signals, tmp_path: Path) -> None:
    """Its reader reads nothing: the command waits in its very last write, after which signals are blocked."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        with contextlib.suppress(BlockingIOError):
            while os.write(writer, bytes(4096)):
                pass
        os.set_blocking(writer, True)
        command = [sys.executable, "-P", "-c", "from assay.start import main; main()", "version"]
        ran = subprocess.Popen(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            ran.wait(2.5)
        ran.send_signal(number)
        try:
            assert ran.communicate(timeout=30)[1] == "assay: interrupted\n" and ran.returncode == 128 + number
        finally:
            ran.kill()
            ran.wait()
    finally:
        os.close(reader)
        os.close(writer)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What commands read, by its name in their folder."""
    folder = tmp_path_factory.mktemp("inputs")
    described_runs(folder)
    kept("threads/noise")
    rows = "".join(f"{i},{i // 4},{i % 128},{(i * 7 + 1) % 128},100000\n" for i in range(400_000))
    texts = {"long.toml": STUDY, "nodes.toml": NODES, "placed.toml": PLACED, "live": "0: 4 * a\n", "live.toml": JOBS,
             "hosts": "silent1\nsilent2\n", "long.csv": "id,cycle,source,destination,flits\n" + rows}  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "bin").mkdir()
    (folder / "bin" / "ssh").write_text(SILENT_SSH)
    (folder / "bin" / "ssh").chmod(0o755)
    return {path.name: path for path in folder.iterdir()}


def trial(case: Case, draw: random.Random, number: signal.Signals, inputs: dict[str, Path], folder: Path) -> Ended:
    """Signal a command once."""
    folder.mkdir()
    for name, path in inputs.items():
        (folder / name).symlink_to(path)
    stale_files.clear()  # what killed processes of earlier tests left
    moment = draw.uniform(*case.work)
    environment = {"ASSAY_RUNS": str(folder / "state"), "PATH": f"{folder}/bin:{os.environ['PATH']}"}
    if case.words[0] == "build":
        environment["ASSAY_CACHE"] = str(folder / "cache")
    if case.mpi is not None:
        environment |= yielding() | {"MPICXX": case.mpi.mpicxx, "MPIEXEC": case.mpi.mpiexec}
    words = tuple(str(word).replace("{here}", str(folder)) for word in case.words)
    at = {"wall": moment} if case.waits else {"cpu": moment}
    found = stopped(words, folder, number, group=draw.random() < 0.5, environment=environment, **at)
    told = f"{words} at {moment:.2f}: {found}"
    if found.seconds is None:
        assert case.ends and found.status == 0, told
        return found
    if case.ends and found.status == 0:  # all was said: the signal came while Python took itself down
        assert not found.processes and not found.files and "interrupted" not in found.err, told
        return found
    if not (case.well and number == signal.SIGINT and found.status == 0):
        last = (found.err.splitlines() or [""])[-1]
        assert found.status == 128 + number and (last.startswith("assay: interrupted") or case.well), told
    assert "Traceback" not in found.err, told
    assert not found.processes and not found.files, told
    assert not stale_files.clear(), told
    assert found.seconds < WITHIN, told
    return found


NAMED = [(f"{verb} {at}", case) for verb, cases in CASES.items() for at, case in enumerate(cases)]


@pytest.mark.parametrize(("name", "case"), NAMED, ids=[name for name, _ in NAMED])
def test_a_stop_ends_a_verb_in_two_seconds(name: str, case: Case, inputs: dict[str, Path], tmp_path: Path) -> None:
    draw = random.Random(name)
    trial(case, draw, draw.choice(SIGNALS), inputs, tmp_path / "x")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "case"), NAMED, ids=[name for name, _ in NAMED])
def test_at_more_moments(name: str, case: Case, seed: int, inputs: dict[str, Path], tmp_path: Path) -> None:
    draw = random.Random(f"{name} {seed} {os.environ.get('ASSAY_SEED', '')}")
    for number in SIGNALS:
        trial(case, draw, number, inputs, tmp_path / f"{number:d}")
