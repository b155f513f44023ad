"""The Fourier transform: right at every power of two, faults found, the rate's formula, and the library that ran."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.errors import InputError
from assay.execute import libraries
from command_line import assay
from compiled import kept
from library_programs import checks, codes
from remarked import texts
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@functools.cache
def built(*flags: str) -> Path:
    return kept("kernels/fft", *flags)


@pytest.mark.parametrize("code", codes("fftw"))
def test_transforms_are_those_of_the_definition(code: str) -> None:
    found = checks("fft", built(), "size=2,4,8,16,32,64,128,1024,2048", f"code={code}")
    assert len(found) == 9 and all(each["passed"] for each in found)


@pytest.mark.parametrize("code", codes("fftw"))
def test_a_step_one_short_and_a_null_kernel_are_found(code: str) -> None:
    """With ASSAY_BREAK the last part of our steps is left out, and the library is not called at all."""
    found = checks("fft", built("-DASSAY_BREAK=1"), "size=4,8,64,1024,2048", f"code={code}", status=1)
    assert len(found) == 5 and not any(each["passed"] for each in found)


def test_a_run_gives_the_conventional_rate_and_names_the_library(tmp_path: Path) -> None:
    done = assay("run", "fft", "--set", "size=1024", "--json", "--launches", "1", "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    told = done.document
    best = {(f["name"], f["params"]["code"]): f["value"] for f in told["figures"] if f["statistic"] == "best"}
    codes = {code for _, code in best}
    assert "ours" in codes
    for code in codes:
        assert best["rate", code] == pytest.approx(5 * 1024 * math.log2(1024) / best["time", code])
    assert ("library" in codes) == any(note.startswith("library: fftw-3") for note in told["notes"])
    widths = [note for note in told["notes"] if note.startswith("vectors in the kernels' code, by ")]
    assert len(widths) == (shutil.which("objdump") is not None and os.uname().machine == "x86_64")
    assert all(re.search(r"(\d+ bits|scalar): transform", note) for note in widths)


def test_a_size_that_memory_has_no_room_for_is_left_out_and_said() -> None:
    """A million numbers take 84 MB in five arrays of 16 B: more than a quarter of what the limit of data leaves."""
    given = words("fft", "--slice", "0.0005", "--blocks", "1", "--set", "size=64,1048576", "--set", "code=ours")
    done = subprocess.run(["prlimit", f"--data={256 << 20}", built(), *given], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["case"]["size"] for line in lines if line["event"] == "check"] == [64]
    notes = [text for text in texts(lines) if "left out: transforms" in text]
    assert len(notes) == 1 and "a quarter of what" in notes[0]


def test_what_cannot_be_done_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = words("fft", "--set", "size=12", "--set", "code=ours")
    done = subprocess.run([built(), *given], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "expected powers of two" in done.stderr
    monkeypatch.setattr(libraries, "find", lambda name, compiler: None)
    with pytest.raises(InputError, match=r"no FFTW library was found: apt-get install libfftw3-dev"):
        libraries.refuse_missing(benchmark("fft"), {"code": "library"})
