"""Rates of files in a report: laid out by block size and what is in flight, each with where its bytes came from."""

from __future__ import annotations

from typing import Any

import pytest

from assay.document.section import Section
from assay.report.judge import main_figures
from assay.report.render.markdown import markdown
from assay.report.render.page import html
from assay.report.render.page_parts import parts
from assay.report.render.tables import listed
from assay.report.sections import file_rates, message_lengths
from made_documents import document, figure, section

SIZES, PROCESSES = (4096, 65536, 1048576), (1, 2, 4)
CACHED, STORED = 8e9, 1e8  # what no storage here reaches, and what it reaches of a block of 1 MiB with one in flight


def rate(size: int, processes: int, source: str = "device", name: str = "rate", **about: Any) -> dict[str, Any]:
    case = {"direction": "read", "access": "sequential", "engine": "direct", "bytes": size, "depth": 1} | about
    value = CACHED if source == "cache" else STORED * processes * size / (1 << 20)
    made = figure(name, value, "B/s", **case, processes=processes, source=source)
    return made | {"headline": name == "rate"}


def latency(size: int, source: str, statistic: str, value: float) -> dict[str, Any]:
    case = {"direction": "read", "access": "sequential", "engine": "direct", "bytes": size, "depth": 1}
    return figure("latency", value, "s", statistic, **case, processes=1, source=source)


def planted() -> list[dict[str, Any]]:
    made = [rate(size, processes) for size in SIZES for processes in PROCESSES]
    made += [rate(size, processes, source, engine="buffered", direction="write")
             for size in SIZES for processes in PROCESSES for source in ("device", "cache")]  # fmt: skip
    made += [rate(size, processes, "cache", engine="buffered") for size in SIZES for processes in PROCESSES]
    made += [rate(size, 1, "cache", name="copy") for size in SIZES]
    made += [
        latency(size, "device", kind, value) for size in SIZES for kind, value in (("median", 1e-4), ("p99", 9e-4))
    ]
    made += [figure("close", 1e-6, "s", direction="read", engine="direct", bytes=size, processes=1) for size in SIZES]
    return made


@pytest.fixture
def files() -> Section:
    return section("file-rate", planted(), part="files")


def test_a_table_has_a_line_for_each_source_and_block_and_a_column_for_what_is_in_flight(files: Section) -> None:
    tables = {made.title: made for made in file_rates.tables(files)}
    assert [title.split(": ")[-1] for title in tables] == [
        "rate, direction read, buffered", "rate, direction read, direct", "rate, direction write, buffered",
    ]  # fmt: skip
    direct = tables["file-rate: rate, direction read, direct"]
    assert direct.headings == ("bytes are of", "block", "1 in flight", "2 in flight", "4 in flight")
    assert list(direct.rows) == [
        ("device", "4 KiB", "391 kB/s", "781 kB/s", "1.56 MB/s"),
        ("device", "64 KiB", "6.25 MB/s", "12.5 MB/s", "25 MB/s"),
        ("device", "1 MiB", "100 MB/s", "200 MB/s", "400 MB/s"),
    ]
    written = tables["file-rate: rate, direction write, buffered"]
    assert [row[0] for row in written.rows] == ["device"] * 3 + ["page cache"] * 3  # the storage's first
    assert all("8 GB/s" in row[2:] for row in written.rows[3:]) and "8 GB/s" not in str(written.rows[:3])
    assert "The page cache is memory, not storage." in (written.note or "")
    assert [row[0] for row in tables["file-rate: rate, direction read, buffered"].rows] == ["page cache"] * 3


def test_rates_that_are_not_clean_are_counted_and_no_page_is_promised() -> None:
    """A run writes no page."""
    moved = {"state": "disturbed", "disturbance": {"low": -0.1, "high": 0.3}}
    made = file_rates.tables(section("file-rate", [rate(size, 1) | moved for size in SIZES]))
    assert [table.note for table in made] == ["3 of 3 rates are not clean, disturbed by at most 30%."]


def test_no_rate_of_files_stands_in_a_table_that_does_not_say_of_what_it_is(files: Section) -> None:
    """The tables by length took the first time and the first rate of a case, close and copy here."""
    assert message_lengths.tables(files) == [] and message_lengths.shown(files) == set()
    title = ""
    for line in markdown(document(files)).splitlines():
        title = line if line.startswith(("#", "**")) else title
        if "8 GB/s" in line and "copy" not in line:
            assert "page cache" in line + title, line


def test_main_figures_are_listed_first(files: Section) -> None:
    names = [each.name for each in listed(files)]
    assert names == sorted(names, key=lambda name: (name != "rate", name))


def heat_maps(files: Section) -> dict[str, list[dict[str, Any]]]:
    found = [plot for plot in file_rates.plots(files) if plot["data"][0]["type"] == "heatmap"]
    return {plot["layout"]["title"]["text"]: plot["data"] for plot in found}


def test_a_heat_map_writes_each_cell_s_source_and_colours_the_storage_s_alone(files: Section) -> None:
    maps = heat_maps(files)
    (direct,) = maps["rate, direction read, direct"]
    assert direct["x"] == ["4 KiB", "64 KiB", "1 MiB"] and direct["y"] == ["1", "2", "4"]
    assert direct["text"][2] == ["1.56 MB/s<br>device", "25 MB/s<br>device", "400 MB/s<br>device"]
    assert direct["z"][0][2] == pytest.approx(8)  # log10
    (cached,) = maps["rate, direction read, buffered"]
    assert {value for row in cached["z"] for value in row} == {0.0}  # grey, whatever the rate
    assert {text for row in cached["text"] for text in row} == {"8 GB/s<br>page cache"}
    (both,) = maps["rate, direction write, buffered"]  # the cell shows the storage's, the pointer both
    assert all(text.endswith("device") for row in both["text"] for text in row)
    assert both["hovertext"][0][0].startswith("device 391 kB/s") and "page cache 8 GB/s" in both["hovertext"][0][0]


