"""Message-passing programs: written once, the same on MPI and on a description, loud when something is wrong."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._core import ranks as core
from assay.benchmark.record import benchmarks
from assay.described.machine_file import load
from assay.execute.build import build
from assay.samples import ENERGY
from by_night import by_night
from compiled import SANITIZERS, WORLD_SOURCES, compile_to
from mpis_here import MPI, start_ranks
from started import play, words
from wrong_program import WRONG

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "programs"
RANKS = {name: record for name, record in benchmarks().items() if record.kind == "ranks"}


def with_mpi(test: Any) -> Any:
    """Mark a test that starts real ranks."""
    return pytest.mark.mpi(pytest.mark.skipif(MPI is None, reason="no MPI here")(test))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compiles one program plainly, with what is defined besides."""
    folder = tmp_path_factory.mktemp("ranks")
    made: dict[tuple[str, ...], Path] = {}

    def program(header: str, *defines: str) -> Path:
        key = (header, *defines)
        if key not in made:
            assert MPI is not None
            out = folder / f"program-{len(made)}"
            named = [f'-DASSAY_PROGRAM="{header}"', *(f"-D{each}" for each in defines)]
            made[key] = compile_to(out, PROGRAMS / "mpi" / "main.cpp", *named, "-O0", mpi=MPI)
        return made[key]

    return program


@pytest.fixture(scope="module")
def built() -> dict[str, Path]:
    used = [RANKS[name] for name in ("echo", "self", "ring", "barrier")]
    return {name: made.path for name, made in build(used, mpi=MPI).items()}


