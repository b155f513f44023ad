"""The reference pages say what the code says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.benchmark.record import benchmarks
from assay.benchmark.resolved import values
from assay.errors import InputError
from assay.execute.target import ranks_wanted

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_fresh() -> None:
    made = subprocess.run([sys.executable, ROOT / "docs" / "write.py", "--check"], capture_output=True, text=True)
    assert made.returncode == 0, f"{made.stderr} (run ./x docs)"


def test_defaults_on_described_machines_are_those_that_are_taken() -> None:
    """What the page says is what a run on a described machine starts its programs with; numbers from the records."""
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")

    def row(benchmark: str, parameter: str) -> str:
        section = page.split(f"\n### {benchmark}: ")[1].split("\n### ")[0]
        return next(line for line in section.splitlines() if line.startswith(f"| {parameter} |")).split(" | ")[1]

    assert row("alltoall", "bytes") == "8, 64, 512, 1024, 4096, 32768, 262144; on a described machine 1024"
    assert row("bisection", "bytes") == "1048576; on a described machine 65536"
    assert row("tournament", "passes") == "1; on a described machine 6"
    assert row("alltoall", "algorithm") == "pairwise"
    for name, record in benchmarks().items():
        taken = values(record, {}, "standard", simulated=True)
        for key, parameter in record.parameters.items():
            if "on a described machine " in (said := row(name, key)):
                assert said.split("on a described machine ")[1] == ", ".join(map(str, taken[key])), (name, key)
            else:
                assert parameter.simulated is None, (name, key)


def test_the_page_of_benchmarks_has_the_least_ranks_that_a_run_accepts() -> None:
    """Each rank program refuses one rank fewer, in the words of its own refusal."""
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for record in benchmarks().values():
        of = page.partition(f"### {record.name}: ")[2].partition("\n### ")[0]
        stated = re.search(r"^\* Ranks: `-n` from (\d+);", of, re.MULTILINE)
        assert (stated is not None) == (record.kind == "ranks"), record.name
        if stated and int(stated[1]) > 1:
            with pytest.raises(InputError, match=f"accepted: {stated[1]} or more"):
                ranks_wanted(record, int(stated[1]) - 1)
            assert ranks_wanted(record, int(stated[1])) == int(stated[1])
