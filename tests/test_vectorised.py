"""Widths of vectors by a disassembler: loops written for one width, what belongs to nobody else in a unit's object."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.benchmark.record import benchmarks, programs_root
from assay.execute.units import unit_source
from assay.execute.vectorised import kernels, kernels_as_dicts, list_kernels, short
from assay.report.derive.vector_widths import summary

pytestmark = pytest.mark.skipif(
    os.uname().machine != "x86_64" or not shutil.which("objdump") or not shutil.which("g++"),
    reason="needs g++ and objdump on x86-64",
)
WIDTHS = {"sse": 128, "avx": 256, "avx512f": 512}


def compiled(folder: Path, text: str, *flags: str) -> Path:
    (folder / "kernel.cpp").write_text(text)
    made = folder / "kernel.o"
    subprocess.run(["g++", "-std=c++20", *flags, "-c", folder / "kernel.cpp", "-o", made], check=True)
    return made


@pytest.mark.parametrize("isa", WIDTHS)
def test_the_width_is_that_of_the_vectors_in_the_source(isa: str, tmp_path: Path) -> None:
    """Vectors of GCC's own, as wide as the instruction set's: no optimisation is asked for that could change it."""
    text = f"""
    typedef double V __attribute__((vector_size({WIDTHS[isa] // 8})));
    namespace assay {{ void whole(V* x, const V* y, V a) {{ for (int i = 0; i < 64; ++i) x[i] = x[i] + a * y[i]; }} }}
    double scalar(const double* x) {{ double s = 0; for (int i = 0; i < 64; ++i) s = s * .5 + x[i]; return s; }}
    void moved(V* x, const V* y) {{ for (int i = 0; i < 64; ++i) x[i] = y[i]; }}
    """
    found = {each.name: each for each in kernels([compiled(tmp_path, text, "-O1", f"-m{isa}")]) or ()}
    assert set(found) == {"whole", "scalar", "moved"}
    assert found["whole"].bits == WIDTHS[isa] and found["whole"].text == f"{WIDTHS[isa]} bits"
    assert found["scalar"].bits == 0 and found["scalar"].text == "scalar"
    assert found["moved"].bits == 0 and found["moved"].moves == WIDTHS[isa]


def test_a_copy_that_became_a_call_is_named(tmp_path: Path) -> None:
    text = (
        "void copy(char* __restrict x, const char* __restrict y, long n) { for (long i = 0; i < n; ++i) x[i] = y[i]; }"
    )
    (found,) = kernels([compiled(tmp_path, text, "-O3")]) or ()
    assert (found.name, found.bits, found.text) == ("copy", 0, "memcpy")


def test_without_a_disassembler_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(tmp_path, "double f(double x) { return x + 1; }")
    assert kernels([made])
    monkeypatch.setenv("PATH", "")
    assert kernels([made]) is None


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        (
            "double assay::kernels::(anonymous namespace)::dot<assay::kernels::Strided<3> >(double*, long)",
            "dot (strided 3)",
        ),
        ("assay::kernels::Loops<double>::hydro_fragment()", "hydro_fragment (double)"),
        ("factor(long, double*, long*) [clone .constprop.0]", "factor"),
        ("factor(long, double*, long*) [clone .cold]", ""),
        ("main", "main"),
        ("void f<double, A::B<2>, 3>(int)", "f (double, b 2, 3)"),
    ],
)
def test_symbols_are_shown_by_their_names(symbol: str, name: str) -> None:
    assert short(symbol) == name


def test_a_function_of_several_units_is_named_with_its_unit_and_what_is_alike_is_said_once(tmp_path: Path) -> None:
    """Two loops with vectors of the compiler's own in one unit, the same without them in the other; a third in one."""
    loop = "for (int i = 0; i < 64; ++i) x[i] = x[i] + a * x[i];"
    wide = "typedef double V __attribute__((vector_size(16)));"
    wide += f"void f(V* x, V a) {{ {loop} }} void g(V* x, V a) {{ {loop} }}"
    plain = f"void f(double* x, double a) {{ {loop} }} void g(double* x, double a) {{ {loop} }}"
    objects = {}
    for name, text in (("wide", wide), ("by_one", f"{plain} double h(double x) {{ return x * x; }}")):
        (tmp_path / name).mkdir()
        objects[name] = compiled(tmp_path / name, text, "-O2", "-fno-tree-vectorize")
    found = list_kernels(objects)
    assert found is not None
    assert [kernel.name for kernel in found] == ["f (wide)", "g (wide)", "f (by one)", "g (by one)", "h"]
    assert summary(kernels_as_dicts(found) or []) == "128 bits: f, g (each: wide). scalar: f, g (each: by one), h"


UNITS = [(name, unit) for name, record in benchmarks().items() for unit in record.units]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "unit"), UNITS)
def test_no_function_of_a_unit_is_shared_with_its_program(name: str, unit: str, tmp_path: Path) -> None:
    """Without optimisation every inline function is in both objects: one in both would be compiled by a variant for
    clock or check, or by the harness for the kernel."""
    record, root = benchmarks()[name], programs_root()
    about = record.extra["unit"][unit]
    flags = about.get("flags", ())
    apart, whole = tmp_path / "unit.o", tmp_path / "program.o"
    stated = ('-DASSAY_COMPILER=""', '-DASSAY_FLAGS=""')
    for source, made, more in ((unit_source(about, record.path, root), apart, flags), (record.path, whole, stated)):
        subprocess.run(["g++", "-std=c++20", "-O0", *more, f"-I{root}", "-c", source, "-o", made], check=True)
    assert defined(apart) & defined(whole) == set()


def defined(path: Path) -> set[str]:
    listed = subprocess.run(["nm", "-C", "--defined-only", "-g", path], capture_output=True, text=True, check=True)
    names = {line.split(maxsplit=2)[2] for line in listed.stdout.splitlines()}
    return {name for name in names if not name.startswith("DW.ref")}
