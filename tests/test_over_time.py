"""Rate and latency over time: stalls by closed cases, histograms beside the samples, what a reader gets of a stall."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis.latency_histogram import quantile
from assay.analysis.over_time import SlotSum, knee, stalls
from assay.document.json_form import to_json
from assay.report.render.markdown import markdown
from assay.report.render.page import html
from assay.report.sections.time_series import stalls as shown
from assay.report.sections.time_series.series_plots import plots
from assay.samples import Circumstance
from assay.stored.launch_file import LaunchFile, LaunchFiles
from assay.stored.over_time import time_slot
from command_line import assay
from file_faults import faulty
from made_documents import document, figure, section

pytestmark = pytest.mark.usefixtures("own_folder")
ABOUT = Circumstance("r", "file-rate", "files", "here", 1, 1, 1, "p")
MIB = 1048576


def bucket(seconds: float) -> int:
    """The bucket of a latency, by the definition in programs/timing/histogram.hpp: an octave in 64 equal parts."""
    ns = round(seconds * 1e9)
    if ns < 128:
        return ns
    octave = int(math.log2(ns)) - 6
    return octave * 64 + ns // 2**octave


def line(second: float, latencies: list[float], process: int = 0, **more: Any) -> dict[str, Any]:
    """One slot of a pass, in blocks of 1 MiB."""
    about = {"event": "over_time", "case": {"direction": "read", "source": "device"}, "pass": 1, "process": process}
    found = Counter(map(bucket, latencies))
    held = {"buckets": list(found), "counts": list(found.values())}
    return about | {"second": second, "slot": 1.0, "bytes": MIB * len(latencies), "latencies": held} | more


def series(tmp_path: Path, lines: list[dict[str, Any]], launch: int = 1) -> list[Any]:
    path = tmp_path / f"{launch}.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return shown.over_time([(ABOUT, LaunchFile(ABOUT, path, LaunchFiles()))])


def steady(seconds: int, without: range = range(0), took: float = 0.01) -> dict[int, SlotSum]:
    """So many operations of 1 MiB a second as fit, but in the seconds `without`; the first after these waited."""
    each = SlotSum(round(MIB / took), 1.0, took)
    made = {at: each for at in range(seconds) if at not in without}
    if without:
        made[without.stop] = SlotSum(each.bytes, float(len(without)) + 1, float(len(without)))
    return made


def test_a_gap_in_which_an_operation_waits_is_a_stall() -> None:
    (found,) = stalls(steady(10, range(4, 6)), 1.0, 0.01)
    assert (found.begin, found.seconds, found.rate, found.waited) == (4.0, 2.0, 0.0, 2.0)
    assert found.usual == pytest.approx(100 * MIB)


def test_what_is_no_stall() -> None:
    assert stalls(steady(10), 1.0, 0.01) == []
    idle = {at: of for at, of in steady(10).items() if at not in (4, 5)}
    assert stalls(idle, 1.0, 0.01) == []  # nothing waits
    long = {at: SlotSum(MIB, 3.0, 3.0) for at in range(0, 12, 3)}
    assert stalls(long, 1.0, 3.0) == []  # each operation takes as long
    half = steady(10) | {4: SlotSum(50 * MIB, 1.0, 0.4)}
    assert stalls(half, 1.0, 0.01) == []
    assert stalls(steady(100, range(4, 8)), 0.1, 0.01) == []  # 0.4 s


@given(st.integers(1, 30), st.integers(5, 40), st.integers(5, 40))
def test_a_planted_gap_is_found_where_it_is(gap: int, before: int, after: int) -> None:
    slots = steady(before + gap + after, range(before, before + gap))
    found = stalls(slots, 1.0, 0.01)
    assert [(each.begin, each.seconds) for each in found] == [(before, gap)]


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=200), st.sampled_from([0.5, 0.9, 0.99, 1.0]))
def test_quantiles_of_buckets_are_within_one_per_cent(values: list[float], share: float) -> None:
    counts: dict[int, int] = {}
    for value in values:
        counts[bucket(value)] = counts.get(bucket(value), 0) + 1
    right = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    assert quantile(counts, share) == pytest.approx(right, rel=0.01, abs=0.6e-9)


def test_rates_are_those_of_whole_slots_and_the_median_of_passes(tmp_path: Path) -> None:
    lines = []
    for number, per_second in ((1, 10), (2, 20), (3, 60)):
        for second in range(6):
            took = [1 / per_second] * (per_second if second < 5 else 1)
            lines.append(line(float(second), took, **{"pass": number}, ended=5.02))
    (found,) = series(tmp_path, lines)
    assert found.passes == 3
    assert found.seconds == [0, 1, 2, 3, 4]
    assert found.rate == [20 * MIB] * 5 and found.rate_low == [10 * MIB] * 5 and found.rate_high == [60 * MIB] * 5
    assert found.p50 == [pytest.approx(1 / 60, rel=0.01)] * 5 and found.longest[0] == pytest.approx(0.1, rel=0.01)
    assert found.stalls == []


def test_a_process_that_stalls_and_ends_late_is_named(tmp_path: Path) -> None:
    lines = [line(float(second), [0.02] * 50, process, ended=6.0) for process in (0, 1) for second in range(6)]
    lines += [line(float(second), [0.02] * 50, 2, ended=9.5) for second in (0, 1, 7, 8, 9)]
    lines += [line(6.0, [4.0] + [0.02] * 49, 2, ended=9.5)]
    (found,) = series(tmp_path, lines)
    (first, last, latest) = found.first_done, found.last_done, found.latest
    assert (first, last, latest) == (6.0, 9.5, 2)
    assert [(stall.process, stall.begin, stall.seconds) for stall in found.stalls] == [(2, 2.0, 4.0)]
    of = section("file-rate", [], over_time=[to_json(found)])
    ((_, text),) = shown.stalled(of)
    assert "nothing was read by process 2" in text and "stalled for 4 s" in text
    ((ratio, text),) = shown.uneven(of)
    assert ratio == pytest.approx(9.5 / 6) and "process 2 is last in 1 of 1 passes" in text
    rate, latency = plots(of)
    assert 3 * 50 * MIB in rate["data"][2]["y"] and len(latency["data"]) >= 2
    for plot in (rate, latency):  # the time from 0 on, with enough ticks in what is drawn
        axis, drawn = plot["layout"]["xaxis"], [x for trace in plot["data"] for x in trace["x"]]
        assert axis["rangemode"] == "tozero" and len([at for at in axis["tickvals"] if at <= max(drawn)]) >= 4
    assert rate["layout"]["yaxis"]["rangemode"] == "tozero"
    for written in (html(document(of)), markdown(document(of))):
        assert "stalled for 4 s" in written and "process 2 is last" in written


@given(
    st.integers(5, 60), st.integers(5, 60), st.floats(0.01, 0.6), st.randoms(use_true_random=False)
)  # fmt: skip
def test_a_planted_knee_is_found_where_it_is(before: int, beyond: int, left: float, dice: Any) -> None:
    """Two levels, each with 10% of wander: the second is all that long writes get."""
    rates = [dice.uniform(0.95, 1.05) * 2e9 for _ in range(before)]
    rates += [dice.uniform(0.95, 1.05) * 2e9 * left for _ in range(beyond)]
    found = knee(rates, 0.5)
    assert found is not None
    assert found.second == before * 0.5
    assert found.bytes == pytest.approx(before * 1e9, rel=0.05)
    assert found.before == pytest.approx(2e9, rel=0.05) and found.beyond == pytest.approx(2e9 * left, rel=0.05)


@given(st.randoms(use_true_random=False))
def test_what_is_no_knee(dice: Any) -> None:
    wander = [dice.uniform(0.5, 1.5) for _ in range(60)]
    assert knee(wander, 1.0) is None
    assert knee([1.0] * 20 + [0.0] * 8 + [1.0] * 20, 1.0) is None, "a stall"
    assert knee([1.0] * 20 + [0.8] * 20, 1.0) is None, "no drop worth a line"
    assert knee([0.5] * 20 + [1.0] * 20, 1.0) is None, "a rise"
    assert knee([1.0] * 20 + [0.2] * 4, 1.0) is None, "too short to be for good"
    assert knee([1.0, 0.2] * 20, 1.0) is None, "in turn"
    assert knee([], 1.0) is None


def test_the_knee_of_sustained_writes_is_in_words_where_a_person_reads(tmp_path: Path) -> None:
    case = {"direction": "write", "engine": "direct", "source": "device"}
    lines = [line(float(at), [0.001] * (1000 if at < 12 else 250), ended=30.0, case=case) for at in range(30)]
    (found,) = series(tmp_path, lines)
    of = section("file-rate", [], over_time=[to_json(found)])
    ((ratio, text),) = shown.sustained(of)
    assert ratio == pytest.approx(4)
    assert text.startswith("after 11.7 GiB (12 s) writing falls from 1.05 GB/s to 262 MB/s and stays there")
    for written in (html(document(of)), markdown(document(of))):
        assert "writing falls from 1.05 GB/s to 262 MB/s" in written
    assert text in shown.lines(of)  # what the terminal prints
    reads = section("file-rate", [], over_time=[to_json(found) | {"params": case | {"direction": "read"}}])
    assert shown.sustained(reads) == []


def test_a_picture_says_what_its_cases_have_in_common_while_others_differ(tmp_path: Path) -> None:
    case = {"direction": "read", "engine": "direct", "source": "device"}
    (found,) = series(tmp_path, [line(float(second), [0.02] * 50, ended=6.0, case=case) for second in range(6)])
    cases = [figure("rate", 1e6, "B/s", **found.params | {"engine": engine}) for engine in ("direct", "mmap")]
    rate, _ = plots(section("file-rate", cases, over_time=[to_json(found)]))
    assert rate["layout"]["title"]["text"] == "rate over time: engine direct"


@pytest.mark.parametrize("wrong", [
    {"second": -1}, {"slot": 0}, {"bytes": 0.5}, {"latencies": 3}, {"latencies": {"buckets": [4000], "counts": [1]}},
    {"latencies": {"buckets": [1, 2], "counts": [1]}}, {"latencies": {"buckets": [1, 1], "counts": [1, 1]}},
    {"case": 1}, {"process": None}, {"second": 1e30},
])  # fmt: skip
def test_a_line_that_cannot_be_is_named_and_not_used(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="got "):
        time_slot(line(0.0, [0.1]) | wrong, ABOUT)
    path = tmp_path / "1.jsonl"
    path.write_text(json.dumps(line(0.0, [0.1]) | wrong) + "\n" + json.dumps(line(1.0, [0.1])) + "\n")
    read = LaunchFile(ABOUT, path, LaunchFiles()).content
    assert len(read.over_time) == 1
    (fault,) = read.faults
    assert fault.startswith("1: event 'over_time': ") and fault.endswith("this line is not used")


def test_a_stalled_device_is_seen_in_all_that_a_reader_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in faulty("pause", FAULT_PAUSE=1300).items():
        monkeypatch.setenv(name, value)
    folder, out = tmp_path / "files", tmp_path / "run"
    folder.mkdir()
    settings = (f"folder={folder}", "size=2097152", "bytes=65536", "direction=read", "engine=buffered", "processes=1")
    words = [word for each in settings for word in ("--set", each)]
    answer = assay("run", "file-rate", "--launches", "1", "--out", str(out), *words)
    assert answer.status == 0, answer.err
    said = " ".join(answer.out.split())
    assert "Limits" not in said and "stalled for 1." in said and "while an operation waited 1." in said
    for name in faulty("pause"):
        monkeypatch.delenv(name)
    told = assay("report", str(out), "--json").document
    (found,) = told["benchmarks"][0]["over_time"]
    assert found["slot"] == 0.1
    longest = max(found["stalls"], key=lambda stall: float(stall["seconds"]))
    assert longest["seconds"] >= 1 and longest["waited"] >= 1.28
    assert any("stalled for " in each["text"] and each["kind"] == "odd" for each in told["summary"]["findings"])
    page = (out / "report.html").read_text()
    assert "stalled for " in page
    # the histograms hold what the samples hold: all operations of the pass
    events = [json.loads(each) for path in (out / "launches").glob("*.jsonl") for each in path.read_text().splitlines()]
    samples = [x for each in events if each.get("metric") == "latency" for x in each["values"]]
    counts: dict[int, int] = {}
    for each in (each for each in events if each["event"] == "over_time"):
        for place, count in zip(each["latencies"]["buckets"], each["latencies"]["counts"], strict=True):
            counts[place] = counts.get(place, 0) + count
    assert sum(counts.values()) == len(samples)
    for share in (0.1, 0.5, 0.9, 1.0):
        right = sorted(samples)[max(1, math.ceil(share * len(samples))) - 1]
        assert quantile(counts, share) == pytest.approx(right, rel=0.01)
