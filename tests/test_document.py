"""The document of a run, from lines written here: what launchers said, where the spread lies, what is left unsaid."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analysis.launch_statistics import BEST, MEDIAN, TAIL
from assay.document.json_form import from_json, to_json
from assay.document.reported_figure import Headline
from assay.errors import InputError
from assay.report.derive.document import document as typed
from assay.report.derive.readings import launch_lines, readings
from assay.report.judge import bounds, comparison
from assay.report.render import page, tables
from assay.report.render.markdown import markdown as as_markdown
from assay.samples import Circumstance
from assay.store import Run
from assay.stored import launch_file
from command_line import assay
from made_documents import as_json as document
from made_documents import document as made_document
from made_documents import headline


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})


def block(length: int, values: list[float], number: int = 0, first: float | None = None) -> dict[str, Any]:
    about = {"case": {"bytes": length, "hops": None}, "metric": "round_trip", "block": number, "batch": 1}
    return {"event": "block", **about, "values": values, "first": first, "t0": 1.0 + number, "t1": 2.0 + number}


def launch(
    run: Run,
    number: int,
    events: list[dict[str, Any]],
    attempt: int = 1,
    factors: dict[str, Any] | None = None,
    benchmark: str = "echo",
    reference: tuple[float, float] | None = None,
    version: int = 0,
    **ended: Any,
) -> None:
    """Write one launch as its program and its launcher would have."""
    task = f"{number:03d}-{benchmark}" + "".join(f"-{key}{value}" for key, value in (factors or {}).items())
    file = f"{task}{'' if attempt == 1 else f'-{attempt}'}.jsonl"
    about = Circumstance(run.about["id"], benchmark, "messages", "here", 0, number, attempt, "p", factors or {})
    run.journal({"event": "begun", "task": task, "file": file, "about": asdict(about)})
    begun: dict[str, Any] = {
        "event": "launch",
        **({"version": version} if version else {}),
        "seed": 1,
        "ranks": 2,
        "placement": [{"rank": 0, "host": "n1"}],
        "t": 1.0,
    }
    done: dict[str, Any] = {"event": "done"}
    if reference is not None:
        begun["reference"], done["reference"] = reference
    lines = [begun, *events, done]
    (run.folder / "launches" / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = {"status": 0, "reason": None, "binding": "core", "warnings": [], **ended}
    run.journal({"event": "ended", "task": task, **told})


def echo(run: Run) -> dict[str, Any]:
    (section,) = document(run)["benchmarks"]
    return dict(section)


def test_what_a_launcher_warns_of_reaches_the_reader_and_the_run_is_not_clean(run: Run) -> None:
    crowded = "5 ranks share 2 processors of a node (oversubscribed, not bound)"
    for number in range(3):
        launch(run, number, [block(8, [1e-6] * 4)], binding="none", warnings=[crowded])
    section = echo(run)
    assert section["state"] == "disturbed" and section["warnings"].count(crowded) == 1
    assert section["binding"] == ["none"]
    median = next(f for f in section["figures"] if f["name"] == "half_round_trip" and f["statistic"] == "median")
    assert median["value"] == 0.5e-6 and median["state"] == "disturbed"  # the number stands, with its reason
    assert crowded in as_markdown(typed(run)) and "Binding: none" in page.html(typed(run))


def test_variance_is_reported_by_level(run: Run) -> None:
    dice = np.random.default_rng(5)
    launches, blocks, readings, sd = 60, 8, 40, {"launch": 0.10, "block": 0.03, "repetition": 0.01}
    for number in range(launches):
        level = 1 + sd["launch"] * dice.standard_normal()
        middles = level + sd["block"] * dice.standard_normal(blocks)
        made = [m + sd["repetition"] * dice.standard_normal(readings) for m in middles]
        launch(run, number, [block(8, (1e-6 * values).tolist(), i) for i, values in enumerate(made)])
    (entry,) = echo(run)["variance"]
    assert (entry["launches"], entry["blocks"], entry["readings"]) == (launches, launches * blocks, 19200)
    assert entry["unsampled"] == [] and entry["unit"] == "s" and entry["params"]["bytes"] == 8
    for level, truth in sd.items():
        assert entry["relative"][level] == pytest.approx(truth, rel=0.35)
        assert math.sqrt(entry["variance"][level]) == pytest.approx(truth * 1e-6, rel=0.4)
    assert sum(entry["share"].values()) == pytest.approx(1)


def test_a_level_that_was_not_repeated_is_named(run: Run) -> None:
    for number in range(3):
        launch(run, number, [block(8, [1e-6 * (1 + number), 1.1e-6 * (1 + number)])])
    section = echo(run)
    assert section["variance"][0]["unsampled"] == ["block"]
    shown = tables.levels(typed(run).benchmarks[0])
    assert shown is not None and shown.rows[0][2] == "not sampled"


def test_statistics_of_all_readings_are_of_disturbed_launches_too_and_in_no_json(run: Run) -> None:
    """Median, best and tail of each launch, of a time and of the rate that falls while it grows."""
    dice = np.random.default_rng(8)
    times = {number: (1e-6 * (1 + dice.random(10))).tolist() for number in range(4)}
    for number, values in times.items():
        others = {
            "steal": 0.5 * (number == 2),
            "others": 0.0,
            "own": 2.0,
            "wall": 1.0,
            "involuntary": 0,
            "major_faults": 0,
        }
        launch(run, number, [block(8, values) | {"accounting": others}])
    found = typed(run, all_readings=True).benchmarks[0].figures
    by = {each.name: each.statistics for each in found if each.main}
    half, rate = by["half_round_trip"], by["rate"]
    assert half is not None and rate is not None
    for number, values in times.items():
        expected = {MEDIAN: np.median(values), BEST: min(values), TAIL: np.quantile(values, 0.9)}
        assert {name: of[number] for name, of in half.by_launch.items()} == pytest.approx(
            {name: value / 2 for name, value in expected.items()}
        )
        assert {name: of[number] for name, of in rate.by_launch.items()} == pytest.approx(
            {name: 8 / (value / 2) for name, value in expected.items()}
        )
    assert half.tail == pytest.approx(np.quantile(np.concatenate([*times.values()]), 0.9) / 2)
    assert typed(run).benchmarks[0].figures[0].statistics is None
    assert "statistics" not in json.dumps(to_json(found[0]))


def test_the_first_call_says_how_many_it_comes_from(run: Run) -> None:
    for number in range(3):
        launch(run, number, [block(8, [1e-6] * 9, first=4e-6 + 2e-6 * number)])
    first = next(f for f in echo(run)["figures"] if f["name"] == "half_round_trip" and f["statistic"] == "first")
    assert (first["value"], first["samples"], first["batch"]) == (3e-6, 3, 1)
    assert first["range"] == [2e-6, 4e-6] and "first call" in first["scope"]


def test_a_case_whose_check_failed_is_in_no_fit(run: Run) -> None:
    wrong = {"event": "check", "case": {"bytes": 4096, "hops": None}, "passed": False, "detail": "byte 7"}
    for number in range(3):
        line = [block(n, [2 * (70e-6 + 0.4e-6 * n)] * 3) for n in (8, 64, 512, 1024)]
        launch(run, number, [*line, block(4096, [50.0] * 3), wrong])
    section, whole = echo(run), document(run)
    assert (section["state"], section["states"]["invalid"], section["failed_checks"]) == ("clean", 2, 1)
    assert not whole["valid"] and whole["state"] == "clean"  # it costs its case, and the exit status
    lines = [fit for fit in section["fits"] if fit["law"] == "alpha_beta"]
    assert lines and all(fit["over"][1] == 1024 and fit["alpha"] == pytest.approx(70e-6) for fit in lines)


def test_what_was_passed_is_called_no_bound() -> None:
    host = {"frequency": 1e9, "flags": ["sse4_2"]}
    figure = from_json(Headline, headline("h", 16e9, "flop/s", bound="peak_float64"))
    found = bounds.share(figure, made_document(host=host))
    assert found is not None and found.share > 1
    assert "no bound here" in found.text and "%" not in found.text


def test_samples_name_what_exists_before_and_after_the_end(run: Run) -> None:
    launch(run, 0, [block(8, [1e-6])])
    assert Path(document(run)["samples"]).is_dir()
    run.finish("done")
    assert Path(document(run)["samples"]).is_file()


def test_what_a_resumed_run_adds_is_seen_before_its_end(run: Run) -> None:
    launch(run, 0, [block(8, [1e-6])])
    run.finish("failed")
    again = Run.open(run.folder)
    again.reopen()
    launch(again, 1, [block(8, [3e-6])])
    assert Run.open(run.folder).connect().execute("SELECT count(*) FROM samples").fetchone() == (2,)
    assert Run.open(run.folder).about["state"] == "running"


def test_two_processes_never_write_into_one_run(run: Run) -> None:
    answer = assay("evaluate", "--resume", str(run.folder))
    assert answer.status == 2 and "another process writes" in answer.err and answer.out == ""
    with pytest.raises(InputError, match="another process writes"):
        Run.open(run.folder).hold()
    run.finish("done")
    Run.open(run.folder).hold()


def test_every_document_goes_to_standard_output_and_rows_to_the_file(run: Run, tmp_path: Path) -> None:
    launch(run, 0, [block(8, [1e-6, 2e-6])])
    answer = assay("export", str(run.folder), "--json", "-o", str(tmp_path / "rows.json"))
    assert answer.document == {"version": 4, "table": "samples", "rows": 2, "file": str(tmp_path / "rows.json")}
    written = json.loads((tmp_path / "rows.json").read_text())
    assert len(written["rows"]) == 2 and written["version"] == 4
    table = tmp_path / "rows.csv"  # it held JSON
    answer = assay("export", str(run.folder), "--json", "-o", str(table))
    assert answer.document == {"version": 4, "table": "samples", "rows": 2, "file": str(table)}
    assert assay("export", str(run.folder)).out.splitlines() == table.read_text().splitlines()


@pytest.mark.parametrize("only", ["", ",", " , "])
def test_no_part_at_all_is_refused(only: str) -> None:
    answer = assay("evaluate", "--only", only)
    assert answer.status == 2 and "names no part" in answer.err and answer.out == ""


def test_a_run_without_a_plan_cannot_be_resumed_and_says_so(run: Run) -> None:
    run.finish("done")
    answer = assay("evaluate", "--resume", str(run.folder))
    assert answer.status == 2 and "run.json" in answer.err and len(answer.err.splitlines()) == 1


def test_a_coefficient_stands_with_its_range_and_from_six_launches_with_its_interval(run: Run) -> None:
    for number in range(6):
        per_byte = (0.4 + 0.001 * number) * 1e-6  # s/B
        line = [block(n, [2 * ((70 + number) * 1e-6 + per_byte * n)] * 3) for n in (8, 64, 512, 1024)]
        launch(run, number, line)
    section = echo(run)
    papers = next(fit for fit in section["fits"] if fit.get("estimator") == "ordinary")
    assert papers["alpha_range"] == pytest.approx([70e-6, 75e-6]) and papers["beta_range"] == pytest.approx(
        [4e-7, 4.05e-7]
    )
    low, high = papers["alpha_ci95"]
    assert 69e-6 < low <= papers["alpha"] <= high < 76e-6
    shown = tables.fits(typed(run).benchmarks[0])
    assert shown is not None and "(95%)" in shown.rows[0][2] and "µs" in shown.rows[0][2] and "400" in shown.rows[0][3]


def test_launches_without_any_noise_make_a_report(run: Run) -> None:
    for number in range(2):  # a described machine: each launch the same to the bit, and no line
        launch(run, number, [block(n, [1e-6 * (1 + (n > 100)) + 1e-9 * n] * 3) for n in (8, 64, 128, 512, 1024)])
    section = echo(run)
    assert any(fit.get("lack_of_fit") and fit["lack_of_fit"]["f"] is None for fit in section["fits"])
    assert tables.fits(typed(run).benchmarks[0]) is not None and as_markdown(typed(run))


def test_what_is_invalid_is_compared_with_nothing_and_a_disturbed_run_is_called_so(run: Run, tmp_path: Path) -> None:
    other = Run.create(tmp_path / "other", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    wrong = {"event": "check", "case": {"bytes": 64, "hops": None}, "passed": False, "detail": "byte 7"}
    for number in range(6):
        fine = [block(n, [1e-6 + 1e-9 * number] * 3) for n in (8, 64)]
        launch(run, number, fine, warnings=["2 ranks share 1 processor"])
        launch(other, number, [*fine, wrong])
    answer = assay("compare", str(run.folder), str(other.folder), "--json")
    assert answer.status == 0
    (entry,) = answer.document["comparisons"]
    told = {row["params"]["bytes"]: row for row in entry["rows"]}
    assert told[8]["verdict"] == "equal" and told[64]["verdict"] == "inconclusive"
    assert told[64]["ratio"] is None and told[64]["reason"].startswith("invalid in")
    assert (answer.document["state"], entry["state"]) == ("disturbed", "invalid") and entry["warnings"]
    said = assay("compare", str(run.folder), str(other.folder))
    assert f"{run.about['id']} is disturbed" in said.err


def test_a_failed_check_of_an_attempt_that_was_done_again_well_counts_no_more(run: Run) -> None:
    wrong = {"event": "check", "case": {"bytes": 8, "hops": None}, "passed": False, "detail": "byte 7"}
    launch(run, 0, [block(8, [9e-6] * 4), wrong], status=1, reason="check failed")
    launch(run, 0, [block(8, [1e-6] * 4), {**wrong, "passed": True}], attempt=2)
    section = echo(run)
    assert section["state"] == "clean" and section["warnings"] == []
    median = next(f for f in section["figures"] if f["name"] == "half_round_trip" and f["statistic"] == "median")
    assert median["value"] == 0.5e-6 and median["state"] == "clean"


def test_the_readings_of_a_benchmark_are_read_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        launch(run, number, [block(8, [1e-6, 2e-6])])
    read: list[str] = []

    def counting(path: Path, about: Circumstance) -> launch_file.Content:
        read.append(path.name)
        return content(path, about)

    content = launch_file.content
    monkeypatch.setattr(launch_file, "content", counting)
    section = echo(run)
    assert section["figures"] and section["variance"]
    assert read == ["000-echo.jsonl", "001-echo.jsonl"]


def test_tasks_of_one_launch_that_differ_in_a_factor_are_counted_once_each(run: Run) -> None:
    for ppn, seconds in ((1, 4e-6), (2, 6e-6)):
        launch(run, 0, [block(8, [seconds] * 3)], factors={"ppn": ppn})
    found = {f["params"]["ppn"]: f for f in echo(run)["figures"] if f["statistic"] == "median"}
    assert {ppn: (f["value"], f["samples"], f["launches"]) for ppn, f in found.items()} == {
        1: (2e-6, 3, 1),
        2: (3e-6, 3, 1),
    }


def test_a_block_in_several_parts_is_one_block_in_order_of_its_repetitions(run: Run) -> None:
    launch(run, 0, [block(8, [1.0, 4.0, 6.0], first=9.0), block(8, [2.0, 5.0])])
    ((of,),) = [[of for of in readings(block for block, _ in launch_lines(run.tasks()).blocks) if not of.first]]
    assert of.values == [1.0, 2.0, 4.0, 5.0, 6.0]


def test_what_failed_and_what_was_measured_have_the_same_fields(run: Run) -> None:
    launch(run, 0, [block(8, [1e-6, 2e-6])])
    measured = echo(run)
    about = Circumstance(run.about["id"], "sieve", "processor", "here", 0, 0, 1, "p")
    run.journal({"event": "begun", "task": "000-sieve", "file": "000-sieve.jsonl", "about": asdict(about)})
    run.journal({"event": "ended", "task": "000-sieve", "status": 1, "reason": "no compiler"})
    failed = next(s for s in document(run)["benchmarks"] if s["benchmark"] == "sieve")
    assert set(failed) == set(measured) and failed["state"] == "invalid" and failed["title"] != "sieve"


def test_a_run_apart_from_itself_tells_nothing_whichever_of_the_two_it_is(run: Run, tmp_path: Path) -> None:
    steady = Run.create(tmp_path / "steady", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    for number in range(12):
        launch(steady, number, [block(8, [1e-6 * (1 + 1e-4 * number)] * 3)])
        launch(run, number, [block(8, [1e-6 * (1 + 1e-4 * number) * (1.0 if number % 2 else 0.9)] * 3)])
    for one, other in ((run, steady), (steady, run)):
        rows = comparison.against(typed(one), typed(other))
        assert {row.figure for row in rows} == {"rate", "half_round_trip"}
        assert all(row.verdict == "inconclusive" for row in rows)
        assert all(
            row.spread and max(row.spread[1], 1 / row.spread[0]) > 1.1 for row in rows
        )  # of a rate the other way


@pytest.mark.parametrize("older", [False, True], ids=["events", "notes of version 2"])
def test_what_a_program_doubts_itself_is_a_warning_and_the_run_is_not_clean(run: Run, older: bool) -> None:
    doubt = {"event": "doubt", "text": "two threads may have shared one processor", "case": {"bytes": 8}}
    told = {"event": "skip", "text": "what takes three"}
    person = {"event": "note", "text": "doubted: by nobody"}  # from version 3 on a note is for people alone
    if older:
        doubt = {"event": "note", "text": f"doubted: {doubt['text']}"}
        told, person = {"event": "note", "text": "left out: what takes three"}, told
    for number in range(3):
        launch(
            run, number, [block(8, [1e-6] * 4), doubt, told, *([] if older else [person])], version=2 if older else 3
        )
    section = echo(run)
    assert section["state"] == "disturbed" and section["warnings"] == ["two threads may have shared one processor"]
    assert section["notes"] == ["left out: what takes three", *([] if older else ["doubted: by nobody"])]
    assert section["remarks"] == [{"kind": "skip", "text": "what takes three"}]
    assert all(figure["state"] == "disturbed" for figure in section["figures"])


def test_where_the_clocks_are_coarser_than_a_tenth_there_is_no_figure(run: Run) -> None:
    """method.md, rule 7: of two lengths the one that takes long enough keeps its figure."""
    for number in range(3):
        lines = []
        for length, seconds in ((8, 20e-6), (4096, 42e-6)):
            case = {"case": {"bytes": length, "ranks": 2}, "batch": 1, "first": None, "t0": 1.0, "t1": 2.0}
            for metric, values in (("time", [seconds] * 5), ("clock_error", [1e-6, 3e-6])):
                lines.append({"event": "block", "metric": metric, "block": 0, **case, "values": values})
        launch(run, number, lines, benchmark="alltoall")
    section = echo(run)
    found = {f["params"]["bytes"]: f for f in section["figures"] if (f["name"], f["statistic"]) == ("time", "median")}
    assert found[8]["value"] is None and found[8]["state"] == "invalid"
    assert found[4096]["value"] == pytest.approx(42e-6) and found[4096]["state"] == "clean"
    (said,) = section["warnings"]
    assert (
        '"bytes":8' in said and "how far apart the ranks' clocks may be: 3 µs, more than a tenth of the 20 µs" in said
    )
    assert {f["unit"] for f in section["figures"]} == {"s", "B/s"} and not section["odd_nodes"]
    rows = comparison.against(typed(run), typed(run))
    assert {row.metric for row in rows} == {"time"}
    assert {row.params["bytes"]: row.verdict for row in rows} == {8: "inconclusive", 4096: "equal"}


def test_what_costs_nothing_has_no_line_and_no_fault(run: Run) -> None:
    for number in range(2):  # a copy within a described machine that states none: zero seconds at every length
        launch(run, number, [block(n, [0.0] * 3) for n in (8, 64, 128, 512)])
    assert [fit for fit in echo(run)["fits"] if fit["law"] == "alpha_beta"] == []


def test_a_failed_launchs_own_words_come_before_what_follows_from_it(run: Run) -> None:
    for number, reason in enumerate(("rank 0: MPI_Recv: MPI_ERR_TRUNCATE", "skipped: the previous launch failed")):
        launch(run, number, [], status=1, reason=reason)
    (section,) = document(run)["benchmarks"]
    said = section["warnings"]
    assert "MPI_ERR_TRUNCATE" in said[0] and "previous launch" in said[1] and "no block was finished" in said[2:]


def test_a_check_of_a_program_without_cases_names_none(run: Run) -> None:
    wrong = {"event": "check", "case": {}, "passed": False, "detail": "modules 2, 3"}
    for number in range(3):
        launch(run, number, [block(8, [1e-6] * 3), wrong])
    (section,) = document(run)["benchmarks"]
    assert section["failed_checks"] == 1 and section["state"] == "invalid"
    assert [text for text in section["warnings"] if "check failed" in text] == ["check failed: modules 2, 3"]
