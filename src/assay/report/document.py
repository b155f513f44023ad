"""A run as one document: figures, fits, states, warnings, provenance. Every report and `--json` come from it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.analysis.disturbance import Estimator, State, Verdict
from assay.analysis.figures import CaseSamples, FigureValue, figures
from assay.analysis.nodes import odd_nodes
from assay.benchmark.record import Benchmark, among, benchmarks, own_benchmarks
from assay.report.causes import beside, causes
from assay.report.coarse import too_coarse
from assay.report.headline_words import at_case
from assay.report.hosts import hosts, measuring_host
from assay.report.judging import Judged, judged
from assay.report.launches_spent import launches_spent
from assay.report.levels import levels
from assay.report.pooled import pooled
from assay.report.readings import Told, gathered, readings, told
from assay.report.references import usual_references
from assay.report.sampled import sampled
from assay.report.states import DOUBTED, LEFT_OUT, WORST, overall, states, worse
from assay.samples import Circumstance, case_text
from assay.store import Run


def document(run: Run, *, quoted_nodes: bool = True) -> dict[str, Any]:
    """Derive everything that can be said of a run from its samples, benchmark by benchmark.

    `quoted_nodes`: of a described machine also what was published of its nodes, which no simulation measures.
    """
    tasks: dict[str, list[tuple[Circumstance, Path]]] = defaultdict(list)
    for about, path in run.tasks():
        tasks[about.benchmark].append((about, path))
    known = among(tasks)
    said, measured = _said(run), {} if run.about.get("described") else hosts(run)
    sections = []
    found: list[tuple[dict[str, Any], Judged]] = []
    read = {name: told(tasks[name]) for name in known}
    usual = usual_references(launch for lines in read.values() for launch in lines.launches)
    for name, record in known.items():
        lines = read[name]
        if lines.launches:
            found.append(_section(run, lines, record, said.get(name, {}), usual, measured))
            sections.append(found[-1][0])
    failures: dict[str, int] = defaultdict(int)
    for entry in _failures(run):
        if entry["benchmark"] not in {section["benchmark"] for section in sections}:
            sections.append(frame(entry["benchmark"], known.get(entry["benchmark"])))
        for section in sections:
            if section["benchmark"] == entry["benchmark"]:
                section["state"] = "invalid" if not section["figures"] else worse(section["state"], "disturbed")
                text = f"{entry['task']} failed: {entry['reason']}"
                section["warnings"].insert(failures[entry["benchmark"]], text)  # before what follows from it
                failures[entry["benchmark"]] += 1
    left_out = [section for section in sections if _is_left_out(section)]
    sections = [section for section in sections if section not in left_out]
    counts = {state: sum(section["state"] == state for section in sections) for state in WORST}
    state = overall(counts) if sections else "clean" if left_out else "invalid"
    damage = list(run.damage().texts)
    parquet = run.folder / "samples.parquet"
    return {
        "run": run.about["id"],
        "folder": str(run.folder),
        "machine": run.about.get("machine"),
        "profile": run.about.get("profile"),
        "created": run.about.get("created"),
        "state": state,
        "states": counts,
        "valid": bool(sections or left_out) and not any(_is_broken(section) for section in sections),
        "warnings": [f"{s['benchmark']}: {text}" for s in sections for text in s["warnings"]] + damage,
        "damage": damage,
        "samples": str(parquet if parquet.exists() else run.folder / "launches"),
        "causes": causes(found, beside(run)),
        "benchmarks": sections,
        "left_out": [
            {"benchmark": section["benchmark"], "title": section["title"], "reason": _reason(section)}
            for section in left_out
        ]
        + list(run.about.get("left_out") or ()),
        "provenance": run.provenance(),
        "host": measuring_host(run, measured),
        "hosts": measured,
        "described": bool(run.about.get("described")),
        "spent": launches_spent(run),
        "kind": _kind(run),
        "quoted": _quoted(run) if quoted_nodes and run.about.get("described") else None,
    }


def section(run: Run, name: str) -> dict[str, Any] | None:
    """Derive one benchmark's part of the document alone; None where it has made no launch yet."""
    tasks = [(about, path) for about, path in run.tasks() if about.benchmark == name]
    lines = told(tasks)
    if not lines.launches:
        return None
    usual = usual_references(lines.launches)
    return _section(run, lines, among([name])[name], _said(run).get(name, {}), usual, hosts(run))[0]


def _is_broken(section: dict[str, Any]) -> bool:
    """Whether a section makes a run invalid: a check failed, or nothing of it is valid."""
    return bool(section["state"] == "invalid" or section["failed_checks"])


def _is_left_out(section: dict[str, Any]) -> bool:
    """Whether this machine has nothing that the benchmark could measure: it said so, and nothing went wrong."""
    return not section["figures"] and not section["warnings"] and bool(_reason(section))


def _reason(section: dict[str, Any]) -> str:
    return "; ".join(note.removeprefix(LEFT_OUT) for note in section["notes"] if LEFT_OUT in note)


