"""The verdict: lines with bars against bounds, findings worst first, the grade and its thresholds, earlier runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.document.json_form import from_json, to_json
from assay.document.reported_figure import Headline
from assay.execute.plan import Plan
from assay.report.derive.document import document as document_of
from assay.report.derive.states import words
from assay.report.judge.verdict import verdict
from assay.report.render import page, summary, tables
from assay.report.render.cases import cases
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import disturbance
from assay.store import Run
from command_line import assay
from described_echo import MACHINE
from judged_documents import earlier, judge, part
from made_documents import document, figure, headline, section

Json = dict[str, Any]


def test_each_part_comes_first_with_what_its_record_puts_first() -> None:
    crowd = [headline(f"m{i}", 1e9, "B/s", order=i or None) for i in (3, 1, 2, 0)]
    run = document(part("echo", "messages", *crowd), part("stream", "memory", headline("triad", 1e9, "B/s", order=1)))
    assert [line["title"] for line in judge(run)["lines"]] == ["triad", "m1", "m2", "m3", "m0"]  # by part, then order
    many = document(*(part(f"b{i}", "memory", headline(f"h{i}", 1.0, "s", order=i + 1)) for i in range(20)))
    assert [line["title"] for line in judge(many)["lines"]] == [f"h{i}" for i in range(10)]


def test_a_bar_is_the_share_of_its_bound_and_longer_is_better_whatever_the_unit() -> None:
    pairs = [
        figure("time", 50e-9, "s", first=0, second=1) | {"better": "lower"},
        figure("time", 1e-9, "s", first=0, second=0) | {"better": "lower"},
    ]
    slow = headline("8 bytes", 200e-9, "s", bound="line_transfers", better="lower")
    run = document(part("core-to-core", "threads", figures=pairs), part("echo", "messages", slow))
    (line,) = judge(run)["lines"]
    assert line["bound"]["value"] == pytest.approx(50e-9)  # not a processor with itself
    assert line["bar"]["at"] == pytest.approx(0.25) and line["bar"]["text"] == "25%"
    assert line["bar"]["low"] == pytest.approx(50 / 220) and line["bar"]["high"] == pytest.approx(50 / 180)
    assert "50 ns: one cache-line transfer between cores" in line["bound_text"]


@pytest.mark.parametrize(("better", "value", "word"), [("lower", 20e-9, "below"), ("higher", 9e9, "above")])
def test_a_bound_that_was_passed_is_none_and_says_on_which_side(better: str, value: float, word: str) -> None:
    pairs = [figure("time", 50e-9, "s", first=0, second=1)]
    rates = [figure("rate", 5e9, "B/s", "best", kernel="read", threads=1)]
    key, unit = ("line_transfers", "s") if better == "lower" else ("memory_rate", "B/s")
    made = headline("passed", value, unit, bound=key, better=better)
    several = part("core-to-core", "threads", figures=pairs), part("stream", "memory", figures=rates)
    (line,) = judge(document(*several, part("echo", "messages", made)))["lines"]
    assert line["bar"] is None and line["bound_text"].startswith(f"{word} 5") and "no bound here" in line["bound_text"]


def test_what_one_figure_passed_bounds_no_other_of_this_run_and_every_view_says_so() -> None:
    """A barrier of 33 ns below a transfer of 180 ns, and beside it one of 320 ns that had "56% of 180 ns"."""
    pairs = [figure("time", 180e-9, "s", first=0, second=1) | {"better": "lower"}]

    def line(title: str, value: float, **params: Any) -> Json:
        return headline(title, value, "s", bound="line_transfers", better="lower") | {"params": params}

    passing = part("thread-barrier", "threads", line("fast", 33e-9, threads=2))
    others = part("barrier", "messages", line("of two", 320e-9, ranks=2), line("of eight", 900e-9, ranks=8))
    run = document(part("core-to-core", "threads", figures=pairs), passing, others)
    before = [earlier("r0", {**each, "value": 300e-9}) for each in judge(run)["lines"] if each["title"] == "fast"]
    run = replace(run, summary=verdict(run, None, before))
    said = "no bound here, fast passed it"
    shown = to_json(run)["summary"]["lines"]
    assert [each["bound"] is None for each in shown if each["title"] != "fast"] == [True, True]
    for text in (page.html(run).partition('id="pack"')[0], as_markdown(run), " ".join(summary.terminal(run))):
        flat = " ".join(text.replace("<wbr>", "").split())
        assert said in flat and "56%" not in flat and "60%" not in flat  # of 180 ns, of three times that
        assert "below 180 ns (one cache-line transfer between cores, fastest launch), which is no bound here" in flat
    assert "no share of 180 ns" in str(tables.headlines(run).rows) and "no share of 540 ns" in str(
        tables.headlines(run).rows
    )
    alone = document(part("core-to-core", "threads", figures=pairs), others)
    assert [each["bar"]["text"] for each in judge(alone)["lines"]] == ["56%", "60%"]


@pytest.mark.parametrize(
    ("value", "ends", "word"),
    [
        (0.9994, [0.998, 1.001], "of 1: not slowed at all"),
        (0.9994, [0.998, 0.9999], "of 1: not slowed at all"),  # written "0.998 – 1"
        (0.98, [0.97, 0.99], "below 1 (not slowed at all), which is no bound here"),
    ],
)
def test_a_bound_within_the_interval_of_a_figure_is_not_called_refuted(
    value: float, ends: list[float], word: str
) -> None:
    made = headline("slowdown", value, "1", bound="not_slowed", better="lower", range=ends)
    (line,) = judge(document(part("interference", "messages", made)))["lines"]
    assert line["bound_text"] == word and (line["bar"] is None) == ("no bound here" in word)
    if line["bar"]:
        assert (line["bar"]["text"], line["bar"]["at"]) == ("100%", 1.0)


def test_what_reaches_less_than_half_of_its_bound_says_what_its_record_advises() -> None:
    pairs = [figure("time", 50e-9, "s", first=0, second=1) | {"better": "lower"}]

    def found(value: float, advice: str | None) -> list[Json]:
        slow = headline("8 bytes", value, "s", bound="line_transfers", better="lower", advice=advice)
        run = document(part("core-to-core", "threads", figures=pairs), part("echo", "messages", slow))
        return [each for each in judge(run)["findings"] if "8 bytes" in each["text"]]

    assert [each["advice"] for each in found(200e-9, "do this")] == ["do this"]
    assert [each["advice"] for each in found(200e-9, None)] == [""]
    assert found(90e-9, "do this") == []


def test_a_barrier_of_many_is_bound_by_as_many_transfers_as_there_are_doublings() -> None:
    pairs = [figure("time", 50e-9, "s", first=0, second=1)]
    of_eight = headline("barrier", 1e-6, "s", bound="line_transfers", better="lower") | {"params": {"ranks": 8}}
    run = document(part("core-to-core", "threads", figures=pairs), part("barrier", "messages", of_eight))
    assert judge(run)["lines"][0]["bound"]["value"] == pytest.approx(150e-9)


def test_a_message_is_bound_by_a_copy_in_the_level_that_holds_it() -> None:
    made = []
    for level, rate, size in (("L1", 200e9, 2**14), ("L2", 100e9, 2**20), ("memory", 20e9, 2**30)):
        made.append(figure("rate", rate, "B/s", "best", level=level, threads=1))
        made.append(figure("rate", 9 * rate, "B/s", "best", level=level, threads=2))
        made.append(figure("size", size, "B", level=level, threads=1))
    for length, bound in ((4096, 100e9), (2**19, 50e9), (2**24, 10e9)):
        rate = headline("long", 5e9, "B/s", bound="copy_rate") | {"params": {"bytes": length}}
        run = document(part("levels", "memory", figures=made), part("echo", "messages", rate))
        assert judge(run)["lines"][0]["bound"]["value"] == pytest.approx(bound)


def test_without_a_bound_a_line_has_no_bar_and_earlier_runs_give_it_a_scale() -> None:
    run = document(part("lock", "threads", headline("lock", 20e-9, "s", better="lower")))
    line = judge(run)["lines"][0]
    assert line["bar"] is None and line["bound_text"] == "no physical bound is known"
    for text in ("\n".join(summary.terminal(run, 80)), summary.markdown(run)):
        assert "no physical bound is known" in text
    before = [earlier("r0", {**line, "value": 10e-9}, {**line, "unit": "B/s", "value": 1.0})]
    bar = judge(run, before)["lines"][0]["bar"]
    assert bar["bounded"] is False and bar["at"] == pytest.approx(0.5)
    assert bar["ticks"] == [{"run": "r0", "at": 1.0}]
    assert judge(run, before)["lines"][0]["bound_text"] == ""  # the scale is said instead


def test_the_runs_counted_are_those_whose_ticks_are_drawn_and_the_page_explains_them() -> None:
    """Of three runs before, one measured something else; a dark line is explained where there is one."""
    run = document(part("lock", "threads", headline("lock", 20e-9, "s", better="lower")))
    line = judge(run)["lines"][0]
    before = [earlier(name, {**line, "value": 10e-9}) for name in ("r0", "r1")]
    found = verdict(run, None, [*before, earlier("r2", {**line, "unit": "B/s"})])
    assert found.lines[0].bar is not None and len(found.lines[0].bar.ticks) == found.earlier == 2
    html = page.html(replace(run, summary=found))
    assert html.count('class="tick"') == 2 and "red ticks: 2 earlier runs." in html
    assert "dark line: the range across launches" in html
    assert "  │ 2 earlier runs" in summary.terminal(replace(run, summary=found), 80)
    assert "red ticks" not in page.html(run)


@pytest.mark.parametrize(
    ("better", "value", "state", "low", "said"),
    [
        ("higher", 3e9, "clean", 0.0, True),  # a third of what it was
        ("higher", 9e9, "clean", 0.0, False),
        ("higher", 3e9, "disturbed", -0.7, False),  # as others' work may explain
        ("higher", 3e9, "disturbed", -0.4, True),
        ("lower", 30e9, "clean", 0.0, True),
        ("lower", 3e9, "clean", 0.0, False),
    ],
)
def test_what_is_far_slower_than_earlier_runs_is_said(
    better: str, value: float, state: str, low: float, said: bool
) -> None:
    moved = {"disturbance": {"low": low, "high": 0.0}} if state == "disturbed" else {}
    run = document(part("stream", "memory", headline("triad", value, "B/s", better=better, state=state) | moved))
    line = judge(run)["lines"][0]
    before = [earlier(f"r{i}", {**line, "value": of}) for i, of in enumerate((9e9, 10e9, 50e9))]
    found = [
        each for each in judge(run, before)["findings"] if "slower than earlier runs here (10 GB/s)" in each["text"]
    ]
    assert bool(found) is said
    assert not said or ("triad: 3" in found[0]["text"] and "assay compare r0 RUN" in found[0]["advice"])
    assert not any("slower than earlier" in each["text"] for each in judge(run, before[:2])["findings"])


def test_a_bound_that_an_earlier_run_passed_gives_way_to_what_that_run_reached() -> None:
    streamed = [figure("rate", 5e9, "B/s", "best", kernel="read", threads=1)]
    run = document(part("stream", "memory", headline("triad", 4e9, "B/s", bound="memory_rate"), figures=streamed))
    line = judge(run)["lines"][0]
    assert line["bar"]["text"] == "80%"
    before = [earlier("r0", {**line, "value": 20e9})]
    line = judge(run, before)["lines"][0]
    assert line["bar"]["text"] == "20%" and line["bound_text"] == "of 20 GB/s: reached by an earlier run"
    assert line["bar"]["ticks"] == [{"run": "r0", "at": 1.0}]


def test_a_figure_that_is_only_a_bound_bounds_others_still() -> None:
    pairs = [figure("time", 50e-9, "s", "best", first=0, second=1) | {"state": "bound"}]
    slow = headline("8 bytes", 200e-9, "s", bound="line_transfers", better="lower")
    run = document(part("core-to-core", "threads", figures=pairs), part("echo", "messages", slow))
    assert judge(run)["lines"][0]["bar"]["text"] == "25%"


@pytest.mark.parametrize(
    ("key", "of", "pair", "bound"),
    [
        ("line_transfers", "core-to-core", {"first": 0, "second": 1}, 40e-9),
        ("two_atomics", "hotspot", {"update": "atomic", "threads": 1}, 80e-9),
    ],
)
def test_a_bound_of_times_is_the_fastest_launch(key: str, of: str, pair: Json, bound: float) -> None:
    """The median launch of the bound's benchmark was held up; a figure measured in a quiet moment stays above it."""
    times = [figure("time", 60e-9, "s", **pair) | {"by_launch": [[0, 70e-9], [1, 40e-9], [2, 60e-9]]}]
    quiet = headline("quiet", 100e-9, "s", bound=key, better="lower")
    (line,) = judge(document(part(of, "threads", figures=times), part("echo", "messages", quiet)))["lines"]
    assert line["bound"]["value"] == pytest.approx(bound) and line["bar"]["at"] == pytest.approx(bound / 100e-9)
    assert line["bound_text"].endswith("fastest launch")


