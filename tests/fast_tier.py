"""`./x test --fast`: the tests that take little processor time; `--record-slow` measures which do not.

`slow.txt` names each test function, and each fixture, one of whose cases took more than LIMIT seconds of processor
time, its own and that of the processes that it waited for, when the whole suite was last measured. The fast tier leaves
out these, what depends on such a fixture, and what a marker of APART says. A test that is not in the file is fast.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LIMIT = 0.4  # s of processor time
SLOW = Path(__file__).parent / "slow.txt"
APART = ("measures", "paced", "nightly", "mpi", "slurm", "browser")


def cost() -> float:
    """Processor time of this process and of those that it waited for (s)."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def named(text: str) -> dict[str, float]:
    """Seconds by `file::name` of a test function or a fixture."""
    rows = (line.rsplit(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(seconds) for name, seconds in rows}


def of_fixture(definition: Any) -> str:
    """The name of a fixture in the file: `conftest.py::echo_run`."""
    return f"{Path(str(definition.baseid)).name or 'conftest.py'}::{definition.argname}"


def of_test(nodeid: str) -> str:
    """The name of a test function in the file, without its parameters."""
    path, _, name = nodeid.partition("::")
    return f"{Path(path).name}::{name.partition('[')[0]}"


def is_fast(item: pytest.Item, slow: dict[str, float]) -> bool:
    """Whether neither a marker, nor the test's own time, nor that of a fixture keeps it out of the fast tier."""
    if any(item.get_closest_marker(name) for name in APART) or of_test(item.nodeid) in slow:
        return False
    found = getattr(item, "_fixtureinfo", None)
    fixtures = found.name2fixturedefs.values() if found else ()
    return not any(of_fixture(each[-1]) in slow for each in fixtures)


class Recorder:
    """Adds up what tests and fixtures cost; workers report to the process that started them."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._fixtures: dict[str, float] = {}
        self._inside = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        before, inside = cost(), self._inside
        try:
            return (yield)
        finally:
            spent = cost() - before
            own = spent - (self._inside - inside)
            self._inside = inside + spent
            name = of_fixture(fixturedef)
            self._fixtures[name] = max(own, self._fixtures.get(name, 0.0))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self._fixtures.clear()
        self._inside = 0.0
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[Any]:
        before = cost()
        try:
            return (yield)
        finally:
            spent = {of_test(item.nodeid): cost() - before, **self._fixtures}
            item.user_properties.append(("cost", spent))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for spent in (value for key, value in report.user_properties if key == "cost"):
                for name, seconds in dict(spent).items():  # type: ignore[call-overload]
                    self.seconds[name] = max(seconds, self.seconds.get(name, 0.0))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            return
        kept = named(SLOW.read_text()) if SLOW.exists() else {}
        kept = {name: seconds for name, seconds in kept.items() if name not in self.seconds}
        kept |= {name: seconds for name, seconds in self.seconds.items() if seconds > LIMIT}
        head = "# Processor time (s) of tests and fixtures; written by ./x test --record-slow (tests/fast_tier.py).\n"
        SLOW.write_text(head + "".join(f"{name} {kept[name]:.1f}\n" for name in sorted(kept)))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Two options, of which `./x test` gives one."""
    parser.addoption("--fast", action="store_true", help="only tests that take little processor time")
    parser.addoption("--record-slow", action="store_true", help="measure the tests that run, and enter the slow ones")


def pytest_configure(config: pytest.Config) -> None:
    """Measure where asked."""
    if config.getoption("--record-slow"):
        config.pluginmanager.register(Recorder())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow where only fast tests are asked for."""
    if config.getoption("--fast"):
        slow = named(SLOW.read_text())
        fast = [is_fast(item, slow) for item in items]
        config.hook.pytest_deselected(items=[item for item, chosen in zip(items, fast, strict=True) if not chosen])
        items[:] = [item for item, chosen in zip(items, fast, strict=True) if chosen]
