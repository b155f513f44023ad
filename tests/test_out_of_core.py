"""A matrix and a Fourier transform in a file: results, labels of where bytes came from, rows that fit, nothing left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.published.tables.euroben_files import tables
from command_line import assay
from file_faults import faulty
from made_documents import document, figure, section
from memory_mounts import mounted_in_memory
from remarked import texts
from started import words

SMALL = {"tomography": ("most=4MiB", "bytes=65536"), "out-of-core-fft": ("size=256,512",)}
SIZES = {
    "25000x20000": (25000, 20000),
    "50000x20000": (50000, 20000),
    "100000x100000": (100000, 100000),
    "250000x100000": (250000, 100000),
}
SOURCES = {"device", "cache", "remote", "unknown"}
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "given"
    place.mkdir()
    yield place
    assert list(place.iterdir()) == []


def run(name: str, folder: Path, *, given: tuple[str, ...] = (), status: int = 0, **env: str) -> list[dict[str, Any]]:
    settings = [word for each in (*(given or SMALL[name]), f"folder={folder}") for word in ("--set", each)]
    program = build([benchmark(name)], mpi=None)[name].path  # as a run compiles it, so that it is compiled once
    started = [program, *words(name, *settings)]
    done = subprocess.run(started, capture_output=True, text=True, timeout=120, env=os.environ | env)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def blocks(lines: list[dict[str, Any]], metric: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["event"] == "block" and line["metric"] == metric]


@pytest.mark.parametrize("name", SMALL)
def test_results_are_right_and_each_rate_has_one_source(name: str, folder: Path) -> None:
    lines = run(name, folder)
    checks = [line for line in lines if line["event"] == "check"]
    assert checks and all(line["passed"] for line in checks)
    for metric in ("read", "write"):
        found = blocks(lines, metric)
        assert len({line["case"]["size"] for line in found}) == len(found) == len(checks)
        assert all(line["case"]["source"] in SOURCES and line["values"][0] > 0 for line in found)


@pytest.mark.parametrize("name", SMALL)
def test_one_wrong_element_or_panel_fails_the_check(name: str, folder: Path) -> None:
    lines = run(name, folder, status=1, **faulty("damage", FAULT_BYTES=0, FAULT_AFTER=0))
    checks = [line for line in lines if line["event"] == "check"]
    assert checks and not any(line["passed"] for line in checks)


def test_the_file_has_as_many_rows_as_may_be_written(folder: Path) -> None:
    """Whole rows of 8-byte numbers in 4 MiB, but for one transfer; the paper's four sizes."""
    lines = run("tomography", folder)
    room = 4194304 - 65536
    assert {line["case"]["size"]: line["values"][0] for line in blocks(lines, "rows")} == {
        size: pytest.approx(room // (8 * columns) / rows) for size, (rows, columns) in SIZES.items()
    }
    assert all(
        line["case"]["part"] == f"first {100 * (room // (8 * columns) / rows):.2g}% of the rows"
        for size, (rows, columns) in SIZES.items()
        for line in lines
        if line["event"] in ("block", "check") and line["case"]["size"] == size
    )
    notes = " ".join(texts(lines))
    assert "25000x20000: the first 25 rows, of which 4000000 bytes may be written" in notes


@pytest.mark.parametrize("name", SMALL)
def test_files_in_memory_are_no_storage(name: str, tmp_path: Path) -> None:
    with mounted_in_memory(tmp_path / "small", "size=128m") as small:
        lines = run(name, small)
        found = [*blocks(lines, "read"), *blocks(lines, "write")]
        assert found and {line["case"]["source"] for line in found} == {"cache"}
        assert list(small.iterdir()) == []


def test_a_full_file_system_is_taken_by_a_quarter_at_most(tmp_path: Path) -> None:
    with mounted_in_memory(tmp_path / "small", "size=12m") as small:
        lines = run("tomography", small, given=("bytes=65536", "size=25000x20000"))
        (rows,) = (line["values"][0] for line in blocks(lines, "rows"))
        assert 8 * 20000 * rows * 25000 <= 12 * 2**20 / 4
        lines = run("out-of-core-fft", small, given=("size=256,512",))  # 1 MiB and 4 MiB
        assert {line["case"]["size"] for line in blocks(lines, "time")} == {256}
        assert any("512 x 512 points: only" in line.get("text", "") for line in lines)


def test_a_limit_that_holds_no_row_beside_a_last_block_is_named(folder: Path, tmp_path: Path) -> None:
    """A row of 20,000 numbers has 160,000 bytes: none fits beside a block as long as the limit."""
    answer = assay("run", "tomography", "--set", f"folder={folder}", "--set", "most=4MiB", "--set", "bytes=4MiB",
                   "--set", "size=25000x20000", "--out", str(tmp_path / "run"))  # fmt: skip
    assert answer.status == 2
    assert "not even a row of 160000 bytes and a last block of 4194304 (bytes=) may be written, by most=4194304" in (
        " ".join(answer.err.split())
    )


def test_rates_with_their_source_reach_the_answer(folder: Path, tmp_path: Path) -> None:
    settings = (f"folder={folder}", "most=4MiB", "bytes=65536", "size=25000x20000,50000x20000")
    answer = assay(
        *("run", "tomography", *(word for each in settings for word in ("--set", each))),
        *("--out", str(tmp_path / "run"), "--json"),
    )
    assert answer.status in (0, 1), answer.err  # 1: a busy machine may disturb a measurement beyond use
    figures = [f for f in answer.document["figures"] if f["name"] in ("read_rate", "write_rate")]
    assert {f["name"] for f in figures} == {"read_rate", "write_rate"}
    assert all(f["params"]["source"] in SOURCES for f in figures)
    assert "writes files of 4.194 MB at most" in answer.err
    parts = {f["params"]["part"] for f in answer.document["figures"]}
    assert parts == {"first 0.1% of the rows", "first 0.05% of the rows"} and "time" not in {
        f["name"] for f in answer.document["figures"]
    }
    main = [each["title"] for each in answer.document["headlines"]]
    assert main and all(any(part in each for part in parts) for each in main), main


def test_rates_stand_above_what_the_paper_says_in_words() -> None:
    """105 to 170 MB/s read and 65 to 105 written; 8 and 5 on the Compaq, 6 and 4 on the Origin (section 6.4.2)."""
    size = {"size": "25000x20000", "most": 1, "bytes": 1, "part": "first 0.33% of the rows"}
    rates = [
        figure("read_rate", 2e9, "B/s", source="device", **size),
        figure("write_rate", 1e9, "B/s", source="unknown", **size),
    ]
    (made,) = tables(document(section("tomography", rates)))
    assert made.rows[0] == (
        "25000x20000, first 0.33% of the rows, here (measured)",
        "2 GB/s (device)",
        "1 GB/s (unknown)",
    )
    assert [row[1:] for row in made.rows[1:]] == [
        ("105 MB/s to 170 MB/s", "65 MB/s to 105 MB/s"),
        ("8 MB/s", "5 MB/s"),
        ("6 MB/s", "4 MB/s"),
    ]
    assert tables(document()) == []
