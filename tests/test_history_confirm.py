"""`assay history --confirm` and `--html`: the older build and the newer one in turn; a page with every figure."""

from __future__ import annotations

import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from assay.analysis.comparison import ComparisonVerdict
from assay.analysis.paired_decision import PairedDecision, PairedPlan
from assay.case import Case
from assay.decide.change_causes import find_changes
from assay.decide.confirmation import confirmed, propose
from assay.decide.live import LiveResult
from assay.decide.live_figures import LiveFigure, SeenStatistic
from assay.document.history import HistoryChange, HistoryDifference, HistoryRun, MachineHistory
from assay.machine.firmware import firmware, microcode
from assay.machine.provenance import provenance
from assay.store import known_runs
from assay.verbs import _compare_live
from assay.verbs._history import host_name
from assay.verbs.compare import _margin
from command_line import assay
from made_history import MADE_WITH, made
from test_history import ROUND, STEP, since, values

pytestmark = pytest.mark.usefixtures("own_folder")
FLAGS = ("programs", {"echo": {"flags": "-O3"}}, {"echo": {"flags": "-O1 -g"}})


def test_a_changed_build_is_confirmed_by_both_builds_in_turn(tmp_path: Path) -> None:
    ids = made(tmp_path / "runs", values(1.1), since(*FLAGS))
    found = assay("history", ROUND, "--machine", "here", "--json").document["confirmation"]
    assert (found["figure"], found["at_run"], found["verdict"]) == (ROUND, ids[STEP], None)
    assert found["variants"] == ["CXXFLAGS=-O3 echo --set=bytes=8", "'CXXFLAGS=-O1 -g' echo --set=bytes=8"]
    words = shlex.split(found["command"])
    assert words[:5] == ["assay", "compare", "--live", *found["variants"]]
    assert found["margin"] == pytest.approx(0.05, abs=0.005)  # half the step
    assert f"to confirm {ROUND} at run {ids[STEP]}" in assay("history", ROUND, "--machine", "here").out


def test_a_change_that_no_build_undoes_is_measured_again(tmp_path: Path) -> None:
    made(tmp_path / "runs", values(1.1), since("kernel", "6.11", "6.12"))
    found = assay("history", ROUND, "--machine", "here", "--json").document["confirmation"]
    assert found["variants"] is None and found["why"].startswith("kernel changed there")
    assert found["command"].startswith("assay run echo --set=bytes=8 --launches 10 ")


def test_without_a_change_nothing_is_confirmed(tmp_path: Path) -> None:
    made(tmp_path / "runs", values())
    assert assay("history", ROUND, "--machine", "here", "--json").document["confirmation"] is None


def measured(monkeypatch: pytest.MonkeyPatch, *figures: LiveFigure) -> list[Any]:
    """Answer what measuring in turn gives; what it is called with."""
    asked: list[Any] = []

    def found(variants: Any, **options: Any) -> Any:
        asked.append((variants, options))
        return (), LiveResult(figures, 12, 3.0, "")

    monkeypatch.setattr(_compare_live, "measured_in_turn", found)
    return asked


def live(size: int, ratio: float, newer: float, verdict: ComparisonVerdict | None = None) -> LiveFigure:
    """The round trip of a length, decided after 12 pairs."""
    decided = verdict or (ComparisonVerdict.DIFFERS if abs(ratio - 1) > 0.05 else ComparisonVerdict.EQUAL)
    decision = PairedDecision(decided, ratio, (ratio - 0.012, ratio + 0.008), 0.01, 12, False)
    seen = {"median": SeenStatistic(newer / ratio, newer, ratio)}
    case = Case({"bytes": size, "hops": None})
    return LiveFigure("echo", "half_round_trip", case, "lower", decision, "median", "s", None, seen)


