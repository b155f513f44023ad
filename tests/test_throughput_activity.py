"""The activity graph, the page, the exports and the dry run: each against the jobs that they show, counted apart."""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.throughput import swf
from assay.throughput.activity import ActiveJob, JobActivity, placed
from assay.throughput.activity_page import PageTable, activity_page
from assay.throughput.activity_svg import BAD, COLOURS, LEFT, RIGHT, WIDTH, activity_svg, gantt_svg, ticks
from assay.throughput.exports import as_csv, as_perfetto, as_swf
from command_line import assay

SVG = "{http://www.w3.org/2000/svg}"


def job(name: str, submitted: float, started: float | None, ended: float | None, processors: int = 1) -> ActiveJob:
    state = "completed" if ended is not None else "deleted"
    return ActiveJob(name=name, submitted=submitted, started=started, ended=ended, processors=processors, state=state)


@st.composite
def activities(draw: st.DrawFn) -> JobActivity:
    """Jobs that fit: each starts when its processors are free."""
    processors = draw(st.integers(1, 9))
    made: list[ActiveJob] = []
    for number in range(draw(st.integers(0, 12))):
        width = draw(st.integers(1, processors))
        submitted, run = draw(st.integers(0, 20)), draw(st.integers(0, 6))
        start = submitted
        while any(used(made, processors, t) + width > processors for t in range(start, start + max(run, 1))):
            start += 1
        made.append(job(f"{draw(st.sampled_from('ab'))}.{number}", submitted, start, start + run, width))
    return JobActivity(title="t", processors=processors, jobs=tuple(made))


def used(jobs: list[ActiveJob] | tuple[ActiveJob, ...], processors: int, second: int) -> int:
    return sum(j.processors for j in jobs if j.started is not None and j.ended is not None
               and j.started <= second < j.ended)  # fmt: skip


@given(activities())
@settings(max_examples=80, deadline=None)
def test_busy_processors_are_counted_second_by_second(activity: JobActivity) -> None:
    steps = activity.busy()
    for second in range(60):
        found = [busy for when, busy in steps if when <= second][-1]
        assert found == used(activity.jobs, activity.processors, second)


@given(activities())
@settings(max_examples=80, deadline=None)
def test_drawn_processors_never_overlap(activity: JobActivity) -> None:
    cells: Counter[tuple[int, int]] = Counter()
    drawn = placed(activity)
    for each, runs in drawn:
        numbers = [first + at for first, count in runs for at in range(count)]
        if each.ended != each.started:
            assert len(numbers) == each.processors and max(numbers) < activity.processors
        cells.update((n, t) for n in numbers for t in range(int(each.started or 0), int(each.ended or 0)))
    assert len(drawn) == len(activity.jobs) and not [cell for cell, count in cells.items() if count > 1]


@given(activities())
@settings(max_examples=60, deadline=None)
def test_lanes_of_a_trace_never_overlap(activity: JobActivity) -> None:
    events = json.loads(as_perfetto([activity, activity]))["traceEvents"]
    spans: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in events:
        if event["ph"] == "X":
            spans.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    for lane in spans.values():
        ordered = sorted(lane)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ordered))
    assert sum(map(len, spans.values())) == 2 * 2 * len(activity.jobs)


JOBS = (job("a.1", 0, 2, 10, 3), job("b<.1", 1, 4, 5), job("c.1", 3, None, None))


def test_waiting_is_dotted_and_running_solid_where_they_were() -> None:
    """Positions by the rule of three over the graph's width; a job that never ran has no bar."""
    root = ET.fromstring(activity_svg([JobActivity(title="one", processors=4, jobs=JOBS)]))

    def at(seconds: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * seconds / 10

    lines = [each for each in root.iter(f"{SVG}line") if each.get("class") == "wait"]
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("class") == "run"]
    assert "stroke-dasharray" in "".join(each.text or "" for each in root.iter(f"{SVG}style"))
    spans = {
        each.find(f"{SVG}title").text.split(";")[0]: (float(each.get("x1")), float(each.get("x2"))) for each in lines
    }
    assert spans["a.1"] == pytest.approx((at(0), at(2)), abs=0.01)
    assert spans["b<.1"] == pytest.approx((at(1), at(4)), abs=0.01)
    assert spans["c.1"] == pytest.approx((at(3), at(10)), abs=0.01)
    run = {
        each.find(f"{SVG}title").text.split(";")[0]: (float(each.get("x")), float(each.get("width"))) for each in bars
    }
    assert run.keys() == {"a.1", "b<.1"} and run["a.1"] == pytest.approx((at(2), at(8) - LEFT), abs=0.01)