@pytest.mark.parametrize(
    ("widths", "launches", "moved", "grades"),
    [
        ((0.01, 0.019, 0.05), 10, None, "AAAA"),
        ((0.01, 0.04, 0.05), 10, None, "BAAA"),
        ((0.01, 0.019, 0.14), 10, None, "BAAA"),  # the widest one counts as well
        ((0.01, 0.019, 0.05), 3, 0.04, "ABAB"),
        ((0.1, 0.2, 0.3), 2, 0.2, "DDAC"),
        ((0.01, 0.028), 10, None, "AAAA"),  # of two the mean stands in the middle, not the wider one
        ((0.01, 0.032), 10, None, "BAAA"),
    ],
)
def test_the_grade_is_the_worst_of_its_criteria(
    widths: tuple[float, ...], launches: int, moved: float | None, grades: str
) -> None:
    lines = [headline(f"h{i}", 1.0, "s") | {"range": [1 - w / 2, 1 + w / 2]} for i, w in enumerate(widths)]
    if moved is not None:
        lines[0] |= {"state": "disturbed", "disturbance": {"low": -moved, "high": 0.01}}
    found = judge(document(part("b", "memory", *lines, launches=launches)))["grade"]
    assert "".join(each["grade"] for each in found["criteria"]) == grades and found["grade"] == max(grades)
    assert all(each["thresholds"] and each["text"] for each in found["criteria"])


