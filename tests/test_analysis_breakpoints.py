"""Breakpoints.

Found where a protocol changes, on paper and in synthetic curves, and not where there is only noise.
"""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.catalogue
from assay.analysis.breakpoints import Breakpoint, find_breakpoints

PAPER = Path(assay.catalogue.__file__).parent / "published" / "dunigan1991_hypercubes.toml"
TABLES = {table["id"]: table for table in tomllib.loads(PAPER.read_text())["table"]}
DOUBLING = 2.0 ** np.arange(3, 23)
FINE = np.unique(np.concatenate([DOUBLING, np.arange(1024, 16385, 1024.0)]))


def one_hop(machine: str) -> tuple[np.ndarray, np.ndarray]:
    table = TABLES[f"appendixA.{machine}.echo"]
    sizes = np.array(table["rows"], float)
    return sizes, sizes / np.array(table["values"])[:, 0] * 1e-3


def holds(found: Breakpoint, length: float) -> bool:
    return found.below <= length <= found.above


@pytest.mark.parametrize("machine", ["ipsc860", "ipsc2"])
def test_intels_change_at_100_bytes_is_found_in_appendix_a(machine: str) -> None:
    found = find_breakpoints(*one_hop(machine))
    assert len(found) == 1 and holds(found[0], 100)
    assert found[0].kind == "jump" and found[0].jump > 0.3


@pytest.mark.parametrize("machine", ["ncube6400", "ncube3200"])
def test_the_ncubes_have_none(machine: str) -> None:
    assert find_breakpoints(*one_hop(machine)) == ()


@pytest.mark.parametrize("sizes", [DOUBLING, FINE], ids=["doubling", "fine"])
@pytest.mark.parametrize("noise", [0.0, 0.005, 0.02, 0.05])
def test_a_straight_line_has_none(sizes: np.ndarray, noise: float) -> None:
    rng = np.random.default_rng(int(noise * 1000))
    false = 0
    for _ in range(25):
        alpha, beta = 10 ** rng.uniform(-7, -4), 10 ** rng.uniform(-11, -8)
        times = (alpha + beta * sizes) * np.exp(noise * rng.standard_normal(len(sizes)))
        false += bool(find_breakpoints(sizes, times))
    assert false <= 1


@pytest.mark.parametrize("sizes", [DOUBLING, FINE], ids=["doubling", "fine"])
def test_an_eager_limit_is_found_in_its_bracket(sizes: np.ndarray) -> None:
    """Past 4 KiB a rendezvous costs another round trip; noise 1%."""
    rng = np.random.default_rng(5)
    for _ in range(15):
        times = 2e-6 + 2e-10 * sizes + np.where(sizes > 4096, 2e-6, 0)
        found = find_breakpoints(sizes, times * np.exp(0.01 * rng.standard_normal(len(sizes))))
        assert len(found) == 1 and holds(found[0], 4097) and found[0].kind == "jump"


def test_a_bend_is_found_and_two_changes_are_told_apart() -> None:
    rng = np.random.default_rng(6)
    bent = 2e-6 + 2e-10 * DOUBLING + 6e-10 * np.maximum(DOUBLING - 65536, 0)
    found = find_breakpoints(DOUBLING, bent * np.exp(0.005 * rng.standard_normal(len(DOUBLING))))
    assert len(found) == 1 and found[0].below <= 131072 and found[0].above >= 65536 and found[0].slope > 1
    twice = 1e-6 + 1e-10 * FINE + np.where(FINE > 512, 1e-6, 0) + np.where(FINE > 32768, 6e-6, 0)
    found = find_breakpoints(FINE, twice * np.exp(0.005 * rng.standard_normal(len(FINE))))
    assert len(found) == 2 and holds(found[0], 513) and holds(found[1], 32769)


def test_a_change_smaller_than_the_least_effect_is_not_named() -> None:
    times = 2e-6 + 2e-10 * FINE + np.where(FINE > 4096, 6e-8, 0)
    assert find_breakpoints(FINE, times) == ()
    assert len(find_breakpoints(FINE, times, least_effect=0.005)) == 1


def test_launches_vote() -> None:
    rng = np.random.default_rng(7)
    sharp = 2e-6 + 2e-10 * DOUBLING + np.where(DOUBLING > 4096, 2e-6, 0)
    found = find_breakpoints(DOUBLING, sharp * np.exp(0.01 * rng.standard_normal((10, len(DOUBLING)))))
    assert len(found) == 1 and found[0].support is not None and found[0].support > 0.9


def test_too_few_sizes_have_none() -> None:
    assert find_breakpoints([8, 16, 32], [1e-6, 9e-6, 9e-6]) == ()


@settings(deadline=None, max_examples=10)
@given(st.floats(1e-3, 1e3), st.integers(1, 64), st.integers(0, 1000))
def test_units_do_not_matter(seconds: float, stretch: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = 2e-6 + 2e-10 * DOUBLING + np.where(DOUBLING > 4096, 2e-6, 0)
    times = times * np.exp(0.01 * rng.standard_normal(len(times)))
    here, there = find_breakpoints(DOUBLING, times), find_breakpoints(DOUBLING * stretch, times * seconds)
    assert [(b.below * stretch, b.above * stretch) for b in here] == [(b.below, b.above) for b in there]