def test_systems_share_one_axis_and_one_colour_a_kind() -> None:
    first = JobActivity(title="one", processors=4, jobs=JOBS[:1])
    root = ET.fromstring(activity_svg([first, JobActivity(title="two", processors=4, jobs=(job("a.7", 0, 10, 20),))]))
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("class") == "run"]
    assert float(bars[1].get("width")) == pytest.approx((WIDTH - LEFT - RIGHT) / 2, abs=0.02)
    assert bars[0].get("fill") == bars[1].get("fill")
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert texts.index("one") < texts.index("two")
    assert ET.fromstring(gantt_svg(first)).tag == f"{SVG}svg"


def test_jobs_that_did_not_complete_are_in_a_colour_that_the_legend_names() -> None:
    """No kind's colour is near it."""
    ended = [replace(job("a.1", 0, 2, 10, 3), state=state) for state in ("completed", "failed")]
    whole, partly = (JobActivity(title="one", processors=4, jobs=tuple(jobs)) for jobs in (ended[:1], ended))
    for draw in (lambda found: activity_svg([found]), gantt_svg):
        bars = [each.get("fill") for each in ET.fromstring(draw(partly)).iter(f"{SVG}rect") if each.get("class")]
        named = legend(ET.fromstring(draw(partly)))
        assert bars == [named["a"], named["did not complete"]] and named["a"] != named["did not complete"]
        assert "did not complete" not in draw(whole)
    assert "in red where it did not complete" in activity_page("", [partly], [], [])
    red, *others = ([int(text[at : at + 2], 16) for at in (1, 3, 5)] for text in (BAD, *COLOURS))
    assert all(math.dist(red, other) > 100 for other in others)


def legend(root: ET.Element) -> dict[str, str]:
    """Colours by what the legend calls them: a square, and words after it."""
    parts = list(root)
    return {
        text.text or "": square.get("fill") or ""
        for square, text in itertools.pairwise(parts)
        if square.tag == f"{SVG}rect" and square.get("width") == "10" and text.tag == f"{SVG}text"
    }


@pytest.mark.parametrize(("end", "step"), [(10, 2), (9, 1), (77, 10), (27500, 5000), (0.4, 0.05), (0, 0)])
def test_ticks_are_round(end: float, step: float) -> None:
    found = ticks(end)
    assert found[0] == 0 and (len(found) < 2 or found[1] == pytest.approx(step)) and found[-1] <= end * (1 + 1e-9)


def test_the_page_is_one_file_and_escapes_what_it_shows() -> None:
    table = PageTable(title="T", head=["", "x"], rows=[["<b>", "1"]])
    page = activity_page("<verdict>", [JobActivity(title="<t>", processors=4, jobs=JOBS)], [table], ["<note>"])
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "src=" not in page
    for word in ("<verdict>", "<b>", "<note>", "<t>", "b<.1"):
        assert word not in page and word.replace("<", "&lt;").replace(">", "&gt;") in page


def test_files_say_what_the_jobs_did(tmp_path: Path) -> None:
    activity = JobActivity(title="one", processors=4, jobs=JOBS)
    rows = list(csv.DictReader(as_csv([activity]).splitlines()))
    assert [(row["job"], row["wait_s"], row["run_s"], row["state"]) for row in rows] == [
        ("a.1", "2", "8", "completed"), ("b<.1", "3", "1", "completed"), ("c.1", "", "", "deleted"),
    ]  # fmt: skip
    (tmp_path / "out.swf").write_text(as_swf([activity]))
    read = swf.read(tmp_path / "out.swf")
    assert read.submitted.tolist() == [0, 1] and read.runs.tolist() == [8, 1] and read.processors.tolist() == [3, 1]