def test_what_is_missing_or_only_a_bound_costs_the_grade() -> None:
    fine = [part(f"b{i}", "memory", headline(f"h{i}", 1.0, "s")) for i in range(3)]
    lost = part("lost", "memory", state="invalid", warnings=["check failed"])
    found = judge(document(*fine, lost))
    assert {each["name"]: each["grade"] for each in found["grade"]["criteria"]}["missing"] == "D"
    assert (
        found["findings"][0]["kind"] == "missing"
        and "Lost: no valid result: check failed" in found["findings"][0]["text"]
    )
    bound = part("b", "memory", headline("h", 1.0, "s", state="bound"))
    assert {c["name"]: c["grade"] for c in judge(document(bound))["grade"]["criteria"]}["disturbance"] == "D"


@pytest.mark.parametrize("fault", [{"state": "bound"}, {"range": [0.5, 1.5]}, {"state": "disturbed"}])
@pytest.mark.parametrize(("fine", "grade"), [(2, "D"), (3, "A"), (10, "A")])
def test_one_bad_figure_of_many_leaves_the_others_their_grade(fine: int, grade: str, fault: Json) -> None:
    """A page cache that is only a bound says nothing of ten clean figures: its part is poor, the run is not."""
    good = [headline(f"h{i}", 1.0, "s") | {"range": [0.995, 1.005]} for i in range(fine)]
    bad = headline("page cache", 1.0, "B/s") | {"range": [0.995, 1.005]} | fault
    worst = "C" if fault == {"state": "disturbed"} else "D"
    run = document(part("stream", "memory", *good, launches=10), part("file-cache", "files", bad, launches=10))
    found = judge(run)["grade"]
    assert found["grade"] == (worst if grade == "D" else grade)
    assert [(each["part"], each["grade"]) for each in found["parts"]] == [("memory", "A"), ("files", worst)]
    assert any("page cache" in each["text"] for each in found["criteria"])  # which is named all the same
    printed = "\n".join(summary.terminal(run))
    assert f"by part: memory A, files {worst}" in printed and f"part files: {worst}" in summary.markdown(run)


