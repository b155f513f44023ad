"""What a run tells by hops in the terminal and in the published tables, which are of one hop."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from assay.benchmark.record import benchmarks
from assay.document.grid import grid
from assay.document.run_document import Document
from assay.published.tables import hypercubes
from assay.report.derive.document import _headlines
from assay.report.render import tables, terminal
from made_documents import bare, figure, section
from made_documents import document as made_document


def fit(hops: int | None, alpha: float, over: tuple[float, float]) -> dict[str, Any]:
    params = {} if hops is None else {"hops": hops}
    text = f"T = {alpha * 1e6:g} us"
    return {
        "law": "alpha_beta",
        "figure": "half_round_trip",
        "params": params,
        "estimator": "ordinary",
        "alpha": alpha,
        "beta": 4e-7,
        "over": list(over),
        "text": text,
    }


def document(hops: list[int | None]) -> Document:
    """Start-ups of 100 us a hop, 10 us for short messages; 8 bytes in 50 us a hop."""
    fits, figures = [], []
    for each in hops:
        far = each or 1
        fits += [fit(each, far * 1e-4, (8.0, 8192.0)), fit(each, far * 1e-5, (8.0, 64.0))]
        params = {"bytes": 8} if each is None else {"bytes": 8, "hops": each}
        figures.append(figure("half_round_trip", far * 5e-5, "s", **params))
    return made_document(section("echo", figures, fits=fits), kind="simulated")


@pytest.mark.parametrize("hops", [[None], [6, 1, 2]])
def test_the_published_tables_take_the_echo_of_neighbours(hops: list[int | None]) -> None:
    found = {table.title.split(":")[0]: table for table in hypercubes.tables(document(hops))}
    own = {row[0]: row[1] for row in found["Table 6"].rows}
    assert (own["alpha"], own["alpha up to 100 B"]) == ("100 µs", "10 µs")
    assert {row[0]: row[1] for row in found["Table 7"].rows}["time 8 B"] == "50 µs"


def test_fits_stand_under_what_tells_their_cases_apart() -> None:
    lines = terminal._fits(document([1, 2, 3]).benchmarks[0])
    assert lines[0] == "hops 1:" and lines[3] == "hops 2:"
    assert lines[-1] == "(fits of 1 more cases in the report)"
    assert terminal._fits(document([None]).benchmarks[0]) == ["T = 100 us", "T = 10 us"]


def test_what_stands_beside_published_figures_is_printed() -> None:
    whole = replace(document([1]), beside=[grid("Simulated and published", ("a",), [["0.5 %"]])], benchmarks=[])
    out = io.StringIO()
    terminal.show(whole, Console(file=out, width=80))
    assert "0.5 %" in out.getvalue()


def test_a_headline_can_ask_for_the_most_of_a_parameter() -> None:
    """A barrier of all ranks, though that of two is quicker."""
    record = benchmarks()["barrier"]
    case = {"algorithm": "library", "timing": "window"}
    times = {2: 1e-6, 8: 3e-6, 4: 2e-6}
    derived = [bare("barrier", "time", t, "s", case | {"ranks": n}) for n, t in times.items()]
    (made,) = _headlines(record, derived, described=True)
    assert (made.figure.value, made.chosen) == (3e-6, [])


def test_a_headline_says_of_what_its_case_is_the_best() -> None:
    rates = [bare("echo", "rate", 1e6 * n, "B/s", {"bytes": n, "ranks": 2})
             for n in (1 << 20, 1 << 22)]  # fmt: skip
    (made,) = _headlines(benchmarks()["echo"], [replace(each, better="higher") for each in rates], described=True)
    assert (made.figure.params["bytes"], made.chosen) == (1 << 22, ["bytes"])


def test_what_takes_the_rest_is_no_software_where_there_is_none() -> None:
    record = benchmarks()["echo"]
    times = [bare("echo", "half_round_trip", 1e-6, "s", {"bytes": 8})]
    said = [[each.advice for each in _headlines(record, times, described)] for described in (False, True)]
    assert said == [
        ["MPI's software path takes the rest: another transport or MPI may be faster"],
        ["the way between the two ranks takes the rest"],
    ]
    barrier = benchmarks()["barrier"]
    case = {"algorithm": "library", "timing": "window", "ranks": 2}
    times = [bare("barrier", "time", 1e-6, "s", case)]
    assert _headlines(barrier, times, True)[0].advice == _headlines(barrier, times, False)[0].advice


def test_which_of_several_times_a_law_is_of_is_said_above_it() -> None:
    """LogGP has five of them, of which a line is drawn through the gap; of one time there is no question."""
    law = {"law": "alpha_beta", "figure": "gap", "params": {}, "text": "T = 23.38 µs + 1 ns/B x N"}
    times = [figure(name, 1e-6, "s") for name in ("gap", "round_trip")]
    for figures, words in ((times, "Fits: T is the gap"), (times[:1], "Fits")):
        made = tables.fits(section("loggp", figures, fits=[law]))
        assert made is not None and made.title == words
    out = io.StringIO()
    terminal.show(
        made_document(section("loggp", times, fits=[law], title="LogGP parameters")), Console(file=out, width=80)
    )
    assert "Fits of LogGP parameters: T is the gap\n  T = 23.38 µs" in out.getvalue()
