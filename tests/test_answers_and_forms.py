"""What is asked for is answered in the form asked for, or refused at once: options, streams, names, schedules."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from assay.benchmark import peers
from assay.benchmark.record import benchmarks
from assay.cli import application
from assay.described.shipped import shipped
from assay.errors import InputError
from assay.execute import mpi_variants
from assay.execute.mpi import Mpi
from assay.machine import catalogue
from assay.network.network_tables import NetworkTable
from assay.stored import launch_file
from assay.throughput.schedule_file import parsed
from assay.verbs import _prediction
from command_line import assay
from example_inputs import CONSTANT, HYPERCUBE, described_runs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return described_runs(tmp_path_factory.mktemp("forms"))


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ASSAY_RUNS", str(folder / "state"))


@pytest.mark.parametrize("words", ["version", "version --json", "runs -q", "catalogue", "--help", "--version"])
def test_an_answer_that_nobody_can_read_is_no_success(words: str) -> None:
    command = f"exec '{sys.executable}' -m assay {words} >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "assay: standard output: Bad file descriptor\n")


@pytest.mark.parametrize("other", ["--json", "-q"])
def test_a_report_has_one_form(other: str) -> None:
    answer = assay("report", "a", "--markdown", other)
    assert (answer.status, answer.out) == (2, "") and "--markdown" in answer.err


def test_a_study_without_plots_draws_none_and_says_so(folder: Path) -> None:
    answer = assay("study", "study.toml", "--plots", "pictures")
    assert (answer.status, answer.out) == (2, "") and "--plots: the study draws no plot" in answer.err
    assert not (folder / "pictures").exists()


def test_a_figure_that_is_not_there_is_refused_before_anything_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_prediction, "predict_run", lambda *_: pytest.fail("was simulated"))
    answer = assay("compare", "a", CONSTANT, "--margin", "3%", "--figures", "nosuch")
    assert (answer.status, answer.out) == (2, "") and "echo.rate" in answer.err


def test_an_unknown_figure_is_refused_before_a_launch_is_read(
    own_folder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two runs, of variants of one, and with a name that one of several lacks: a large run takes long to read."""
    for name in ("a", "b"):
        assert assay("run", "echo", "--on", CONSTANT, "--set", "bytes=8", "--out", name).status == 0

    def read(path: Path, about: object) -> None:
        raise AssertionError(f"{path} is read")

    monkeypatch.setattr(launch_file, "content", read)
    for names in ("nosuch", "echo.rate,nosuch", "nosuch.rate"):
        for others in (("b",), ("b", "a"), ()):
            answer = assay("compare", "a", *others, "--margin", "3%", "--figures", names)
            assert answer.status == 2 and "no run here has this figure; got 'nosuch" in answer.err
            assert "echo.half_round_trip" in answer.err


def test_a_name_that_is_not_in_the_catalogue_is_answered_by_all_that_are() -> None:
    answer = assay("catalogue", "nosuch")
    assert answer.status == 2
    accepted = set(answer.err.rpartition("expected ")[2].strip().split(", "))
    known = catalogue.load()
    assert accepted == {*known.machines, *known.papers, *shipped()}


@pytest.mark.parametrize(
    ("near", "far", "names"),
    [
        (("catalogue", "ipsc861"), ("catalogue", "zzz"), shipped()),
        (("run", "eccho"), ("run", "zzz"), benchmarks()),
        (("run", "echo", "--set", "bites=8"), ("run", "echo", "--set", "zzz=8"), benchmarks()["echo"].parameters),
        (
            ("simulate", HYPERCUBE, "--set", "network.dimensoin=3"),
            ("simulate", HYPERCUBE, "--set", "network.zzz=3"),
            NetworkTable.model_fields,
        ),
    ],
)
def test_all_names_are_listed_and_one_that_is_near_in_spelling_is_named_first(
    near: tuple[str, ...], far: tuple[str, ...], names: Iterable[str]
) -> None:
    for words, meant in ((near, True), (far, False)):
        answer = assay(*words)
        assert answer.status == 2 and ("did you mean" in answer.err) == meant
        before, _, listed = answer.err.partition("expected ")
        assert set(names) <= set(re.split(r", |\n", listed))
        assert not meant or "did you mean" in before


def test_a_job_without_a_count_is_one_job() -> None:
    (batch,) = parsed("0: a\n", Path("schedule"))
    assert (batch.time, batch.count, batch.name) == (0, 1, "a")
    with pytest.raises(InputError, match="is no batch of jobs"):
        parsed("0: 2 a\n", Path("schedule"))


def test_messages_by_a_launcher_without_mpi_are_refused_as_input() -> None:
    answer = assay("evaluate", "--via", "local", "--only", "messages")
    assert (answer.status, answer.out) == (2, "") and "--via" in answer.err


