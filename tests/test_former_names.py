"""Benchmarks are named in one style; a former name still means its benchmark, and is said with the new one."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from assay import former_names
from assay.benchmark.record import benchmark, benchmarks, shipped
from assay.report import gate
from assay.samples import Circumstance
from assay.stored import journal
from assay.throughput.program_jobs import ProgramPart
from command_line import assay


@pytest.fixture(autouse=True)
def said_anew() -> None:
    former_names._say.cache_clear()


def test_all_names_are_of_one_style() -> None:
    assert [name for name in benchmarks() if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []
    assert set(former_names.RENAMED) <= set(benchmarks()) and not set(former_names.FORMER) & set(benchmarks())


def test_a_former_name_means_its_benchmark_and_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert benchmark("thread_barrier") == benchmark("thread-barrier") == shipped("thread_barrier")
    assert capsys.readouterr().err == "assay: warning: thread_barrier is now called thread-barrier\n"


def test_run_takes_a_former_name(tmp_path: Path) -> None:
    words = ("--on", "ipsc860", "--set", "length=100", "--json")
    old, new = (assay("run", name, *words, "--out", str(tmp_path / name)) for name in ("dot_product", "dot-product"))
    assert old.status == new.status == 0 and "dot_product is now called dot-product" in old.err and new.err == ""
    assert old.document["benchmark"] == "dot-product"
    assert [f["value"] for f in old.document["figures"]] == [f["value"] for f in new.document["figures"]]


def test_figures_and_job_tables_take_former_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate._words("thread_barrier.time, time") == ["thread-barrier.time", "time"]
    assert ProgramPart.model_validate({"program": "matrix_vector"}).program == "matrix-vector"
    assert capsys.readouterr().err.count("is now called") == 2


def test_an_older_run_reads_as_one_of_the_new_name(tmp_path: Path) -> None:
    about = asdict(Circumstance("r", "bus_files", "memory", "m", 0, 0, 1, "p"))
    assert journal.circumstance(about).benchmark == "bus-files"
    lines = tmp_path / "journal.jsonl"
    lines.write_text('{"event": "left out", "benchmark": "bus_files", "reason": "two threads"}\n')
    (entry,), faults = journal.read(lines)
    assert entry["benchmark"] == "bus-files" and faults == []
