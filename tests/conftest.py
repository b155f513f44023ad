"""What every test shares: one loud line at the end for whatever was skipped for want of a part of this machine."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest


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
