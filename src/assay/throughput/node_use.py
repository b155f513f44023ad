"""What the nodes did during a test, from the counters that each job's starter wrote to its record.

A node is seen while a job has its first process there. Between two looks at a node its processors, interfaces and
memory are given by the counters' difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from assay import versions
from assay.analysis.node_use import Look, NodeUse, use_of


def looks_of(records: Iterable[Path]) -> dict[str, list[Look]]:
    """The counters in records, by node, in order of time; what cannot be read is passed over."""
    found: dict[str, list[Look]] = {}
    for path in records:
        try:
            lines = path.read_text(errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            if '"node"' not in line:
                continue
            try:
                about = versions.current(versions.JOB_RECORD, json.loads(line), versions.in_file(path))
                numbers = [int(about[key]) for key in ("busy", "all", "used", "memory")]
                traffic = int(about["received"]) + int(about["sent"])
                look = (float(about["time"]), numbers[0], numbers[1], numbers[2], numbers[3], traffic)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
            found.setdefault(str(about["host"]), []).append(look)
    return {node: sorted(looks) for node, looks in sorted(found.items())}


def nodes_used(records: Iterable[Path], begun: float, makespan: float) -> list[NodeUse]:
    """Every node that was looked at at least twice."""
    made = [use_of(node, looks, begun, makespan) for node, looks in looks_of(records).items()]
    return [each for each in made if each.begins]
