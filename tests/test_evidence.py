"""Kinds of published cells by their coordinates: the hull by brute force, the baseline, what counts as evidence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from assay.kinds import EVIDENCE, MEANING, PUBLISHED, NumberKind, weakest
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells import hull
from assay.published.cells.allowance import Error
from assay.published.cells.baseline import baselines
from assay.published.cells.comparison import ComparedCell
from assay.published.cells.provenance import Provenance
from assay.published.cells.twins import has_rule
from assay.published.cells.user_times import by_processors
from assay.published.judge import ClaimVerdict
from assay.validation.claims.claim_kinds import about
from assay.validation.claims.messages import evidence, of_claim, published
from assay.validation.machines.evidence import once

grid = st.integers(0, 6)


@st.composite
def clouds(draw: st.DrawFn) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """A point and others of one to three coordinates; few values, so that many lie on an edge, a face or a line."""
    count = draw(st.integers(1, 3))
    place = st.tuples(*[grid] * count)
    return draw(place), draw(st.lists(place, min_size=1, max_size=7))


@given(clouds())
def test_the_hull_is_that_of_linear_programming(cloud: tuple[tuple[int, ...], list[tuple[int, ...]]]) -> None:
    """A convex combination exists, or does not: feasibility by scipy's simplex."""
    point, points = cloud
    of = np.array(points, float)
    found = linprog(
        np.zeros(len(of)), A_eq=np.vstack([of.T, np.ones(len(of))]), b_eq=np.append(np.array(point, float), 1.0)
    )
    assert hull.inside(point, points) == (found.status == 0)


@given(st.tuples(grid, grid), st.lists(st.tuples(grid, grid), min_size=1, max_size=7))
def test_the_hull_in_a_plane_is_all_triangles(point: tuple[int, int], points: list[tuple[int, int]]) -> None:
    """Carathéodory: a point of a plane lies in the hull where it lies in a triangle of the points."""

    def cross(a: Sequence[int], b: Sequence[int], c: Sequence[int]) -> int:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    def holds(a: Sequence[int], b: Sequence[int], c: Sequence[int]) -> bool:
        sides = [cross(a, b, point), cross(b, c, point), cross(c, a, point)]
        flat = cross(a, b, c) == 0
        within = all(min(x) <= p <= max(x) for x, p in zip(zip(a, b, c, strict=True), point, strict=True))
        return within and (min(sides) >= 0 or max(sides) <= 0 or (flat and not any(sides)))

    brute = any(holds(*each) for each in itertools.combinations_with_replacement(points, 3))
    assert hull.inside(point, points) == brute


def cells(machine: str, benchmark: str) -> list[PublishedCell]:
    return [c for c in catalogue.load().cells if (c.machine, c.benchmark) == (machine, benchmark)]


def fitted_on(text: str, machine: str = "ncube3200") -> Provenance:
    return Provenance(has_rule, machine, {"protocol.0.startup": f"fitted: {text}"})


@given(st.sets(st.sampled_from([8, 16, 64, 512, 4096, 8192]), min_size=1), st.sets(st.integers(1, 6), min_size=1))
def test_cells_are_interpolated_inside_the_hull_and_extrapolated_outside(lengths: set[int], hops: set[int]) -> None:
    """Of a rectangle of used cells: inside both ranges, whatever lies between."""
    words = "echo [hops {}] [message_B {}]".format(*(", ".join(map(str, sorted(each))) for each in (hops, lengths)))
    behind = fitted_on(words)
    for cell in cells("ncube3200", "echo"):
        if "hops" not in cell.params or "message_B" not in cell.params or cell.restates or cell.metric != "rate":
            continue
        size, hop = cell.params["message_B"], cell.params["hops"]
        within = min(lengths) <= size <= max(lengths) and min(hops) <= hop <= max(hops)
        used = size in lengths and hop in hops
        expected = NumberKind.FITTED if used else NumberKind.INTERPOLATED if within else NumberKind.EXTRAPOLATED
        assert behind.cell(cell) == expected, cell


def test_lengths_are_counted_by_their_logarithm() -> None:
    """Of two corners the hull is a line: 64 bytes at 3 hops are on the way from 16 at 2 to 256 at 4, 136 are not."""
    behind = fitted_on("echo [hops 2] [message_B 16]; echo [hops 4] [message_B 256]")
    kinds = {(c.params["message_B"], c.params["hops"]): behind.cell(c) for c in cells("ncube3200", "echo") if c.table}
    assert kinds[64, 3] == NumberKind.INTERPOLATED
    assert {kinds[128, 3], kinds[64, 4], kinds[32, 3]} == {NumberKind.EXTRAPOLATED}