def launch(ranks: int, program: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Starts a compiled program; `arguments` are resolved where it is one of ours."""
    assert MPI is not None
    given = words(name, *arguments) if name in RANKS else arguments
    return start_ranks(MPI, ranks, program, *given)


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def shape(value: Any) -> Any:
    """What a reader of JSON relies on: keys and kinds, not values."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


@with_mpi
@pytest.mark.parametrize(("name", "ranks"), [("echo", 2), ("echo", 3), ("self", 1), ("ring", 3), ("ring", 4)])
def test_the_same_source_gives_the_same_schema_on_mpi_and_on_a_description(
    built: dict[str, Path], name: str, ranks: int
) -> None:
    arguments = ["--set", "bytes=0,8,1025", "--blocks", "2", "--slice", "0.001", "--seed", "5"]
    real = launch(ranks, built[name], name, "--deadline", "100", *arguments)
    assert real.returncode == 0, real.stderr
    # the reference loop runs on a real processor only
    # and its checksums are the file's, which a simulation is given when it is kept
    # and only real processes have user and system time
    left = ("reference", "crc", "seq", "user", "system")
    seen = [{key: of for key, of in event.items() if key not in left} for event in events(real.stdout)]
    for event in seen:  # and so is energy, where a processor shows it
        if event.get("accounting"):
            event["accounting"] = {key: of for key, of in event["accounting"].items() if key not in ENERGY}
    played = events(play(name, load(ROOT / "examples" / "constant.toml").for_core(), ranks, arguments))
    for kind in ("launch", "block", "check", "done"):
        theirs, ours = (
            {json.dumps(shape(e), sort_keys=True) for e in all_ if e["event"] == kind} for all_ in (seen, played)
        )
        for text in (
            "first",
            "frequency",
            "hops",
            "vectors",
            "placement",
            "hosts",
            "library",
            "cpus",
        ):  # null on one side, or []
            theirs, ours = (
                {re.sub(rf'"{text}": ("\w+"|\[.*?\])', text, each) for each in those} for those in (theirs, ours)
            )
        assert theirs == ours, kind
    assert all(check["passed"] for check in seen + played if check["event"] == "check")
    # how near a partner is is found out on a real machine only
    cases, described = (
        {json.dumps(e["case"] | {"placement": None}, sort_keys=True) for e in all_ if e["event"] == "block"}
        for all_ in (seen, played)
    )
    assert cases == described
    first = seen[0]
    assert first["ranks"] == ranks == len({place["pid"] for place in first["placement"]})
    assert first["transport"] == ("none" if ranks == 1 else "shared memory")
    blocks = [event for event in seen if event["event"] == "block"]
    assert len(blocks) == 2 * len(cases) and sorted(b["order"] for b in blocks) == list(range(len(blocks)))
    assert all(value > 0 for block in blocks for value in block["values"])
    assert all((block["first"] is not None) == (block["block"] == 0) for block in blocks)


@with_mpi
@pytest.mark.parametrize("cache", ["rotating", "flushed"])
def test_echo_in_other_states_of_the_cache(built: dict[str, Path], cache: str) -> None:
    real = launch(
        2,
        built["echo"],
        "echo",
        "--set",
        f"cache={cache}",
        "--set",
        "bytes=0,3,70000",
        "--blocks",
        "1",
        "--slice",
        "0.001",
    )
    assert real.returncode == 0, real.stderr
    assert {e["cache"] for e in events(real.stdout) if e["event"] == "block"} == {cache}


@with_mpi
def test_single_operations_for_tails(built: dict[str, Path]) -> None:
    real = launch(2, built["echo"], "echo", "--set", "bytes=8", "--batch", "1", "--repetitions", "400", "--blocks", "1")
    (block,) = [event for event in events(real.stdout) if event["event"] == "block"]
    assert (block["batch"], len(block["values"]), block["ended"]) == (1, 400, "repetitions done")


@with_mpi
@pytest.mark.parametrize(("name", "ranks"), by_night([("echo", 2), ("ring", 3)], [("echo", 2)]))
def test_a_corrupted_message_is_caught(compiled: Callable[..., Path], name: str, ranks: int) -> None:
    broken = compiled(f"ranks/{name}.hpp", "ASSAY_BREAK")
    real = launch(ranks, broken, name, "--set", "bytes=1,64", "--blocks", "1", "--slice", "0.001")
    passed = {
        (check["case"]["bytes"], check["case"].get("scheme", "shift")): check["passed"]
        for check in events(real.stdout)
        if check["event"] == "check"
    }
    assert passed[1, "shift"] and not passed[64, "shift"]
    assert real.returncode == 1


@with_mpi
def test_a_barrier_on_mpi_and_one_that_lets_ranks_out_too_early(
    built: dict[str, Path], compiled: Callable[..., Path]
) -> None:
    """Three ranks, more than processors perhaps: what is held here is right and wrong, not time."""
    few = ["--blocks", "1", "--slice", "0.001", "--set", "ranks=0"]
    good = launch(3, built["barrier"], "barrier", "--deadline", "100", *few)
    assert good.returncode == 0, good.stderr
    blocks = [event for event in events(good.stdout) if event["event"] == "block"]
    assert len(blocks) == 5 * 2 * 2 and all(value > 0 for block in blocks for value in block["values"])
    assert {block["batch"] for block in blocks if block["case"]["timing"] == "window"} == {1}
    leaky = launch(3, compiled("ranks/barrier.hpp", "ASSAY_BREAK"), "barrier", "--deadline", "100", *few)
    checks = [event for event in events(leaky.stdout) if event["event"] == "check"]
    assert leaky.returncode == 1 and not any(check["passed"] for check in checks)


@with_mpi
@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            "stuck",
            [
                r"wrong: not done after 5 s: rank 0 was in receive from rank 1, tag 5",
                r"rank 1 was in receive from rank 0",
            ],
        ),
        ("lost", []),
        ("longer", [r"wrong: rank 0: MPI_Recv with rank 1: .*(?i:trunc)"]),
    ],
)
def test_what_goes_wrong_ends_the_job(compiled: Callable[..., Path], tmp_path: Path, how: str, said: list[str]) -> None:
    source = tmp_path.parent / "wrong.hpp"  # a person's own program, outside the tree
    source.write_text(WRONG)
    began = time.monotonic()
    within = "5" if how == "stuck" else "60"  # MPI_Init alone may take a second on a busy machine
    real = launch(
        2, compiled(str(source)), "wrong", "--metrics", "time", "--choice", f"how={how}", "--deadline", within
    )
    assert real.returncode != 0 and '"done"' not in real.stdout
    assert time.monotonic() - began < 60
    for each in said:
        assert re.search(each, real.stderr), real.stderr