def test_of_a_run_of_one_part_no_part_is_graded() -> None:
    assert judge(document(part("b", "memory", headline("h", 1.0, "s"))))["grade"]["parts"] == []


def test_of_a_run_that_measured_nothing_nothing_else_is_graded() -> None:
    """No figure is clean where there is none, and no launch has a range."""
    left = {"benchmark": "file-rate", "title": "Files", "reason": "the folder is too small"}
    lost = part("lost", "memory", state="invalid", warnings=["no block was finished"], launches=0)
    for run in (document(left_out=[left]), document(lost)):
        found = judge(run)["grade"]
        assert [(each["name"], each["grade"]) for each in found["criteria"]] == [("missing", "D")]


def test_a_simulated_machine_is_graded_by_what_is_missing_alone() -> None:
    run = document(part("echo", "messages", headline("h", 1.0, "s"), launches=1), described=True)
    found = judge(run)["grade"]
    assert found["grade"] == "A" and [each["name"] for each in found["criteria"]] == ["missing"]


def test_causes_stand_once_with_how_far_they_moved_what_and_what_to_do() -> None:
    moved = {"state": "disturbed", "low": -0.02, "high": 0.05}
    touched = [{"benchmark": "stream", "figure": "rate", "params": {}, **moved}]
    cause = {"cause": "others", "text": "other processes took 0.4 of 2 processors", "from": 0, "to": 9, "amount": 0.4}
    cause |= {"host": "", "processes": [], "figures": touched, "advice": "wait, or use fewer processors"}
    stream = part("stream", "memory", headline("triad", 1e9, "B/s", state="disturbed"), state="disturbed")
    run = document(stream, causes=[cause])
    first = judge(run)["findings"][0]
    assert "0.4 of 2 processors: figures of 1 benchmark moved by up to 5%" in first["text"]
    assert first["advice"] == "wait, or use fewer processors"
    assert sum("stream" in each["text"] for each in judge(run)["findings"]) == 0


