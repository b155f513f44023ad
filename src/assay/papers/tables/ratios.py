"""A run beside a published machine: quoted cells have no launches, so each stands with its ratio and no verdict."""

from __future__ import annotations

import math
from typing import Any

from assay.benchmark.record import benchmarks
from assay.machine.catalogue import PublishedCell, cells, machine


def against_machine(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Put this run's figures beside the published cells of one machine that measure the same, with their ratio."""
    published = machine(name)
    rows = []
    for section in document["benchmarks"]:
        for quoted in section["published"]:
            for cell in cells(machine=published.id, benchmark=quoted):
                figure = _counterpart(section, cell)
                if figure is not None and not math.isnan(cell.value) and cell.value:
                    rows.append(
                        {
                            "benchmark": section["benchmark"],
                            "figure": figure["name"],
                            "params": figure["params"],
                            "a": {"run": document["run"], "value": figure["value"], "kind": figure["kind"]},
                            "b": {
                                "machine": published.id,
                                "value": cell.value,
                                "kind": "quoted",
                                "source": cell.source,
                                "params": dict(cell.params),
                                "doubtful": cell.doubtful,
                            },
                            "unit": figure["unit"],
                            "ratio": cell.value / figure["value"],
                        }
                    )
    return rows


def _counterpart(section: dict[str, Any], cell: PublishedCell) -> dict[str, Any] | None:
    """Find this run's figure for a published cell: the same metric, unit and length, or the record's own row for it."""
    record = benchmarks().get(section["benchmark"])
    rows = {row["id"]: row for row in (record.extra.get("row", {}) if record else {}).values()}
    wanted = {k: v for k, v in rows.get(cell.benchmark, {}).items() if k != "id"}
    if "message_B" in cell.params:
        wanted["bytes"] = cell.params["message_B"]
    for figure in section["figures"]:
        if (
            figure["statistic"] == "median"
            and figure["value"]
            and figure["name"] == cell.metric
            and figure["unit"] == cell.unit
            and all(str(figure["params"].get(key)) == str(value) for key, value in wanted.items())
            and (figure["params"].get("hops") is None or figure["params"]["hops"] == cell.params.get("hops", 1))
        ):
            return dict(figure)
    return None
