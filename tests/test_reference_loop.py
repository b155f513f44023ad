"""The reference loop of each launch: a processor slower than at best is seen where no account shows it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from assay.report.derive.document import document as typed
from assay.report.render import page
from assay.store import Run
from made_documents import as_json as document
from mpis_here import CROWD, MPI
from started import words
from test_document import block, launch

pytestmark = pytest.mark.measures

QUIET = {"wall": 1.0, "own": 0.99, "others": 0.0, "steal": 0.0, "involuntary": 1}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    return Run.create(tmp_path / "run", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})


def measured(
    run: Run, slower: list[float], references: list[float | None], after: float | None = None
) -> dict[str, Any]:
    """Ten blocks a launch with quiet accounts, each launch slower by its factor; the median's figure, and the run."""
    for number, (factor, reference) in enumerate(zip(slower, references, strict=True)):
        blocks = [
            block(8, [1e-6 * factor * (1 + 1e-3 * (i % 3)) for i in range(30)], k) | {"accounting": QUIET}
            for k in range(10)
        ]
        launch(run, number, blocks, reference=None if reference is None else (reference, after or reference))
    whole = document(run)
    (section,) = (each for each in whole["benchmarks"] if each["benchmark"] == "echo")
    wanted = {"name": "half_round_trip", "statistic": "median"}
    (figure,) = (each for each in section["figures"] if wanted.items() <= each.items())
    return {"whole": whole, "figure": figure, "notes": section["notes"]}


def test_a_slower_processor_is_a_cause_and_bounds_how_far_figures_were_moved(run: Run) -> None:
    """Two launches of three ran at two thirds of the speed, and so did the loop beside them; all accounts are quiet."""
    for number in range(4):  # another benchmark of the run shows what is usual here
        launch(run, number, [], benchmark="self", reference=(10e-6, 10e-6))
    seen = measured(run, [1.0, 1.5, 1.5], [10e-6, 15e-6, 15e-6])
    figure = seen["figure"]
    assert figure["state"] != "clean"
    truth = 0.5e-6
    low, high = figure["disturbance"]["low"], figure["disturbance"]["high"]
    assert figure["value"] / (1 + high) - 1e-9 <= truth <= figure["value"] / (1 + low) + 1e-9
    (cause,) = (each for each in seen["whole"]["causes"] if each["cause"] == "reference")
    assert cause["amount"] == pytest.approx(0.5) and "50%" in cause["text"]
    assert "50%" in page.html(typed(run))


def test_an_even_processor_leaves_the_figure_clean(run: Run) -> None:
    seen = measured(run, [1.0, 1.001, 1.0], [10e-6, 10.05e-6, 10e-6])
    assert seen["figure"]["state"] == "clean" and seen["whole"]["causes"] == []


def test_a_clock_that_is_lower_only_after_the_work_is_no_disturbance(run: Run) -> None:
    seen = measured(run, [1.0, 1.001, 1.0], [10e-6, 10e-6, 10e-6], after=12e-6)
    assert seen["figure"]["state"] == "clean" and seen["whole"]["causes"] == []


def test_where_the_loop_shows_no_reason_it_is_said(run: Run) -> None:
    """Launches half apart while the processor was even: the reason is one that this host cannot see."""
    seen = measured(run, [1.0, 1.5, 1.5], [10e-6, 10e-6, 10e-6])
    assert any("launches differ by up to" in note and "was the same" in note for note in seen["notes"])


def test_launches_without_the_loop_claim_nothing_of_it(run: Run) -> None:
    seen = measured(run, [1.0, 1.5, 1.5], [None, None, None])
    assert any("launches differ by up to" in note for note in seen["notes"])
    assert not any("was the same" in note for note in seen["notes"])


@pytest.mark.parametrize("name", ["clock", pytest.param("echo", marks=pytest.mark.mpi)])
def test_programs_time_the_loop_before_and_after_and_rows_keep_it(name: str, run: Run) -> None:
    program = build([benchmark(name)], mpi=MPI)[name].path
    starter = [] if name == "clock" else [MPI.mpiexec, "-n", "2"]
    command = [*starter, program, *words(name, "--profile", "quick", "--repetitions", "5")]
    environment = launch_environment(os.environ) | CROWD
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=120)
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    before, after = (next(e["reference"] for e in events if e["event"] == kind) for kind in ("launch", "done"))
    assert 1e-7 < before < 1e-2 and 1e-7 < after < 1e-2
    launch(run, 0, [block(8, [1e-6] * 9)], reference=(before, after))
    rows = run.connect().sql("SELECT reference_before, reference_after FROM launches").fetchall()
    assert rows == [(before, after)]