def test_ranks_that_share_processors_come_before_what_a_quiet_machine_mends() -> None:
    """It moved by nobody knows how much, and four causes that moved more were seen."""
    touched = {"benchmark": "echo", "figure": "rate", "params": {}, "state": "disturbed"}
    rest = {"from": 0, "to": 9, "amount": 1.0, "host": "", "processes": [], "advice": ""}
    causes = [
        rest | {"cause": name, "text": name, "figures": [touched | {"low": -moved, "high": 0.0}]}
        for name, moved in (("others", 0.9), ("switches", 0.8), ("starved", 0.7), ("steal", 0.6))
    ]
    shared = rest | {"cause": "shared processors", "text": "4 ranks share 2 hardware threads"}
    shared["figures"] = [touched | {"low": None, "high": None}]
    run = document(part("echo", "messages", headline("rate", 1e9, "B/s", state="disturbed")), causes=[*causes, shared])
    assert judge(run)["findings"][0]["text"].startswith("4 ranks share 2 hardware threads")


def test_of_a_best_reading_no_cause_says_how_far_it_was_moved() -> None:
    """Only a bound is known of it: the median that it stands for may be thousands of times as long."""
    moved = {"state": "disturbed", "low": -0.02, "high": 0.05}
    touched = [{"benchmark": "stream", "figure": "rate", "params": {}, **moved}]
    touched += [{"benchmark": "lock", "figure": "rate", "params": {}, "state": "bound", "low": 0.0, "high": 68686.6}]
    cause = {"cause": "others", "text": "other processes took 2 of 2", "from": 0, "to": 9, "amount": 2.0}
    cause |= {"host": "", "processes": [], "figures": touched, "advice": "wait"}
    run = document(part("stream", "memory", headline("triad", 1e9, "B/s", state="disturbed")), causes=[cause])
    (first, *_) = judge(run)["findings"]
    assert "figures of 2 benchmarks moved by up to 5%, only a bound is known of 1" in first["text"]
    (table,) = disturbance.tables(run)
    assert "lock rate (only a bound is known)" in table.markdown()