def test_confirm_measures_and_says_what_came_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the case that changed, not of the first one that was judged."""
    made(tmp_path / "runs", values(1.1), since(*FLAGS), host=host_name())
    asked = measured(monkeypatch, live(1024, 1.0, 1e-6), live(8, 1.102, 1e-6))
    answer = assay("history", ROUND, "--confirm")
    ((variants, options),) = asked
    assert variants[0].startswith("CXXFLAGS=-O3 ") and options["about"] == {"confirms": f"{host_name()}-{STEP:03d}"}
    assert f"{ROUND} at run {host_name()}-{STEP:03d}: confirmed, +10.2% (+9.0% to +11.0%) after 12 pairs" in answer.out
    found = assay("history", ROUND, "--confirm", "--json").document["confirmation"]
    assert (found["verdict"], found["ratio"], found["pairs"]) == ("differs", 1.102, 12)
    assert found["params"] == {"bytes": 8, "hops": None}


@pytest.mark.parametrize("judged", [(), (live(1024, 1.102, 1e-6),)])
def test_a_case_that_was_not_judged_is_inconclusive(
    judged: tuple[LiveFigure, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "runs", values(1.1), since(*FLAGS), host=host_name())
    measured(monkeypatch, *judged)
    answer = assay("history", ROUND, "--confirm")
    assert answer.status == 0 and f"run {host_name()}-{STEP:03d}: inconclusive: measured again, it had no" in answer.out
    found = assay("history", ROUND, "--confirm", "--json").document["confirmation"]
    assert (found["verdict"], found["ratio"]) == ("inconclusive", None)


@pytest.mark.parametrize(
    ("found", "limit", "status"),
    [
        (live(8, 1.0, 0.5e-5), "6%", 0),  # equal, and as fast as before the change
        (live(8, 1.0, 0.55e-5), "6%", 3),  # equal, but both are as slow now as since the change: it is not the build
        (live(8, 1.04, 0.5e-5, ComparisonVerdict.EQUAL), "4.5%", 4),  # the interval ends at +4.8%
        (live(8, 1.1, 0.55e-5), "6%", 3),  # confirmed
        (live(8, 1.03, 0.5e-5, ComparisonVerdict.UNKNOWN), "6%", 3),
    ],
)
def test_a_change_that_is_not_confirmed_is_no_regression(
    found: LiveFigure, limit: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "runs", values(1.1), since(*FLAGS), host=host_name())
    measured(monkeypatch, found)
    words = ("history", ROUND, "--fail-on-regression", limit)
    assert assay(*words).status == 3
    answer = assay(*words, "--confirm", "--json")
    assert answer.status == status, answer.document["regressions"]
    assert (answer.document["judged"], answer.document["passed"]) == (status != 4, status == 0)


def test_an_earlier_step_stays_a_regression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest change is not confirmed; one before it was beyond the limit, too."""
    steps = [*values()[:STEP], *(1.2 * each for each in values()[:STEP]), *(1.4 * each for each in values()[:STEP])]
    stated = [
        MADE_WITH | ({"programs": {"echo": {"flags": "-O1"}}} if at >= 2 * STEP else {}) for at in range(3 * STEP)
    ]
    made(tmp_path / "runs", steps, stated, host=host_name())
    measured(monkeypatch, live(8, 1.0, 0.6e-5))
    answer = assay("history", ROUND, "--fail-on-regression", "6%", "--confirm", "--json")
    assert len(answer.document["changes"]) == 2 and answer.document["confirmation"]["verdict"] == "equal"
    assert answer.status == 3


@pytest.mark.parametrize("ratio", [5.0, 1 / 5, 3.7, 1.05, 0.999])
def test_a_step_of_any_size_proposes_a_command_that_compare_takes(ratio: float) -> None:
    change = HistoryChange(
        figure="echo.half_round_trip", params=Case({"bytes": 8}), unit="s", at_run="r1", found_by="r1", before=1.0,
        after=ratio, ratio=ratio, interval=None, worse=ratio > 1, p=1e-6, runs_before=9, runs_after=9,
        changed=[HistoryDifference("programs.echo.flags", "-O3", "-O1", "r1", True)],
    )  # fmt: skip
    runs = [HistoryRun("r0", 0.0, None, {}), HistoryRun("r1", 1.0, None, {})]
    found = propose(
        MachineHistory(machine="here", alarms_per_run=0.005, level=0.01, runs=runs, series=[], changes=[change]),
        lambda benchmark: ("bytes",),
    )
    assert found is not None and found.margin is not None and 0.005 <= found.margin <= 0.9
    PairedPlan(found.margin, 20)
    words = shlex.split(found.command)
    assert _margin(words[words.index("--margin") + 1]) == pytest.approx(found.margin, abs=5e-4)
    assert confirmed(found, LiveResult((), 0, 0.0, ""), []).verdict == "inconclusive"


