"""What tests share: a folder of their own, a run to copy; one loud line names what this machine could not test."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from assay import cli, versions
from assay.execute import libraries
from described_echo import described_echo
from documents_checked import check_emitted

pytest_plugins = ["fast_tier", "pytester"]

# A busy machine is slow, which is no fault of what is tested (under CI this is the default of Hypothesis itself).
if "CI" not in os.environ:
    settings.register_profile("assay", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("assay")


def pytest_configure() -> None:
    """Have a warning in any program of ours fail its build, and let Ctrl-C reach what tests start.

    A suite that was started in the background ignores it.
    """
    os.environ["ASSAY_STRICT"] = "1"
    for each in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(each) is signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)


LEFT_BEFORE = pytest.StashKey[set[str]]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Note what lies in the folder that the tests start from."""
    session.stash[LEFT_BEFORE] = {each.name for each in session.config.rootpath.iterdir()}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a suite that leaves a file which could be committed, as a job of Slurm does that states no --output."""
    ignored = {line.strip("/") for line in (session.config.rootpath / ".gitignore").read_text().splitlines()}
    new = sorted({each.name for each in session.config.rootpath.iterdir()} - session.stash[LEFT_BEFORE] - ignored)
    new = [each for each in new if not each.startswith(".")]  # tools' own
    if new and not hasattr(session.config, "workerinput"):
        print(f"\nthe tests left files in {session.config.rootpath}: {', '.join(new)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True, scope="session")
def _documents_checked() -> Iterator[None]:
    """Hold every document that a verb gives in this process to its published schema."""
    given = cli.emit

    def checked(document: Any) -> None:
        check_emitted(versions.marked(versions.DOCUMENT, document) if isinstance(document, dict) else document)
        given(document)

    cli.emit = checked
    yield
    cli.emit = given


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, which known runs are kept in, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.fixture
def found_anew() -> Iterator[None]:
    """Libraries are searched for again, by the compiler that a test has made."""
    libraries.find.cache_clear()
    yield
    libraries.find.cache_clear()


@pytest.fixture(scope="session")
def echo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a described machine's run of three launches; not to be changed: tests copy it."""
    return described_echo(tmp_path_factory.mktemp("echo"))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was not tested here, and how to have it tested."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[reason.removeprefix("Skipped: ")] += 1
    if reasons:
        text = "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"NOT TESTED HERE: {text}", red=True, bold=True)
