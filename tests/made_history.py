"""Runs of one machine over time, written as their programs would have: a value a run, and what each was made with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.store import Run
from test_document import block, launch

FIRST = 1.7e9  # s since 1970
MADE_WITH = {"host": "here", "kernel": "6.11", "cpu": "a processor", "programs": {"echo": {"flags": "-O3"}}}
LAUNCHES = 3


def made(
    folder: Path,
    values: Sequence[float],
    made_with: Sequence[dict[str, Any]] = (),
    host: str = "here",
    others: Sequence[float] = (),
) -> list[str]:
    """Make a run of the echo for each value [s], a round trip; the ids, the oldest first.

    `others`: the processors that other processes use in each.
    """
    ids = []
    for number, value in enumerate(values):
        run = Run.create(folder / f"{host}-{number:03d}", {"machine": host, "host": {"usable_cpus": 4}, "wishes": {}})
        run.about |= {"created": FIRST + 3600 * number, "id": f"{host}-{number:03d}"}
        for each in range(LAUNCHES):
            account = {"accounting": {"others": others[number], "wall": 1.0}} if others else {}
            launch(run, each, [block(8, [value * (1 + 0.001 * each)] * 20) | account])
        stated = made_with[number] if made_with else MADE_WITH
        (run.folder / "provenance" / "p.json").write_text(json.dumps(stated))
        run.finish("done")
        ids.append(run.about["id"])
    return ids
