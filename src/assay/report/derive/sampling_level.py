"""Which levels above the launch a run sampled, allocations and days, and at which level its intervals are drawn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from assay.analysis.figures import CaseSamples
from assay.report.derive.readings import LaunchLines
from assay.store import Run


def sampled(run: Run, lines: LaunchLines, cells: Sequence[CaseSamples]) -> list[CaseSamples]:
    """Give the cells with what their launches were sampled from; days are counted in universal time."""
    launches = [launch for launch in lines.launches if launch.complete]
    allocations = max(1, len({launch.allocation for launch in launches}))
    days = max(1, len({time.strftime("%F", time.gmtime(launch.t)) for launch in launches if launch.t}))
    looks = ((run.about.get("plan") or {}).get("spending") or {}).get("looks") or [0]
    level = 1 - 0.05 / len(looks)
    return [replace(cell, level=level, allocations=allocations, days=days) for cell in cells]
