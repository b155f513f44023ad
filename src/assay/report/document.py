"""A run as one document: figures, fits, states, warnings, provenance. Every report and `--json` come from it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from assay.analysis import disturbance
from assay.analysis.figures import FigureValue, figures
from assay.analysis.fits import fits
from assay.analysis.nodes import odd_nodes
from assay.benchmark.record import Benchmark, benchmarks, own_benchmarks
from assay.report import quoted
from assay.report.levels import levels
from assay.report.noise import noise
from assay.report.readings import Readings, gathered, readings
from assay.samples import case_text
from assay.store import Run

DOUBTED = "doubted: "  # how a program's note begins that is a doubt
LEFT_OUT = "left out: "  # or why a case, or all of them, cannot be done here
WORST = {"clean": 0, "disturbed": 1, "invalid": 2}
# of a launch that was done again well, or cut short, neither samples nor checks count
_FAILED = """
    SELECT DISTINCT c.case, c.detail FROM checks c JOIN launches l USING (benchmark, launch, attempt, host)
    WHERE c.benchmark = ? AND NOT c.passed AND l.complete
"""


def document(run: Run, *, quoted_nodes: bool = True) -> dict[str, Any]:
    """Derive everything that can be said of a run from its samples, benchmark by benchmark.

    `quoted_nodes`: of a described machine also what was published of its nodes, which no simulation measures.
    """
    connection = run.connect()
    known = benchmarks() | own_benchmarks()
    sections = []
    said = _said(run)
    for (name,) in connection.execute("SELECT DISTINCT benchmark FROM launches ORDER BY 1").fetchall():
        if name in known:
            sections.append(_section(run, connection, known[name], said.get(name, {})))
    order = list(known)
    sections.sort(key=lambda section: order.index(section["benchmark"]))
    for entry in _failures(run):
        if entry["benchmark"] not in {section["benchmark"] for section in sections}:
            sections.append(frame(entry["benchmark"], known.get(entry["benchmark"])))
        for section in sections:
            if section["benchmark"] == entry["benchmark"]:
                section["state"] = "invalid" if not section["figures"] else _worse(section["state"], "disturbed")
                section["warnings"].append(f"{entry['task']} failed: {entry['reason']}")
    left_out = [section for section in sections if _is_left_out(section)]
    sections = [section for section in sections if section not in left_out]
    nothing = "clean" if left_out else "invalid"
    state = max((section["state"] for section in sections), key=WORST.__getitem__, default=nothing)
    parquet = run.folder / "samples.parquet"
    return {
        "run": run.about["id"],
        "folder": str(run.folder),
        "machine": run.about.get("machine"),
        "profile": run.about.get("profile"),
        "created": run.about.get("created"),
        "state": state,
        "valid": state != "invalid",
        "warnings": [f"{s['benchmark']}: {text}" for s in sections for text in s["warnings"]],
        "samples": str(parquet if parquet.exists() else run.folder / "launches"),
        "benchmarks": sections,
        "left_out": [
            {"benchmark": section["benchmark"], "title": section["title"], "reason": _reason(section)}
            for section in left_out
        ],
        "provenance": run.provenance(),
        "host": run.about.get("host"),
        "described": bool(run.about.get("described")),
        "kind": _kind(run),
        "quoted": _quoted(run, known) if quoted_nodes else None,
    }


def _is_left_out(section: dict[str, Any]) -> bool:
    """Whether this machine has nothing that the benchmark could measure: it said so, and nothing went wrong."""
    return not section["figures"] and not section["warnings"] and bool(_reason(section))


def _reason(section: dict[str, Any]) -> str:
    return "; ".join(note.removeprefix(LEFT_OUT) for note in section["notes"] if LEFT_OUT in note)


def _kind(run: Run) -> str:
    """Say what the figures are: a simulated machine's are predicted (METHOD, rule 13)."""
    return "predicted" if run.about.get("described") else "measured"


def _quoted(run: Run, known: dict[str, Benchmark]) -> dict[str, Any] | None:
    """What was published of a described machine's nodes, which no simulation measures; None where nothing was."""
    machine = quoted.published(str(run.about.get("machine"))) if run.about.get("described") else None
    if machine is None:
        return None
    found = quoted.answer(machine, [record for record in known.values() if record.kind == "node"])
    return found if found["benchmarks"] else None


