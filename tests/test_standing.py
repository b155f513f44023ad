"""The estimator that the judge chooses is the one that is printed: from the blocks to the document, tables and page."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analysis import disturbance
from assay.report.derive.document import document as typed
from assay.report.render import tables
from assay.report.render.markdown import markdown as as_markdown
from assay.samples import Circumstance
from assay.store import Run
from command_line import assay
from made_documents import as_json as document

QUIET = {"steal": 0.0, "others": 0.0, "own": 0.3, "wall": 0.3, "involuntary": 1, "major_faults": 0}

MEASURES = {"sieve": ("time", {"size": 8190}), "echo": ("round_trip", {"bytes": 8, "hops": None})}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run", {"machine": "here", "host": {"usable_cpus": 2}, "wishes": {}})


def launch(
    run: Run,
    number: int,
    blocks: list[tuple[float, dict[str, float]]],
    *lines: dict[str, Any],
    factor: float = 1.0,
    benchmark: str = "sieve",
    **ended: Any,
) -> None:
    """A launch: blocks of 0.3 s, each with its level (s) and what differs from quiet accounts."""
    dice = np.random.default_rng(number)
    task = f"{number:03d}-{benchmark}"
    metric, case = MEASURES[benchmark]
    kept = run.keep_provenance({"host": "n1"})
    about = Circumstance(run.about["id"], benchmark, "processor", "here", 0, number, 1, kept)
    run.journal({"event": "begun", "task": task, "file": f"{task}.jsonl", "about": asdict(about)})
    events: list[dict[str, Any]] = [
        {"event": "launch", "seed": 1, "ranks": 1, "placement": [{"rank": 0, "host": "n1"}], "t": 1.0}
    ]
    for i, (level, accounts) in enumerate(blocks):
        t0 = 1000.0 * number + 0.4 * i
        events.append(
            {"event": "block", "case": case, "metric": metric, "block": i, "batch": 1, "first": None}
            | {"values": (factor * level * np.exp(0.002 * dice.standard_normal(100))).tolist()}
            | {"t0": t0, "t1": t0 + 0.3, "accounting": QUIET | accounts}
        )
    (run.folder / "launches" / f"{task}.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in [*events, *lines, {"event": "done"}])
    )
    about_end = {"status": 0, "reason": None, "binding": None, "warnings": []}
    run.journal({"event": "ended", "task": task, **about_end, **ended})


def figure(whole: dict[str, Any], statistic: str = "median") -> dict[str, Any]:
    (section,) = whole["benchmarks"]
    return next(f for f in section["figures"] if f["name"] == "time" and f["statistic"] == statistic)


HOG = {"others": 0.28}


def test_a_third_of_the_blocks_is_quiet_and_their_median_is_what_is_printed(run: Run) -> None:
    """12 of 18 blocks are marked and ten times slower: the number is that of the others, in every place."""
    for number in range(3):
        launch(run, number, [(1e-5, {})] * 2 + [(10e-5, HOG)] * 4)
    whole = document(run)
    found = figure(whole)
    assert found["value"] == pytest.approx(1e-3, rel=0.01) and found["samples"] == 600
    assert (found["state"], found["estimator"]) == ("disturbed", "median of the unmarked blocks")
    assert (found["marked"], found["blocks"]) == (12, 18) and "others" in found["reasons"]
    assert found["disturbance"]["low"] <= 0 <= found["disturbance"]["high"] < 0.05
    assert all(value == pytest.approx(1e-3, rel=0.01) for _, value in found["by_launch"])
    shown = json.dumps(tables.figures(typed(run).benchmarks[0]).rows)
    assert "1 ms" in shown and "10 ms" not in shown


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_headline_is_by_the_estimator_that_stands(run: Run, interrupted: bool) -> None:
    hog = {"others": 0.55, "own": 0.15, "involuntary": 90} if interrupted else HOG
    for number in range(3):
        quiet = [] if interrupted else [(2e-6, {})] * 2
        launch(run, number, quiet + [(2e-5, hog)] * 4, benchmark="echo")
    whole = document(run)
    words = "best reading, a bound" if interrupted else "median of the unmarked blocks"
    headlines = [h for h in whole["benchmarks"][0]["headlines"] if h["name"] == "half_round_trip"]
    assert [h["estimator"] for h in headlines] == [words]
    assert headlines[0]["value"] == pytest.approx(1e-5 if interrupted else 1e-6, rel=0.02)
    assert "10 µs" not in as_markdown(typed(run)) or interrupted


def test_where_most_readings_were_interrupted_the_best_reading_is_printed_as_a_bound(run: Run) -> None:
    hog = {"others": 0.55, "own": 0.15, "involuntary": 90}
    for number in range(3):
        launch(run, number, [(1e-5, hog)] * 6)
    whole = document(run)
    found = figure(whole, "best")
    assert (found["state"], found["estimator"]) == ("bound", "best reading, a bound")
    assert found["value"] == pytest.approx(1e-3, rel=0.02) and found["value"] < 1e-3
    assert not [f for f in whole["benchmarks"][0]["figures"] if f["statistic"] in ("median", "p99")]
    assert whole["benchmarks"][0]["states"] == {"clean": 0, "disturbed": 0, "bound": 1, "invalid": 0}


def test_the_causes_stand_once_in_the_document_with_what_they_touched(run: Run) -> None:
    for number in range(3):
        launch(run, number, [(1e-5, {})] * 4 + ([(3e-5, HOG)] * 2 if number == 2 else [(1e-5, {})] * 2))
    causes = {cause["cause"]: cause for cause in document(run)["causes"]}
    others = causes["others"]
    assert others["from"] == pytest.approx(2001.6) and others["to"] == pytest.approx(2002.3)
    assert others["amount"] == pytest.approx(0.9, abs=0.3) and "of 2 hardware threads" in others["text"]
    assert "doctor --watch" in others["advice"] and "--via" in others["advice"]
    assert {(f["benchmark"], f["figure"]) for f in others["figures"]} >= {("sieve", "time")}
    assert all({"params", "low", "high"} <= set(f) for f in others["figures"])


def test_a_quiet_run_has_no_cause_and_its_figures_are_clean(run: Run) -> None:
    for number in range(3):
        launch(run, number, [(1e-5, {})] * 6, factor=1 + 0.1 * number)
    whole = document(run)
    assert whole["causes"] == [] and whole["state"] == "clean" and whole["benchmarks"][0]["warnings"] == []
    assert figure(whole)["disturbance"] == {"low": 0.0, "high": 0.0}


def test_every_field_of_a_verdict_is_a_field_of_the_figure(run: Run) -> None:
    """A law over the dataclass: what the judge says of a case reaches the reader, whatever is added to it."""
    for number in range(3):
        launch(run, number, [(1e-5, {})] * 2 + [(10e-5, HOG)] * 4)
    answer = assay("report", str(run.folder), "--json")
    found = figure(answer.document)
    for field in dataclasses.fields(disturbance.Verdict):
        assert found[field.name] not in (None, "", [], 0), field.name


def test_no_sample_is_deleted(run: Run) -> None:
    for number in range(3):
        launch(run, number, [(1e-5, {})] * 2 + [(10e-5, HOG)] * 4)
    document(run)
    run.finish("done")
    assert run.connect().execute("SELECT count(*) FROM samples").fetchone() == (1800,)


def test_a_failed_check_costs_the_cases_that_it_covers_and_the_exit_status(run: Run) -> None:
    wrong = {"event": "check", "case": {"size": 8190}, "passed": False, "detail": "1027 primes"}
    for number in range(3):
        launch(run, number, [(1e-5, {})] * 3, wrong)
    run.finish("done")
    whole = document(run)
    assert figure(whole)["value"] is None and (figure(whole)["state"], figure(whole)["estimator"]) == (
        "invalid",
        "none",
    )
    assert not whole["valid"] and "check failed" in whole["warnings"][0]


def test_a_cause_names_the_processes_that_worked_beside_the_launches_that_it_touched(run: Run) -> None:
    for number in range(3):
        compiler = [{"name": "cc1plus", "count": 2, "share": 0.9}] if number == 2 else []
        quiet = [{"name": "sshd", "count": 1, "share": 0.03}] if number == 0 else []
        level = [(3e-5, HOG)] * 2 if number == 2 else [(1e-5, {})] * 2
        launch(run, number, [(1e-5, {})] * 4 + level, beside=compiler + quiet)
    others = next(cause for cause in document(run)["causes"] if cause["cause"] == "others")
    assert [each["name"] for each in others["processes"]] == ["cc1plus"]
    said = "running at the same time, hardware threads busy (mean over a launch): cc1plus 0.9"
    assert others["text"].endswith(said)


def test_a_quota_and_ranks_that_share_a_processor_are_causes_of_a_size_that_nobody_knows(run: Run) -> None:
    quota = {
        "event": "note",
        "text": "doubted: a cgroup's quota of CPU time, /x/cpu.max, stopped the work 9 times",
    }
    shared = "2 ranks share one hardware thread of n1 (0; oversubscribed): times include waiting for a processor"
    for number in range(3):
        launch(run, number, [(1e-5, {})] * 4, quota, warnings=[shared])
    whole = document(run)
    found = {cause["cause"]: cause for cause in whole["causes"]}
    assert set(found) == {"quota", "shared processors"}
    for cause in found.values():
        assert cause["amount"] is None and cause["advice"] and cause["to"] > cause["from"] > -1
        assert {f["low"] for f in cause["figures"]} == {None} and {f["state"] for f in cause["figures"]} == {
            "disturbed"
        }
    assert figure(whole)["state"] == "disturbed" and figure(whole)["disturbance"] is None


def test_a_check_that_says_less_than_a_case_covers_it_and_no_other(run: Run) -> None:
    """One that is beside the point of every case costs all of them."""
    for checked, invalid in (({"bytes": 8}, {8}), ({"bytes": 4}, {8, 512})):
        made = Run.create(run.folder.parent / f"checked-{checked['bytes']}", dict(run.about))
        wrong = {"event": "check", "case": checked, "passed": False, "detail": "byte 7"}
        for number in range(3):
            longer = {"event": "block", "case": {"bytes": 512, "hops": None}, "metric": "round_trip", "block": 0}
            longer |= {"batch": 1, "first": None, "values": [3e-6] * 9, "t0": 5.0, "t1": 5.3, "accounting": QUIET}
            launch(made, number, [(2e-6, {})] * 3, longer, wrong, benchmark="echo")
        (section,) = document(made)["benchmarks"]
        found = {f["params"]["bytes"] for f in section["figures"] if f["state"] == "invalid"}
        assert found == invalid and section["failed_checks"] == 1


def test_what_was_seen_and_moved_nothing_is_a_cause_and_no_warning(run: Run) -> None:
    for number in range(3):
        launch(run, number, [(1e-5, HOG if number == i == 1 else {}) for i in range(6)])
    whole = document(run)
    assert "others" in {cause["cause"] for cause in whole["causes"]}
    assert whole["state"] == "clean"
    assert whole["warnings"] == []
    assert 0 <= figure(whole)["disturbance"]["high"] < 0.02 and figure(whole)["marked"] == 1
