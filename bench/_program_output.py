"""What a program prints, and the readings in it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from assay.errors import MeasurementError

LIMIT = 300  # s, one launch


def run(
    command: Sequence[str], environment: Mapping[str, str] | None = None, limit: float = LIMIT
) -> subprocess.CompletedProcess[str]:
    """What a program says on both streams; MeasurementError with its complaint where it fails or hangs."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        raise MeasurementError(f"{' '.join(command)}: no answer within {limit:g} s; is the machine busy?") from None
    if ended.returncode:
        raise MeasurementError(f"{' '.join(command)}: {(ended.stderr or ended.stdout).strip()[-300:]}")
    return ended


def output_lines(command: Sequence[str], environment: Mapping[str, str] | None = None) -> list[str]:
    """The lines that a program prints."""
    return run(command, environment).stdout.splitlines()


def readings(lines: Iterable[str], metric: str) -> list[float]:
    """The readings of one metric in the lines of Assay's programs, block by block."""
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return [float(v) for e in events if e["event"] == "block" and e["metric"] == metric for v in e["values"]]
