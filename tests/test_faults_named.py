"""Kernels that are wrong on purpose: each is named in everything that a person reads, and gives no number."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import assay

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

VECTORS = ("vectors", "kernel=copy", "access=contiguous", "length=1000")
NEVER_WRITTEN = "1024 of 1024 results were never written"
EXP = ("intrinsics", "function=exp", "type=float32", "range=usual", "variant=scalar")


@pytest.mark.parametrize(
    ("plant", "benchmark", "sets", "words"),
    [
        ("ASSAY_BREAK=1", VECTORS[0], VECTORS[1:], "copy"),
        pytest.param("ASSAY_BREAK=2", VECTORS[0], VECTORS[1:], "copy", marks=pytest.mark.nightly),
        pytest.param("ASSAY_PLANT_EXP", EXP[0], EXP[1:], "3.0 digits lost", marks=pytest.mark.nightly),
        pytest.param("ASSAY_PLANT_NULL", EXP[0], EXP[1:], NEVER_WRITTEN, marks=pytest.mark.nightly),
    ],
    ids=("a loop that ends one short", "a null kernel", "exp with three digits lost", "a null function"),
)
def test_a_wrong_kernel_is_named_wherever_a_person_reads(
    plant: str, benchmark: str, sets: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [word for each in sets for word in ("--set", each)]
    flags = ("--flags", f"-O2 -D{plant}", "--flags", "-O2")
    answer = assay("run", benchmark, *given, *flags, "--launches", "1", "--out", "run", "--json")
    assert answer.status == 1, answer.err
    rates = [each for each in answer.document["figures"] if each["params"]["flags"] == f"-O2 -D{plant}"]
    assert rates and all(each["state"] == "invalid" and each["value"] is None for each in rates)
    right = [each for each in answer.document["figures"] if each["params"]["flags"] == "-O2"]
    assert right and not any(each["state"] == "invalid" for each in right)
    shown = assay("report", "run").out
    read = {"terminal": shown} | {
        name: Path("run", name).read_text() for name in ("report.html", "report.md", "summary.md")
    }
    for name, text in read.items():
        plain = " ".join(text.split()).replace("&#39;", "'")
        assert f"with -O2 -D{plant} the check of {benchmark}" in plain, name
        assert words in plain, name
