"""EuroBen's module 3: each solver's check passes, and fails for each way in which its kernel is broken on purpose."""

from __future__ import annotations

import functools
import io
import json
import math
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.plan import select_benchmarks
from assay.published.tables import euroben_solvers
from assay.report.render import terminal
from assay.report.render.markdown import markdown as as_markdown
from compiled import WARNINGS
from made_documents import document, figure, section
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
# Small sizes, and in how many ways ASSAY_BREAK breaks the kernel (historical/module3/kernels/NAME.cpp says which).
SMALL = {
    "multigrid": ("size=16,64", 2),
    "block-gauss-seidel": ("size=5,40,257", 2),
    "boundary-value": ("size=8,100,10000", 2),
    "elliptic": ("size=8,50", 2),
    "linear-optimisation": ("size=2,7,50", 2),
    "nonlinear-optimisation": ("size=2,20", 2),
}
BREAKS = [(name, which) for name, (_, ways) in SMALL.items() for which in range(1, ways + 1)]


@functools.cache
def built(name: str, broken: int = 0) -> Path:
    """The program; its kernel, which is compiled apart, broken in the way of this number."""
    record = benchmark(name)
    kernel = record.units["kernel"]
    flags = (*WARNINGS, *kernel.flags, *([f"-DASSAY_BREAK={broken}"] if broken else []))
    planted = replace(record, units={"kernel": kernel._replace(flags=flags)})
    return build([planted], mpi=None)[name].path


def run(name: str, broken: int = 0, *settings: str) -> list[dict[str, Any]]:
    """The lines of a short run, whose exit status says whether all checks passed."""
    given = [word for setting in settings or (SMALL[name][0],) for word in ("--set", setting)]
    command = [built(name, broken), *words(name, "--slice", "0.0005", "--blocks", "2", *given)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == (1 if broken else 0), (done.stdout[-800:], done.stderr)
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()]


def of(lines: list[dict[str, Any]], event: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["event"] == event]


@pytest.mark.parametrize("name", SMALL)
def test_checks_pass_and_lines_obey_the_record(name: str) -> None:
    lines, record = run(name), benchmark(name)
    assert lines[-1]["event"] == "done"
    blocks, checks = of(lines, "block"), of(lines, "check")
    assert checks and all(line["passed"] for line in checks), checks
    assert {line["metric"] for line in blocks} == set(record.metrics)
    plain = [line for line in blocks if "intervals" not in line["case"]]
    assert all(set(line["case"]) == set(record.parameters) for line in [*plain, *checks])
    assert {json.dumps(line["case"]) for line in plain} == {json.dumps(line["case"]) for line in checks}


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "broken"), BREAKS)
def test_a_broken_kernel_is_found_in_every_case(name: str, broken: int) -> None:
    checks = of(run(name, broken), "check")
    assert checks and not any(line["passed"] for line in checks), checks


@pytest.mark.parametrize("name", SMALL)
def test_solvers_are_historical_and_no_part_of_a_first_look(name: str) -> None:
    record = benchmark(name)
    assert record.historical and not record.first_look
    assert record.published and all(each.startswith("euroben.mod3") for each in record.published)


def value(name: str, metric: str, setting: str) -> float:
    found = [line["values"] for line in of(run(name, 0, setting), "block") if line["metric"] == metric]
    return float(found[0][0])


def test_multigrid_takes_as_many_cycles_on_every_grid() -> None:
    """A V-cycle's convergence does not depend on h; nine digits at .15 a cycle or better are 11 cycles at most."""
    counts = [value("multigrid", "cycles", f"size={size}") for size in (32, 64, 256)]
    assert max(counts) - min(counts) <= 1 and max(counts) <= math.ceil(9 / -math.log10(0.15))


def test_the_papers_table_stands_beside_this_machines_times() -> None:
    """Table 6.14 as printed, by hand; the quoted times stand once for each program, beside the smallest of ours."""
    sizes = [figure("time", seconds, "s", size=size) for size, seconds in ((512, 8e-3), (256, 2e-3))]
    solved = section("multigrid", sizes, historical=True, published=["euroben.mod3c"])
    (table,) = euroben_solvers.tables(document(solved))
    assert [row[:3] for row in table.rows] == [
        ("mod3c", "PDE by multigrid, 256", "2 ms"),
        ("mod3c", "PDE by multigrid, 512", "8 ms"),
    ]
    assert table.rows[0][3:] == ("420 ms", "595 ms", "2.56 s", "881 ms", "2.27 s")
    assert set(table.rows[1][3:]) == {"–"}
    assert euroben_solvers.tables(document(section("echo", []))) == []
    made = document(solved)
    out = io.StringIO()
    terminal.show(made, Console(file=out, width=80))
    assert "Table 6.14" in out.getvalue() and "Table 6.14" in as_markdown(made)


def test_basic_algorithms_and_solvers_are_no_part_of_quick() -> None:
    """`--profile quick --only kernels` stays short: EuroBen's modules 2 and 3 come with standard."""
    left = {record.name for record in select_benchmarks("kernels")} - {
        record.name for record in select_benchmarks("kernels", profile="quick")
    }
    assert {*SMALL, "matrix-vector", "eigenvalues", "sparse-system", "sparse-eigenvalues", "wavelet"} <= left
    assert {"gemm", "linpack", "vectors", "intrinsics", "fft", "livermore"} & left == set()
