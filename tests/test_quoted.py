"""Machines that cannot be measured answer with what was published of them, and never call it anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.benchmark.record import benchmarks
from assay.described.shipped import find
from assay.machine import catalogue
from assay.published.tables.quoted import of_run, published
from assay.report.derive.document import document as document_of
from assay.report.render.markdown import markdown
from assay.report.render.page import html
from assay.store import Run
from command_line import assay
from made_documents import as_json as document


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


# The papers' own numbers: Dunigan 1995, Tables 3.1 to 3.4
PRINTED = [
    ("paragon_mp", "lock", "time", {"cpus": 1}, 13e-6, "s", "Table 3.2"),
    ("paragon-mp", "thread-barrier", "time", {"cpus": 1}, 13e-6, "s", "Table 3.2"),
    ("ksr1", "lock", "time", {"cpus": 3}, 17e-6, "s", "Table 3.3"),
    ("BBN TC2000", "creation", "time", {"cpus": 1}, 44e-3, "s", "Table 3.2"),
    ("sequent", "hotspot", "time", {"cpus": 1}, 1.4e-6, "s", "Table 3.2"),
    ("sequent-symmetry", "cholesky", "speedup", {"cpus": 3}, 2.9, "1", "Table 3.4"),
]


@pytest.mark.parametrize(("machine", "benchmark", "metric", "params", "value", "unit", "where"), PRINTED)
def test_a_published_machine_quotes_its_paper(
    machine: str, benchmark: str, metric: str, params: dict[str, object], value: float, unit: str, where: str
) -> None:
    answer = assay("run", benchmark, "--on", machine, "--json")
    assert answer.status == 0 and answer.document["kind"] == "quoted" and answer.document["state"] == "quoted"
    figures = answer.document["figures"]
    assert {figure["kind"] for figure in figures} == {"quoted"}
    assert {figure["statistic"] for figure in figures} == {"published"}
    (found,) = [f for f in figures if f["name"] == metric and params.items() <= f["params"].items()][:1]
    assert found["value"] == pytest.approx(value) and found["unit"] == unit
    assert where in found["source"] and "Paragon MP" in found["source"]
    assert figures == answer.document["quoted"]
    assert not any("measured" in str(f) or "simulated" in str(f) for f in figures)
    assert not Path("runs").exists()  # nothing was run


@pytest.mark.parametrize(("machine", "value"), [("ipsc860", 45.8e6), ("ncube6400", 7.4e6), ("delta", 30.1e6)])
def test_another_program_of_the_same_subject_is_quoted_as_such(machine: str, value: float) -> None:
    answer = assay("run", "cholesky", "--on", machine, "--json")
    found = [f for f in answer.document["quoted"] if f["value"] == pytest.approx(value)]
    assert answer.status == 0 and found
    assert found[0]["params"]["nodes"] == 16 and found[0]["params"]["n"] == 1000 and found[0]["params"]["precision"]
    assert "Cholesky" in found[0]["another_program"]
    assert "Another program than Assay's: cholesky" in " ".join(assay("run", "cholesky", "--on", machine).out.split())


def test_what_the_catalogue_holds_of_a_benchmark_s_name_its_record_quotes() -> None:
    """Two things that share a name were hidden from each other: cholesky of a node and of 16 nodes."""
    records = benchmarks()
    for published_as in catalogue.load().benchmarks:
        if published_as in records:
            record = records[published_as]
            assert published_as in (*record.published, *record.extra.get("related", ())), published_as


@pytest.mark.parametrize("name", sorted(catalogue.load().machines))
def test_all_that_the_catalogue_holds_for_a_machine_and_a_benchmark_is_quoted(name: str) -> None:
    machine = catalogue.machine(name)
    for record in benchmarks().values():
        named = (*record.published, *record.extra.get("related", ()))
        cells = catalogue.cells(machine=machine.id, benchmark=named) if named else []
        quoted = of_run(name, record)
        assert sorted((c.benchmark, c.value) for c in cells) == sorted((f.published_as, f.value) for f in quoted)


def test_a_doubtful_digit_is_called_so() -> None:
    answer = assay("run", "thread-barrier", "--on", "paragon-mp")
    assert (
        answer.status == 0 and "110 µs ?" in answer.out and "A ? marks a digit" in answer.out and "quoted" in answer.out
    )
    assert "measured)" not in answer.out


def test_where_nothing_was_published_it_says_so() -> None:
    answer = assay("run", "whetstone", "--on", "ksr1", "--json")
    assert answer.status == 2 and answer.out == ""
    assert "nothing was published of whetstone on Kendall Square" in answer.err and "lock" in answer.err
    assert assay("run", "lock", "--on", "nowhere").status == 2


def test_a_described_machine_refuses_a_node_program_by_the_reason_and_names_all_that_it_takes() -> None:
    """Messages are simulated on it; node programs of which nothing was published are neither simulated nor quoted."""
    answer = assay("run", "gemm", "--on", "ipsc860")
    assert answer.status == 2 and "gemm measures a real processor, of which a described machine has none" in answer.err
    simulated, quoted = answer.err.partition("expected simulated: ")[2].strip().split("; quoted: ")
    assert {"echo", "patterns", "tournament", "fan-in", "ring", "loggp"} <= set(simulated.split(", "))
    assert {"whetstone", "linpack"} <= set(quoted.split(", ")) and "echo" not in quoted.split(", ")
    assert assay("run", "patterns", "--on", "ksr1").err.count("simulated: ") == 0  # not described


def test_settings_that_choose_nothing_of_what_was_published_are_named() -> None:
    words = ("run", "wavelet", "--on", "compaq-xp1000-cluster")
    plain = assay(*words, "--json").document
    found = assay(*words, "--set", "size=256", "--json").document
    assert plain["warnings"] == [] and found["figures"] == plain["figures"]
    (said,) = found["warnings"]
    assert said == "--set size=256: chooses nothing here: what was published is quoted whole"
    assert said in " ".join(assay(*words, "--set", "size=256").out.split())


def test_a_machine_that_is_only_published_is_evaluated_from_its_paper() -> None:
    answer = assay("evaluate", "--on", "sequent", "--json")
    assert answer.status == 0 and answer.document["kind"] == "quoted"
    found = {section["benchmark"] for section in answer.document["benchmarks"]}
    assert {"lock", "thread-barrier", "creation", "hotspot", "jacobi", "cholesky"} <= found
    assert "latency" in answer.document["unpublished"] and "nothing was published of" in answer.document["warnings"][0]
    told = assay("evaluate", "--on", "sequent", "--only", "threads")
    assert "quoted" in told.out and "Cholesky" not in told.out
    assert assay("evaluate", "--on", "sequent", "--only", "memory").status == 2


def test_a_described_machine_keeps_its_quoted_node_beside_what_is_simulated(tmp_path: Path) -> None:
    machine = tmp_path / "mine.toml"
    machine.write_text('name = "paragon-mp"\nnodes = 2\n[messages]\nstartup = "30 us"\nper_byte = "0.006 us/B"\n')
    answer = assay("run", "echo", "--on", str(machine), "--out", str(tmp_path / "run"), "--json")
    assert answer.status == 0, answer.err
    assert answer.document["kind"] == "simulated"
    assert {figure["kind"] for figure in answer.document["figures"]} == {"simulated"}
    whole = document(Run.open(tmp_path / "run"))
    quoted = {section["benchmark"] for section in whole["quoted"]["benchmarks"]}
    assert {"stream", "lock"} <= quoted and "echo" not in quoted
    shown = document_of(Run.open(tmp_path / "run"))
    for text in (markdown(shown), html(shown)):
        assert (
            "threads.lock-unlock" in text
            and "104 µs ?" in text
            and "published, and not to be measured" in text
            and "(measured)" not in text
        )
    node = assay("run", "stream", "--on", str(machine), "--json")
    assert node.status == 0 and node.document["kind"] == "quoted"


def test_a_description_is_found_by_every_name_of_its_machine() -> None:
    for name in ("paragon_mp", "Paragon MP", "paragon-mp"):
        assert find(name) == find("paragon-mp")
    for name in ("paragon-mp:turbo", "paragon_mp:osf"):
        machine = published(name)
        assert machine is not None and machine.id == "paragon-mp"


def test_names_that_people_type_are_of_machines_that_there_are() -> None:
    machines = catalogue.load().machines
    for name, typed in catalogue._typed_names().items():
        assert name in machines
        assert all(catalogue.machine(one).id == name for one in typed)
