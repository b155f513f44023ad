"""The file benchmark played on a described machine: what its one case takes, after its checks."""

from __future__ import annotations

import json
from typing import Any

from assay.described.machine_file import DescribedMachine
from started import play


def time(on: DescribedMachine, ranks: int, **settings: Any) -> float:
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    events = [json.loads(line) for line in play("parallel-files", on.for_core(), ranks, words).splitlines()]
    assert all(event["passed"] for event in events if event["event"] == "check")
    (block,) = [event for event in events if event["event"] == "block"]
    (value,) = block["values"]
    return float(value)