def _kind(run: Run) -> str:
    """Say what the figures are: a simulated machine's are predicted (METHOD, rule 13)."""
    return "predicted" if run.about.get("described") else "measured"


def _quoted(run: Run) -> dict[str, Any] | None:
    """What was published of a described machine's nodes, which no simulation measures; None where nothing was."""
    from assay.papers.tables import quoted

    machine = quoted.published(str(run.about.get("machine")))
    if machine is None:
        return None
    known = benchmarks() | own_benchmarks()
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
        "states": dict.fromkeys(WORST, 0),
        "failed_checks": 0,
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


def _section(
    run: Run,
    lines: Told,
    record: Benchmark,
    said: dict[str, list[str]],
    usual: Mapping[str, float],
    measured: dict[str, dict[str, Any]],
) -> tuple[dict[str, Any], Judged]:
    everything, errors = readings(block for block, _ in lines.blocks), record.errors
    blocks = [of for of in everything if of.metric not in errors]
    result = judged(run, lines, record, blocks, usual, measured)
    result.doubt(said.get("warnings", []))  # ranks that wait for a processor: their medians stand for what they are
    result.doubt(pooled(record.name, lines.launches, run.provenance()))
    for case, detail in lines.failed:
        if not result.worsen(State.INVALID, case=case):  # it speaks of none that was sampled: then of all
            result.worsen(State.INVALID)
        result.warnings.append(f"check failed for {case}: {detail}")
    for (metric, case), reason in too_coarse(record, gathered(everything)).items():
        result.worsen(State.INVALID, metric, case)
        result.warnings.append(reason)
    noted: dict[str, None] = {}
    for launch in lines.launches:
        noted |= dict.fromkeys(json.loads(launch.notes))
    doubted = [note for note in noted if note.startswith(DOUBTED)]
    result.doubt([note.removeprefix(DOUBTED) for note in doubted])  # the program itself does not trust it
    noted |= dict.fromkeys(result.remarks)
    heard = _noise(run, record)
    for node in heard:
        noted |= {f"{node['host']}: {text}" if len(heard) > 1 else text: None for text in node["text"]}
    stand = sampled(run, lines, gathered(result.standing))
    derived: list[FigureValue] = figures(record, stand, result.verdicts)
    for figure in derived:
        figure.kind = _kind(run)
    fitted = [cell for cell in stand if _fits_in(result.verdicts[cell.metric, case_text(dict(cell.case))])]
    counts = states(derived)
    left_out = any(launch.complete and LEFT_OUT in launch.notes for launch in lines.launches)
    return frame(record.name, record) | {
        "state": overall(counts) if derived else "clean" if left_out and not lines.failed else "invalid",
        "states": counts,
        "failed_checks": len(lines.failed),
        "warnings": result.warnings,
        "notes": [note for note in noted if note not in doubted],
        **({"noise": heard} if heard else {}),
        "transport": sorted({launch.transport for launch in lines.launches if launch.transport}),
        "binding": said.get("binding", []),
        "launches": len({of.launch for of in blocks}),
        "figures": [figure.to_dict() for figure in derived],
        "headlines": _headlines(record, derived),
        "fits": _fits(record, fitted),
        "variance": levels(record, blocks),
        "odd_nodes": [
            node.to_dict() | {"figure": node.metric, "unit": record.metrics[node.metric].unit, "text": node.text}
            for node in odd_nodes(stand)
        ],
    }, result


def _fits_in(verdict: Verdict) -> bool:
    """Whether a law may be fitted to a case: it has an estimate, no bound, and it is valid."""
    return verdict.state in (State.CLEAN, State.DISTURBED)


def _noise(run: Run, record: Benchmark) -> list[dict[str, Any]]:
    if not record.extra.get("traces"):
        return []
    from assay.report.noise import noise

    return noise(run, record.name)


def _fits(record: Benchmark, found: Sequence[CaseSamples]) -> list[dict[str, Any]]:
    if record.model is None:
        return []
    from assay.analysis.fits import fits

    return fits(record, found)


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
            and _is_wanted(figure, wanted.get("statistic", "median"))
            and figure.value is not None
            and all(str(figure.params.get(key)) == value for key, value in where.items())
        ]
        if fitting and (most := wanted.get("most")):
            top = max(figure.params[most] for figure in fitting)
            fitting = [figure for figure in fitting if figure.params[most] == top]
        if fitting:
            best = max if fitting[0].better == "higher" else min
            chosen = best(fitting, key=lambda figure: figure.value or 0.0)
            words = {key: at_case(wanted.get(key), record, chosen.params) for key in ("title", "says")}
            made.append(chosen.to_dict() | words | {key: wanted.get(key) for key in ("bound", "order")})
    return made


def _is_wanted(figure: FigureValue, statistic: str) -> bool:
    """Whether a figure is by the statistic that a headline asks for; where no median stands, by what bounds it."""
    bound = statistic == "median" and figure.estimator == Estimator.BEST.value
    return figure.statistic == statistic or bound


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
