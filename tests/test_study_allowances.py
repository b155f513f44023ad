"""Words of the simulated paper are judged by what its print allows: definitions, grids, runs, and errors shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.machine import catalogue
from assay.network.study import file
from assay.network.study.results import Bracket, Point, Results
from assay.papers.cells import allowance
from assay.papers.ghosh import claims, judging

DOCS = Path(__file__).resolve().parent.parent / "docs"


def judged(name: str, study: str, points: list[Point], brackets: list[Bracket] | None = None) -> dict[str, list[str]]:
    """Outcomes and numbers of one claim's parts."""
    claim = claims.published()[name]
    parts = judging.JUDGES[name](Results(file.load(study), points, brackets or []), claim)
    return {"outcomes": [str(part.outcome) for part in parts], "numbers": [part.numbers for part in parts]}


def width(m: int, read: float) -> Point:
    means = {"read": [read * (1 + 0.001 * i) for i in range(10)]}
    return Point({"io.m": m, "io.interval": 3120.0}, 1000 / 156, means, False, (0, 0))


def test_the_gain_of_a_second_channel_is_of_header_latencies() -> None:
    """As everywhere else: 40% of the header latencies hold, 40% of something longer does not."""
    found = judged("ghosh.m2-gain", "width-m", [width(1, 100.0), width(2, 60.0), width(4, 59.0)])
    assert found["outcomes"] == ["holds", "holds"]
    found = judged("ghosh.m2-gain", "width-m", [width(1, 116.0), width(2, 15.7), width(4, 7.7)])
    assert found["outcomes"] == ["differs", "differs"]
    assert "m = 2 gains 86%" in found["numbers"][0]
    assert "with the transfer it would be 31%" in found["numbers"][0]


def test_around_a_rate_is_half_way_to_the_next_that_is_printed() -> None:
    for bracket, outcome in (((21.0, 22.0), "holds"), ((19.4, 20.0), "differs"), ((20.0, 21.0), "cannot be told")):
        one = Bracket({"io.b": 0}, [bracket])
        assert judged("ghosh.saturation-b0-simulation", "table2", [], [one])["outcomes"] == [outcome]


def located(b: int, locality: float, read: float) -> Point:
    means = {kind: [value * (1 + 0.001 * i) for i in range(10)] for kind, value in (("read", read), ("pe_pe", 4.0))}
    return Point({"io.b": b, "io.locality": locality, "io.interval": 3120.0}, 1000 / 156, means, False, (0, 0))


def test_little_difference_is_the_same_everywhere() -> None:
    """A read that takes 2.4 times as long is not little different, whatever a network without I/O nodes does."""
    near = [located(b, at, 10.0 + 0.1 * (1 - at)) for b in (2, 3, 4) for at in (0.0, 1.0)]
    far = [located(b, at, 10.0 + 14.0 * (1 - at)) for b in (2, 3, 4) for at in (0.0, 1.0)]
    control = [located(0, at, 10.0 + 90.0 * (1 - at)) for at in (0.0, 1.0)]
    assert set(judged("ghosh.locality-indifferent-b2", "fig8", [*near, *control])["outcomes"]) == {"holds"}
    assert "differs" in judged("ghosh.locality-indifferent-b2", "fig8", [*far, *control])["outcomes"]
    known = claims.published()
    little = {known[name].tol_rel for name in ("ghosh.locality-indifferent-b2", "ghosh.n3-enough")}
    assert little == {allowance.LITTLE}


def analysed(b: int, rate: float, simulated: float, predicted: float | None) -> Point:
    means = {"io_pe": [simulated * (1 + 0.001 * i) for i in range(10)]}
    drawn = {"io_pe": simulated} | ({} if predicted is None else {"io_pe section 6": predicted})
    return Point({"io.b": b, "io.interval": 20000.0 / rate}, rate, means, False, (0, 0), drawn)


def test_agreement_of_the_analysis_is_judged_and_its_errors_are_printed() -> None:
    close = [analysed(b, rate, 10.0, 10.5) for b in (1, 2) for rate in (1.0, 2.0)]
    found = judged("ghosh.analysis-agrees", "fig14", close)
    assert found["outcomes"] == ["holds"] * 4
    assert all("by analysis 10.5 us (+5%), by the general method" in text for text in found["numbers"])
    far = judged("ghosh.analysis-agrees", "fig14", [*close[:3], analysed(2, 2.0, 10.0, 13.0)])
    assert far["outcomes"] == ["holds", "holds", "holds", "differs"]
    gone = judged("ghosh.analysis-agrees", "fig14", [*close[:3], analysed(2, 2.0, 10.0, None)])
    assert "by analysis saturated already" in gone["numbers"][-1]


@pytest.mark.parametrize("name", sorted(file.shipped()))
def test_figures_of_the_paper_have_its_ten_runs_or_more(name: str) -> None:
    study = file.load(name)
    if "Figure" in study.head.figure or study.head.claims:
        for _, described in study.points():
            assert (described.method.replications or 0) >= 10


def test_a_printed_number_allows_half_of_its_last_digit() -> None:
    known = claims.published()
    assert allowance.slack(known["ghosh.pe-pe-3cube"]) == pytest.approx(0.05)
    assert allowance.slack(known["ghosh.saturation-b1-analysis"]) == pytest.approx(0.05)
    assert allowance.slack(known["ghosh.saturation-b0-simulation"]) == pytest.approx(1.4)
    assert {c.id for c in catalogue.load().claims if c.id.startswith("ghosh.") and c.tol_rel == 0.15} == set()


def test_the_page_shows_what_became_of_them() -> None:
    page = (DOCS / "ghosh.md").read_text(encoding="utf-8")
    assert "46 of the paper's 46 claims" in page
    assert "m = 2 gains 86%" in page
    assert "✗ differs**: Latencies by the analysis agree closely" in page
    assert "| ✗ differs | There is little difference between n = 3 and arbitrarily large n. |" in page
