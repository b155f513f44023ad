"""The Livermore loops: checksums against a second evaluation of the formulas, faults in each found, the three means."""

from __future__ import annotations

import functools
import json
import re
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

import pytest

import made_documents
from assay.published.tables.hypercubes import tables
from command_line import assay
from compiled import kept
from livermore_evaluation import checksums
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@functools.cache
def lines(*flags: str, status: int = 0) -> list[dict[str, Any]]:
    command = [kept("kernels/livermore", *flags), *words("livermore", "--slice", "0.001", "--blocks", "2")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == status, (done.stdout[-800:], done.stderr)
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()]


def test_checksums_are_those_of_a_second_evaluation_of_the_formulas() -> None:
    (check,) = (line for line in lines() if line["event"] == "check")
    seen = [float(word) for word in check["detail"].partition(": ")[2].split()]
    assert check["passed"] and len(seen) == 24
    for loop, (own, other) in enumerate(zip(seen, checksums(), strict=True), 1):
        assert own == pytest.approx(float(other), rel=1e-12), loop


@pytest.mark.nightly
def test_every_loop_that_ends_one_short_is_named() -> None:
    (check,) = (line for line in lines("-DASSAY_BREAK=1", status=1) if line["event"] == "check")
    named = [int(word) for word in re.findall(r"(\d+) by ", check["detail"])]
    assert not check["passed"] and named == list(range(1, 25))


def test_means_are_those_of_the_rates_of_their_block() -> None:
    blocks = [line for line in lines() if line["event"] == "block"]
    for block in (0, 1):
        values = {(b["metric"], b["case"].get("loop")): b["values"][0] for b in blocks if b["block"] == block}
        rates = [1 / values["flop_time", loop] for loop in range(1, 25)]
        assert values["harmonic", None] == pytest.approx(statistics.harmonic_mean(rates))
        assert values["geometric", None] == pytest.approx(statistics.geometric_mean(rates))
        assert values["arithmetic", None] == pytest.approx(statistics.mean(rates))


def test_a_run_gives_the_rate_of_each_loop_and_the_means(tmp_path: Path) -> None:
    done = assay("run", "livermore", "--json", "--launches", "1", "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    figures = done.document["figures"]
    assert {f["params"]["loop"] for f in figures if f["name"] == "rate"} == set(range(1, 25))
    assert {f["params"]["loop"] for f in figures if f["statistic"] == "best" and f["name"] == "rate"} == set(
        range(1, 25)
    )
    assert {f"rate_{mean}_mean" for mean in ("harmonic", "geometric", "arithmetic")} <= {f["name"] for f in figures}


def test_dunigans_rates_stand_beside_this_machine() -> None:
    rate = made_documents.figure("rate_harmonic_mean", 2.9e9, "flop/s")
    document = made_documents.document(made_documents.section("livermore", [rate]))
    (table,) = (each for each in tables(document) if "Livermore" in each.title)
    assert table.rows == (("Livermore loops, harmonic mean", "2.9 Gflop/s", "5.7 Mflop/s", "600 kflop/s"),)
    assert not [each for each in tables(made_documents.document()) if "Livermore" in each.title]
