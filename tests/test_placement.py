"""Placement of I/O nodes in hypercubes: printed lists, perfect codes, dominating sets, the formulas of section 3."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import pytest

from assay._core import network


def test_printed_placements() -> None:
    # Ghosh, Goveas and Draper, sections 3.2 and 4.1
    printed = [0, 7, 25, 30, 42, 45, 51, 52, 75, 76, 82, 85, 97, 102, 120, 127]
    assert network.hamming_placement(7) == printed
    assert network.hamming_placement(4) == [0, 7, 9, 14]
    assert network.hamming_placement(3) == [0, 7]


@pytest.mark.parametrize("dimension", range(1, 16))
def test_every_router_is_covered_and_exactly_once_where_perfect(dimension: int) -> None:
    places = network.hamming_placement(dimension)
    covered = [0] * (1 << dimension)
    for router in places:
        for reached in [router, *(router ^ 1 << bit for bit in range(dimension))]:
            covered[reached] += 1
    assert min(covered) == 1
    perfect = dimension in (1, 3, 7, 15)
    assert network.perfect_placement(dimension) == perfect == (max(covered) == 1)
    size = 1 << dimension
    assert len(places) == 2 ** math.ceil(math.log2(size / (dimension + 1)))
    assert network.io_network_dimension(dimension) == math.ceil(math.log2(size / (dimension + 1)))
    # the I/O address is a set of information bits: neighbours in the I/O cube differ by a word of the code
    assert all(
        places[i ^ j] == places[i] ^ places[j] for i, j in itertools.product(range(min(len(places), 64)), repeat=2)
    )


def test_combined_cubes_for_16_32_and_64_nodes() -> None:
    assert [len(network.hamming_placement(dimension)) for dimension in (4, 5, 6)] == [4, 8, 16]
    for dimension in (4, 5, 6):  # each 3-cube of the lowest bits has its own perfect code
        places = network.hamming_placement(dimension)
        for cube in range(1 << dimension - 3):
            a, b = (place & 7 for place in places if place >> 3 == cube)
            assert a ^ b == 7


@pytest.mark.parametrize("dimension", range(1, 9))
def test_minimum_dominating_sets(dimension: int) -> None:
    chosen = network.minimum_dominating_set(dimension)
    cube = nx.Graph((router, router ^ 1 << bit) for router in range(1 << dimension) for bit in range(dimension))
    assert nx.is_dominating_set(cube, chosen)
    assert len(chosen) == {1: 1, 2: 2, 3: 2, 4: 4, 5: 7, 6: 12, 7: 16, 8: 32}[dimension]  # K(n, 1)
    assert network.domination_bounds(dimension) == (len(chosen), len(chosen))


def test_no_three_routers_dominate_the_4_cube() -> None:
    assert not any(network.dominates(4, list(chosen)) for chosen in itertools.combinations(range(16), 3))


def test_bounds_hold_the_placements() -> None:
    for dimension in range(1, 16):
        lower, upper = network.domination_bounds(dimension)
        assert (1 << dimension) / (dimension + 1) <= lower <= upper <= len(network.hamming_placement(dimension))


def test_scaling_of_section_3() -> None:
    assert network.sorting_scaling(1, 1e6) == 1
    # with memories as large as the machine is wide, half of the processors; matrix multiplication the square root
    assert network.sorting_scaling(1024, 1024) == 512
    assert network.matrix_scaling(1024) == 32
    assert network.io_scaling(128) == pytest.approx(128 / 7)
    assert network.sorting_balance(1024, 1024, network.sorting_scaling(1024, 1024)) == 1


@pytest.mark.parametrize("dimension", [0, 23])
def test_dimensions_out_of_range(dimension: int) -> None:
    with pytest.raises(ValueError, match="accepted is 1 to 22"):
        network.hamming_placement(dimension)