def frame(name: str, record: Benchmark | None) -> dict[str, Any]:
    """Give the section of a benchmark of which nothing was measured: what its record says, and nothing found."""
    return {
        "benchmark": name,
        "title": record.title if record else name,
        "part": record.part if record else None,
        "summary": record.summary if record else "",
        "source": record.source if record else "",
        "cost": record.cost if record else "",
        "check": record.check if record else "",
        "historical": bool(record and record.historical),
        "published": list(record.published) if record else [],
        **{key: record.extra.get(key) if record else None for key in ("matrix", "shares", "roof")},
        "state": "invalid",
        "warnings": [],
        "notes": [],
        "transport": [],
        "binding": [],
        "launches": 0,
        "figures": [],
        "headlines": [],
        "fits": [],
        "variance": [],
        "odd_nodes": [],
    }


def _section(run: Run, connection: Any, record: Benchmark, said: dict[str, list[str]]) -> dict[str, Any]:
    blocks = readings(connection, record.name)
    found = gathered(blocks)
    state, warnings = _judged(run, connection, record, blocks)
    if said.get("warnings"):  # ranks that wait for a processor: their medians stand for what they are
        state = _worse(state, "disturbed")
        warnings += said["warnings"]
    states = {case_text(dict(cell.case)): state for cell in found}
    failed = connection.execute(_FAILED, [record.name]).fetchall()
    for case, detail in failed:
        states[case] = "invalid"
        warnings.append(f"check failed for {case}: {detail}")
    notes = connection.execute("SELECT DISTINCT notes, transport FROM launches WHERE benchmark = ?", [record.name])
    noted: dict[str, None] = {}
    transports = set()
    for texts, transport in notes.fetchall():
        noted |= dict.fromkeys(json.loads(texts))
        transports.add(transport)
    doubted = [note for note in noted if note.startswith(DOUBTED)]
    if doubted:  # the program itself does not trust what it measured
        state = _worse(state, "disturbed")
        warnings += [note.removeprefix(DOUBTED) for note in doubted]
        states = {case: _worse(state, of) for case, of in states.items()}
    if failed and not found:
        states[""] = "invalid"
    heard = noise(run, record.name) if record.extra.get("traces") else []
    for node in heard:
        noted |= {f"{node['host']}: {text}" if len(heard) > 1 else text: None for text in node["text"]}
    derived: list[FigureValue] = figures(record, found, states)
    for figure in derived:
        figure.kind = _kind(run)
    worst = max([state, *states.values()], key=WORST.__getitem__)
    return frame(record.name, record) | {
        "state": worst,
        "warnings": warnings,
        "notes": [note for note in noted if note not in doubted],
        **({"noise": heard} if heard else {}),
        "transport": sorted(t for t in transports if t),
        "binding": said.get("binding", []),
        "launches": len({of.launch for of in blocks}),
        "figures": [figure.to_dict() for figure in derived],
        "headlines": _headlines(record, derived),
        "fits": fits(record, [cell for cell in found if states[case_text(dict(cell.case))] != "invalid"]),
        "variance": levels(record, blocks),
        "odd_nodes": [
            node.to_dict() | {"figure": node.metric, "unit": record.metrics[node.metric].unit, "text": node.text}
            for node in odd_nodes(found)
        ],
    }


def _headlines(record: Benchmark, derived: list[FigureValue]) -> list[dict[str, Any]]:
    """Pick the figures that the record wants on the first screen: `[headline.NAME]` with figure, title, where, most.

    Of the cases that fit `where`, those with the most of the parameter `most`, if one is named; of these the best.
    """
    made = []
    for wanted in record.extra.get("headline", {}).values():
        where = dict(word.split("=", 1) for word in str(wanted.get("where", "")).split() if "=" in word)
        fitting = [
            figure
            for figure in derived
            if figure.name == wanted["figure"]
            and figure.statistic == wanted.get("statistic", "median")
            and figure.value is not None
            and all(str(figure.params.get(key)) == value for key, value in where.items())
        ]
        if fitting and (most := wanted.get("most")):
            top = max(figure.params[most] for figure in fitting)
            fitting = [figure for figure in fitting if figure.params[most] == top]
        if fitting:
            best = max if fitting[0].better == "higher" else min
            chosen = best(fitting, key=lambda figure: figure.value or 0.0)
            made.append(
                chosen.to_dict() | {"title": wanted["title"], "says": wanted.get("says"), "bound": wanted.get("bound")}
            )
    return made


