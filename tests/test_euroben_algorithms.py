"""EuroBen's module 2, random numbers and sorting: right at every size, mutants found, flops counted a second time."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.benchmark.formula import evaluate
from assay.benchmark.record import benchmark, programs_root
from assay.benchmark.variants import Variant
from assay.execute.build import build
from assay.execute.variants import taken_by
from command_line import assay
from compiled import kept
from library_programs import checks, needs
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

# Sizes beside and below every block's length, and the library that the program may call.
SIZES = {
    "matrix-vector": ("size=1,2,3,5,37,64", "blas"),
    "sparse-system": ("size=8,9,50", "blas"),
    "eigenvalues": ("size=1,2,3,4,7,33,64", "lapack"),
    "sparse-eigenvalues": ("size=9,20,33", "blas"),
    "wavelet": ("size=2,4,8,64", None),
    "random-numbers": ("size=2,3,4,1001", None),
    "sorting": ("size=1,2,3,255,256,1001", None),
}


@pytest.mark.parametrize("name", SIZES)
def test_results_are_within_their_bounds_at_every_size(name: str) -> None:
    sizes, _ = SIZES[name]
    found = checks(name, kept(f"kernels/{name}"), sizes, *(["code=ours"] if name != "wavelet" else []))
    assert len(found) == (sizes.count(",") + 1) * (3 if name == "matrix-vector" else 1)
    assert all(each["passed"] for each in found)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs(library)) for name, (_, library) in SIZES.items() if library]
)
def test_a_librarys_results_are_within_the_same_bounds(name: str) -> None:
    found = checks(name, kept(f"kernels/{name}"), SIZES[name][0], "code=library")
    assert found and all(each["passed"] for each in found)


# One change each to the shipped kernels, as an optimiser or a programmer could make it: file, text, in place of it.
MUTANTS = [
    ("matrix-vector", "loops/matrix_vector.cpp", "+ x[j + 3] * c3[i]", "+ x[j + 3] * c2[i]", "form=gemv"),
    ("matrix-vector", "loops/matrix_vector.cpp", "y[i] = sum;", "y[i] = static_cast<float>(sum);", "form=dot"),
    ("sparse-system", "conjugate_gradients.hpp", "of.square / before", "of.square / (before * (1 + 1e-6))", "size=32"),
    ("sparse-system", "conjugate_gradients.hpp", "Vectors::add(n, -length", "Vectors::add(n - 1, -length", "size=32"),
    ("eigenvalues", "loops/eigenvalues.cpp", "factor * inner(m, p, v) / 2", "0", "size=30"),
    ("eigenvalues", "loops/eigenvalues.cpp", "0x1p-53 *", "1e-12 *", "size=30"),
    ("sparse-eigenvalues", "lanczos.hpp", "pass < 2", "pass < 0", "size=16"),
    ("sparse-eigenvalues", "loops/sparse.cpp", "x[i] /= by", "x[i] /= by * (1 + 1e-9)", "size=16"),
    ("wavelet", "loops/wavelet.cpp", "0x1.6a09e667f3bcdp-1", "0.70710678", "size=32"),
    ("wavelet", "loops/wavelet.cpp", "odd[c] = (sums[c] - diff", "odd[c] = (sums[c] + diff", "size=32"),
    ("random-numbers", "loops/random_numbers.cpp", "first + static_cast", "first * 0 + static_cast", "size=1000"),
    ("random-numbers", "loops/random_numbers.cpp", "0xCD9E8D57", "0xCD9E8D55", "size=1000"),
    ("sorting", "loops/sorting.cpp", "== count) continue", ">= 0) continue", "size=1000"),
    ("sorting", "loops/sorting.cpp", "spare[at[", "spare[0 * at[", "size=1000"),
]


def mutated(name: str, file: str, was: str, now: str, folder: Path) -> Path:
    """The program, without a library, with one text of a file of its kernel changed."""
    source, changed, program = (
        programs_root() / "kernels",
        folder / "kernels" / file,
        folder / benchmark(name).path.name,
    )
    text = (source / file).read_text()
    assert was in text
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(was, now))
    program.write_text((source / program.name).read_text())
    units = benchmark(name).extra["unit"]
    mine = {"source": str(changed)}
    units = {key: mine if unit["source"] == f"kernels/{file}" else unit for key, unit in units.items()}
    made = SimpleNamespace(name=name, path=program, kind="node", extra={"unit": units})
    return build([made], mpi=None)[name].path


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "file", "was", "now", "setting"), MUTANTS)
def test_a_mutant_is_found(name: str, file: str, was: str, now: str, setting: str, tmp_path: Path) -> None:
    """No case of it passes."""
    settings = [setting, *(["code=ours"] if name != "wavelet" else [])]
    found = checks(name, mutated(name, file, was, now, tmp_path), *settings, status=1)
    assert found and not any(each["passed"] for each in found)


def test_their_kernels_are_compiled_apart_so_that_build_variants_can_vary_them() -> None:
    assert taken_by(list(SIZES), [Variant("g++", "-O2", "native")]) == list(SIZES)


def laplacian_entries(rows: int, columns: int) -> int:
    """The points and their neighbours, counted one by one."""
    inside = {(r, c) for r in range(rows) for c in range(columns)}
    return sum(1 + sum(n in inside for n in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))) for r, c in inside)


def of_an_iteration(size: int) -> float:
    """Product; two inner products, each a product and an addition; three multiples added."""
    return 2 * laplacian_entries(size, size) + 5 * 2 * size * size


def of_lanczos(size: int, steps: int = 5) -> float:
    points, flops = size * (size + 1), 0
    for step in range(1, steps + 1):
        flops += 2 * laplacian_entries(size, size + 1) + 2 * points + points  # product, length, division by it
        flops += 2 * (2 * points + 2 * points) * step  # twice: onto each vector so far, and off it
    return flops


def of_wavelet(size: int) -> float:
    rows, columns, flops = 2 * size, size, 0
    while columns > 1:
        flops += 2 * (2 * rows * columns + 2 * rows * columns)  # there and back, by rows and by columns
        rows, columns = rows // 2, columns // 2
    return flops


@pytest.mark.parametrize(
    ("name", "count"),
    [("sparse-system", of_an_iteration), ("sparse-eigenvalues", of_lanczos), ("wavelet", of_wavelet)],
)
@pytest.mark.parametrize("size", [8, 16, 32])
def test_flops_of_a_rate_are_those_that_are_counted(name: str, count: Callable[[int], float], size: int) -> None:
    formula = benchmark(name).figures["rate"].formula
    assert evaluate(formula, {"size": size, "steps": 5, "value": 1.0}) == pytest.approx(count(size))


def test_a_run_says_what_ran_and_its_rate_is_the_formulas(tmp_path: Path) -> None:
    done = assay("run", "eigenvalues", "--set", "size=30", "--json", "--launches", "1", "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    told = done.document
    best = {(f["name"], f["params"]["code"]): f["value"] for f in told["figures"] if f["statistic"] == "best"}
    measured = {code for _, code in best}
    assert "ours" in measured
    for code in measured:
        assert math.isclose(best["rate", code], 9 * 30**3 / best["time", code], rel_tol=1e-9)
    assert ("library" in measured) == any(note.startswith("library: ") for note in told["notes"])


@pytest.mark.parametrize(
    ("name", "setting", "said"),
    [
        ("wavelet", "size=12", "expected powers of two"),
        ("sparse-eigenvalues", "steps=200", "at most 136 where size=16"),
    ],
)
def test_what_cannot_be_done_is_one_line(name: str, setting: str, said: str) -> None:
    command = [kept(f"kernels/{name}"), *words(name, "--set", setting)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1
