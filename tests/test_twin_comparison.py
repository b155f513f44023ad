"""The network engines against the twin: when each message's head arrives and its tail is delivered, none may differ.

The twin moves flits one by one through buffers and derives its routes itself (tests/native/twin); the engine is the
compiled core. The comparison is tested too: deliberate errors in the engine must be found by it.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import twin_cases
from by_night import by_night

SEED = 20261120
MESSAGES = 300


def compare(
    first: int, last: int, folder: Path, engine: Path, mutant: int = 0
) -> tuple[list[str], list[twin_cases.Case]]:
    cases = [twin_cases.case(number, SEED, MESSAGES) for number in range(first, last)]
    folder.mkdir(exist_ok=True)
    expected = twin_cases.play(twin_cases.twin(), cases, folder)
    return twin_cases.differences(cases, expected, twin_cases.play(engine, cases, folder, mutant)), cases


def erroneous(mutant: int, cases: list[twin_cases.Case], expected: str, folder: Path) -> list[str]:
    """How the engine with a deliberate error differs."""
    return twin_cases.differences(
        cases, expected, twin_cases.play(twin_cases.engine(mutants=True), cases, folder, mutant)
    )


@pytest.mark.parametrize("networks", by_night([200, 400], [200]))
def test_a_sample_of_all_networks_does_not_differ(networks: int, tmp_path: Path) -> None:
    found, cases = compare(0, networks, tmp_path, twin_cases.engine())
    assert found == []
    assert sum(len(case.messages) for case in cases) == networks * MESSAGES
    seen = Counter((case.keys["topology"], case.keys["switching"]) for case in cases)
    assert {kind for kind, _ in seen} >= set(twin_cases.KINDS) - {"incomplete-hypercube", "io-hypercube"}
    assert {switching for _, switching in seen} == set(twin_cases.SWITCHINGS)


@pytest.mark.parametrize("networks", by_night([30, 60], [30]))
def test_crowded_sources_do_not_differ(networks: int, tmp_path: Path) -> None:
    """Waiters that are woken go on in the order of messages too."""
    cases = [twin_cases.crowded_cube(number, SEED, 400) for number in range(networks)]
    expected = twin_cases.play(twin_cases.twin(), cases, tmp_path)
    assert twin_cases.differences(cases, expected, twin_cases.play(twin_cases.engine(), cases, tmp_path)) == []


@pytest.mark.parametrize("networks", by_night([25, 60], [25]))
def test_rigid_trains_do_not_differ(networks: int, tmp_path: Path) -> None:
    cases = [twin_cases.rigid_cube(number, SEED, MESSAGES) for number in range(networks)]
    expected = twin_cases.play(twin_cases.twin(), cases, tmp_path)
    assert twin_cases.differences(cases, expected, twin_cases.play(twin_cases.engine(), cases, tmp_path)) == []
    assert erroneous(1, cases, expected, tmp_path)
    assert min((case.messages[:, 4] - int(case.keys["dimension"])).min() for case in cases) == 2


@pytest.mark.parametrize("networks", by_night([60, 150], [60]))
def test_worms_that_buffers_hold_back_do_not_differ(networks: int, tmp_path: Path) -> None:
    """Where all links are alike, in closed form."""
    cases = [twin_cases.held_back(number, SEED, MESSAGES) for number in range(networks)]
    expected = twin_cases.play(twin_cases.twin(), cases, tmp_path)
    assert twin_cases.differences(cases, expected, twin_cases.play(twin_cases.engine(), cases, tmp_path)) == []
    assert erroneous(4, cases, expected, tmp_path)


@pytest.mark.parametrize("networks", by_night([75, 150], [75]))
def test_channels_that_get_free_in_the_very_tick_do_not_differ(networks: int, tmp_path: Path) -> None:
    cases = [twin_cases.tied(number, SEED, MESSAGES) for number in range(networks)]
    assert Counter(case.keys.get("buffers", "shared") for case in cases).keys() == {"shared", "fifo", "output"}
    expected = twin_cases.play(twin_cases.twin(), cases, tmp_path)
    assert twin_cases.differences(cases, expected, twin_cases.play(twin_cases.engine(), cases, tmp_path)) == []


def test_without_an_error_the_engine_that_is_compiled_with_them_does_not_differ(tmp_path: Path) -> None:
    found, _ = compare(0, 60, tmp_path, twin_cases.engine(mutants=True))
    assert found == []


@pytest.mark.parametrize("mutant", [1, 2, 3])
def test_deliberate_errors_are_found(mutant: int, tmp_path: Path) -> None:
    found, cases = compare(0, 60, tmp_path, twin_cases.engine(mutants=True), mutant)
    assert found, f"error {mutant} in the engine went unnoticed in {len(cases)} networks"


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_ten_million_messages_do_not_differ(tmp_path: Path) -> None:
    """`./x test --nightly tests/test_twin_comparison.py`."""
    engine, part = twin_cases.engine(), 500
    twin_cases.twin()
    total = 0
    with ThreadPoolExecutor(2) as pool:
        parts = range(1_000_000, 1_000_000 + 10_000_000 // MESSAGES + part, part)
        for found, cases in pool.map(lambda first: compare(first, first + part, tmp_path / str(first), engine), parts):
            assert found == []
            total += sum(len(case.messages) for case in cases)
    assert total >= 10_000_000
    print(f"{total:,} messages compared, none different")
