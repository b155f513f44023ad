"""Joules for each flop, byte and message, and for a run of an application: by what the packages took meanwhile.

Power is the energy of a case's blocks over their time, launch by launch and summed over hosts; joules for a unit of
work are that over the same launch's rate, joules for a run of an application that times the run's time. Counters are
of whole packages: what others did there meanwhile is in them, and what a package takes idle; nothing is attributed to
a process.

A package's counter is updated about every millisecond (Intel's manual, volume 3B, 15.10), so that each block holds up
to one update too many or too few: the range across launches is that much wider, and of blocks so short that this is
more than a tenth no joules are given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from assay.benchmark.record import Benchmark
from assay.case import Case
from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section, SpentEnergy
from assay.report.derive.case_order import record_of
from assay.report.derive.readings import LaunchLines
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, ReportSection, only
from assay.report.render.case_words import case_words
from assay.report.render.tables import alike
from assay.report.units import human

WORK = {"flop/s": "J/flop", "B/s": "J/B"}
RUN = "J/run"  # of an application
PARTS = ("package", "memory", "platform")
NOTE = "Of whole packages: others' work at the time and idle power are in it. Read from {source} at the ends of blocks."

UPDATE = 1e-3  # s
COARSE = 0.1  # of what a launch's blocks took
EDGES = "edges"  # beside a launch's parts: the share that its blocks' ends can have moved

Powers = dict[tuple[str, Case], dict[int, dict[str, float]]]  # metric and case; launch; part: W, and EDGES
MOST_ON_TERMINAL = 8  # cases


def spent(lines: LaunchLines, record: Benchmark, figures: Sequence[ReportedFigure]) -> list[SpentEnergy]:
    """Return an entry for each rate of flops, bytes or messages whose blocks' joules are known; of an application also
    for its time, and for a rate of whatever it counts.
    """
    powers, source = _powers(lines), _source(lines)
    made = []
    for figure in figures:
        unit = _unit(record, figure)
        launches = powers.get((figure.metric, figure.params), {})
        rates = {int(launch): rate for launch, rate in figure.by_launch if rate > 0 and int(launch) in launches}
        if unit is None or figure.statistic != "median" or figure.value is None or not rates:
            continue
        edges = max(launches[launch][EDGES] for launch in rates)
        if edges > COARSE:
            continue
        per_run = unit == RUN
        each = [launches[launch]["package"] * (of if per_run else 1 / of) for launch, of in rates.items()]
        watts = {part: [launches[launch].get(part) for launch in rates] for part in PARTS}
        known = {part: [w for w in found if w is not None] for part, found in watts.items()}
        power = {part: median(known[part]) if len(known[part]) == len(rates) else None for part in PARTS}
        made.append(
            SpentEnergy(
                figure=figure.name,
                params=figure.params,
                package=power["package"] or 0.0,
                memory=power["memory"],
                platform=power["platform"],
                value=median(each),
                range=[(1 - edges) * min(each), (1 + edges) * max(each)],
                unit=unit,
                launches=len(each),
                source=source,
                state=figure.state,
            )
        )
    return made


def too_short(lines: LaunchLines, record: Benchmark, figures: Sequence[ReportedFigure]) -> list[str]:
    """Say in a line of how many rates no joules are given, as their blocks are too short for the counters."""
    powers, found = _powers(lines), 0
    for figure in figures:
        launches = powers.get((figure.metric, figure.params), {})
        if figure.statistic == "median" and figure.value is not None and _unit(record, figure):
            found += any(of[EDGES] > COARSE for of in launches.values())
    walls = [of.block.wall for of, _ in lines.blocks if of.block.wall and of.block.energy_package is not None]
    if not found or not walls:
        return []
    cases = "one rate" if found == 1 else f"{found} rates"
    short, update = human(min(walls), "s", 2), human(UPDATE, "s", 1)
    why = f"blocks of {short} and more are too short for counters that are updated every {update}"
    return [f"left out: joules of {cases}: {why}"]


def _unit(record: Benchmark, figure: ReportedFigure) -> str | None:
    """The unit of what a unit of work, or a run, takes; None where the figure is of neither."""
    if figure.unit == "1/s" and record.part == "messages" and "message" in figure.name:
        return "J/message"
    if record.part == "applications" and figure.unit in ("s", "1/s"):
        return RUN if figure.unit == "s" else f"J/{_counted(record, figure.name)}"
    return WORK.get(figure.unit)


def _counted(record: Benchmark, figure: str) -> str:
    """What a rate counts, one of it: `updates / value` counts updates; `operation` where that is no single name."""
    counted = (record.figures[figure].formula or "").partition(" / value")[0]
    return counted.removesuffix("s") if counted.isidentifier() else "operation"


def _source(lines: LaunchLines) -> str:
    return ", ".join(sorted({of.block.energy_source for of, _ in lines.blocks if of.block.energy_source}))


def _powers(lines: LaunchLines) -> Powers:
    """Watts of each case, launch by launch, summed over hosts; of a part only where every host of a launch shows it."""
    sums: dict[tuple[str, Case, int], dict[str, dict[str, list[float]]]] = {}  # joules, s and blocks by host
    hosts: dict[tuple[str, Case, int], set[str]] = defaultdict(set)
    for measured, _ in lines.blocks:
        of = measured.block
        at = of.metric, of.case, of.launch
        hosts[at].add(of.host)
        for part in PARTS:
            joules: float | None = getattr(of, f"energy_{part}")
            if joules is not None and of.wall:
                total = sums.setdefault(at, {}).setdefault(part, {}).setdefault(of.host, [0.0, 0.0, 0.0])
                total[0] += joules
                total[1] += of.wall
                total[2] += 1
    made: Powers = defaultdict(dict)
    for (metric, case, launch), by_part in sums.items():
        whole = {
            part: sum(joules / wall for joules, wall, _ in by_host.values())
            for part, by_host in by_part.items()
            if set(by_host) == hosts[metric, case, launch]
        }
        if "package" in whole:
            edges = max(UPDATE * blocks / wall for _, wall, blocks in by_part["package"].values())
            made[metric, case][launch] = {**whole, EDGES: edges}
    return made


def least(document: Document) -> list[str]:
    """Say of each unit of work the least that a benchmark of today took for it."""
    found: dict[str, tuple[float, str]] = {}
    for section in document.benchmarks:
        for each in () if section.historical else section.energy or ():
            if each.unit == RUN:
                continue
            found[each.unit] = min(found.get(each.unit, (each.value, section.title)), (each.value, section.title))
    return [f"least {human(value, unit, 3)} ({title})" for unit, (value, title) in sorted(found.items())]


def table(section: Section, most: int | None = None) -> Grid | None:
    """Lay out what the rates of a benchmark took, `most` rows of it; None where no joules are known."""
    entries = section.energy or []
    if not entries:
        return None
    common = alike([each.params for each in entries])
    named = len({each.figure for each in entries}) > 1
    shown = [part for part in PARTS[1:] if any(getattr(each, part) is not None for each in entries)]
    rows, record = [], record_of(section)
    for each in entries[:most]:
        case = case_words({key: value for key, value in each.params.items() if key not in common}, record) or "–"
        case = f"{each.figure.replace('_', ' ')}, {case}" if named else case
        others = (human(getattr(each, part), "W", 3) for part in shown)
        low, high = (human(end, each.unit, 3) for end in each.range)
        state = "" if each.state == "clean" else each.state
        rows.append(
            (case, human(each.package, "W", 3), *others, human(each.value, each.unit, 3), f"{low} … {high}", state)
        )
    note = NOTE.format(source=entries[0].source)
    note += f" All with {case_words(common, record)}." if case_words(common, record) else ""
    if len(rows) < len(entries):
        note += f" {len(entries) - len(rows)} more in the report, which `assay report RUN` writes."
    headings = ("case", "packages", *shown, "packages, for each", "across launches", "state")
    return grid(f"Energy of {section.title}", headings, rows, note)


def _derive(source: BenchmarkSource) -> Derived:
    values = {"energy": spent(source.lines, source.record, source.figures) or None}
    return Derived(values=values, notes=too_short(source.lines, source.record, source.figures))


SECTION = ReportSection(
    order=400,
    derive=_derive,
    of_benchmark=BenchmarkView(
        tables=lambda document, section: only(table(section)),
        terminal_tables=lambda document, section: only(table(section, MOST_ON_TERMINAL)),
    ),
)