def _judged(run: Run, connection: Any, record: Benchmark, found: list[Readings]) -> tuple[str, list[str]]:
    """Judge each host's blocks by themselves: what disturbed one node says nothing of another."""
    if run.about.get("described"):
        return "clean", []  # simulated time has no neighbours
    processors = int((run.about.get("host") or {}).get("usable_cpus") or 1)
    by_host = _blocks(connection, record, found)
    state, warnings = "clean", []
    for host, (blocks, ranks) in sorted(by_host.items()):
        judged = disturbance.judge(blocks, processors, ranks)
        state = _worse(state, judged.state.value)
        warnings += [f"{host}: {text}" if len(by_host) > 1 else text for text in judged.warnings]
    if by_host:
        return state, warnings
    (left_out,) = connection.execute(
        "SELECT count(*) FROM launches WHERE benchmark = ? AND complete AND notes LIKE '%left out: %'", [record.name]
    ).fetchone()
    return ("clean", []) if left_out else ("invalid", ["no block was finished"])  # nothing here to measure, and said


def _blocks(
    connection: Any, record: Benchmark, found: list[Readings]
) -> dict[str, tuple[list[disturbance.Block], int]]:
    """Blocks and ranks of a benchmark by host, over its complete launches."""
    differences = {name for name, metric in record.metrics.items() if metric.difference}
    values = {of.key: np.asarray(of.values, dtype=float) for of in found if not of.first}
    for key in values:
        if key[0] in differences:  # a difference below zero is noise around nothing: judged as nothing
            values[key] = np.maximum(values[key], 0.0)
    blocks = connection.execute(
        'SELECT b.metric, b."case", b.host, b.launch, b.attempt, b.block, b.batch, b.steal, b.others, b.own, b.wall,'
        " b.involuntary, b.voluntary, b.minor_faults, b.major_faults, b.frequency, b.t0, b.t1, l.ranks"
        " FROM blocks b JOIN launches l USING (benchmark, launch, attempt, host)"
        " WHERE b.benchmark = ? AND l.complete ORDER BY b.t0",
        [record.name],
    ).fetchall()
    names = ("steal", "others", "own", "wall", "involuntary", "voluntary", "minor_faults", "major_faults", "frequency")
    by_host: dict[str, tuple[list[disturbance.Block], int]] = {}
    unjudged = set(record.extra.get("unjudged", ()))  # what varies by its nature is no sign of a disturbance
    for row in blocks:
        if row[0] in unjudged:
            continue
        block = disturbance.Block(
            metric=row[0],
            case=row[1],
            launch=row[3],
            block=row[5],
            batch=row[6],
            values=values.get(row[:6], np.empty(0)),
            accounting={name: of for name, of in zip(names, row[7:16], strict=True) if name not in unjudged},
            t0=row[16],
            t1=row[17],
        )
        by_host.setdefault(row[2], ([], row[18]))[0].append(block)
    return by_host


def _worse(one: str, other: str) -> str:
    return max(one, other, key=WORST.__getitem__)


def _said(run: Run) -> dict[str, dict[str, list[str]]]:
    """What the launchers said of each benchmark's launches: how ranks were bound, and what makes times doubtful."""
    begun: dict[str, str] = {}
    found: dict[str, dict[str, dict[str, None]]] = {}
    for entry in run.entries():
        if entry.get("event") == "begun":
            begun[entry["task"]] = entry["about"]["benchmark"]
        elif entry.get("event") == "ended" and entry["status"] == 0:
            of = found.setdefault(begun[entry["task"]], {"binding": {}, "warnings": {}})
            of["binding"] |= {entry["binding"]: None} if entry.get("binding") else {}
            of["warnings"] |= dict.fromkeys(entry.get("warnings", ()))
    return {name: {key: list(texts) for key, texts in of.items()} for name, of in found.items()}


def _failures(run: Run) -> list[dict[str, Any]]:
    about = {e["task"]: e["about"]["benchmark"] for e in run.entries() if e.get("event") == "begun"}
    last = {e["task"]: e for e in run.entries() if e.get("event") == "ended"}
    return [{**entry, "benchmark": about[task]} for task, entry in last.items() if entry["status"] != 0]
