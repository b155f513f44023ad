"""Laboratories and their twins: host times fitted to half of an echo, everything else predicted. Nightly."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import pytest

import laboratories
from command_line import assay

pytestmark = [
    pytest.mark.paced,
    pytest.mark.nightly,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(laboratories.OBSTACLE is not None, reason=f"no laboratory: {laboratories.OBSTACLE}"),
]
LABORATORIES = [(topology, rate) for topology in ("hypercube:3", "mesh:3x3") for rate in ("10Mbit", "4Mbit")]
ECHO = ("echo", "3", "bytes=1024,1448,2048,4096,8192,12000,16384,32768,65536", "repetitions=5")
OTHERS = (
    ("ring", "1", "bytes=1024,4096,16384,32768", "repetitions=20"),
    ("contention", "1", "bytes=1024,8192", "repetitions=4"),
    ("fan-in", "1", "bytes=1024,4096,16384", "repetitions=4"),
)
made: list[dict[str, Any]] = []  # cells of all laboratories


def measured(name: str, folder: Path, benchmark: str, launches: str, *settings: str) -> str:
    words = [word for each in settings for word in ("--set", each)]
    out = str(folder / benchmark)
    run = assay("run", benchmark, "--via", f"lab:{name}", "--launches", launches, *words, "--out", out, "-q")
    assert run.status in (0, 1), run.err
    return out


def shown(label: str, cells: list[dict[str, Any]]) -> str:
    errors = [abs(each["predicted"] / each["measured"] - 1) for each in cells]
    covered = sum(each["low"] <= each["measured"] <= each["high"] for each in cells)
    return f"{label}: {len(cells)} cells, median {median(errors):.1%}, worst {max(errors):.1%}, {covered} covered"


@pytest.mark.parametrize(("topology", "rate"), LABORATORIES)
def test_the_fitted_twin_predicts_what_it_did_not_see(topology: str, rate: str, tmp_path: Path) -> None:
    """Echo of 1 KiB and more within 5%; unseen cells of echo, ring, contention and fan-in: median 10%, worst 30%."""
    with laboratories.up(topology, "--rate", rate) as name:
        runs = [measured(name, tmp_path, *each) for each in (ECHO, *OTHERS)]
    twin = str(tmp_path / "twin.toml")
    assert assay("fit", runs[0], "-o", twin).status == 0
    cells = []
    for run in runs:
        answer = assay("predict", twin, run, "--json")
        assert answer.status == 0, answer.err
        cells += [each for each in answer.document["cells"] if each["state"] != "bound" or each["measured"]]
    print(topology, rate)
    for benchmark in ("echo", "ring", "contention", "fan-in"):
        print(shown(benchmark, [each for each in cells if each["benchmark"] == benchmark and not each["used"]]))
    echo = [each for each in cells if each["benchmark"] == "echo"]
    assert max(abs(each["predicted"] / each["measured"] - 1) for each in echo) < 0.05
    unseen = [each for each in cells if not each["used"]]
    made.extend(unseen)
    errors = [abs(each["predicted"] / each["measured"] - 1) for each in unseen]
    assert len(errors) >= 30
    assert median(errors) < 0.1 and max(errors) < 0.3


def test_all_cells_together() -> None:
    """At least 100 of them, where all laboratories were measured."""
    if len({each["benchmark"] for each in made}) < 4 or len(made) < 100:
        pytest.skip("the laboratories above were not all measured")
    print(shown("all", made))
    assert median(abs(each["predicted"] / each["measured"] - 1) for each in made) < 0.1