def test_confirm_is_of_this_host(tmp_path: Path) -> None:
    made(tmp_path / "runs", values(1.1), since(*FLAGS))
    answer = assay("history", ROUND, "--machine", "here", "--confirm")
    assert answer.status == 2 and "--confirm: measures on this host; got 'here', expected " in answer.err


def test_runs_that_confirm_are_no_part_of_the_history(tmp_path: Path) -> None:
    made(tmp_path / "runs", values())
    run = known_runs()[-1]
    run.about["confirms"] = "here-014"
    run.finish("done")
    found = assay("history", ROUND, "--machine", "here", "--json").document
    assert run.about["id"] not in [each["id"] for each in found["runs"]] and len(found["runs"]) == 19


@pytest.mark.measures
def test_a_variant_is_built_with_its_own_flags(tmp_path: Path) -> None:
    answer = assay("compare", "--live", "CXXFLAGS=-O0 sieve", "CXXFLAGS=-O2 sieve", "--pairs", "10", "--json")
    assert answer.status == 3, answer.err
    flags: set[str] = set()
    for run in assay("runs", "--json").document["runs"]:
        stated = [json.loads(path.read_text()) for path in (Path(run["folder"]) / "provenance").glob("*.json")]
        (of,) = {each["programs"]["sieve"]["flags"].split()[0] for each in stated}
        flags.add(of)
    assert flags == {"-O0", "-O2"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.marks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        if tag == "polyline":
            self.lines.append(about["points"] or "")
        if tag == "line":
            self.marks.append(about["class"] or "")


def test_the_page_has_every_figure_as_a_line_with_its_changes(tmp_path: Path) -> None:
    made(tmp_path / "runs", values(1.1), since("kernel", "6.11", "6.12"))
    found = assay("history", "echo", "--machine", "here", "--html", "page.html", "--json").document
    assert found["page"] == "page.html"
    text = Path("page.html").read_text()
    page = _Page()
    page.feed(text)
    assert len(page.lines) == len(found["series"]) and all(len(line.split()) == 20 for line in page.lines)
    assert page.marks == ["worse"] * len(found["changes"])
    heights = [float(point.split(",")[1]) for point in page.lines[0].split()]
    assert abs(sum(heights[:STEP]) / STEP - sum(heights[STEP:]) / (20 - STEP)) > 10  # the step is seen
    assert "kernel 6.11 to 6.12" in text and not re.search(r'(src|href)="http', text)


def test_a_page_by_another_name_or_in_no_folder_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "runs", values()[:3])
    answer = assay("history", "--machine", "here", "--html", "page.json")
    assert answer.status == 2 and "--html: is written as HTML" in answer.err
    assert assay("history", "--machine", "here", "--html", "nowhere/page.html").status == 2


def test_a_run_states_firmware_and_microcode(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor: 0\nmicrocode: 0x11\n\nprocessor: 1\nmicrocode: 0x12\n")
    bios = tmp_path / "sys/class/dmi/id"
    bios.mkdir(parents=True)
    for key, value in (("vendor", "AMI"), ("version", "2.1"), ("date", "01/02/2026")):
        (bios / f"bios_{key}").write_text(value + "\n")
    assert (microcode(tmp_path), firmware(tmp_path)) == ("0x11", "AMI 2.1 01/02/2026")
    assert {"microcode", "firmware"} <= set(provenance())


def test_a_key_that_earlier_versions_did_not_record_has_not_changed() -> None:
    stated: dict[str, dict[str, str]] = {"a": {"kernel": "1"}, "b": {"kernel": "2", "microcode": "0x1"}}
    (found,) = find_changes(["a", "b"], stated, 1, 0, 2, "echo")
    assert found.key == "kernel"
