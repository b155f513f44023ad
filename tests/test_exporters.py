"""Runs in the forms that others read, each parsed by an independent reader: pandas, DuckDB, Prometheus, JUnit."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import junitparser
import pandas as pd
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from assay import exporters
from command_line import assay
from test_asking_runs import run_named

pytestmark = pytest.mark.usefixtures("own_folder")


@pytest.fixture
def folder(echo_run: Path, tmp_path: Path) -> Path:
    return run_named(echo_run, tmp_path / "one", "one")


def figures_of(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = assay("report", str(folder), "--json").document["figures"]
    return found


def test_figures_are_a_table_whose_rows_are_the_reports(folder: Path) -> None:
    reported = figures_of(folder)
    rows = assay("export", str(folder), "--table", "figures", "--json").document["rows"]
    assert [
        (each["benchmark"], each["figure"], each["statistic"], json.loads(each["case"]), each["value"]) for each in rows
    ] == [(each["benchmark"], each["name"], each["statistic"], each["params"], each["value"]) for each in reported]
    assert {each["run"] for each in rows} == {"one"} and len(rows) > 3
    for row, figure in zip(rows, reported, strict=True):
        assert [row["low"], row["high"]] == (figure["ci95"] or figure["range"] or [None, None])
    table = pd.read_csv(StringIO(assay("export", str(folder), "--table", "figures").out))
    assert list(table["value"]) == [each["value"] for each in rows]


def test_query_joins_figures_with_the_rows_that_they_are_of(folder: Path) -> None:
    sql = (
        'SELECT f.value, median(s.value) / 2 FROM figures f JOIN samples s USING (run, benchmark, metric, "case") '
        "WHERE f.figure = 'half_round_trip' AND f.statistic = 'median' AND NOT s.first GROUP BY ALL"
    )
    rows = assay("query", sql, "--run", str(folder), "--json").document["rows"]
    assert len(rows) == 3 and all(value == half for value, half in rows), rows  # a described machine repeats to the bit
    assert assay("query", "SELECT count(*) FROM figures WHERE run = 'two'", "--run", str(folder), "-q").out == "0\n"


@pytest.mark.parametrize("table", ["samples", "blocks", "checks", "launches", "figures"])
def test_parquet_holds_what_csv_holds(table: str, folder: Path) -> None:
    written = assay("export", str(folder), "--table", table, "--format", "parquet", "-o", f"{table}.parquet", "--json")
    rows = assay("export", str(folder), "--table", table, "--json").document["rows"]
    read = duckdb.sql(f"SELECT * FROM '{table}.parquet'")
    assert [dict(zip(read.columns, row, strict=True)) for row in read.fetchall()] == rows
    assert written.document["rows"] == len(rows) and len(rows) > 0


def test_prometheus_reads_each_figure_with_its_labels(folder: Path) -> None:
    families = list(text_string_to_metric_families(assay("export", str(folder), "--format", "openmetrics").out))
    read = {
        (family.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }
    assert len(read) == sum(len(family.samples) for family in families)  # no sample twice
    reported = [each for each in figures_of(folder) if each["value"] is not None]
    for each in reported:
        case = {key: str(value) for key, value in each["params"].items() if value is not None}
        case |= {} if each["host"] is None else {"host": each["host"]}
        labels = case | {"statistic": each["statistic"]}
        found = [
            value
            for (name, of), value in read.items()
            if name.startswith(f"assay_{each['benchmark']}_{each['name']}") and dict(of) == labels
        ]
        assert found == [each["value"]], each
        assert read[f"assay_{each['benchmark']}_{each['name']}_state", tuple(sorted(case.items()))] == 0, each
    counted = Counter((each["benchmark"], each["state"]) for each in figures_of(folder))
    states = {of: value for (name, of), value in read.items() if name == "assay_figures"}
    assert {(dict(of)["benchmark"], dict(of)["state"]): value for of, value in states.items()} == counted


def test_an_invalid_figure_fails_in_junit_and_has_no_sample(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from assay.report.derive import document as deriving
    from assay.verbs import _compared_document

    derived = deriving.document

    def doubted(*words: Any, **options: Any) -> Any:
        made = derived(*words, **options)
        section, *others = made.benchmarks
        figures = [
            replace(each, state=("invalid", "bound", "clean")[min(number, 2)], reasons=['"a" <wrong> &\nsum\x1b'])
            for number, each in enumerate(section.figures)
        ]
        return replace(made, benchmarks=[replace(section, figures=figures), *others])

    monkeypatch.setattr(_compared_document, "document", doubted)
    assert assay("export", str(folder), "--format", "junit", "-o", "out.xml").status == 0
    suites = list(junitparser.JUnitXml.fromfile("out.xml"))
    cases = [case for suite in suites for case in suite]
    assert len(cases) == len(figures_of(folder))
    assert [[type(each) for each in case.result] for case in cases[:3]] == [
        [junitparser.Failure],
        [junitparser.Skipped],
        [],
    ]
    assert cases[0].result[0].message == '"a" <wrong> &\nsum\\x1b' and suites[0].failures == suites[0].skipped == 1
    text = assay("export", str(folder), "--format", "openmetrics").out
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    assert {sample.labels.get("state"): sample.value for sample in samples if sample.name == "assay_figures"} == {
        "invalid": 1,
        "bound": 1,
        "clean": len(cases) - 2,
    }
    assert sum("statistic" in sample.labels for sample in samples) == len(cases) - 2
    states = [sample.value for sample in samples if sample.name.endswith("_state")]
    assert (states.count(3.0), states.count(2.0)) == (1, 1) and set(states) <= {0.0, 2.0, 3.0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--format parquet", "--format: is written into a file; got 'parquet', expected --out FILE too"),
        ("--format parquet -o rows.csv", "--out: is written as Parquet, by --format parquet; got 'rows.csv'"),
        (
            "-o rows.parquet",
            "--out: is written as CSV; got 'rows.parquet', expected a name that ends in .csv, or --",
        ),
        ("--format junit --table blocks", "--table: has no such form; got 'blocks', expected figures with --format"),
        ("--format xml", "got 'xml', expected csv, json, junit, openmetrics, parquet"),
        ("--format junit --json", "--format: has no effect with --json; got 'junit'"),
    ],
)
def test_a_form_that_would_not_be_written_is_refused(words: str, said: str, folder: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    answer = assay("export", str(folder), *words.split())
    assert (answer.status, answer.out) == (2, "") and said in answer.err, answer
    assert sorted(tmp_path.rglob("*")) == before


def test_a_new_form_is_one_file() -> None:
    assert exporters.names() == ["csv", "json", "junit", "openmetrics", "parquet"]
    assert [exporters.exporter(name).name for name in exporters.names()] == exporters.names()
