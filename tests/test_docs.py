"""The reference pages say what the code says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from assay.benchmark.record import benchmarks
from assay.benchmark.resolved import values

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
