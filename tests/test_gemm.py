"""The matrix product: checks broken on purpose, the library that ran, and what is said where there is none."""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assay.benchmark.formula import evaluate
from assay.benchmark.record import benchmark
from assay.errors import InputError
from assay.execute import libraries
from assay.execute.compiler import find_compiler
from by_night import by_night
from command_line import assay
from compiled import kept
from library_programs import checks, codes, lines, needs, without
from remarked import texts
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
SIZES = "size=1,3,37,64,300"  # below and beside every block's length, and beyond the depth of a panel


def test_the_bytes_of_a_product_are_the_same_in_words_and_in_the_roof() -> None:
    """A and B read, C read and written: four times n^2 numbers of 8 bytes, where n^2 is one."""
    record = benchmark("gemm")
    (stated,) = re.findall(r"(\d+) n\^2 bytes of float64", record.cost)
    assert record.roof is not None
    assert int(stated) == evaluate(str(record.roof.bytes), {"size": 1}) == 4 * 8


@functools.cache
def built(*flags: str) -> Path:
    return kept("kernels/gemm", *flags)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("code", codes("blas"))
def test_products_are_right_at_every_size(code: str, threads: int) -> None:
    printed = lines("gemm", built(), SIZES, f"code={code}", f"threads={threads}")
    if any("left out" in text for text in texts(printed)):
        pytest.skip("fewer processors than threads")
    found = [line for line in printed if line["event"] == "check"]
    assert len(found) == 10 and all(line["passed"] for line in found)
    assert all("0 wrong rows" in line["detail"] for line in found)


@pytest.mark.parametrize("code", codes("blas"))
def test_a_sum_one_short_and_a_null_kernel_are_found(code: str) -> None:
    """With ASSAY_BREAK our sums miss their last product, and the library is not called at all."""
    found = checks("gemm", built("-DASSAY_BREAK=1"), SIZES, f"code={code}", "threads=1", status=1)
    assert len(found) == 10 and not any(line["passed"] for line in found)


@needs("blas")
@pytest.mark.parametrize(("flags", "passed"), by_night([((), True), (("-DASSAY_BREAK=1",), False)], [((), True)]))
def test_a_complex_sum_by_the_library_is_checked_as_our_own(flags: tuple[str, ...], passed: bool) -> None:
    given = ("vectors=short", "code=library,ours", "by=threads", "threads=1")
    found = checks("hitc", kept("kernels/hitc", *flags), *given, status=0 if passed else 1)
    assert len(found) == 2 and {line["passed"] for line in found} == {passed}


@needs("blas")
def test_threads_of_the_case_before_sleep_while_one_thread_is_measured() -> None:
    """A library's threads spin for tens of milliseconds after a product; the kernel's account of ours shows them."""
    given = ("--slice", "0.01", "--blocks", "8", "--set", "size=128", "--set", "code=library", "--set", "threads=1,2")
    done = subprocess.run([built(), *words("gemm", *given)], capture_output=True, text=True, timeout=200, check=True)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    alone = [line["accounting"] for line in printed if line["event"] == "block" and line["case"]["threads"] == 1]
    assert len(alone) >= 8
    assert sum(each["own"] for each in alone) < 1.1 * sum(each["wall"] for each in alone)


@needs("blas")
def test_the_version_that_ran_is_in_the_notes_of_the_run(tmp_path: Path) -> None:
    done = assay(
        *("run", "gemm", "--set", "size=64", "--set", "type=float64", "--set", "threads=1", "--json"),
        *("--out", str(tmp_path / "run"), "--launches", "1"),
    )
    assert done.status == 0, done.err
    told = done.document
    assert any(note.startswith("library: ") for note in told["notes"]), told["notes"]
    kept_with = [json.loads(path.read_text()) for path in (tmp_path / "run" / "provenance").glob("*.json")]
    assert any("blas" in each.get("programs", {}).get("gemm", {}).get("libraries", {}) for each in kept_with)
    figures = {(f["name"], f["statistic"], f["params"]["code"]) for f in told["figures"]}
    assert {("rate", "best", "library"), ("rate", "best", "ours"), ("time", "best", "ours")} <= figures
    rates = {f["params"]["code"]: f for f in told["figures"] if (f["name"], f["statistic"]) == ("rate", "best")}
    times = {f["params"]["code"]: f for f in told["figures"] if (f["name"], f["statistic"]) == ("time", "best")}
    for code in ("library", "ours"):
        assert rates[code]["value"] == pytest.approx(2 * 64**3 / times[code]["value"])


def test_asking_for_a_library_that_is_not_here_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find", lambda name, compiler: None)
    with pytest.raises(InputError, match=r"no BLAS library was found: apt-get install libopenblas-dev"):
        libraries.refuse_missing(benchmark("gemm"), {"code": "library"})
    libraries.refuse_missing(benchmark("gemm"), {"code": "ours"})
    libraries.refuse_missing(benchmark("gemm"), {})


def test_without_a_library_its_cases_are_left_out_and_ours_measured(
    found_anew: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler whose links of every library fail, as on a host that has none."""
    without("-l*blas*|-lfftw3", tmp_path / "bin", monkeypatch)
    asked = ("run", "gemm", "--set", "size=64", "--set", "threads=1", "--launches", "1", "--json")
    done = assay(*asked, "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    told = done.document
    assert {f["params"]["code"] for f in told["figures"]} == {"ours"}
    assert any("left out: no BLAS" in note and "libopenblas-dev" in note for note in told["notes"])
    refused = assay(*asked, "--set", "code=library", "--out", str(tmp_path / "second"))
    assert refused.status == 2 and "Traceback" not in refused.err
    assert len(refused.err.strip().splitlines()) == 1 and "apt-get install libopenblas-dev" in refused.err
    assert not (tmp_path / "second").exists()


def test_what_is_linked_belongs_to_the_key_of_a_kept_binary() -> None:
    compiler = find_compiler()
    assert replace(compiler, libraries=("-lopenblas",)).key() != compiler.key()
