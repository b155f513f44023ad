"""Several runs in one report, and a message benchmark by length as OSU's programs print it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.document.section import Section
from assay.report.derive.document import document
from assay.report.sections import message_lengths
from assay.store import Run
from command_line import assay
from test_compare_gate import made
from test_document import block, launch


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "160")


def three(folder: Path) -> list[str]:
    """A run, one like it, and one that is half as slow again and lacks a length."""
    like = [made(folder / name, 10, lengths=(8, 100, 1024, 65536)) for name in ("one", "like")]
    return [*like, made(folder / "slow", 10, 1.5, lengths=(8, 100, 1024))]


def test_each_run_stands_in_a_column_with_its_report_s_figure_and_the_judgement(tmp_path: Path) -> None:
    runs = three(tmp_path)
    told = assay("report", *runs, "--json").document
    beside, reports = told["beside"], told["reports"]
    assert [run["run"] for run in beside["runs"]] == [whole["run"] for whole in reports]
    for row in beside["rows"]:
        for value, whole in zip(row["values"], reports, strict=True):
            if value is None:
                assert row["params"]["bytes"] == 65536 and whole is reports[2]
                continue
            (figure,) = (
                f
                for f in whole["benchmarks"][0]["figures"]
                if (f["name"], f["params"], f["statistic"]) == (row["figure"], row["params"], "median")
            )
            assert value["value"] == figure["value"]
        first, like, slow = row["values"]
        assert like["verdict"] == "equal" and like["ratio"] == pytest.approx(1)
        assert slow is None or (slow["verdict"] == "differs" and slow["ratio"] == slow["value"] / first["value"])
    assert {row["params"]["bytes"] for row in beside["rows"] if row["headline"]} == {8, 1024, 65536}


def test_what_only_some_of_the_runs_have_is_shown_all_the_same(tmp_path: Path) -> None:
    one, like, slow = three(tmp_path)
    for order in ((one, slow, like), (slow, one, like)):
        rows = assay("report", *order, "--json").document["beside"]["rows"]
        longest = [row for row in rows if row["params"]["bytes"] == 65536]
        assert len(rows) == 8 and len(longest) == 2
        for row in longest:
            assert [value is None for value in row["values"]] == [run == slow for run in order]
    assert "–" in assay("report", slow, one, "--markdown").out


def test_a_figure_that_one_run_never_measured_is_not_called_invalid(tmp_path: Path) -> None:
    """Its badge said so, in red, on the page; a reader took the run for a broken one."""
    one, like, slow = three(tmp_path)
    assert assay("report", slow, one, like).status == 0
    text = (tmp_path / "slow" / "beside.html").read_text()
    longest = next(each for each in text.split("<figure>") if "64 KiB" in each)
    of_slow = next(each for each in longest.split("<li>") if each.startswith("<b>A</b>"))
    assert "not measured" in of_slow and longest.count("not measured") == 1
    assert "invalid" not in text.partition("</style>")[2]


def test_main_figures_are_those_of_all_runs(tmp_path: Path) -> None:
    """Runs of different benchmarks: the first one's alone were shown."""
    echo = made(tmp_path / "echo", 3)
    lock = Run.create(tmp_path / "lock", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    case = {"kind": "mutex", "threads": 1, "sharing": "one"}
    for number in range(3):
        launch(lock, number, [block(8, [1e-8] * 5) | {"metric": "time", "case": case}], benchmark="lock")
    for order in ((echo, str(lock.folder)), (str(lock.folder), echo)):
        told = assay("report", *order, "--json").document
        own = {
            (section["benchmark"], head["name"])
            for of in told["reports"]
            for section in of["benchmarks"]
            for head in section["headlines"]
        }
        heads = {(row["benchmark"], row["figure"]) for row in told["beside"]["rows"] if row["headline"]}
        assert heads == own and {benchmark for benchmark, _ in heads} == {"echo", "lock"}


def test_the_terminal_markdown_and_a_page_show_them(tmp_path: Path) -> None:
    runs = three(tmp_path)
    shown = assay("report", *runs)
    assert shown.status == 0 and "Runs side by side" in shown.out and "1.500 differs" in shown.out
    assert "4 × processor" in shown.out  # what the runs say of their host
    assert "B / A" in shown.out and "C / A" in shown.out
    page = Path(shown.out.strip().splitlines()[-1].removeprefix("report: "))
    text = page.read_text()
    assert page == tmp_path / "one" / "beside.html" and "1.500 differs" in text and "1.000 equal" in text
    drawn = re.findall(r'<i class="fill" style="width:([\d.]+)%"', text)
    assert drawn and set(drawn) == {"100.0", "66.7"}  # the slow run is at two thirds, of times as of rates
    assert "http" not in text.replace("http://www.w3.org", "") and text.count("report.html") == 3
    written = assay("report", *runs, "--markdown").out
    assert "| A |" in written and "0.667 differs" in written
    elsewhere = tmp_path / "both.html"
    assert assay("report", *runs[:2], "-o", str(elsewhere)).status == 0 and "equal" in elsewhere.read_text()


def section(run: Run) -> Section:
    (found,) = document(run).benchmarks
    return found


def test_echo_by_length_has_one_unit_per_column(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    for number in range(3):
        times = {1 << 20: 200e-6, 8: 2e-6, 1024: 4e-6}  # round trips
        launch(run, number, [block(n, [t * (1 + 0.1 * number)] * 5) for n, t in times.items()])
    (table,) = message_lengths.tables(section(run))
    assert table.headings[:2] == ("bytes", "time (us)") and table.headings[4] == "rate (MB/s)"
    assert [row[:5] for row in table.rows] == [
        ("8", "1.10", "1.00", "1.20", "7.27"),
        ("1024", "2.20", "2.00", "2.40", "465.45"),
        ("1048576", "110.00", "100.00", "120.00", "9532.51"),
    ]
    shown = assay("report", str(run.folder))
    assert "rate (MB/s)" in shown.out and "9532.51" in shown.out and shown.out.count("465.45") == 1
    assert "| 1048576 | 110.00 |" in assay("report", str(run.folder), "--markdown").out


def test_partners_at_several_distances_have_a_table_each(tmp_path: Path) -> None:
    words = (
        "run",
        "echo",
        "--on",
        "ipsc860",
        "--set",
        "bytes=8,1024",
        "--set",
        "hops=1,3",
        "--out",
        str(tmp_path / "r"),
    )
    assert "hops 3" in assay(*words).out
    tables = message_lengths.tables(section(Run.open(tmp_path / "r")))
    assert [len(table.rows) for table in tables] == [2, 2]
    assert float(tables[0].rows[0][1]) < float(tables[1].rows[0][1])


def test_what_has_no_time_and_rate_by_length_has_no_such_table(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    launch(run, 0, [{**block(8, [1e-3] * 4), "metric": "time", "case": {}}], benchmark="sieve")
    assert message_lengths.tables(section(run)) == []
