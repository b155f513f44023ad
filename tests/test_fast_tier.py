"""The fast tier: what it leaves out by marker, by measured time and by a slow fixture, and what it has of each file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import fast_tier

HERE = Path(__file__).parent
# Files in which every test that was measured compiles, starts processes or simulates for longer than the limit.
NONE_FAST = {
    *(
        "test_beowulf.py",
        "test_bus.py",
        "test_change_points.py",
        "test_compute_charged.py",
        "test_euroben_algorithms.py",
    ),
    *("test_file_parts.py", "test_file_rate.py", "test_network_saturation.py", "test_node_twins.py"),
    *("test_own_programs.py", "test_quiet.py", "test_readme_clean.py", "test_roofs.py", "test_solvers.py"),
    *("test_storage_fails_a_run.py", "test_twin_alone.py", "test_variants.py", "test_vectors.py"),
}


def functions(path: Path) -> dict[str, ast.FunctionDef]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {each.name: each for each in body if isinstance(each, ast.FunctionDef)}


def apart(node: ast.AST) -> bool:
    """Whether `pytest.mark.NAME` of one of the markers that the fast tier leaves out is in a piece of source."""
    return any(isinstance(each, ast.Attribute) and each.attr in fast_tier.APART for each in ast.walk(node))


def fast_tests(path: Path, slow: set[str]) -> set[str] | None:
    """The tests of a file that are in the fast tier, by its source; None where all of them are marked."""
    made = functions(path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    marks = [
        each for each in tree.body if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "pytestmark"
    ]
    tests = {name: each for name, each in made.items() if name.startswith("test_")}
    plain = {name: each for name, each in tests.items() if not any(map(apart, each.decorator_list))}
    if not plain or any(map(apart, marks)):
        return None
    left = {name for name in made if f"{path.name}::{name}" in slow}
    return {
        name
        for name, each in plain.items()
        if name not in left and not left & {argument.arg for argument in each.args.args}
    }


def test_every_file_that_can_has_a_fast_test() -> None:
    slow = set(fast_tier.named(fast_tier.SLOW.read_text()))
    none = {path.name for path in HERE.glob("test_*.py") if fast_tests(path, slow) == set()}
    assert none <= NONE_FAST, "shorten a test of each, or enter the file above"


def test_every_slow_name_is_a_function_that_is_there() -> None:
    """The line of a test that was removed or renamed is removed or renamed, too."""
    for name in fast_tier.named(fast_tier.SLOW.read_text()):
        file, _, function = name.partition("::")
        path = HERE / ("conftest.py" if file == "tests" else file)
        assert path.is_file() and function in functions(path), name


SUITE = """
import time
import pytest

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.fixture(scope="module")
def made():
    burn(0.3)

def test_quick():
    pass

@pytest.mark.parametrize("seconds", [0, 0.3])
def test_slow(seconds):
    burn(seconds)

def test_first_with_a_slow_fixture(made):
    pass

def test_second_with_a_slow_fixture(made):
    pass

@pytest.mark.measures
def test_marked():
    pass
"""


def test_what_was_measured_as_slow_is_left_out(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_tier, "SLOW", pytester.path / "slow.txt")
    monkeypatch.setattr(fast_tier, "LIMIT", 0.1)
    pytester.makepyfile(test_it=SUITE)
    pytester.makeini("[pytest]\nmarkers = measures")
    pytester.inline_run("-p", "fast_tier", "--record-slow").assertoutcome(passed=6)
    assert set(fast_tier.named(fast_tier.SLOW.read_text())) == {"test_it.py::made", "test_it.py::test_slow"}
    run = pytester.inline_run("-p", "fast_tier", "--fast")
    assert [report.nodeid for report in run.getreports("pytest_runtest_logreport") if report.when == "call"] == [
        "test_it.py::test_quick"
    ]
