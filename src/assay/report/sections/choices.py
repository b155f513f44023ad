"""A library's choices beside the best of the ways that were measured with them: `[choice]` of a record.

The run's launches hold both, in turn, so that they are compared launch by launch, as `compare` does with build
variants; analysis/chosen.py accounts for how many comparisons there are and for picking the best.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.analysis import chosen
from assay.analysis.comparison import MARGIN, exact
from assay.benchmark.record import benchmark
from assay.benchmark.variants import USUAL, AnyVariant, MpiVariant, variant_of
from assay.case import Case
from assay.document.choice import Choice, ChoiceWanted
from assay.document.grid import Grid, grid
from assay.document.params import Parameters, Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.kinds import is_simulated
from assay.report.derive.message_library import alone
from assay.report.derive.settings import SKEW, setting
from assay.report.judge.comparison import interleaved, size
from assay.report.judge.finding_lines import slowest
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, Place, ReportSection, only
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout
from assay.report.units import human

DASHES = ("solid", "dash")  # beyond as many ways as there are colours
LEAST_LENGTHS = 2
BARRIER = "barrier"  # the operation that has no length
NONE = "–"  # in the place of a length that a case has not
MOST_PLOTS = 12  # operation by operation


def choices(figures: Sequence[ReportedFigure], wanted: ChoiceWanted, *, described: bool) -> list[Choice]:
    """Judge every case in which both the choice and another way have an estimate; `described`: nothing varies."""
    ready, rivals = [], []
    for ways in cells(figures, wanted):
        own = ways.get(wanted.own)
        if own is None:
            continue
        others = {name: rival(each, own, described) for name, each in ways.items() if name != wanted.own}
        known = {name: rival for name, rival in others.items() if rival is not None}
        if known:
            ready.append((own, ways))
            rivals.append(known)
    return [
        Choice(
            params=rest(own.params, wanted.across),
            best=found.best,
            value=own.value or 0.0,
            best_value=ways[found.best].value or 0.0,
            unit=own.unit,
            ratio=found.ratio,
            ci95=None if found.ci95 is None else list(found.ci95),
            level=found.level,
            slower=found.slower,
            launches=len(own.by_launch),
            comparisons=found.comparisons,
            reason=found.reason,
        )
        for (own, ways), found in zip(ready, chosen.judge_choices(rivals) if rivals else [], strict=True)
    ]


def cells(figures: Sequence[ReportedFigure], wanted: ChoiceWanted) -> list[dict[str, ReportedFigure]]:
    """Each case's ways by name; only those that have an estimate."""
    found: dict[str, dict[str, ReportedFigure]] = defaultdict(dict)
    for figure in figures:
        if figure.name == wanted.figure and figure.main and figure.state in ("clean", "disturbed") and figure.value:
            case = rest(figure.params, wanted.across)
            found[f"{figure.host} {case}"][str(figure.params.get(wanted.across))] = figure
    return list(found.values())


def rest(params: Case, across: str) -> Case:
    """A case without the parameter by which its ways differ."""
    return params.without((across,))


def rival(way: ReportedFigure, own: ReportedFigure, described: bool) -> chosen.Rival | None:
    """Compare one way with the choice; None where no launch has both.

    Simulated times are exact, but of ranks that enter at random moments, as one launch draws them.
    """
    first, second = ({int(launch): value for launch, value in each.by_launch} for each in (way, own))
    common = sorted(first.keys() & second.keys())
    if not common or min(*first.values(), *second.values()) <= 0:
        return None
    pairs = [first[launch] for launch in common], [second[launch] for launch in common]
    if described and not way.params.get(SKEW) and all(len(set(values)) == 1 for values in pairs):
        found = exact(pairs[0][0], pairs[1][0], MARGIN, "both are simulated and vary in no launch")
        return chosen.Rival(found, *pairs, exact=True)
    return chosen.Rival(interleaved((way, own), MARGIN), *pairs)