@with_mpi
def test_bad_arguments_exit_with_2_and_one_line(built: dict[str, Path]) -> None:
    for arguments, said in (
        (["--deadline", "soon"], "--deadline"),
        (["--set", "partner=9"], "echo: partner: no such rank"),
    ):
        real = launch(2, built["echo"], "echo", *arguments)
        assert real.returncode == 2 and real.stderr.count("echo: ") == 1 and said in real.stderr


def test_no_program_knows_mpi_or_the_simulator() -> None:
    """All that a program includes, directly or not, lies in these folders of programs/ or in the standard library."""
    compiler = shutil.which("g++") or shutil.which("c++")
    assert compiler is not None
    paths = [str(record.path) for record in RANKS.values()]
    every = "".join(f'#include "{path}"\n' for path in paths)  # at once: they share most of what they include
    command = [compiler, "-std=c++20", "-M", "-I", str(PROGRAMS), "-x", "c++", "-"]
    made = subprocess.run(command, input=every, capture_output=True, text=True, check=True)
    files = {Path(word) for word in made.stdout.replace("\\\n", " ").split()[1:]}
    assert {Path(path) for path in paths} <= files
    ours = {path for path in files if ROOT in path.parents}
    allowed = {"ranks", "timing", "memory", "files", "applications", "libraries"}  # the last one loads what is there
    assert {path.relative_to(PROGRAMS).parts[0] for path in ours} <= allowed
    assert not [path for path in files if path.name in ("mpi.h", "mpi.hpp")]


@given(st.integers(1, 200))
def test_the_ring_visits_all_and_flips_one_bit_a_step(ranks: int) -> None:
    ring = core.gray_ring(ranks)
    assert sorted(ring) == list(range(ranks)) and ring[0] == 0
    flips = [(a ^ b).bit_count() for a, b in zip(ring, ring[1:] + ring[:1], strict=True)]
    if ranks == 1:
        assert flips == [0]
    elif ranks % 2 == 0:
        assert flips == [1] * ranks
    else:
        assert sorted(flips) == [1] * (ranks - 1) + [2]


@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8, 33])
def test_the_ring_on_the_constant_machine_is_as_many_messages_as_ranks(ranks: int) -> None:
    machine: dict[str, Any] = {"name": "m", "messages": {"startup": 1e-5, "per_byte": 1e-9}}
    played = events(play("ring", machine, ranks, ["--set", "bytes=0,1000"]))
    seen = {(e["case"]["bytes"], e["case"]["scheme"]): e["values"] for e in played if e["event"] == "block"}
    one = {0: 1e-5, 1000: 1.1e-5}
    for (size, scheme), values in seen.items():
        assert values == [pytest.approx(one[size] * (ranks if scheme == "token" else 1), rel=1e-12)]


def test_self_on_the_constant_machine_is_one_message() -> None:
    machine: dict[str, Any] = {"name": "m", "messages": {"startup": 1e-5, "per_byte": 1e-9}}
    played = events(play("self", machine, 1, ["--set", "bytes=0,1000"]))
    assert {e["case"]["bytes"]: e["values"] for e in played if e["event"] == "block"} == {0: [1e-5], 1000: [1.1e-5]}


def test_no_run_of_readings_lasts_long_however_slow_they_become(tmp_path: Path) -> None:
    """The native test of what rank 0 decides: a barrier beside other work once went on for minutes in one run."""
    program = compile_to(tmp_path / "pace_test", ROOT / "tests" / "native" / "pace.test.cpp", base=SANITIZERS)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("", "", 0)


@pytest.mark.nightly
def test_matching_order_and_deadlock_in_the_core(tmp_path: Path) -> None:
    """The native test of the simulated ranks, under the sanitizers."""
    source = ROOT / "tests" / "native" / "ranks.test.cpp"
    program = compile_to(
        tmp_path / "ranks_test", source, "-O0", f"-I{ROOT / 'core'}", base=SANITIZERS, more=WORLD_SOURCES
    )
    assert subprocess.run([program], capture_output=True, text=True).stderr == ""