def test_another_benchmark_pattern_or_machine_is_transferred() -> None:
    behind = fitted_on("echo [hops 1]")
    assert {behind.cell(c) for c in cells("ncube3200", "echo-self")} == {NumberKind.TRANSFERRED}
    ibm = Provenance(has_rule, "ibm-netfinity-cluster", {"x": "fitted: sgi-l1200-cluster mod1h.collect"})
    assert {ibm.cell(c) for c in cells("ibm-netfinity-cluster", "mod1h.collect")} == {NumberKind.TRANSFERRED}
    own = Provenance(has_rule, "ibm-netfinity-cluster", {"x": "fitted: mod1h.collect [cpus 4, 8]"})
    assert [own.cell(c) for c in cells("ibm-netfinity-cluster", "mod1h.collect")] == [
        *(NumberKind.FITTED, NumberKind.INTERPOLATED, NumberKind.FITTED)
    ]


def test_the_baseline_is_a_line_in_time_along_the_hops() -> None:
    """Written again: two to five hops from the printed times of one and six."""
    behind = fitted_on("echo [hops 1, 6]")
    times = {
        (c.params["message_B"], c.params["hops"]): c.params["message_B"] / c.value
        for c in cells("ncube3200", "echo")
        if c.table
    }
    for cell in cells("ncube3200", "echo"):
        if not cell.table or behind.cell(cell) != NumberKind.INTERPOLATED:
            continue
        size, hops = cell.params["message_B"], cell.params["hops"]
        time = times[size, 1] + (times[size, 6] - times[size, 1]) * (hops - 1) / 5
        assert baselines(cell, behind)["line"] == pytest.approx(size / time)


def test_a_line_goes_on_beyond_its_ends_and_the_nearest_stands_where_there_is_none() -> None:
    behind = Provenance(has_rule, "ibm-netfinity-cluster", {"x": "stated: x; used: euroben.mod1i [cpus 1, 2]"})
    eight = next(c for c in cells("ibm-netfinity-cluster", "euroben.mod1i") if c.params["cpus"] == 8)
    assert behind.cell(eight) == NumberKind.EXTRAPOLATED
    found = baselines(eight, behind)
    assert "level" not in found  # no kernel of a set
    assert found["line"] == pytest.approx(59e6 + 7 * (74e6 - 59e6))
    assert found["benchmark"] == pytest.approx(74e6)


def test_a_whole_program_scales_perfectly_in_its_baseline_whatever_the_network() -> None:
    """Printed: rboltz on one processor of the SGI cluster 41 s, over Myrinet; Cholesky on 16 nodes 22.2 Mflop/s."""
    behind = Provenance(has_rule, "sgi-l1200-cluster", {"x": "stated: x; used: user.rboltz [network myrinet] [cpus 1]"})
    for cell in cells("sgi-l1200-cluster", "user.rboltz"):
        if behind.cell(cell) == NumberKind.EXTRAPOLATED:
            assert baselines(cell, behind)["scaled"] == pytest.approx(41 / cell.params["cpus"])
    other = Provenance(has_rule, "delta", {"x": "stated: x; used: ipsc860 cholesky [precision double]"})
    (delta,) = cells("delta", "cholesky")
    assert baselines(delta, other)["scaled"] == pytest.approx(22.2e6)
    peak = Provenance(has_rule, "delta", {"x": "stated: x; used: linpack-peak [nodes 128]"})
    large = next(c for c in cells("delta", "linpack-peak") if c.params["nodes"] == 512)
    assert baselines(large, peak)["scaled"] == pytest.approx(4 * 3.6e9)
    echo = next(c for c in cells("ncube3200", "echo") if c.table)
    assert "scaled" not in baselines(echo, fitted_on("echo [hops 1, 6]"))


def test_only_elapsed_times_of_the_user_programs_have_twins() -> None:
    """User and system time and the imbalance are printed, too: nothing that is simulated is compared with them."""
    asked = []

    def time(benchmark: str, name: str, ranks: int, per_node: int) -> float:
        asked.append((benchmark, ranks, per_node))
        return float(ranks)

    for machine in ("compaq-xp1000-cluster", "sgi-l1200-cluster", "sgi-origin2000-400"):
        printed = [c for c in catalogue.cells(machine=machine) if c.benchmark.startswith("user.")]
        found = by_processors(machine, printed, time)
        assert {c.metric for c, _ in found} == {"time"} < {c.metric for c in printed} | {"load_imbalance"}
        assert all(value == c.params["cpus"] for c, value in found)
    assert {per_node for *_, per_node in asked} == {1, 2}


CLUSTERS = ("compaq-xp1000-cluster", "sgi-l1200-cluster", "ibm-netfinity-cluster")


