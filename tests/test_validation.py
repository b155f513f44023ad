"""Published cells find their twins and are marked; errors, allowances, claims and breaks by closed forms."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.kinds import PUBLISHED
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells import allowance, comparison, origins, twins
from assay.published.cells.answers import Answer
from assay.published.cells.clauses import Named
from assay.validation.claims import messages as claims
from assay.validation.claims.breaks import jumps
from assay.validation.machines.document import cells, glance, unfollowable


class ByHand:
    """MACHINES by closed forms (the hand fits of the iPSC/860 and the Ncube 3200), as if they had been simulated."""

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Any) -> list[Answer]:
        return [
            Answer({"bytes": size, "hops": hops}, size / time if figure == "rate" else time)
            for size in settings.get("bytes", ())
            for hops in settings.get("hops", (1,))
            if (time := self.time(machine, benchmark, size, hops)) is not None
        ]

    def time(self, machine: str, benchmark: str, size: int, hops: int) -> float | None:
        if benchmark == "echo" and machine == "ipsc860":
            return 1e-6 * (
                63.9 + 0.3547 * size + 10.08 * hops
                if size <= 100
                else 144 + 0.3547 * size + 30.24 * hops + 0.0333 * min(size, 2048)
            )
        if benchmark == "echo" and machine == "ncube3200":
            return 1e-6 * (201.9 + 1.526 * size + hops * (181.6 + 1.055 * size))
        if benchmark == "self" and machine == "ipsc860":
            return 1e-6 * (20 + 0.01709 * size)
        return None


def cell(table: str, **wanted: Any) -> PublishedCell:
    found = [
        c for c in catalogue.load().cells if c.table == table and all(c.params.get(k) == v for k, v in wanted.items())
    ]
    assert len(found) == 1
    return found[0]


def test_the_print_and_the_clock_leave_open_what_they_do() -> None:
    short = cell("appendixA.ncube3200.echo", message_B=8, hops=1)  # 19.8 kB/s
    assert allowance.bounds(short) == pytest.approx((19750, 19850))
    ticked = cell("appendixA.ipsc860.echo", message_B=8, hops=1)  # 100.0 kB/s: 80 us, read with a tick of 5 us
    assert allowance.bounds(ticked) == pytest.approx((8 / 85e-6, 8 / 75e-6))


@given(st.floats(0.5, 2.0))
def test_an_error_beyond_the_print_is_never_larger_and_has_the_same_sign(factor: float) -> None:
    for one in (
        cell("appendixA.ncube3200.echo", message_B=8, hops=1),
        cell("appendixA.ipsc860.echo", message_B=64, hops=3),
    ):
        found = allowance.error(one, factor * one.value)
        assert found.raw == pytest.approx(factor - 1, abs=1e-12)
        assert abs(found.left) <= abs(found.raw) + 1e-12
        assert found.left * found.raw >= 0


def test_origins_say_which_cells_were_used() -> None:
    used = origins.used("fitted: echo [hops 1, 6] (all lengths; of both); ipsc860 echo-self; used: claim x", "ipsc2")
    assert used == (Named("ipsc2", "echo", (("hops", (1.0, 6.0)),)), Named("ipsc860", "echo-self"))
    text = 'stated: 75 us; used: echo [metric rate] [mode "OSF, turbo"]; claim d95p.turbo'
    turbo = Named("paragon-mp", "echo", (("metric", ("rate",)), ("mode", ("OSF, turbo",))))
    assert origins.inputs(text, "paragon-mp") == ((turbo,), ("d95p.turbo",))
    assert origins.used("stated: Table 1", "ipsc2") == ()
    for wrong in ("Table 1", "fitted: [hops 1]"):
        with pytest.raises(InputError):
            origins.used(wrong, "ipsc2")
    with pytest.raises(InputError):
        origins.inputs("assumed: x; used: echo [hops 1", "ipsc2")


def test_each_table_is_judged_by_itself_and_doubtful_cells_are_left_out() -> None:
    tables = comparison.compare(ByHand(), "ipsc860", "ipsc860", {"protocol.0.startup": "fitted: echo [hops 1, 6]"})
    echo = next(table for table in tables if table.name == "appendixA.ipsc860.echo")
    everything, between = echo.errors(), echo.errors("interpolated")
    assert everything is not None
    assert between is not None
    assert len(echo.rows) == 66
    assert everything.cells == 65  # one is doubtful
    assert between.cells == 43
    # what the hand fit is known to reach (shared notes on the published machines): .5 / 4.1 / 5.4%
    assert (everything.median, everything.p95, everything.worst) == pytest.approx((0.005, 0.041, 0.054), abs=0.0007)
    assert {row.mark for row in echo.rows if row.cell.params["hops"] in (1, 6)} == {"fitted"}
    shown = glance(tables, "x")
    columns = dict(zip(shown.headings, zip(*shown.rows, strict=True), strict=True))
    for kind in PUBLISHED:  # a column for each kind that there is, and for no other
        counts = [sum(row.mark == kind for row in table.rows) for table in tables]
        assert [int(cell.partition(" ")[0]) for cell in columns.get(kind, [])] == (counts if any(counts) else [])
    at = tables.index(echo)
    assert [float(each) for each in columns["error %"][at].split(" / ")] == pytest.approx([0.5, 4.1, 5.4], abs=0.07)
    count, *three = re.findall(r"[\d.]+", columns["interpolated"][at])
    assert count == "44"  # the doubtful one among them
    assert [float(each) / 100 for each in three] == pytest.approx(
        [between.median, between.p95, between.worst], abs=0.00006
    )
    assert len(cells(echo).rows) == 11


def test_the_papers_estimator_gives_table_6() -> None:
    alpha, beta = twins.line(ByHand(), "ncube3200", "alpha")
    assert alpha == pytest.approx(383.6e-6, rel=0.02)
    assert beta == pytest.approx(2.6e-6, abs=0.05e-6)
    alpha, _ = twins.line(ByHand(), "ipsc860", "alpha_up_to_100_B")
    assert alpha == pytest.approx(75e-6, rel=0.05)


def test_cells_that_no_monotone_model_can_follow_are_named() -> None:
    tables = comparison.compare(ByHand(), "ipsc860", "ipsc860", {})
    host = next(table for table in tables if table.benchmark == "echo-host")
    echo = next(table for table in tables if table.name == "appendixA.ipsc860.echo")
    assert 1024 in [row.cell.params["message_B"] for row in unfollowable(host)]  # 9.25 ms, 2048 bytes take 5.55 ms
    assert unfollowable(echo) == []


def test_a_jump_is_found_to_the_byte() -> None:
    found = jumps(ByHand(), "ipsc860", 8, 6300)
    assert [place for place, _ in found] == [100]
    assert found[0][1] == pytest.approx((144 - 63.9 + 20.16 + 0.0333 * 101) * 1e-6, rel=0.01)


def test_claims_hold_differ_or_cannot_be_told() -> None:
    found = {verdict.claim: verdict for verdict in claims.evaluate(ByHand())}
    drop = found["d91h.short-message-drop"]  # of the iPSC/2, too, which these answers lack: half-tested
    assert drop.outcome == "inconclusive" and drop.mark is None
    assert [part.outcome for part in drop.parts] == ["holds", "inconclusive", "holds"]
    assert found["d91d.ipsc860-protocol"].outcome == "holds"
    assert found["d91h.hop-ipsc860-short"].outcome == "holds"
    assert found["d91h.hop-ipsc860-long"].outcome == "differs"  # 30 us, as in Appendix A; the text has 33
    assert found["d91d.peak-rate"].outcome == "inconclusive"
    assert found["d91h.short-message-ipsc860"].parts[0].numbers.startswith("ipsc860: 73.98 µs")

    class Slow(ByHand):
        def time(self, machine: str, benchmark: str, size: int, hops: int) -> float | None:
            time = super().time(machine, benchmark, size, hops)
            return None if time is None else time * (1 + hops)

    assert claims.judge(Slow(), claims.published()["d91h.hop-ipsc860-short"]).outcome == "differs"


def test_every_claim_of_the_papers_messages_is_reached() -> None:
    judged = set(claims.published())
    assert {"d91h.hop-ncube6400", "d91d.segments", "d95p.latency", "d91h.routing-slowdown-falls"} <= judged
    assert not any(math.isnan(c.value) for c in catalogue.load().cells if c.benchmark in twins.RULES)