def slower(section: Section, whose: str) -> Iterator[tuple[float, str]]:
    """Name what the library does slower than it could: (ratio, one line), for each operation its worst case.

    Of several MPIs or transports each is a library of its own. `whose`: "your library's", or a described machine's.
    """
    found: dict[tuple[str, AnyVariant | None], list[Choice]] = defaultdict(list)
    for each in section.choices or ():
        if each.slower:
            found[str(each.params.get("operation", section.title)), variant_of(each.params)].append(each)
    for (operation, _), cases in found.items():
        worst = max(cases, key=lambda each: each.ratio)
        more = f"; {operation} at {len(cases) - 1} more" if len(cases) > 1 else ""
        yield (
            worst.ratio,
            f"{subject(section, whose, worst)} is {factor(worst.ratio)} times slower than the best "
            f"({worst.best}){between(worst.ci95)}{more}",
        )


def subject(section: Section, whose: str, choice: Choice) -> str:
    """Say what a sentence on one case is about: a library's choice for it, or what is the machine's own."""
    own = None if section.choice is None else section.choice.whose
    return f"{whose} choice for {named(choice)}" if own is None else f"{own} {named(choice)}"


def named(choice: Choice) -> str:
    """Name a case: operation, length, ranks, those per node, root, skew, and by which MPI and transport."""
    about = choice.params
    length = about.get("bytes")
    of = f" of {human(float(length), 'B')}" if isinstance(length, int) and about.get("operation") != BARRIER else ""
    root = f", root {about['root']}" if about.get("root") else ""
    per_node = f" ({setting('ppn', about['ppn'])})" if "ppn" in about else ""  # where several were measured
    skew = f", {setting(SKEW, about[SKEW])}" if SKEW in about else ""
    return f"{about.get('operation')}{of} on {about.get('ranks')} ranks{per_node}{root}{skew}{library(about)}"


def library(about: Parameters) -> str:
    """Name the MPI, transport and compiler behind a case; nothing where a run has no such variants."""
    variant = MpiVariant.of(about)
    if variant is None:
        return ""
    mpi = "the default MPI" if variant.mpi == USUAL else variant.mpi
    compiled = "" if variant.compiler == USUAL else f", compiled by {variant.compiler}"
    return f" by {mpi}" + ("" if variant.transport == USUAL else f" over {variant.transport}") + compiled


def factor(ratio: float) -> str:
    """Write a ratio with two digits, more of one near 1."""
    return f"{ratio:.2f}" if ratio < 1.2 else f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}"


def between(ci95: Sequence[float] | None) -> str:
    """Write an interval of a ratio behind it; nothing where there is none, or it is a point."""
    return "" if ci95 is None or ci95[0] == ci95[1] else f", {factor(ci95[0])} to {factor(ci95[1])}"


def table(section: Section) -> Grid | None:
    """Lay out a row for each case; None where the record asks for none or nothing could be compared."""
    if not section.choices or section.choice is None:
        return None
    found = sorted(section.choices, key=lambda each: (place(section, each.params), size(each.params)))
    keys = columns([each.params for each in found])
    rows = [
        (
            *(cell(c.params, k) for k in keys),
            human(c.value, c.unit, 3),
            c.best,
            human(c.best_value, c.unit, 3),
            factor(c.ratio),
            _shown(c),
        )
        for c in found
    ]
    own = section.choice.whose
    headings = (*keys, section.choice.own if own is None else alone(own), "best other", "its time", "ratio", "slower")
    exact = "Both are simulated and vary in no launch."
    count = found[0].comparisons
    corrected = (
        f"{count} comparison{'s' * (count != 1)}, corrected by Benjamini and Hochberg; of the intervals stated at most "
        "5% miss."
    )
    slow = f"Slower: by how many times, beyond the margin of {MARGIN:.0%} as well; –: not shown to be."
    note = f"{corrected if varies(section) else exact} {slow}"
    whose = "The library's choice" if own is None else own[:1].upper() + own[1:] + _only(found)
    return grid(f"{whose} and the best algorithm", headings, rows, note, left=1)


def _only(found: Sequence[Choice]) -> str:
    """The operation that all cases are of, where it is one."""
    operations = {str(each.params.get("operation")) for each in found}
    return f" {min(operations)}" if len(operations) == 1 else ""


def columns(cases: Sequence[Parameters]) -> list[str]:
    """The parameters that a table of cases has a column of: the operation first, bytes unless none has any."""
    keys = dict.fromkeys(key for case in cases for key in case)
    alike = {key for key in keys if all(case.get(key) == cases[0].get(key) for case in cases)}
    without_any = all(case.get("operation") == BARRIER for case in cases)
    kept = [key for key in keys if key not in ("operation", "bytes") and key not in alike]
    first = [key for key in ("operation", "bytes") if key in cases[0] and not (key == "bytes" and without_any)]
    return [*first, *kept]