def test_a_run_of_one_benchmark_says_why_its_grade_is_poor() -> None:
    """By the criteria that gave it; a good one needs no reason."""
    lines = summary.brief(document(part("b", "memory", headline("h", 1.0, "s", launches=1), launches=1)))
    reasons = [line for line in lines if line.startswith("  D ")]
    assert "  D launches: 1 per benchmark: neither range nor interval" in reasons and "(not reliable)" in lines[0]
    assert not any("missing" in line for line in reasons)
    simulated = document(part("b", "memory", headline("h", 1.0, "s"), launches=1), described=True)
    assert not any("launches:" in line for line in summary.brief(simulated))


def test_the_worst_comes_first() -> None:
    ceiling = section("flat", [figure("rate", 100e9, "flop/s", "best")], roof={"ceiling": "rate"}, part="processor")
    streamed = [figure("rate", 20e9, "B/s", kernel="triad", vector=0, threads=1)]
    lost = part("lost", "memory", state="invalid", warnings=["check failed"])
    found = judge(document(ceiling, part("stream", "memory", figures=streamed), lost))["findings"]
    assert [each["kind"] for each in found] == ["missing", "limit"]


def test_a_described_machine_stands_beside_what_was_published_of_it() -> None:
    errors = {
        "all": {"cells": 9, "median": 0.01, "p95": 0.1, "worst": 0.2},
        "transferred": {"cells": 4, "median": 0.02, "p95": 0.05, "worst": 0.06},
    }
    plain = {"transferred": {"cells": 4, "median": 0.09, "p95": 0.1, "worst": 0.2}}
    rest = {"paper": "p", "table": "t", "errors_beyond_print": None, "marks": {}, "unfollowable": [], "cells": []}
    tables = [
        rest | {"source": "Table 6", "benchmark": "echo", "errors": errors, "errors_baseline": plain},
        rest | {"source": "Table 7", "benchmark": "summary", "errors": {"all": errors["all"], "transferred": None}},
    ]
    said = "Of 3 claims 2 hold, 1 differ, 0 inconclusive. Of those that hold 1 were predicted"
    validation = {
        "machine": "m",
        "published": "m",
        "tables": tables,
        "claims": [],
        "summary": {"cells": "", "claims": said},
    }
    run = document(part("echo", "messages", headline("h", 1.0, "s")), described=True, validation=validation)
    assert judge(run)["published"] == [
        "Table 6, echo: 4 cells transferred, median error 2%, worst 6%; a baseline's without a simulator 9%",
        said,
    ]
    shown = " ".join(" ".join(summary.terminal(run)).split())
    assert "Table 6, echo: 4 cells transferred" in shown and "Of 3 claims 2 hold" in summary.markdown(run)
    assert "Of 3 claims 2 hold" in page.html(run).partition('id="pack"')[0]


