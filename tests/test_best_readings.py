"""Best readings in plots: hollow, explained once in the legend, and never on one line with medians."""

from __future__ import annotations

from typing import Any

from assay.report.render import best_readings, page_parts, plots, tables
from assay.report.sections import kernel_curves
from made_documents import document, figure, headline, section

SAID = "hollow: best reading (bound only)"


def times(*states: str, **params: Any) -> list[dict[str, Any]]:
    """A curve over message lengths whose points are in these states."""
    made = []
    for i, state in enumerate(states):
        kind = "best" if state == "bound" else "median"
        made.append(figure("time", 1e-6 * 2**i, "s", kind, bytes=8 * 4**i, **params) | {"state": state})
    return made


def test_a_curve_is_cut_where_best_readings_end() -> None:
    """As of an exchange that others disturbed up to 512 bytes, and once more at the end."""
    states = ("bound", "bound", "bound", "disturbed", "clean", "bound")
    (drawn,) = plots.curves(section("b", times(*states)))
    first, medians, last, said = drawn["data"]
    assert [each["x"] for each in (first, medians, last)] == [[8, 32, 128], [512, 2048], [8192]]
    assert medians["y"] == [8e-6, 16e-6] and medians["line"]["dash"] == "solid"
    for each in (first, last):
        assert set(each["marker"]["symbol"]) == {"circle-open"} and each["line"]["dash"] == "dot"
    assert set(medians["marker"]["symbol"]) == {"circle"}
    assert [len(each["error_y"]["array"]) for each in (first, medians, last)] == [3, 2, 1]
    shown = [each["name"] for each in drawn["data"] if each.get("showlegend", True)]
    assert shown == ["this machine", SAID] and said["y"] == [None] and medians["showlegend"]
    assert len({each.get("legendgroup") for each in (first, medians, last)}) == 1  # switched off together
    assert drawn["ticks"]["y"]["log"][0]  # what draws nothing does not disturb the ticks


def test_a_curve_of_medians_stays_one_line_with_an_entry_of_its_own() -> None:
    made = [*times(*["clean"] * 4, pages="huge"), *times(*["bound"] * 4, pages="base")]
    (drawn,) = plots.curves(section("b", made))
    found = {each["name"]: each for each in drawn["data"]}
    assert len(drawn["data"]) == len(found) == 3 and SAID in found
    assert "showlegend" not in found["pages huge"] and found["pages huge"]["line"]["dash"] == "solid"
    assert found["pages base"]["showlegend"] and found["pages base"]["line"]["dash"] == "dot"
    (plain,) = plots.curves(section("b", times(*["disturbed"] * 4)))
    assert [each["name"] for each in plain["data"]] == ["this machine"]


def test_what_has_no_range_has_no_bar_of_it() -> None:
    made = times(*["bound"] * 4, *["clean"] * 4)
    for each in made[:4]:
        each["range"] = None
    (drawn,) = plots.curves(section("b", made))
    assert drawn["data"][0]["error_y"] == {"visible": False}
    assert min(drawn["data"][1]["error_y"]["array"]) > 0


def test_points_of_best_readings_are_hollow_and_said_to_be() -> None:
    of = [("central", "bound"), ("library", "disturbed"), ("tree", "bound")]
    made = [
        figure("time", 1e-7, "s", "best" if state == "bound" else "median", kind=kind) | {"state": state}
        for kind, state in of
    ]
    drawn = plots.points(section("barrier", made))
    assert drawn is not None
    dots, said = drawn["data"]
    marks = dict(zip(dots["y"], dots["marker"]["symbol"], strict=True))
    assert marks == {"central": "circle-open", "library": "circle", "tree": "circle-open"}
    assert (said["name"], said["x"], said["showlegend"], dots["showlegend"]) == (SAID, [None], True, False)
    clean = plots.points(section("barrier", [each | {"state": "clean", "statistic": "median"} for each in made]))
    assert clean is not None and len(clean["data"]) == 1


def test_a_main_figure_that_is_a_best_reading_says_so_beside_laws_of_medians() -> None:
    best = headline("greatest rate", 24.6e9, "B/s", state="bound", statistic="best", range=None)
    usual = headline("usual rate", 14e9, "B/s", state="clean")
    run = document(section("b", [], headlines=[best, usual], part="messages"))
    (part,), _ = page_parts.parts(run)
    assert [each.state for each in part.blocks[0].headlines] == ["bound only: the best reading", "clean"]
    assert [row[2] for row in tables.headlines(run).rows] == ["best reading", "12.6 – 15.4 GB/s"]


def test_a_mark_that_is_hollow_anyway_keeps_its_name() -> None:
    made = section("b", times("bound", "clean")).figures
    assert kernel_curves.UNKNOWN.endswith(best_readings.HOLLOW)
    trace = {"name": "copy", "x": [8, 32], "y": [1, 2], "line": {}, "marker": {"symbol": [kernel_curves.UNKNOWN] * 2}}
    hollow, full = best_readings.parted(trace, made)
    assert hollow["marker"]["symbol"] == full["marker"]["symbol"] == [kernel_curves.UNKNOWN]