@pytest.mark.parametrize("machine", CLUSTERS)
def test_a_second_cache_s_rate_is_the_first_s_by_the_ratio_of_two_other_kernels(machine: str) -> None:
    """Written again from the printed tables; of IBM's second cache no rate was used: by the other two clusters'."""
    rates = {
        (c.machine, c.benchmark.rpartition(".")[2], c.metric): c
        for c in catalogue.cells()
        if c.table in ("table6.1", "table6.4", "table6.7") and c.metric.startswith("r_max")
    }
    used = ("dotproduct", "broadcast")
    ratios = [
        rates[of, name, "r_max_L2"].value / rates[of, name, "r_max_L1"].value
        for of in ((machine,) if machine != "ibm-netfinity-cluster" else CLUSTERS[:2])
        for name in used
    ]
    behind, errors = Provenance(has_rule, machine), []
    for (of, name, metric), cell in rates.items():
        if of == machine and metric == "r_max_L2" and behind.cell(cell) == NumberKind.EXTRAPOLATED:
            first = rates[machine, name, "r_max_L1"]
            level = first.value * sum(ratios) / len(ratios)
            assert baselines(cell, behind)["level"] == pytest.approx(level)
            errors.append(abs(level / cell.value - 1))
    assert len(errors) >= 12 and 0.35 < np.median(errors) < 0.55  # by hand


def made(simulated: float, printed: float, **params: Any) -> ComparedCell:
    cell = PublishedCell("p", "m", "mod1h.pingpong", "bandwidth", params, printed, "B/s", printed, "B/s", "Table 1")
    return ComparedCell(cell, simulated, NumberKind.TRANSFERRED, Error(simulated / printed - 1, 0.0))


def test_one_simulated_number_counts_once_by_the_cell_that_is_farthest_off() -> None:
    rows = [made(94.0, 95.0, cpus=4), made(94.0, 94.0, cpus=6), made(94.01, 97.0, cpus=8), made(80.0, 80.0, cpus=9)]
    assert [row.cell.params["cpus"] for row in once(rows)] == [8, 9]


@given(st.lists(st.sampled_from(list(NumberKind)), min_size=1, max_size=5))
def test_a_claim_is_evidence_only_if_every_clause_is(kinds: list[NumberKind]) -> None:
    assert (weakest(kinds) in EVIDENCE) == all(kind in EVIDENCE for kind in kinds)


def test_claims_count_once_and_only_where_a_description_could_have_failed() -> None:
    claims = {claim.id: claim for claim in published().values()}
    behind = Provenance(has_rule)
    assert (
        behind.claim(claims["vds.integrated-networks-fastest"], [("compaq-alphaserver-sc mod1h.pingpong",)]) == "input"
    )
    clauses = [("sgi-l1200-cluster mod1h.neighbour-1d [network myrinet]",), ("delta contention",)]
    assert behind.claim(claims["vds.myrinet-vs-ethernet-patterns"], clauses) == NumberKind.FITTED
    assert behind.claim(claims["d91d.barrier-growth-cube"]) == NumberKind.INPUT  # the algorithm is our choice
    assert claims["d91d.fan-in-ipsc860"].rests_on == "d91h.fan-in-ipsc860"
    assert all(claim.rests_on is None or claim.rests_on in claims for claim in claims.values())
    verdicts = [
        ClaimVerdict("a", "holds", (), mark=NumberKind.TRANSFERRED),
        ClaimVerdict("b", "holds", (), mark=NumberKind.TRANSFERRED, rests_on="a"),
        ClaimVerdict("c", "holds", (), mark=NumberKind.INTERPOLATED),
    ]
    assert [one.claim for one in evidence(verdicts)] == ["a"]


def test_every_cell_and_claim_has_one_of_the_published_kinds() -> None:
    """And no claim is evidence where the description was given all that is printed of that machine and benchmark."""
    behind = Provenance(has_rule)
    of: dict[tuple[str | None, str], set[NumberKind]] = {}
    for cell in catalogue.load().cells:
        kind = behind.cell(cell)
        assert kind in PUBLISHED and (kind != NumberKind.QUOTED) == has_rule(cell), cell
        if has_rule(cell):
            of.setdefault((cell.machine, cell.benchmark), set()).add(kind)
    given = {place for place, kinds in of.items() if kinds == {NumberKind.INPUT}}
    assert ("compaq-alphaserver-sc", "euroben.mod1j") in given and ("paragon-mp", "ddot-cached") in given
    seen = 0
    for claim in published().values():
        kind = of_claim(claim, [], behind)
        assert kind in PUBLISHED, claim.id
        if any((machine, name) in given for machine in about(claim) for name in claim.of):
            assert kind not in EVIDENCE, claim.id
            seen += 1
        for machine, name in given:  # a clause that says nothing of a cell, and one that names a cell
            for clause in (f"{machine} {name}", f"{machine} {name} [cpus 999]"):
                assert of_claim(claim, [(clause,)], behind) not in EVIDENCE, (claim.id, clause)
    assert seen >= 3


def test_every_kind_has_a_meaning_and_a_length_of_nothing_a_place() -> None:
    assert set(MEANING) == set(NumberKind)
    nothing = next(c for c in cells("paragon-mp", "echo") if c.params.get("message_B") == 0)
    assert all(math.isfinite(each) for each in hull.coordinates(nothing).values())