def test_one_mpi_by_two_names_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mpicxx", "mpiexec"):
        (tmp_path / name).touch()
    (tmp_path / "mpicxx.site").symlink_to("mpicxx")
    by_name = {
        name: Mpi(str(tmp_path / wrapper), str(tmp_path / "mpiexec"), "MPICH", "4", embedded=False)
        for name, wrapper in (("default", "mpicxx"), ("mpicxx.site", "mpicxx.site"))
    }
    by_name["other"] = Mpi("/other/mpicxx", "/other/mpiexec", "MPICH", "4", embedded=False)
    monkeypatch.setattr(mpi_variants, "_named", lambda name, path: by_name[name])
    assert len(mpi_variants.product(["default", "other"], [])) == 2
    with pytest.raises(InputError, match=r"--mpi: is the same MPI as default"):
        mpi_variants.product(["default", "mpicxx.site"], [])


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        ("run osu_latency", "echo"),
        ("run osu_bw", "bandwidth"),
        ("run osu_ibcast", "collective-overlap"),
        ("run osu_cas_latency", None),
        ("run PingPong", "echo"),
        ("run STREAM", "stream"),
        ("run lat_mem_rd", "latency"),
        ("run cg.C.x", "nas"),
        ("run bt.C.x", None),
        ("run StarDGEMM", "gemm"),
        ("run MPIRandomAccess", None),
        ("evaluate --threads 4", None),
        ("run spincom", "spin"),
        ("run malloc", "memory"),
        ("run mod2g", "wavelet"),
        ("run mod1h", "patterns"),
        ("run IMB", "echo"),
        ("run eccho", "echo"),
        ("run moebius", None),
        ("run nothing_like_it", None),
        ("ls", "assay runs"),
        ("lstopo", "assay doctor"),
        ("evalute", "assay evaluate"),
        ("hist", "assay history"),
        ("telepathy", None),
        ("run stream --threads 4", "--set threads=N"),
        ("run echo --transprt tcp", "--transport"),
        ("run echo --telepathy x", None),
    ],
)
def test_a_suggestion_is_a_peers_name_or_near_in_spelling(words: str, ours: str | None) -> None:
    answer = assay(*words.split())
    assert (answer.status, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    said = answer.err.partition("; ")[0]
    assert ours in said if ours else "did you mean" not in said and "Possible" not in said


def test_peers_names_give_benchmarks_verbs_and_options_that_are_there() -> None:
    assert set(peers.BENCHMARKS.values()) <= set(benchmarks())
    assert not set(peers.BENCHMARKS) & set(benchmarks())
    verbs = vars(get_command(application()))["commands"]
    assert set(peers.COMMANDS.values()) <= {f"assay {each}" for each in verbs}
    suggested = set()
    for command in verbs.values():
        known = {flag for each in command.params for flag in each.opts}
        for option in peers.OPTIONS:
            ours = peers.nearest_option(option, known)
            assert option in known or ours is None or ours.split()[0] in known
            suggested.add(ours)
    assert set(peers.OPTIONS.values()) <= suggested


def distance(one: str, other: str) -> int:
    """How many letters are put in, left out or exchanged (Levenshtein)."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for there, each in enumerate(other, 1):
            before, row[there] = row[there], min(row[there] + 1, row[there - 1] + 1, before + (letter != each))
    return row[-1]


@given(st.sampled_from(sorted(benchmarks())), st.data())
def test_a_name_is_suggested_for_a_slip_and_for_nothing_that_is_far_off(name: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 1))
    assert peers.nearest(name[:at] + "q" + name[at + 1 :], [name], {}) == (name if len(name) > 3 else None)
    pieces = [name, *peers.BENCHMARKS, *(each.replace("_", "") for each in benchmarks())]
    other = data.draw(st.sampled_from(pieces)) + data.draw(st.sampled_from(["", "x", "_mt", "bench", "s"]))
    found = peers.nearest(other, benchmarks(), {})
    assert found is None or distance(other.lower(), found) <= (len(other) + 1) // 2


@pytest.mark.parametrize(("ranks", "exact"), [("4", False), ("8", True)])
def test_nothing_is_exact_to_the_flit_where_no_message_crosses_the_network(ranks: str, exact: bool) -> None:
    """Nodes of four processors; of a machine that puts one rank on each of its nodes of two, three ranks use it."""
    for name, count, crossed in (("compaq-alphaserver-sc", ranks, exact), ("paragon-mp", "3", True)):
        words = ("-n", count, "--on", name, "--set", "bytes=8,64", "--out", f"on-{name}-{count}-{ranks}")
        said = " ".join(assay("run", "alltoall", *words).out.split())
        assert ("exact to the flit" in said) is crossed
        assert ("no message crossed the network" in said) is not crossed


def test_a_program_that_makes_its_samples_after_all_messages_is_exact_to_the_flit() -> None:
    said = " ".join(assay("run", "tournament", "-n", "4", "--on", "delta", "--set", "bytes=8").out.split())
    assert "exact to the flit" in said and "no message crossed" not in said