def cell(case: Parameters, key: str) -> str:
    """One parameter in a table: a length by its unit, none of a barrier; a time by its unit, none of a case without."""
    if key not in case:
        return NONE
    if key != "bytes":
        return setting(key, case[key]).removeprefix(f"{key} ") if key == SKEW else str(case[key])
    return NONE if case.get("operation") == BARRIER else human(float(case[key]), "B")


def varies(section: Section) -> bool:
    """Whether the times that are compared vary from launch to launch, as all do that are measured."""
    wanted = section.choice
    times = [each for each in section.figures if wanted is not None and each.name == wanted.figure and each.main]
    return any(not is_simulated(each.kind) or len({value for _, value in each.by_launch}) > 1 for each in times)


def _shown(choice: Choice) -> str:
    """By how many times the choice is slower; that it is not shown to be."""
    if not choice.slower:
        return "–"
    return "yes" if choice.ci95 is None else between(choice.ci95).removeprefix(", ") or "exact"


def place(section: Section, params: Parameters) -> int:
    """Where a case's operation stands among those of the record; behind all of them where it is none."""
    known = [str(choice) for choice in benchmark(section.benchmark).parameters["operation"].choices]
    name = str(params.get("operation"))
    return known.index(name) if name in known else len(known)


def plots(section: Section) -> list[Plot]:
    """Draw time against bytes, a picture for each operation, a line for each way; where the choice is slow first."""
    wanted = section.choice
    if wanted is None:
        return []
    across = [str(choice) for choice in benchmark(section.benchmark).parameters[wanted.across].choices]
    operations: dict[str, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    biggest: dict[str, tuple[object, ...]] = {}
    for figure in section.figures:
        about, value, length = figure.params, figure.shown, figure.params.get("bytes")
        if figure.name != wanted.figure or not figure.main or value is None or not isinstance(length, int):
            continue
        operation = str(about.get("operation"))
        circle = tuple(about.get(key) for key in ("ranks", "root", "call", SKEW))
        if biggest.setdefault(operation, circle) == circle:
            operations[operation][str(about.get(wanted.across))].append((length, value))
    worst: dict[str, float] = defaultdict(float)
    for each in section.choices or ():
        if each.slower:
            worst[str(each.params.get("operation"))] = max(worst[str(each.params.get("operation"))], each.ratio)
    made = []
    for operation in sorted(operations, key=lambda name: -worst[name]):
        lines = {name: sorted(points) for name, points in operations[operation].items() if len(points) >= LEAST_LENGTHS}
        if not lines:
            continue
        traces = [_line(name, lines[name], across.index(name), name == wanted.own) for name in across if name in lines]
        ranks = biggest[operation][0]
        drawn = layout(f"{operation} of {ranks} ranks by algorithm", "bytes per block", "time", True)
        made.append(finish({"data": traces, "layout": drawn}, "B", "s"))
    return made


def _line(name: str, points: list[tuple[int, float]], i: int, own: bool) -> Plot:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [length for length, _ in points],
        "y": [value for _, value in points],
        "line": {
            "color": COLOURS[i % len(COLOURS)],
            "width": 4 if own else 2,
            "dash": DASHES[i // len(COLOURS) % len(DASHES)],
        },
        "marker": {"size": 6},
    }


def _findings(document: Document) -> Iterator[Finding]:
    """Name what a library does slower than another algorithm."""
    advice = "use the faster one; the report compares them in its part on messages"
    if not document.described:
        advice = f"set the library's algorithm for it (docs/clusters.md), or {advice}"
    return slowest(document, slower, 46, advice)


def _derive(source: BenchmarkSource) -> Derived:
    wanted = source.section.choice
    if wanted is None:
        return Derived()
    return Derived(values={"choices": choices(source.figures, wanted, described=source.described)})


SECTION = ReportSection(
    order=320,
    derive=_derive,
    findings=_findings,
    of_benchmark=BenchmarkView(
        place=Place.JUDGEMENT,
        tables=lambda document, section: only(table(section)),
        plots=lambda section: plots(section) or None,
        sole_plots=True,
        most_plots=lambda section: MOST_PLOTS if section.choice else 0,
        replaces=lambda section: table(section) is not None,
    ),
)
