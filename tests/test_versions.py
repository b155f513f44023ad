"""Every file that is kept says the version of its form: what is newer, or is no version, is one line and status 2."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import versions
from assay.benchmark import own
from assay.report.judge.history import earlier
from assay.store import Run
from command_line import Answer, assay
from described_echo import MACHINE
from example_inputs import CONTRACT, small_mix
from unsealed import unsealed

NETWORK = '[network]\ntopology = "hypercube"\ndimension = 2\n[method]\ncycles = 2000\nwarmup_cycles = 100\n'
STUDY = f'[study]\ntitle = "x"\n{NETWORK}[sweep]\n"traffic.load" = [0.1]\n'
SWEEP = ("--sweep", "traffic.load=0.1", "--out", "points.jsonl")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one of each file that is kept."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ASSAY_RUNS", str(folder / "state"))
        patch.setenv("ASSAY_CACHE", str(folder / "cache"))
        Path("machine.toml").write_text(f"version = 1\n{MACHINE}")
        Path("network.toml").write_text(f"version = 1\n{NETWORK}")
        Path("study.toml").write_text(f"version = 1\n{STUDY}")
        Path("contract.toml").write_text(f"version = 1\n{CONTRACT}")
        small_mix(Path())
        for name in ("jobs.toml", "batch.toml"):
            Path(name).write_text(f"version = 1\n{Path(name).read_text()}")
        words = ("--on", "machine.toml", "--launches", "2", "--set", "bytes=8,64,512,1000,4096")
        for name in ("before", "run"):
            ran = assay("run", "echo", *words, "--out", name)
            assert ran.status == 0, ran.err
            assert assay("report", name).status == 0
        assert assay("simulate", "network.toml", *SWEEP).status == 0
        assert assay(*LIVE).status == 0
        own.take_in(folder / "mine.hpp")
    return folder


# -- where each file holds its version, and who reads it --------------------------------------------------------------


def document(path: Path, value: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": value}))


def lines(path: Path, value: Any) -> None:
    """Have every line that states a version state another."""
    if path.name == "record.jsonl":
        unsealed(path.parent.parent.parent)
    read = [json.loads(line) for line in path.read_text().splitlines()]
    assert any("version" in each for each in read)
    said = [json.dumps(each | ({"version": value} if "version" in each else {})) for each in read]
    path.write_text("\n".join(said) + "\n")


def toml(path: Path, value: Any) -> None:
    path.write_text(path.read_text().replace("version = 1", f"version = {json.dumps(value)}", 1))


def parquet(path: Path, value: Any) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    assert table.schema.metadata == {b"assay.version": b"1"}
    pq.write_table(table.replace_schema_metadata({"assay.version": str(value)}), path)


def index(path: Path, value: Any) -> None:
    head, rest = path.read_text().split("\n", 1)
    assert head.endswith("version 1")
    path.write_text(f"{head.removesuffix('1')}{json.dumps(value)}\n{rest}")


def only(folder: str, pattern: str) -> Path:
    (found,) = Path(folder).glob(pattern)
    return found


MIX = ("throughput", "mix", "--jobs", "jobs.toml", "--on", "batch.toml")
LIVE = (
    "throughput",
    "mix",
    "--jobs",
    "jobs.toml",
    "--via",
    "local",
    "--slots",
    "64",
    "--compress",
    "1e6",
    "--out",
    "test",
)
Change = Callable[[Path, Any], None]
FILES: dict[str, tuple[versions.Form, Change, Callable[[], Path], list[tuple[str, ...]]]] = {
    "run.json": (versions.RUN, document, lambda: Path("run/run.json"), [("report", "run"), ("export", "run")]),
    "journal": (versions.JOURNAL, lines, lambda: Path("run/journal.jsonl"), [("report", "run"), ("fit", "run")]),
    "launch": (
        versions.LAUNCH,
        lines,
        lambda: Path("run/launches/000-echo.jsonl"),
        [("report", "run"), ("compare", "run", "before"), ("evaluate", "--resume", "run")],
    ),
    "tables": (
        versions.TABLES,
        parquet,
        lambda: Path("run/samples.parquet"),
        [("export", "run"), ("query", "SELECT 1", "--run", "run")],
    ),
    "circumstances": (versions.CIRCUMSTANCES, document, lambda: only("run", "provenance/*.json"), [("report", "run")]),
    "index": (versions.INDEX, index, lambda: Path("state/assay/runs"), [("runs",), ("query", "SELECT 1")]),
    "machine": (
        versions.MACHINE,
        toml,
        lambda: Path("machine.toml"),
        [
            ("run", "echo", "--on", "machine.toml"),
            ("evaluate", "--on", "machine.toml"),
            ("fit", "--on", "machine.toml"),
        ],
    ),
    "network": (versions.NETWORK, toml, lambda: Path("network.toml"), [("simulate", "network.toml")]),
    "study": (versions.STUDY, toml, lambda: Path("study.toml"), [("study", "study.toml")]),
    "contract": (
        versions.CONTRACT,
        toml,
        lambda: Path("contract.toml"),
        [("accept", "contract.toml", "--run", "run")],
    ),
    "table of jobs": (versions.JOBS, toml, lambda: Path("jobs.toml"), [MIX]),
    "machine of a batch system": (versions.BATCH, toml, lambda: Path("batch.toml"), [MIX]),
    "plan of a test": (versions.EXPERIMENT, document, lambda: Path("test/plan.json"), [LIVE]),
    "submission log": (versions.SUBMISSIONS, lines, lambda: Path("test/log.jsonl"), [LIVE]),
    "job's record": (versions.JOB_RECORD, lines, lambda: only("test", "jobs/0001-*/record.jsonl"), [LIVE]),
    "points": (versions.POINT, lines, lambda: Path("points.jsonl"), [("simulate", "network.toml", *SWEEP)]),
    "own programs": (versions.OWN_PROGRAMS, document, lambda: Path("cache/own.json"), [("build", "--list")]),
}
QUERIES = [(name, place) for name, (_, _, _, asked) in FILES.items() for place in range(len(asked))]
WRONG = st.one_of(
    st.integers(min_value=1 + max(form.version for form in versions.FORMS)),
    st.integers(max_value=-1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.text(st.characters(codec="ascii", exclude_categories=("Cc",)), max_size=8).filter(
        lambda text: not text.isdecimal()
    ),
)


def test_every_form_is_tried_here() -> None:
    """But for what is not read (documents of verbs), and what is passed over (other runs' summaries, the ledger)."""
    tried = {form.what for form, _, _, _ in FILES.values()}
    assert {form.what for form in versions.FORMS} - tried == {
        each.what for each in (versions.DOCUMENT, versions.SUMMARY, versions.LEDGER)
    }
    assert all(0 < form.oldest <= form.version for form in versions.FORMS)


def asked(name: str, place: int, value: Any, made: Path) -> Answer:
    """Ask a verb of a copy of the files, one of which states another version."""
    for path in Path().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(made, ".", dirs_exist_ok=True)
    _, change, where, queries = FILES[name]
    change(where(), value)
    return assay(*queries[place])


@pytest.mark.parametrize(("name", "place"), QUERIES)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(value=WRONG)
def test_what_is_no_version_is_refused_in_a_line(name: str, place: int, value: Any, made: Path) -> None:
    answer = asked(name, place, value, made)
    assert answer.status == 2 and answer.out == "", answer
    assert len(answer.err.splitlines()) == 1 and answer.err.startswith("assay: "), answer
    assert "version: " in answer.err and "got " in answer.err and "expected " in answer.err


@pytest.mark.parametrize(("name", "place"), QUERIES)
def test_a_newer_version_names_file_version_and_what_is_read(name: str, place: int, made: Path) -> None:
    answer = asked(name, place, 7, made)
    form, _, where, _ = FILES[name]
    assert answer.status == 2
    assert f"{form.what} was written by a newer Assay; got 7, expected {form.version} or less" in answer.err
    assert where().name in answer.err


@pytest.mark.parametrize("name", [name for name, (form, *_) in FILES.items() if form.oldest > 1])
def test_a_version_that_no_release_wrote_is_refused(name: str, made: Path) -> None:
    answer = asked(name, 0, 1, made)
    form, _, where, _ = FILES[name]
    assert answer.status == 2 and where().name in answer.err
    readable = str(form.version) if form.oldest == form.version else f"{form.oldest} to {form.version}"
    assert f"{form.what} was written before the first release; got 1, expected {readable}" in answer.err


def test_each_step_makes_one_version_into_the_next() -> None:
    steps = (lambda made: made | {"a": made["a"] + 1}, lambda made: made | {"a": 10 * made["a"]})
    form = versions.Form("a form", 5, steps)
    refusal = versions.in_file(Path("x"))
    made = [
        versions.current(form, stated | {"a": 1}, refusal)
        for stated in ({}, {"version": 3}, {"version": 4}, {"version": 5})
    ]
    assert [each["a"] for each in made] == [20, 20, 10, 1]
    assert not any("version" in each for each in made)


def without(value: Any) -> Any:
    """Remove every version, in place."""
    value.pop("version", None)
    return value


def test_files_without_a_version_are_read_as_before(made: Path) -> None:
    shutil.copytree(made, ".", dirs_exist_ok=True)
    import pyarrow.parquet as pq

    before = {verb: figures(assay(verb, "run", "--json")) for verb in ("report", "fit")}
    exported = assay("export", "run").out
    for path in (Path("run/run.json"), only("run", "provenance/*.json"), Path("run/summary.json")):
        path.write_text(json.dumps(without(json.loads(path.read_text()))))
    for path in (Path("run/journal.jsonl"), *Path("run/launches").glob("*"), Path("points.jsonl")):
        path.write_text("".join(json.dumps(without(json.loads(line))) + "\n" for line in path.read_text().splitlines()))
    for path in Path("run").glob("*.parquet"):
        pq.write_table(pq.read_table(path).replace_schema_metadata({}), path)
    for name in ("machine.toml", "network.toml", "study.toml"):
        Path(name).write_text(Path(name).read_text().replace("version = 1\n", ""))
    Path("state/assay/runs").write_text(Path("state/assay/runs").read_text().split("\n", 1)[1])
    Path("cache/own.json").write_text(json.dumps(["/nowhere/mine.hpp"]))
    assert {verb: figures(assay(verb, "run", "--json")) for verb in ("report", "fit")} == before
    assert assay("export", "run").out == exported
    assert len(assay("runs", "--json").document["runs"]) == 2
    assert [str(path) for path in own.listed()] == ["/nowhere/mine.hpp"]
    for words in (
        ("simulate", "network.toml", *SWEEP),
        ("study", "study.toml"),
        ("run", "echo", "--on", "machine.toml"),
    ):
        assert assay(*words).status == 0


def figures(answer: Answer) -> Any:
    assert answer.status == 0, answer.err
    return answer.document["figures"]


def test_every_document_of_a_verb_says_its_version(made: Path) -> None:
    shutil.copytree(made, ".", dirs_exist_ok=True)
    for words in (("report", "run"), ("export", "run"), ("runs",), ("plan",), ("compare", "run", "before")):
        assert assay(*words, "--json").document["version"] == versions.DOCUMENT.version


def test_a_newer_neighbour_costs_a_warning_and_no_answer(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(made, ".", dirs_exist_ok=True)
    path = Path("state/assay/runs")
    path.write_text(path.read_text().replace(str(made), str(Path.cwd())))
    document(Path("before/summary.json"), 9)
    of = Run.open("run")
    assert earlier(of) == [] and "summary.json was written by a newer Assay" in capsys.readouterr().err
    document(Path("before/summary.json"), 1)
    assert [each.run for each in earlier(of)] == [Run.open("before").about["id"]]
    document(Path("before/run.json"), 9)
    told = assay("runs", "--json")
    assert told.status == 0 and len(told.document["runs"]) == 1
    assert "run.json was written by a newer Assay; got 9" in told.err and "skipped" in told.err


def test_a_run_beside_an_index_of_a_newer_version_is_made_and_not_entered(made: Path) -> None:
    shutil.copytree(made, ".", dirs_exist_ok=True)
    path = Path("state/assay/runs")
    index(path, 3)
    before = path.read_text()
    ran = assay("run", "echo", "--on", "machine.toml", "--out", "another")
    assert ran.status == 0 and "opens by its folder" in ran.err
    assert path.read_text() == before
