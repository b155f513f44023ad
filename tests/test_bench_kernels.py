"""`./x bench kernels`: the plain programs work, what is judged follows from the ratio's interval."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from bench import _jobs, _likwid_roofs, kernels

from assay.analysis.comparison import Comparison, compare
from assay.execute.compiler import find_compiler
from assay.execute.libraries import find
from small_programs import script

LIBRARIES = shutil.which("g++") is not None and all(find(name, find_compiler()) for name in ("blas", "fftw"))
LIKWID = (
    r"""printf 'Cycles:\t\t\t2000000\nNumber of Flops:\t1000000\nData volume (Byte):\t4000000\n'; echo "$@" >> words"""
)


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if not LIBRARIES or shutil.which("cc") is None:
        pytest.skip("needs cc, OpenBLAS and FFTW")
    made = tmp_path_factory.mktemp("twin") / "kernels.so"
    source = Path(kernels.__file__).with_name("kernels.c")
    found = [library for name in ("blas", "fftw") if (library := find(name, find_compiler())) is not None]
    flags = [word for library in found for word in library.flags]
    links = [word for library in found for word in library.links]
    command = [
        "cc",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-DTWIN=plain",
        *flags,
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        str(made),
    ]
    subprocess.run([*command, *links], check=True)
    return ctypes.CDLL(str(made))


ROOFS = kernels.roof_matches(kernels.processor_flags()) if platform.machine() == "x86_64" else []


@pytest.mark.parametrize("mode", ["gemm", "fft", "dot", "axpy", "linpack", *(match.mode for match in ROOFS)])
def test_every_mode_of_the_plain_program_makes_its_readings(twin: ctypes.CDLL, mode: str) -> None:
    words = (ctypes.c_char_p * 4)(mode.encode(), b"256", b"2", None)
    took = (ctypes.c_double * 3)(-1, -1, -1)
    twin.plain(words, 3, took)
    assert all(0 < seconds < 10 for seconds in took)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the loops are x86-64's")
def test_the_assembly_loops_do_what_their_counts_say(twin: ctypes.CDLL) -> None:
    """A vector, or a lane's multiply-add, takes longer than four a cycle at 6 GHz, and less than 1 ns."""
    for match in ROOFS:
        lanes = int(match.mode[-3:]) // 64 if match.metric == "arithmetic" else 1
        fastest = 1 / (6e9 * 4 * 2 * lanes)
        for times in (200, 400):
            words = (ctypes.c_char_p * 4)(match.mode.encode(), str(match.size).encode(), str(times).encode(), None)
            took = (ctypes.c_double * 9)()
            twin.plain(words, 9, took)
            assert fastest < min(took) < 1e-9


