"""Datatypes of the MPI library: bounds, contents and packed bytes of generated types are those of MPICH."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mpi_elsewhere import elsewhere
from mpi_programs import output
from mpis_here import MPI

BASIC = st.builds("basic {}".format, st.integers(0, 7))


def numbers(low: int, high: int, count: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(low, high), min_size=count, max_size=count)


@st.composite
def blocks(draw: st.DrawFn, low: int, high: int, step: int = 1) -> str:
    """So many blocks, each with a length and a place."""
    count = draw(st.integers(1, 4))
    each = [(draw(st.integers(1, 3)), step * draw(st.integers(low, high))) for _ in range(count)]
    return f"{count} " + " ".join(f"{length} {place}" for length, place in each)


@st.composite
def derived(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    """A type of other types, none of them empty (of which MPICH gives odd bounds)."""
    kind = draw(st.sampled_from(("contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block", "struct",
                                 "hindexed_block", "subarray", "darray", "resized", "dup")))  # fmt: skip
    if kind == "struct":  # at places that suit every basic type
        parts = draw(st.lists(inner, min_size=1, max_size=3))
        places = [f"{draw(st.integers(1, 3))} {16 * draw(st.integers(-4, 20))}" for _ in parts]
        return f"{' '.join(parts)} struct {len(parts)} {' '.join(places)}"
    old, (a, b) = draw(inner), draw(numbers(1, 4, 2))
    if kind in ("indexed", "hindexed"):
        return f"{old} {kind} {draw(blocks(-3, 9) if kind == 'indexed' else blocks(-64, 300))}"
    if kind in ("indexed_block", "hindexed_block"):
        where = st.integers(-3, 9) if kind == "indexed_block" else st.integers(-64, 300)
        at = draw(st.lists(where, min_size=1, max_size=4))
        return f"{old} {kind} {len(at)} {b} {' '.join(map(str, at))}"
    if kind == "subarray":
        shape = draw(
            st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3)
        )
        cut = [(size, 1 + part % size, start % (size - part % size)) for size, part, start in shape]
        return f"{old} subarray {len(cut)} {draw(st.integers(0, 1))} " + " ".join(f"{x} {y} {z}" for x, y, z in cut)
    if kind == "darray":
        ways = draw(
            st.lists(st.tuples(st.integers(2, 6), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3)
        )
        parts = [f"{size} {way} {argument if way == 1 else 0} {1 if way == 2 else 2}" for size, way, argument in ways]
        return f"{old} darray {len(parts)} {draw(st.integers(0, 1))} {draw(st.integers(0, 7))} {' '.join(parts)}"
    rest = {
        "contiguous": f"{a}",
        "vector": f"{a} {b} {draw(st.integers(-2, 6))}",
        "hvector": f"{a} {b} {draw(st.integers(-64, 200))}",
        "resized": f"{draw(st.integers(-16, 16))} {draw(st.integers(0, 200))}",
        "dup": "0",
    }
    return f"{old} {kind} {rest[kind]}"


TYPES = st.recursive(BASIC, derived, max_leaves=3)
CASES = st.lists(st.builds("{} count {}".format, TYPES, st.integers(1, 3)), min_size=40, max_size=40)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(cases=CASES)
def test_generated_types_are_those_of_another_mpi(cases: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases"
        file.write_text("\n".join(cases) + "\n", encoding="utf-8")
        ours, theirs = output("ipsc860", 1, "types", str(file)), elsewhere(1, "types", str(file))
    for case, own, other in zip([""] * 8 + cases, ours.splitlines(), theirs, strict=True):
        assert own == other, case


def test_elements_of_a_structure_are_counted_to_the_last_that_is_whole() -> None:
    assert output("ipsc860", 1, "elements").split() == ["0", "1", "2", "-1", "4", "5", "6", "1", "-1"]