def test_what_memory_limits_is_said_in_flops_per_byte() -> None:
    ceiling = section("flat", [figure("rate", 100e9, "flop/s", "best")], roof={"ceiling": "rate"}, part="processor")
    rates = {1: 20e9, 2: 22e9}
    streamed = [figure("rate", rate, "B/s", kernel="triad", vector=0, threads=n) for n, rate in rates.items()]
    texts = [each["text"] for each in judge(document(ceiling, part("stream", "memory", figures=streamed)))["findings"]]
    assert any(
        "less than 9.1 flop per byte (arithmetic peak: 22 GB/s for 200 Gflop/s on 2 threads)" in text for text in texts
    )
    assert any("grows 1.1 times from 1 to 2 threads" in text for text in texts)
    for each in streamed:
        each["state"] = "bound"
    (only,) = judge(document(ceiling, part("stream", "memory", figures=streamed)))["findings"]
    assert only["text"].startswith("no machine balance: ") and "known only by a bound" in only["text"]


def test_an_invalid_figure_shows_no_number_anywhere() -> None:
    wrong = headline("h", 4.5678e-6, "s", state="invalid")
    wrong |= {"ci95": [4.4567e-6, 4.6789e-6]}
    run = document(part("b", "memory", wrong))
    shown = [summary.markdown(run), "\n".join(summary.terminal(run)), tables.figures(run.benchmarks[0]).markdown()]
    shown += [json.dumps([[cell["t"] for cell in row] for row in cases(run.benchmarks[0])["rows"]])]
    shown += [page.html(run).partition('id="pack"')[0], as_markdown(run)]
    for text in shown:
        assert "4.56" not in text and "4.57" not in text and "4.46" not in text and "4.68" not in text
        assert "invalid" in text


def test_each_case_names_its_estimator_where_they_differ() -> None:
    made = [figure("time", 1e-6, "s", at=1), figure("time", 2e-6, "s", "best", at=2) | {"state": "bound"}]
    made[1]["estimator"] = "best reading, a bound"
    table = cases(section("b", made))
    titles = [column["title"] for column in table["columns"]]
    rows = [dict(zip(titles, (cell["t"] for cell in row), strict=True)) for row in table["rows"]]
    assert [(row["value"], row["state"], row["estimator"]) for row in rows] == [
        ("1 µs", "clean", "median"),
        ("2 µs", "bound only", "best reading, a bound"),
    ]
    assert "estimator" not in [column["title"] for column in cases(section("b", made[:1]))["columns"]]


def test_a_disturbed_figure_says_by_how_much_at_most() -> None:
    moved = headline("h", 1e-6, "s", state="disturbed") | {"disturbance": {"low": -0.01, "high": 0.031}}
    run = document(part("b", "memory", moved))
    for text in (
        summary.markdown(run),
        " ".join(" ".join(summary.terminal(run)).split()),
        page.html(run).partition('id="pack"')[0],
    ):
        assert "disturbed by at most 3.1%" in text
    assert tables.figures(run.benchmarks[0]).rows[0][-1] == "disturbed by at most 3.1%"


@pytest.mark.parametrize(("moved", "said"), [(0.002, "0.2%"), (0.0312, "3.1%"), (0.55, "55%"), (1.2, "120%")])
def test_how_far_a_figure_was_moved_is_a_plain_percentage(moved: float, said: str) -> None:
    disturbed = headline("h", 1.0, "s", state="disturbed") | {"disturbance": {"low": 0.0, "high": moved}}
    assert words(from_json(Headline, disturbed).figure) == f"disturbed by at most {said}"


def test_the_terminal_is_not_wider_than_80_columns() -> None:
    titles = ["a title that is far longer than what a person would write for one of these main figures", "short"]
    lines = [headline(title, 1e-6, "s", state="disturbed") for title in titles]
    run = document(part("b", "memory", *lines, state="disturbed", warnings=["w" * 300]))
    text = summary.terminal(run)
    assert max(len(line) for line in text) <= 80 and len(text) < 40


def test_shares_are_percentages_and_one_is_no_unit() -> None:
    kept = figure("kept", 0.873, "1") | {"help": "part of its rate that it keeps"}
    times = figure("times", 3.0, "1") | {"help": "how many times"}
    rows = {row[0]: row for row in tables.figures(section("b", [kept, times])).rows}
    assert rows["kept"][2] == "87.3%" and rows["kept"][3] == "78.6% – 96%" and rows["times"][2] == "3"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    file = tmp_path / "constant.toml"
    file.write_text(MACHINE)
    return file


