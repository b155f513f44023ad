"""LINPACK: residuals at several sizes, faults found, the rate's formula, and the library that ran."""

from __future__ import annotations

import functools
import re
import shutil
from pathlib import Path

import pytest

import made_documents
from assay.published.tables.hypercubes import tables
from command_line import assay
from compiled import kept
from library_programs import checks, codes

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@functools.cache
def built(*flags: str) -> Path:
    return kept("kernels/linpack", *flags)


@pytest.mark.parametrize("code", codes("lapack"))
def test_residuals_are_below_the_benchmarks_limit(code: str) -> None:
    found = checks("linpack", built(), "size=1,2,3,10,100,257", f"code={code}")
    assert len(found) == 6 and all(each["passed"] for each in found)
    for each in found:
        residual, off = re.findall(r"residual (\S+), to be below 16; x off by (\S+)", each["detail"])[0]
        assert float(residual) < 16 and float(off) < 1e-9


@pytest.mark.nightly
@pytest.mark.parametrize("code", codes("lapack"))
def test_a_loop_one_short_and_a_null_kernel_are_found(code: str) -> None:
    """With ASSAY_BREAK our columns' last elements stay as they were, and the library is not called at all."""
    found = checks("linpack", built("-DASSAY_BREAK=1"), "size=3,10,100,257", f"code={code}", status=1)
    assert len(found) == 4 and not any(each["passed"] for each in found)


def test_a_run_gives_the_benchmarks_rate_and_stands_beside_dunigans(tmp_path: Path) -> None:
    done = assay("run", "linpack", "--set", "size=100", "--json", "--launches", "1", "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    told = done.document
    best = {(f["name"], f["params"]["code"]): f["value"] for f in told["figures"] if f["statistic"] == "best"}
    codes = {code for _, code in best}
    assert "ours" in codes
    for code in codes:
        assert best["rate", code] == pytest.approx((2 / 3 * 100**3 + 2 * 100**2) / best["time", code])
    assert ("library" in codes) == any(note.startswith("library: ") for note in told["notes"])
    ours = made_documents.figure("rate", 2e9, "flop/s", size=100, code="ours", threads=1)
    document = made_documents.document(made_documents.section("linpack", [ours]))
    (table,) = (each for each in tables(document) if "LINPACK" in each.title)
    assert table.rows == (("LINPACK, 100 equations", "2 Gflop/s", "6 Mflop/s", "500 kflop/s"),)
