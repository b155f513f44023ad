"""How many I/O nodes keep a hypercube in balance: against the rules, a scan of all numbers, and the devices' bound."""

from __future__ import annotations

import math

import pytest

from assay.validation.ghosh import io_nodes_needed as study

PER_BYTE = 0.25e-6


def test_the_fewest_are_found_as_by_trying_all() -> None:
    for wanted in range(1, 12):
        for most in range(1, 12):
            fewest = next((n for n in range(1, most + 1) if n >= wanted), None)
            assert study.least(most, 1 / wanted, lambda n: 1 / n) == fewest


def test_more_io_nodes_take_no_longer_and_no_less_than_their_devices() -> None:
    took = [study.transfer(3, io_nodes, 8) for io_nodes in range(1, 9)]
    assert took == sorted(took, reverse=True)
    for io_nodes, seconds in enumerate(took, 1):
        assert seconds >= 2 * 8 * study.SECTION * PER_BYTE / io_nodes
    allowed = study.transfer(1, 1, 1) * study.multiplying(8) * (1 + 1e-9)
    assert study.needed(3, study.multiplying) == next(n for n, s in enumerate(took, 1) if s <= allowed)


@pytest.mark.parametrize("dimension", [2, 4, 5])
def test_simulated_numbers_follow_the_rules(dimension: int) -> None:
    """Equation 3 for sorting, sqrt N for matrices: within one I/O node at these sizes; N / log N is far below."""
    elements, memory = 1 << dimension, math.log2(study.MEMORY)
    by_sorting, by_matrices = study.needed(dimension, study.sorting), study.needed(dimension, study.multiplying)
    assert by_sorting is not None and by_matrices is not None
    assert abs(by_sorting - elements * memory / (dimension + memory)) < 1
    assert abs(by_matrices - math.sqrt(elements)) < 1
    if dimension > 2:
        assert by_sorting > 2 * elements / dimension


def test_a_machine_whose_devices_are_too_slow_for_its_messages_says_so() -> None:
    assert study.least(4, 0.1, lambda n: 1.0) is None