@pytest.mark.nightly
@pytest.mark.skipif(not LIBRARIES, reason="needs OpenBLAS and FFTW")
def test_both_sides_are_measured_and_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = [replace(match, times=50, readings=2, blocks=2) for match in kernels.matches(100, []) if match.mode == "axpy"]
    monkeypatch.setattr(kernels, "matches", lambda linpack, flags: few)
    assert kernels.main(["--launches", "1", "--only", "axpy"]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert "plain with itself" in lines[1] and "ours over plain, bests" in lines[2]
    assert "wanted 0.95" in lines[3]


@pytest.mark.skipif(not LIBRARIES or shutil.which("objdump") is None, reason="needs OpenBLAS, FFTW and objdump")
@pytest.mark.skipif("avx512f" not in kernels.processor_flags(), reason="needs AVX-512")
def test_axpy_is_compiled_once_as_openblas_is_and_once_as_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pair is held to 0.95 with 512 bits and unrolled; what the compiler takes by itself is printed, not judged."""
    wide, usual = (match for match in kernels.matches(100, ["avx512f"]) if match.mode == "axpy")
    assert (wide.wanted, usual.wanted) == (0.95, None) and kernels.AS_OPENBLAS in wide.name
    monkeypatch.setattr(_jobs, "LAYOUTS", 1)
    jobs = kernels.Jobs(tmp_path, "kernels.c", [wide.program], libraries=("blas", "fftw"))
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", "-C", str(jobs.programs[wide.program][0])],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    loop = next(part for part in listing.split("\n\n") if "axpy<" in part.partition("\n")[0] and "Contig" in part)
    assert loop.count("%zmm") > 2 * 4  # four multiply-adds a turn, or more, each with a store
    assert kernels.judged(ratio(1.5), None) == ("speed 0.6667 of plain: no bound is set", False)


def ratio(of: float, spread: float = 0.0) -> Comparison:
    plain = [1.0 + 0.0001 * (k % 5) for k in range(30)]
    return compare(
        plain, [of * (1 + spread * (k % 3 - 1)) * a for k, a in enumerate(plain)], a_against_a=(plain, plain)
    )


def test_speed_is_judged_by_the_end_of_its_interval() -> None:
    """A ratio of times of 1.02 is a speed of 0.98: more than 0.97, less than 0.99; a wide interval tells nothing."""
    text, missed = kernels.judged(ratio(1.02), 0.97)
    assert not missed and text == "speed 0.9804 of plain, wanted 0.97: reached"
    assert kernels.judged(ratio(1.02), 0.99) == ("speed 0.9804 of plain, wanted 0.99: missed", True)
    text, missed = kernels.judged(ratio(1.02, 0.2), 0.97)
    assert not missed and text.endswith("inconclusive here")
    plain = [1.0] * 30
    noisy = compare(plain, [0.9] * 30, a_against_a=(plain, [1.3, 0.8, 1.0] * 10))
    assert kernels.judged(noisy, 0.97) == ("speed 1.1111 of plain, wanted 0.97: inconclusive here", False)


def test_likwids_words_are_read_and_the_working_set_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_likwid_roofs, "tick", lambda: 4e-10)
    likwid = script(tmp_path, "likwid-bench", LIKWID)
    flops, load, copy, *wider = _likwid_roofs.roofs(["avx2", "fma", "avx512f"])
    assert flops.theirs(likwid, 32000) == pytest.approx(8e-10) and load.theirs(likwid, 32000) == pytest.approx(2e-10)
    assert (tmp_path / "words").read_text().splitlines()[0] == "-t peakflops_avx_fma -W N:32kB:1 -i 20000"
    assert copy.bytes == 64 and [roof.vector for roof in wider] == [512] * 3
    assert _likwid_roofs.roofs([]) == []


@pytest.mark.skipif(shutil.which("g++") is None or platform.machine() != "x86_64", reason="needs g++ on x86")
def test_the_shares_of_the_cores_limits_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1.7 loads per cycle of 2 may be what a neighbour leaves; 2.05 multiply-adds are an error of limit or cycles."""

    def block(kernel: str, level: str, metric: str, value: float) -> str:
        case = f'{{"kernel":"{kernel}","vector":256,"level":"{level}"}}'
        return f'{{"event":"block","case":{case},"metric":"{metric}","values":[{value}]}}'

    lines = [block("load", "L1", "cycles", 1 / 1.7), block("load", "L1", "limit", 2)]
    program = script(tmp_path, "roofs", "cat <<'END'\n" + "\n".join(lines) + "\nEND")
    assert not kernels.per_cycle(program)
    assert capsys.readouterr().out == (
        "load, 256 bits: 1.7000 per cycle, 0.8500 of the core's limit; the best 5%: 0.8500\n"
    )
    lines += [block("multiply_add", "registers", "cycles", 1 / 2.05), block("multiply_add", "registers", "limit", 2)]
    assert kernels.per_cycle(script(tmp_path, "other", "cat <<'END'\n" + "\n".join(lines) + "\nEND"))


def test_the_first_cache_is_what_the_kernel_states(tmp_path: Path) -> None:
    assert kernels.first_cache(tmp_path) == 32768
    place = tmp_path / kernels.FIRST_CACHE
    place.parent.mkdir(parents=True)
    place.write_text("48K\n")
    assert kernels.first_cache(tmp_path) == 49152