def test_a_simulated_workload_in_every_file(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text("[machine]\nnodes = 18\n")
    asked = ("throughput", "eurobench2000", "--jobs", "eurobench2000-compaq", "--on", str(tmp_path / "m.toml"))
    files = [tmp_path / f"out.{kind}" for kind in ("html", "csv", "swf", "svg", "json")]
    exports = [word for file in files for word in ("--export", str(file))]
    found = assay(*asked, "--policy", "firstfit", "--json", *exports).document
    rows = list(csv.DictReader(files[1].read_text().splitlines()))
    assert [
        (row["job"], float(row["submitted_s"]), float(row["started_s"]), float(row["ended_s"])) for row in rows
    ] == [(each["name"], each["submitted"], each["started"], each["ended"]) for each in found["jobs"]]
    assert len(swf.read(files[2])) == 33
    bars = [each for each in ET.fromstring(files[3].read_text()).iter(f"{SVG}rect") if each.get("class") == "run"]
    assert len(bars) >= 33
    assert "m, firstfit, simulated" in files[0].read_text()
    page = tmp_path / "several.html"
    assert assay(*asked, "--set", "policy=fcfs,easy", "--export", str(page)).status == 0
    assert "m, fcfs, simulated" in page.read_text() and "m, easy, simulated" in page.read_text()
    answer = assay(*asked, "--export", "out.pdf")
    assert answer.status == 2 and "--export: is of no kind that is written; got 'out.pdf'" in answer.err
    answer = assay(*asked, "--export", str(tmp_path / "none/out.csv"))
    assert answer.status == 2 and "cannot be written" in answer.err and answer.err.count("\n") == 1


def test_a_dry_run_says_what_would_be_and_starts_nothing(tmp_path: Path) -> None:
    """Its makespans are those of the simulated verb; processor hours by hand from the table."""
    (tmp_path / "m.toml").write_text("[machine]\nnodes = 18\n")
    asked = ("throughput", "eurobench2000", "--jobs", "eurobench2000-compaq")
    dry = assay(*asked, "--on", str(tmp_path / "m.toml"), "--dry-run", "--json").document
    work = 14 * 4 * 7 + 8 * 8 * 90.3 + 16 * 314 + 2 * 8 * 1243 + 3 * 6 * 1434 + 5 * 8 * 11000
    assert dry["jobs"] == 33 and dry["processor_hours"] == pytest.approx(work / 3600)
    assert dry["least_makespan"] >= work / 18
    for policy, makespan in dry["ideal"].items():
        whole = assay(*asked, "--on", str(tmp_path / "m.toml"), "--policy", policy, "--json").document
        assert makespan == pytest.approx(whole["makespan"], abs=8)  # the simulated verb counts whole seconds
    out = tmp_path / "out"
    words = ("--via", "local", "--slots", "12", "--compress", "100", "--out", str(out), "--dry-run")
    answer = assay(*asked, *words)
    assert answer.status == 0 and not out.exists() and "adf_run.1: would be refused: needs 16 processors" in answer.out
    live = assay(*asked, *words, "--json").document
    assert live["processors"] == 12 and live["processor_hours"] == pytest.approx((work - 16 * 314) / 3600 / 100)


def test_the_papers_schedule_by_its_name_alone_has_the_jobs_of_the_ibm_cluster(tmp_path: Path) -> None:
    """Another schedule needs a table."""
    (tmp_path / "m.toml").write_text("[machine]\nnodes = 16\n")
    on = ("--on", str(tmp_path / "m.toml"), "--policy", "easy", "--json")
    by_name, by_table = (
        assay("throughput", "eurobench2000", *more, *on).document for more in ((), ("--jobs", "eurobench2000-ibm"))
    )
    assert by_name["jobs"] == by_table["jobs"] and len(by_name["jobs"]) == 33
    assert by_name["workload"] == "eurobench2000 (jobs: eurobench2000-ibm)"
    live = assay("throughput", "eurobench2000", "--via", "local", "--slots", "18", "--dry-run", "--json").document
    assert live["jobs"] == 33 and live["workload"] == by_name["workload"]
    (tmp_path / "mix").write_text("0: 1 * adf_run\n")
    for how in (on, ("--via", "local")):
        answer = assay("throughput", str(tmp_path / "mix"), *how)
        assert answer.status == 2 and "--jobs: is missing: a schedule has names only" in answer.err


def test_jobs_without_names_have_one_colour_and_long_times_are_hours_and_days() -> None:
    def graph(end: float) -> str:
        jobs = tuple(
            ActiveJob(name=f"job {at}", submitted=0, started=1, ended=end, processors=1, state="completed")
            for at in range(200)
        )
        return activity_svg([JobActivity(title="all", processors=200, jobs=jobs)])

    drawn = graph(100.0)
    height = re.search(r'viewBox="0 0 \d+ (\d+)"', drawn)
    assert height is not None and int(height[1]) < 520 and drawn.count(">job<") == 1
    for end, unit, last in ((30_000.0, "seconds", 30_000), (10 * 3600.0 * 9, "hours", 90), (86_400.0 * 20, "days", 20)):
        found = graph(end)
        assert f">{unit} from the first submission<" in found
        assert re.findall(r'class="tick"[^>]*>([\d.]+)<', found)[-1] == str(last), found


def test_a_start_at_the_time_of_an_end_never_shows_more_than_there_is() -> None:
    """0.1 + 0.2 is not 0.3 in doubles."""
    first = ActiveJob(name="a.1", submitted=0, started=0.1, ended=0.1 + 0.2, processors=4, state="completed")
    second = ActiveJob(name="a.2", submitted=0, started=0.3, ended=0.5, processors=4, state="completed")
    assert max(busy for _, busy in JobActivity(title="t", processors=4, jobs=(first, second)).busy()) == 4


def test_pictures_stop_at_so_many_jobs_and_exports_have_all(tmp_path: Path) -> None:
    """6,000 jobs of one processor, one a second, two seconds long each."""
    count, drawn = 6_000, 5_000
    lines = [f"{n} {n} -1 2 1 -1 -1 1 2 -1 1 1 1 -1 -1 -1 -1 -1" for n in range(1, count + 1)]
    (tmp_path / "jobs.swf").write_text("; MaxProcs: 4\n" + "\n".join(lines) + "\n")
    (tmp_path / "machine.toml").write_text('[machine]\nname = "four"\nnodes = 4\ncpus_per_node = 1\n')
    names = {suffix: tmp_path / f"out.{suffix}" for suffix in ("csv", "json", "svg", "html", "swf")}
    words = [word for name in names.values() for word in ("--export", str(name))]
    given = ("throughput", str(tmp_path / "jobs.swf"), "--on", str(tmp_path / "machine.toml"), "--policy", "fcfs")
    answer = assay(*given, *words, "-q")
    assert answer.status == 0, answer.err
    rows = list(csv.DictReader(names["csv"].open()))
    assert [float(row["submitted_s"]) for row in rows] == [float(n) for n in range(count)]
    spans = [e for e in json.loads(names["json"].read_text())["traceEvents"] if e["ph"] == "X"]
    assert sum(event["dur"] == 2e6 for event in spans) == count
    assert len([line for line in names["swf"].read_text().splitlines() if not line.startswith(";")]) == count
    page = names["html"].read_text()
    assert f"{count - drawn:,} more jobs are not drawn" in page and f">{drawn} jobs<" in page
    assert page.count('class="wait"') <= drawn and f"{count - drawn:,} more jobs" in names["svg"].read_text()


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=30))
def test_lanes_of_a_trace_are_no_more_than_needed(spans: list[tuple[int, int]]) -> None:
    jobs = tuple(job(f"j.{at}", 0.0, float(begin), float(begin + run)) for at, (begin, run) in enumerate(spans))
    events = json.loads(as_perfetto([JobActivity(title="t", processors=1, jobs=jobs)]))["traceEvents"]
    lanes = [(e["tid"], e["ts"] / 1e6, (e["ts"] + e["dur"]) / 1e6) for e in events if e["ph"] == "X" and e["pid"] == 3]
    for one, other in itertools.combinations(lanes, 2):
        assert one[0] != other[0] or one[2] <= other[1] or other[2] <= one[1]
    at_once = max((sum(b <= second < b + run for b, run in spans) for second in range(40)), default=0)
    assert max((lane for lane, _, _ in lanes), default=0) <= max(at_once + 1, 1)  # one more for what takes no time
