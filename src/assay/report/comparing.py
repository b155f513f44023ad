"""Runs beside runs and beside published machines, each number with its kind: measured or quoted (METHOD, rules 9, 13).

Two runs are compared launch against launch (Hodges-Lehmann, two one-sided tests, Holm over the family). They were not
interleaved, so the even launches of a run against its odd ones serve as the A/A run, of each run, and the one further
apart counts; the text says what that leaves open. A published machine has no launches: its cells stand beside this
run's with their ratio and without a verdict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence, Set
from typing import Any

import numpy as np

from assay.analysis.comparison import MARGIN, compare, correct_family
from assay.benchmark.record import benchmarks
from assay.machine.catalogue import Cell, cells, machine
from assay.report.grid import Grid, grid
from assay.report.units import human, params
from assay.samples import case_text
from assay.store import Run

_LAUNCHES = """
    SELECT s.benchmark, s.metric, s.case, s.launch, median(s.value)
    FROM samples s JOIN launches l USING (benchmark, launch, attempt, host)
    WHERE NOT s.first AND l.complete GROUP BY ALL ORDER BY s.launch
"""
Launches = dict[tuple[str, str, str], list[float]]


def launches(run: Run) -> Launches:
    """Medians of each launch by (benchmark, metric, case), in order of launch; errors of metrics are left out."""
    found: Launches = {}
    errors = {(record.name, metric) for record in benchmarks().values() for metric in record.errors}
    for benchmark, metric, case, _, value in run.connect().execute(_LAUNCHES).fetchall():
        if (benchmark, metric) not in errors:
            found.setdefault((benchmark, metric, case), []).append(value)
    return found


def invalid(document: dict[str, Any]) -> set[tuple[str, str]]:
    """The (benchmark, case) of a run that have no number: what is invalid is compared with nothing."""
    return {
        (section["benchmark"], case_text(figure["params"]))
        for section in document["benchmarks"]
        for figure in section["figures"]
        if figure["state"] == "invalid"
    }


def against_run(
    a: Run, b: Run, margin: float = MARGIN, without: Set[tuple[str, str]] = frozenset()
) -> list[dict[str, Any]]:
    """Compare every cell that both runs have, as one family; ratios are B to A (of a time: above 1 is slower).

    `without`: the (benchmark, case) that are left out, being invalid in one of the runs.
    """
    first, second = launches(a), launches(b)
    common = [
        key
        for key in first
        if key in second and (key[0], key[2]) not in without and min(first[key]) > 0 and min(second[key]) > 0
    ]
    family = []
    for key in common:
        itself = max(filter(None, (_halves(first[key]), _halves(second[key]))), key=_apart, default=None)
        family.append(compare(first[key], second[key], margin=margin, a_against_a=itself, paired=False))
    corrected = correct_family(family) if family else ()
    return [
        {
            "benchmark": benchmark,
            "metric": metric,
            "params": json.loads(case),
            "a": {"run": a.about["id"], "median": float(np.median(first[benchmark, metric, case])), "kind": _kind(a)},
            "b": {
                "run": b.about["id"],
                "median": float(np.median(second[benchmark, metric, case])),
                "kind": _kind(b),
            },
            "unit": _unit(benchmark, metric),
            **result.to_dict(),
        }
        for (benchmark, metric, case), result in zip(common, corrected, strict=True)
    ]


def _kind(run: Run) -> str:
    return "predicted" if run.about.get("described") else "measured"


def _halves(values: Sequence[float]) -> tuple[Sequence[float], Sequence[float]] | None:
    """Even launches and odd ones; None where they are too few."""
    return (values[0::2], values[1::2]) if len(values) >= 4 else None


def _apart(halves: tuple[Sequence[float], Sequence[float]]) -> float:
    """Give the distance of two halves: that of their medians, as a ratio's logarithm."""
    return abs(float(np.log(np.median(halves[1]) / np.median(halves[0]))))


def _unit(benchmark: str, metric: str) -> str:
    record = benchmarks().get(benchmark)
    return record.metrics[metric].unit if record and metric in record.metrics else "1"


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


def _counterpart(section: dict[str, Any], cell: Cell) -> dict[str, Any] | None:
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
        ):
            return dict(figure)
    return None


def table_of_runs(rows: list[dict[str, Any]], a: str, b: str) -> Grid:
    """Lay out a comparison of two runs."""
    lines = [
        (
            row["benchmark"],
            row["metric"],
            params(row["params"]) or "–",
            human(row["a"]["median"], row["unit"]),
            human(row["b"]["median"], row["unit"]),
            f"{row['ratio']:.3f}",
            "–" if not row["ci95"] else f"{row['ci95'][0]:.3f} – {row['ci95'][1]:.3f}",
            row["verdict"],
        )
        for row in rows
    ]
    spread = [row["spread"] for row in rows if row["spread"]]
    if spread:
        least, most = min(s[0] for s in spread) - 1, max(s[1] for s in spread) - 1
        aa = f"A/A (even against odd launches, of the run where they are further apart): {least:+.1%} to {most:+.1%}."
    else:
        aa = "No A/A run: fewer than four launches."
    note = f"{aa} The runs were not interleaved: what changed between them besides the machine cannot be told apart."
    headings = ("benchmark", "metric", "case", a, b, f"{b} / {a}", "95%", "verdict")
    return grid(f"{b} beside {a}", headings, lines, note, left=3)


def table_of_machine(rows: list[dict[str, Any]], run: str, name: str) -> Grid:
    """Lay out a run beside a published machine."""
    lines = [
        (
            row["benchmark"],
            row["figure"],
            params(row["b"]["params"]) or params(row["params"]) or "–",
            human(row["a"]["value"], row["unit"]),
            human(row["b"]["value"], row["unit"]) + (" (doubtful)" if row["b"]["doubtful"] else ""),
            f"{row['ratio']:.3g}",
        )
        for row in rows
    ]
    headings = ("benchmark", "figure", "published case", f"{run} ({rows[0]['a']['kind']})", f"{name} (quoted)", "ratio")
    return grid(f"{run} beside {name}", headings, lines, left=3)