def test_a_cell_of_an_unknown_source_is_not_coloured() -> None:
    sources = {1: "device", 2: "unknown", 4: "remote"}
    made = section("file-rate", [rate(size, at, of) for size in SIZES for at, of in sources.items()], part="files")
    stored, other = heat_maps(made)["rate, direction read, direct"]
    assert [[value is None for value in row] for row in stored["z"]] == [[False] * 3, [True] * 3, [False] * 3]
    assert other["z"] == [[None] * 3, [0.0] * 3, [None] * 3]


def test_curves_by_block_and_by_what_is_in_flight_and_percentiles(files: Section) -> None:
    drawn = {plot["layout"]["title"]["text"]: plot for plot in file_rates.plots(files)}
    names = {curve["name"]: curve for curve in drawn["rate, direction write"]["data"]}
    assert names["buffered, 4 in flight: device"]["y"] == [STORED * 4 * size / (1 << 20) for size in SIZES]
    assert names["buffered, 1 in flight: page cache"]["line"]["dash"] == "dash"
    assert drawn["rate, direction write"]["layout"]["xaxis"]["title"]["text"] == "block size"
    late = {curve["name"]: curve["y"] for curve in drawn["latency, direction read"]["data"]}
    assert late == {"direct: device, median": [1e-4] * 3, "direct: device, p99": [9e-4] * 3}
    flight = {curve["name"]: curve for curve in drawn["rate, direction read, direct: device"]["data"]}
    assert flight["64 KiB"]["x"] == [1, 2, 4] and flight["64 KiB"]["y"] == [6.25e6, 12.5e6, 25e6]
    shown = parts(document(files))[1].plots
    assert sum(key.startswith("file-rate-") for key in shown) == len(drawn)


def test_ranks_have_a_column_for_how_many_work() -> None:
    def of(name: str, size: int, active: int, value: float) -> dict[str, Any]:
        about = {"direction": "read", "interface": "posix", "layout": "own", "source": "device", "ranks": 3}
        return figure(name, value, "B/s", bytes=size, active=active, **about) | {"headline": True}

    cells = [of(name, size, active, 1e6 * (active or 3)) for size in SIZES for active in (1, 2, 0)
             for name in ("rate_aggregate", "rate")]  # fmt: skip
    (table,) = file_rates.tables(section("parallel-files", cells, part="files"))
    assert table.headings[2:] == ("1 ranks", "2 ranks", "3 ranks") and "posix" in table.title
    assert [row[2:] for row in table.rows] == [("1 MB/s", "2 MB/s", "3 MB/s")] * 3


def test_a_described_machine_s_rates_are_laid_out_and_called_simulated() -> None:
    about = {"direction": "read", "interface": "posix", "io_nodes": 32, "ranks": 4, "layout": "own"}
    figures = [figure("rate_aggregate", STORED * active * size, "B/s", **about, bytes=size, active=active)
               for size in SIZES for active in PROCESSES]  # fmt: skip
    made = section("parallel-files", figures, part="files")
    (table,) = file_rates.tables(made)
    assert table.headings == ("bytes are of", "block", "1 ranks", "2 ranks", "4 ranks")
    assert [row[:2] for row in table.rows] == [("simulated", size) for size in ("4 KiB", "64 KiB", "1 MiB")]
    (heat,) = [plot for plot in file_rates.plots(made) if plot["data"][0]["type"] == "heatmap"]
    assert len(heat["data"]) == 1 and "simulated" in heat["data"][0]["text"][0][0]  # coloured, not a cache's
    assert next(trace["name"] for trace in file_rates.plots(made)[0]["data"]).endswith("1 ranks: simulated")


def test_cases_with_one_number_in_flight_stand_in_one_table() -> None:
    cells = [rate(size, 1, source, engine=engine) for size in SIZES
             for source, engine in (("device", "direct"), ("cache", "buffered"))]  # fmt: skip
    (table,) = file_rates.tables(section("file-rate", cells, part="files"))
    assert table.headings == ("case", "by", "bytes are of", "block", "rate", "across launches")
    assert [row[1:5] for row in table.rows] == [
        *(("buffered", "page cache", size, "8 GB/s") for size in ("4 KiB", "64 KiB", "1 MiB")),
        ("direct", "device", "4 KiB", "391 kB/s"), ("direct", "device", "64 KiB", "6.25 MB/s"),
        ("direct", "device", "1 MiB", "100 MB/s"),
    ]  # fmt: skip


def test_the_first_screen_says_that_all_is_memory_s_where_no_case_is_a_main_figure() -> None:
    """What all cases have alike is left out of their names, but not where their bytes came from."""
    cells = [rate(65536, 1, "cache", direction=way, engine=engine)
             for way in ("read", "reread") for engine in ("buffered", "direct")]  # fmt: skip
    made = document(section("file-rate", cells, part="files"))
    titles = [line.title for line in main_figures.lines(made, [])]
    assert len(titles) == 4 and all("page cache, not storage" in title for title in titles)


def test_what_no_rate_of_files_is_is_left_alone() -> None:
    echo = section("echo", [figure("rate", 1e9, "B/s", bytes=size) for size in SIZES])
    assert not file_rates.covers(echo) and file_rates.plots(echo) == file_rates.tables(echo) == []
    assert "Predicted" not in html(document(echo))
