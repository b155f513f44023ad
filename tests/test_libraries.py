"""Which BLAS is found and named: libraries made here that have MKL's and BLIS's names, and none other in reach."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.execute import libraries
from assay.execute.compiler import Compiler, find_compiler
from by_night import by_night
from command_line import assay
from compiled import kept
from library_programs import lines, needs, without

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

# A plain BLAS of the functions in use; only what the tests call computes anything.
BLAS = r"""
#include <cstdio>
extern "C" {
void cblas_dgemm(int, int, int, int m, int n, int k, double, const double* a, int lda, const double* b, int ldb, double,
                 double* c, int ldc) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * lda + l] * b[l * ldb + j];
      c[i * ldc + j] = sum;
    }
}
void cblas_sgemm() {} void cblas_dgemv() {} void cblas_sdot() {} void cblas_daxpy() {} void cblas_dscal() {}
double cblas_ddot() { return 0; }
"""
MKL = """
void MKL_Get_Version_String(char* text, int length) {
  std::snprintf(text, length, "Made-up Math Kernel Library 1.2  ");
}
void MKL_Set_Num_Threads(int) {}
void dgesv_() {} void dsyev_() {}
}
"""
BLIS = """
const char* bli_info_get_version_str() { return "3.4.5"; }
void bli_thread_set_num_threads(long) {}
}
"""


def made(folder: Path, name: str, text: str) -> Path:
    """A shared library of this text; returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "blas.cpp"
    source.write_text(BLAS + text)
    command = ["g++", "-shared", "-fPIC", "-o", str(folder / f"lib{name}.so"), str(source)]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture
def alone(found_anew: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that finds libraries in the returned folder, and no BLAS elsewhere, as on a host that has no other."""
    folder = tmp_path / "lib"
    without("-l*openblas*|-llapack|-lblas|-lcblas|-lflame", tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("LDFLAGS", f"-L{folder} -Wl,-rpath,{folder}")
    return folder


def found(name: str) -> str | None:
    """Where a library was found; searched for anew."""
    library = libraries.find.__wrapped__(name, find_compiler())
    return None if library is None else library.origin


@pytest.mark.parametrize(
    ("name", "text", "version"),
    by_night(
        [("mkl_rt", MKL, "library: Made-up Math Kernel Library 1.2"), ("blis", BLIS, "library: BLIS 3.4.5")],
        [("blis", BLIS, "library: BLIS 3.4.5")],
    ),
)
def test_a_run_names_the_blas_and_its_version(name: str, text: str, version: str, alone: Path, tmp_path: Path) -> None:
    made(alone, name, text)
    assert found("blas") == f"-l{name}"
    settings = ("--set", "code=library", "--set", "size=8", "--set", "type=float64", "--set", "threads=1")
    done = assay("run", "gemm", *settings, "--json", "--launches", "1", "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    assert version in done.document["notes"]


# Built without threads: it takes the call that sets them, and has one.
SERIAL = "void {0}_set_num_threads{1}(int) {{}} int {0}_get_num_threads{1}() {{ return 1; }}\n"


@needs("blas")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_a_blas_without_threads_has_no_figure_of_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that is here, its calls for threads replaced: two threads are a label beside one that ran."""
    source = tmp_path / "serial.c"
    source.write_text(SERIAL.format("openblas", "") + SERIAL.format("scipy_openblas", "64_"))
    shim = tmp_path / "serial.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(shim), str(source)], check=True)
    given = ("code=library", "size=8", "type=float64", "threads=1,2")
    program = kept("kernels/gemm")
    usual = lines("gemm", program, *given)
    if not any(line.get("text", "").startswith("library: OpenBLAS") for line in usual):
        pytest.skip("a BLAS other than OpenBLAS")
    both = {line["case"]["threads"] for line in usual if line["event"] == "block"}
    monkeypatch.setenv("LD_PRELOAD", str(shim))
    printed = lines("gemm", program, *given)
    serial = {line["case"]["threads"] for line in printed if line["event"] == "block"}
    assert (both, serial) == ({1, 2}, {1})
    assert any("does not take 2 threads" in line.get("text", "") for line in printed)


def test_a_blas_without_lapack_serves_those_that_need_none(alone: Path) -> None:
    made(alone, "blis", BLIS)
    assert found("blas") == "-lblis" and found("lapack") is None
    made(alone, "mkl_rt", MKL)
    assert found("lapack") == "-lmkl_rt"


def test_without_any_there_is_none(alone: Path) -> None:
    assert (found("blas"), found("lapack")) == (None, None)


@pytest.mark.parametrize("place", ["lib", "lib/intel64"])
def test_the_mkl_that_a_sites_module_names_comes_first(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else is here; and a folder that holds none does not hide the others."""
    before = found("lapack")
    monkeypatch.setenv("MKLROOT", str(tmp_path))
    assert found("lapack") == before
    made(tmp_path / place, "mkl_rt", MKL)
    assert found("lapack") == f"MKLROOT={tmp_path}"


def test_a_library_is_searched_for_once_for_programs_of_different_flags(found_anew, monkeypatch):
    tried: list[str] = []

    def links(compiler: Compiler, library: libraries.FoundLibrary, functions: Sequence[str]) -> bool:
        tried.append(library.origin)
        return len(tried) == 2

    monkeypatch.setattr(libraries, "_links", links)
    compiler = find_compiler()
    results = [
        libraries.with_libraries(replace(compiler, flags=flags), ["blas"]) for flags in ("-O3", "-O3 -fopenmp", "-O3")
    ]
    assert len(tried) == 2 and all(found[0].origin == tried[1] for _, found in results)
    assert [by.flags for by, _ in results] == [f"{flags} -DASSAY_BLAS=1" for flags in ("-O3", "-O3 -fopenmp", "-O3")]
