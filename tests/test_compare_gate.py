"""`assay compare`: its columns are the report's figures, and a threshold that nobody could judge is not met."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.case import Case
from assay.document.comparison import FigureRow, JudgedRow
from assay.document.json_form import from_json
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.judge import comparison, gate
from assay.report.render import comparison_tables, runs_page, runs_table
from assay.store import Run
from assay.verbs import _prediction
from command_line import assay
from made_documents import as_json, document, figure, section
from test_document import block, launch


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")


def made(folder: Path, launches: int, factor: float = 1.0, lengths: tuple[int, ...] = (8, 1024, 65536)) -> str:
    """A run of echo: launches that vary by a thousandth, every length `factor` times as slow."""
    run = Run.create(folder, {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    for number in range(launches):
        seconds = [factor * (1e-6 + n * 1e-9) * (1 + 1e-3 * (number % 3)) for n in lengths]
        launch(run, number, [block(n, [s] * 5) for n, s in zip(lengths, seconds, strict=True)])
    return str(folder)


def earlier(folder: Path, lengths: tuple[int, ...] = (8, 1024, 65536)) -> None:
    """Two earlier runs that do not differ: how far equal runs differ here is known then."""
    for name in ("before-1", "before-2"):
        run = Run.open(made(folder / name, 12, lengths=lengths))
        (run.folder / "provenance" / "p.json").write_text('{"kernel": "1"}')
        run.finish("done")


def compared(*words: str) -> dict[str, Any]:
    done = assay("compare", *words, "--json")
    assert done.status in (0, 3, 4), done.err
    (entry,) = done.document["comparisons"]
    return {"status": done.status, **done.document, "entry": entry}


def test_three_launches_cannot_be_judged_and_the_threshold_says_so(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", 3), made(tmp_path / "b", 3)
    assert assay("compare", a, b).status == 0  # no threshold, nothing missed
    done = assay("compare", a, b, "--margin", "0.03")
    assert done.status == 4 and "3 launches, 6 needed" in done.out and "threshold not judged" in done.out
    found = compared(a, b, "--margin", "0.03")
    assert found["status"] == 4 and found["judged"] is False and found["passed"] is False
    assert found["entry"]["gate"]["unjudged"] and not found["entry"]["gate"]["missed"]


@pytest.mark.parametrize("launches", [6, 7, 9, 10, 12])
def test_enough_launches_that_are_alike_meet_the_threshold(tmp_path: Path, launches: int) -> None:
    earlier(tmp_path)
    a, b = made(tmp_path / "a", launches), made(tmp_path / "b", launches)
    done = assay("compare", a, b, "--margin", "0.03")
    assert done.status == 0 and "threshold met" in done.out, done.out


def test_a_run_beside_itself_is_equal(tmp_path: Path) -> None:
    a = made(tmp_path / "a", 3)
    found = compared(a, a, "--margin", "0.01")
    assert found["status"] == 0 and found["judged"] and found["passed"]
    assert {row["verdict"] for row in found["entry"]["rows"]} == {"equal"}


def test_what_has_nothing_in_common_does_not_pass(tmp_path: Path) -> None:
    a, b = made(tmp_path / "a", 10, lengths=(8,)), made(tmp_path / "b", 10, lengths=(16,))
    done = assay("compare", a, b, "--margin", "0.5")
    assert done.status == 4 and "nothing in common" in done.out
    assert compared(a, b, "--margin", "0.5")["judged"] is False


def test_the_figures_that_are_named_decide(tmp_path: Path) -> None:
    earlier(tmp_path)
    a = made(tmp_path / "a", 10)
    slower = Run.create(tmp_path / "b", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    for number in range(10):
        lines = [block(n, [(1e-6 + n * 1e-9) * (1 + 1e-3 * (number % 3))] * 5) for n in (8, 1024, 65536)]
        launch(slower, number, [*lines, block(4096, [2e-6] * 5)])
    b = str(slower.folder)
    assert compared(a, b, "--margin", "0.03")["status"] == 0  # the headlines that both have
    found = compared(a, b, "--margin", "0.03", "--figures", "echo.rate")
    assert found["status"] == 4 and found["judged"] is False  # b has a length that a has not
    assert any("4 KiB" in text and "not measured in" in text for text in found["entry"]["gate"]["unjudged"])
    wrong = assay("compare", a, b, "--margin", "0.03", "--figures", "echo.latency")
    assert wrong.status == 2 and "echo.half_round_trip" in wrong.err and "echo.latency" in wrong.err
    assert assay("compare", a, b, "--figures", "echo.rate").status == 2  # without a margin there is no threshold


def test_what_is_printed_is_the_figures_that_were_asked_for(tmp_path: Path) -> None:
    """With --figures the table had all twenty figures of both runs; the JSON has them still."""
    a, b = (made(tmp_path / name, 10) for name in "ab")
    asked = ("compare", a, b, "--margin", "0.03", "--figures", "echo.rate")
    every, some = (assay(*words).out for words in (asked[:5], asked))
    assert "half round trip" in every and "rate" in every
    assert "half round trip" not in some and "rate" in some and "3 figures judged" in some
    names = {row["figure"] for row in compared(*asked[1:])["entry"]["rows"]}
    assert names == {"half_round_trip", "rate"}


def test_no_ratio_is_shown_of_what_is_only_a_bound() -> None:
    """Best readings of 9.7 and 17.7 ms had "1.825" beside them, and a bar in the page of both."""
    runs = [document(part(value), run=name) for value, name in ((9.7e-3, "a"), (17.7e-3, "b"))]
    rows = [row for row in comparison.against(*runs) if isinstance(row, FigureRow)]
    for grid in (comparison_tables.table_of_runs(rows, "a", "b"), runs_table.table(runs_table.side_by_side(runs))):
        (of_bound,) = [row for row in grid.rows if "9.7 ms (bound)" in row]
        (of_rate,) = [row for row in grid.rows if "1 GB/s" in row]
        assert "1.825" not in str(of_bound) and "–" in of_bound and "1.000" in str(of_rate)
    drawn = {each.title: each for each in runs_page.bars(runs_table.side_by_side(runs))}
    assert set(drawn) == {"echo rate"} and [bar.width for bar in drawn["echo rate"].bars] == [1.0, 1.0]


def part(seconds: float) -> Section:
    """A time that is only a bound, and a rate with three launches."""
    rate = figure("rate", 1e9, "B/s", bytes=8) | {"by_launch": [[i, 1e9] for i in range(3)]}
    made = [figure("time", seconds, "s", "best", bytes=8) | {"state": "bound"}, rate]
    return section("echo", [each | {"benchmark": "echo"} for each in made])


def test_an_improvement_misses_nothing_where_only_worse_counts(tmp_path: Path) -> None:
    """Status, JSON and text; the time of half a round trip falls while its rate rises."""
    earlier(tmp_path)
    a, slow, fast, same = (
        made(tmp_path / name, 10, factor) for name, factor in (("a", 1.0), ("s", 1.2), ("f", 0.8), ("e", 1.0))
    )
    words = ("--margin", "3%", "--figures", "echo")
    for other, usual, only_worse in ((slow, 3, 3), (fast, 3, 0), (same, 0, 0)):
        assert compared(a, other, *words)["status"] == usual
        found = compared(a, other, *words, "--only-worse")
        assert (found["status"], found["only_worse"]) == (only_worse, True)
        assert found["passed"] == (only_worse == 0) and found["judged"]
    out = assay("compare", a, fast, *words, "--only-worse").out
    assert "threshold met: 6 figures are equal within 3.0% or better" in out
    lone = assay("compare", a, fast, "--only-worse")
    assert lone.status == 2 and "--only-worse: has no effect here" in lone.err


def test_a_count_that_became_zero_is_better_where_less_is() -> None:
    """Errors of 3 and 0 have no ratio: the direction is that of the values."""
    runs = [
        document(section("file-rate", [figure("wrong_blocks", value, "1") | {"benchmark": "b"}]), run=name)
        for value, name in ((3.0, "a"), (0.0, "b"))
    ]
    row = FigureRow(
        benchmark="b", metric="m", figure="wrong", params=Case(), unit="1", better="lower", ratio=None, margin=0.03,
        a=comparison.side(runs[0], runs[0].benchmarks[0].figures[0]),
        b=comparison.side(runs[1], runs[1].benchmarks[0].figures[0]), verdict="differs", reason="3 and 0",
    )  # fmt: skip
    for better, missed in (("lower", False), ("higher", True)):
        found = gate.judge([replace(row, better=better)], *runs, set(), only=False, only_worse=True)
        assert bool(found.missed) == missed


def test_tails_of_both_runs_are_shown(tmp_path: Path) -> None:
    """Two readings of eleven are three times as long in B: its median says nothing of it."""
    a = made(tmp_path / "a", 8, lengths=(8,))
    run = Run.create(tmp_path / "b", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    for number in range(8):
        seconds = (1e-6 + 8e-9) * (1 + 1e-3 * (number % 3))
        launch(run, number, [block(8, [seconds] * 9 + [3 * seconds] * 2)])
    b = str(run.folder)
    rows = {row["figure"]: row for row in compared(a, b)["entry"]["rows"]}
    time, rate = rows["half_round_trip"], rows["rate"]
    assert time["a"]["tail"] == pytest.approx(time["a"]["value"], rel=3e-3)
    assert time["b"]["tail"] == pytest.approx(3 * time["b"]["value"], rel=3e-3)
    assert rate["b"]["tail"] == pytest.approx(rate["b"]["value"] / 3, rel=3e-3)
    out = assay("compare", a, b).out
    assert "A, tail" in out and "Tail: a tenth of all readings is worse." in out and "504.5 ns, 1.5" in out, out


def test_a_headline_that_the_other_run_lost_is_not_judged(tmp_path: Path) -> None:
    a = made(tmp_path / "a", 10)
    broken = Run.create(tmp_path / "b", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    for number in range(10):
        wrong = {"event": "check", "case": {"bytes": 65536, "hops": None}, "passed": False, "detail": "byte 7"}
        launch(broken, number, [block(65536, [70e-6] * 5), wrong])
    done = assay("compare", a, str(broken.folder), "--margin", "0.9")
    assert done.status == 4 and "invalid in" in done.out


def test_a_benchmark_that_was_planned_and_never_begun_is_not_judged(tmp_path: Path) -> None:
    """A run that was interrupted early: what it measured is equal, and what it lacks must not pass."""
    runs = []
    for name, benchmarks in (("a", ("echo", "peak")), ("b", ("echo",))):
        about = {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {"names": ["echo", "peak"]}}
        run = Run.create(tmp_path / name, about)
        for number in range(10):
            launch(run, number, [block(8, [1e-6 * (1 + 1e-3 * (number % 3))] * 5)])
            if "peak" in benchmarks:
                launch(
                    run,
                    number,
                    [{**block(8, [1e-11] * 5), "metric": "time", "case": {"type": "float64"}}],
                    benchmark="peak",
                )
        runs.append(str(run.folder))
    found = compared(*runs, "--margin", "0.03")
    assert found["status"] == 4 and any(text.startswith("peak ") for text in found["entry"]["gate"]["unjudged"])
    assert {row["verdict"] for row in found["entry"]["rows"]} == {"equal"}


def test_a_bound_or_a_disturbed_figure_is_not_called_equal(tmp_path: Path) -> None:
    a, b = (as_json(Run.open(made(tmp_path / name, 12))) for name in "ab")

    def rows() -> list[JudgedRow | FigureRow]:
        return comparison.against(from_json(Document, a), from_json(Document, b))

    assert {row.verdict for row in rows()} == {"equal"}
    figure = next(f for f in b["benchmarks"][0]["figures"] if f["statistic"] == "median" and f["params"]["bytes"] == 8)

    def verdict() -> tuple[str, str]:
        (row,) = (
            row for row in rows() if (row.figure, row.params["bytes"]) == (figure["name"], figure["params"]["bytes"])
        )
        return row.verdict, row.reason or ""

    for state in ("bound", "invalid"):
        figure["state"] = state
        assert verdict()[0] == "inconclusive" and state in verdict()[1]
        both = from_json(Document, a), from_json(Document, b)
        found = gate.judge(rows(), *both, gate.required(*both, ["echo"]), only=True)
        assert not found.judged and not found.passed
    figure["state"], figure["disturbance"] = "disturbed", {"low": 0.0, "high": 0.2}
    assert verdict()[0] == "inconclusive" and "disturbance" in verdict()[1]
    figure["disturbance"] = {"low": 0.0, "high": None}  # nobody knows how far
    assert verdict()[0] == "inconclusive"
    figure["disturbance"] = {"low": 0.0, "high": 0.01}
    assert verdict()[0] == "equal"


def test_the_columns_are_the_reports_figures_for_nodes_and_factors_too(tmp_path: Path) -> None:
    """Two nodes a launch, whose medians differ, and two numbers of ranks per node, which share launch numbers."""
    dice = np.random.default_rng(3)
    runs = []
    for name in "ab":
        run = Run.create(tmp_path / name, {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
        for number in range(7):
            for ppn, base in ((1, 1e-6), (2, 5e-6)):
                lines = [block(8, (base * (1 + 0.2 * dice.random(5))).tolist())]
                launch(run, number, lines, factors={"ppn": ppn})
                only = run.folder / "launches" / f"{number:03d}-echo-ppn{ppn}.jsonl"
                begun, *rest = (json.loads(line) for line in only.read_text().splitlines())
                begun["placement"] = [{"rank": 0, "host": "n2"}]
                rest[0]["values"] = [value * 3 for value in rest[0]["values"]][:3]
                other = only.with_name(f"{number:03d}-echo-ppn{ppn}@n2.jsonl")
                other.write_text("".join(json.dumps(line) + "\n" for line in (begun, *rest)))
        runs.append(run)
    a, b = map(as_json, runs)
    entry = compared(*(str(run.folder) for run in runs))["entry"]
    assert len(entry["rows"]) == 4  # two figures, two numbers of ranks per node
    for side, whole in (("a", a), ("b", b)):
        printed = {
            (f["name"], Case(f["params"])): f["value"]
            for f in whole["benchmarks"][0]["figures"]
            if f["statistic"] == "median"
        }
        for row in entry["rows"]:
            assert row[side]["value"] == printed[row["figure"], Case(row["params"])]  # to the last bit
    for row in entry["rows"]:
        assert row["ratio"] == row["b"]["value"] / row["a"]["value"]
        assert row["pairs"] == 7


def test_rows_come_in_order_of_size_and_the_ratio_is_of_the_columns_beside_it(tmp_path: Path) -> None:
    lengths = (65536, 8, 1024, 100)
    a, b = made(tmp_path / "a", 6, lengths=lengths), made(tmp_path / "b", 6, 1.5, lengths=lengths)
    rows = compared(a, b)["entry"]["rows"]
    assert [row["params"]["bytes"] for row in rows if row["figure"] == "rate"] == sorted(lengths)
    text = assay("compare", a, b).out
    lines = [line.split() for line in text.splitlines() if line.startswith("half round trip")]
    assert len(lines) == 4
    for row in rows:
        assert row["ratio"] == pytest.approx(row["b"]["value"] / row["a"]["value"], rel=1e-12)
    assert all("1.500" in line for line in lines)


def test_a_rate_of_nothing_is_equal_to_another(tmp_path: Path) -> None:
    """A length of 0 bytes has a rate of 0 in every run: a threshold on rates is not shut by it."""
    earlier(tmp_path, (0, 1024))
    a, b = (made(tmp_path / name, 10, lengths=(0, 1024)) for name in "ab")
    found = compared(a, b, "--margin", "0.03", "--figures", "rate")
    assert found["status"] == 0 and found["passed"]
    row = next(r for r in found["entry"]["rows"] if r["params"]["bytes"] == 0 and r["figure"] == "rate")
    said = assay("compare", a, b, "-q").out
    assert "3 figures of 2 measured quantities judged at a margin of 3.0%: 3 equal, 0 differ, 0 inconclusive" in said
    assert said.rstrip().endswith("; 1 zero on both sides")
    (line,) = [line for line in assay("compare", a, b).out.splitlines() if "0 B/s" in line]
    assert "equal" not in line and line.rstrip().endswith("–")
    assert row["verdict"] == "equal" and row["ratio"] is None and "zero" in row["reason"]


def test_quiet_says_only_what_is_found(tmp_path: Path) -> None:
    earlier(tmp_path)
    a, b = (made(tmp_path / name, 10) for name in "ab")
    told = assay("compare", a, b, "--margin", "0.03", "-q").out.splitlines()
    assert (
        len(told) == 2 and "6 equal, 0 differ" in told[0] and told[1].startswith("threshold met: 2 figures are equal")
    )
    c, d = (made(tmp_path / name, 10, lengths=(8,)) for name in "cd")
    told = assay("compare", c, d, "--margin", "0.03", "--figures", "echo.half_round_trip", "-q").out.splitlines()
    assert told[1:] == ["threshold met: 1 figure is equal within 3.0%"]


def test_simulated_machines_need_one_launch(tmp_path: Path) -> None:
    for name, startup in (("one", 70), ("same", 70), ("slow", 90)):
        file = tmp_path / f"{name}.toml"
        file.write_text(f'name = "{name}"\nnodes = 2\n[messages]\nstartup = "{startup} us"\nper_byte = "0.4 us/B"\n')
        words = ("--set", "bytes=8,1024", "--out", str(tmp_path / name), "--json")
        assert assay("run", "echo", "--on", str(file), *words).status == 0
    one, same, slow = (str(tmp_path / name) for name in ("one", "same", "slow"))
    assert compared(one, same, "--margin", "0.01")["status"] == 0
    found = compared(one, slow, "--margin", "0.01")
    assert found["status"] == 3 and found["judged"] is True and found["entry"]["gate"]["missed"]


def test_a_run_stands_beside_a_machine_that_is_only_described(tmp_path: Path) -> None:
    run = Run.create(
        tmp_path / "real",
        {
            "machine": "here",
            "host": {"usable_cpus": 4},
            "wishes": {"settings": {"bytes": "8,1024"}},
            "plan": {"profile": "quick", "launches": 12, "seed": 1, "tasks": [task(number) for number in range(12)]},
        },
    )
    for number in range(12):
        times = [2 * (70e-6 + 0.4e-6 * n) * (1 + 1e-3 * (number % 3)) for n in (8, 1024)]
        launch(run, number, [block(n, [t] * 5) for n, t in zip((8, 1024), times, strict=True)])
    for name, startup in (("like", "70 us"), ("unlike", "90 us")):
        file = tmp_path / f"{name}.toml"
        file.write_text(f'name = "{name}"\nnodes = 4\n[messages]\nstartup = "{startup}"\nper_byte = "0.4 us/B"\n')
    like = compared(str(run.folder), str(tmp_path / "like.toml"), "--margin", "0.03")
    assert like["status"] == 0 and like["entry"]["kind"] == "simulated" and len(like["entry"]["rows"]) == 4
    assert {row["verdict"] for row in like["entry"]["rows"]} == {"equal"}
    assert {row["b"]["kind"] for row in like["entry"]["rows"]} == {"simulated"}
    unlike = compared(str(run.folder), str(tmp_path / "unlike.toml"), "--margin", "0.03")
    assert unlike["status"] == 3 and unlike["judged"] is True
    half = next(r for r in unlike["entry"]["rows"] if r["figure"] == "half_round_trip" and r["params"]["bytes"] == 8)
    assert half["b"]["value"] == pytest.approx(90e-6 + 8 * 0.4e-6) and half["verdict"] == "differs"
    assert assay("compare", str(run.folder), "no-such-machine").status == 2


@pytest.mark.parametrize("launches", [7, 8])
def test_eight_launches_beside_a_prediction_are_held_against_themselves(launches: int, tmp_path: Path) -> None:
    """Halves of four: 1 of 70 orders is as extreme, by the rank-sum test; of three 1 of 20, which is not below 5%."""
    run = made(tmp_path / "run", launches, lengths=(8,))
    file = tmp_path / "described.toml"
    file.write_text('name = "described"\nnodes = 4\n[messages]\nstartup = "1 us"\nper_byte = "0.001 us/B"\n')
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    plan = {"profile": "quick", "launches": launches, "seed": 1, "tasks": [task(number) for number in range(launches)]}
    about |= {"plan": plan, "wishes": {"settings": {"bytes": "8"}}}
    (tmp_path / "run" / "run.json").write_text(json.dumps(about))
    said = " ".join(assay("compare", run, str(file)).out.split())
    assert "The runs were not interleaved" in said
    assert ("No A/A run: fewer than eight launches" in said) == (launches < 8)
    assert ("A/A (even against odd launches" in said) == (launches >= 8)


def test_what_a_machine_lacks_is_said_of_what_was_published_and_not_of_its_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("-n", "4", "--set", "bytes=8", "--out", str(tmp_path / "run"), "-q")
    assert assay("run", "alltoall", "--on", "sgi-l1200-cluster", *words).status == 0
    name = "ibm-netfinity-cluster"  # described, and published with an all-to-all of other lengths
    done = assay("compare", str(tmp_path / "run"), name, "-q")
    first, second = done.out.splitlines()
    assert first.startswith(f"{name} compared with ")
    assert "2 figures of 1 simulated quantity judged at a margin of 3.0%" in first
    assert second.endswith(f" and what was published of {name} have no figure in common")
    simulated = _prediction.predict_run

    def doubtful(run: Run, machine: str, *more: Any) -> Document | None:
        found = simulated(run, machine, *more)
        return None if found is None else replace(found, state="invalid", warnings=["alltoall: a rank stopped"])

    monkeypatch.setattr(_prediction, "predict_run", doubtful)
    done = assay("compare", str(tmp_path / "run"), name, "-q")  # no report of the simulation is kept
    assert f"{name} is invalid: alltoall: a rank stopped\n" in done.err and "says why" not in done.err


def task(number: int) -> dict[str, Any]:
    about = {"benchmark": "echo", "launch": number, "seed": 1, "ranks": 2, "arguments": [], "timeout": 300.0}
    return {**about, "ppn": None, "factors": {}}


def test_a_published_machine_is_never_judged(tmp_path: Path) -> None:
    a = made(tmp_path / "a", 10)
    done = assay("compare", a, "sgi-l1200-cluster", "--margin", "0.03")
    assert done.status == 4 and "not judged" in done.out


def test_a_machine_has_the_same_names_as_elsewhere(tmp_path: Path) -> None:
    a = made(tmp_path / "a", 3)
    for typed, known in (("KSR1", "ksr"), ("ksr1", "ksr"), ("TC2000", "bbn-tc2000"), ("Paragon_MP", "paragon-mp")):
        done = assay("compare", a, typed, "--json")
        assert done.status == 0 and {entry["with"] for entry in done.document["comparisons"]} == {known}, done.err
    wrong = assay("compare", a, "ksrr")
    assert wrong.status == 2 and "is neither a run nor a machine; did you mean ksr?" in wrong.err
    assert "no such variant" in assay("compare", a, "paragon-mp:nothing").err


def test_a_margin_is_a_share_or_a_percentage(tmp_path: Path) -> None:
    a, b = (made(tmp_path / name, 10) for name in "ab")
    assert compared(a, b, "--margin", "3%")["entry"]["rows"] == compared(a, b, "--margin", "0.03")["entry"]["rows"]
    for wrong in ("3", "0", "0.01%", "95%", "much"):
        done = assay("compare", a, b, "--margin", wrong)
        assert done.status == 2 and done.err.startswith("assay: --margin: is no") and len(done.err.splitlines()) == 1
