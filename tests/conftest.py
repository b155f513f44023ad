"""What every test shares: one loud line at the end for whatever was skipped because this machine lacks a part."""

from __future__ import annotations

import os
import signal
from collections import Counter
from typing import Any

import pytest
from hypothesis import settings

# A busy machine is slow, which is no fault of what is tested (under CI this is the default of Hypothesis itself).
if "CI" not in os.environ:
    settings.register_profile("assay", deadline=None)
    settings.load_profile("assay")


def pytest_configure() -> None:
    """Let Ctrl-C reach what tests start and interrupt: a suite that was started in the background ignores it."""
    for each in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(each) is signal.SIG_IGN:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)


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