def test_a_report_leaves_the_verdict_beside_the_run(machine: Path, tmp_path: Path) -> None:
    assert assay("run", "echo", "--on", str(machine), "--out", str(tmp_path / "one")).status == 0
    answer = assay("report", str(tmp_path / "one"))
    assert answer.status == 0
    left = json.loads((tmp_path / "one" / "summary.json").read_text())
    assert left["lines"][0]["text"] == "73.2 µs" and left["grade"]["grade"] == "A"
    text = (tmp_path / "one" / "summary.md").read_text()
    assert text.startswith("# constant: grade A") and "73.2 µs" in text and len(text.splitlines()) < 60


@pytest.mark.parametrize(("on", "words"), [(None, "without a network"), ("ipsc860", "network exact to the flit")])
def test_what_is_simulated_is_said_alike_when_it_is_written_and_when_it_is_read(
    machine: Path, tmp_path: Path, on: str | None, words: str
) -> None:
    """The ranks of a plan are in a tuple when it was just made, in a list when it was read; no network is not exact."""
    folder = tmp_path / "one"
    assert assay("run", "echo", "--on", on or str(machine), "-n", "2", "--out", str(folder), "-q").status == 0
    run = Run.open(folder)
    planned = {"plan": Plan.from_dict(run.about["plan"]).to_dict()}

    def stated(about: Json) -> str:
        (line,) = [fact.text for fact in verdict(document_of(run), about).facts if fact.name == "simulated"]
        return line

    first = stated(planned)
    assert first == stated(run.about) and first.startswith("2 ranks on 2 nodes, 1 each, ") and words in first
    assert ("network exact" in first) == (on is not None)


def test_a_title_that_is_too_long_for_its_column_goes_on_below() -> None:
    title = "complex multiply-add of two vectors in the first cache (one thread)"
    long = headline(title, 3e10, "flop/s", state="bound", ci95=[2.5e10, 3.5e10])
    shown = summary.terminal(document(part("hitc", "kernels", long)))
    first = next(number for number, text in enumerate(shown) if "30 Gflop/s" in text)
    assert " ".join(text[:41].strip() for text in shown[first : first + 2]) == title
    beside = " ".join(" ".join(text[41:] for text in shown[first : first + 3]).split())
    assert "25 – 35 Gflop/s" in beside and "[bound only]" in beside
    assert all(len(text) <= 80 for text in shown)
    of_two = headline("Cholesky factorisation of 1024 (threads: 2)", 3e10, "flop/s")
    assert "(threads: 2)" in summary.terminal(document(part("cholesky", "kernels", of_two)))


@pytest.mark.parametrize(
    ("pair", "shown"),
    [
        ((20.09e9, 20.13e9), "20.09 – 20.13 Gflop/s"),
        ((20.04e9, 20.13e9), "20 – 20.1 Gflop/s"),
        ((20.131e9, 20.134e9), "20.131 – 20.134 Gflop/s"),
        ((20.13e9, 20.13e9 * (1 + 1e-9)), "all equal"),
        ((20.13e9, 20.13e9), ""),
    ],
)
def test_launches_that_three_digits_write_alike_have_more_digits(pair: tuple[float, float], shown: str) -> None:
    """Beside 20.13 Gflop/s the cell was blank, as if no launches were known."""
    assert tables.between(None, pair, "flop/s") == shown


def test_one_launch_that_stands_has_no_spread() -> None:
    """Its range is a point: how far launches lie apart inconclusive, and is no reason for an A."""
    lone = headline("product", 4e10, "flop/s", launches=1, range=[4e10, 4e10])
    made = document(section("gemm", [], headlines=[lone]))
    spread = next(each for each in verdict(made).grade.criteria if each.name == "spread between launches")
    assert (spread.grade, spread.text) == ("D", "no main figure has an estimate from several launches")
