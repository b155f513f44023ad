"""A run as one document: figures, fits, states, warnings, provenance. Every report and `--json` come from it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from assay.analysis.disturbance import Estimator, State, Verdict
from assay.analysis.figures import CaseSamples, figures
from assay.benchmark.record import Benchmark, among, benchmarks, own_benchmarks
from assay.benchmark.variants import variant_of
from assay.document.choice import ChoiceWanted
from assay.document.fits import Fit
from assay.document.host_facts import HostFacts
from assay.document.json_form import from_json
from assay.document.params import WITHIN_A_NODE, Derived, Facts, placement_from_host
from assay.document.quoted import Quoted
from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.run_document import Document, Skipped
from assay.document.section import (
    AccuracyDrawn,
    ConvergenceStated,
    RoofPart,
    Section,
    SectionRemark,
    SharesDrawn,
)
from assay.kinds import NumberKind
from assay.remarks import Remark
from assay.report.derive.budget import budget_spent, skipped
from assay.report.derive.case_verdicts import Judged, judged
from assay.report.derive.causes import beside, causes
from assay.report.derive.empty_run import nothing_measured
from assay.report.derive.fit_states import with_states
from assay.report.derive.fleet import fleet
from assay.report.derive.headline_words import at_case
from assay.report.derive.homogeneity import pooled
from assay.report.derive.hosts import hosts, measuring_host
from assay.report.derive.launch_notes import has_skip, launch_notes, launch_remarks
from assay.report.derive.message_library import instead_of_library, without_library
from assay.report.derive.node_count import nodes_used
from assay.report.derive.positivity import not_positive
from assay.report.derive.progress import unfinished
from assay.report.derive.ranks_per_node import asked_for, by_ranks_per_node, titled
from assay.report.derive.readings import LaunchLines, gathered, launch_lines, readings
from assay.report.derive.references import usual_references
from assay.report.derive.resolution import too_coarse
from assay.report.derive.sampling_level import sampled
from assay.report.derive.software import NO_RANKS, started_by
from assay.report.derive.states import WORST, overall, states, worst
from assay.report.derive.variance_components import variance_by_level
from assay.report.derive.variants import build_variants, variants
from assay.report.derive.vector_widths import with_widths
from assay.report.registry import BenchmarkSource, RunSource, sections
from assay.samples import Circumstance, Launch
from assay.store import Run
from assay.stored.journal_entries import EndedEntry, LeftOutEntry, StatedCircumstance
from assay.stored.launch_file import LaunchFile


def document(run: Run, *, quoted_nodes: bool = True, all_readings: bool = False) -> Document:
    """Derive the whole document of a run from its samples, benchmark by benchmark.

    `quoted_nodes`: of a described machine also what was published of its nodes, which no simulation measures.
    `all_readings`: figures also have `statistics` of all readings of each launch, disturbed ones among them.
    """
    tasks: dict[str, list[tuple[Circumstance, LaunchFile]]] = defaultdict(list)
    for about, file in run.tasks():
        tasks[about.benchmark].append((about, file))
    known = among(tasks)
    launchers, measured = _launcher_reports(run), hosts(run)
    found: dict[str, tuple[Section, Judged]] = {}
    read = {name: launch_lines(tasks[name]) for name in known}
    usual = usual_references(launch for lines in read.values() for launch in lines.launches)
    described = bool(run.about.get("described"))
    for name, record in known.items():
        lines = read[name]
        if lines.launches:
            made, judgement = _section(run, lines, record, launchers.get(name, {}), usual, measured, every=all_readings)
            used = nodes_used(tasks[name]) if described else []
            found[name] = replace(made, nodes=used or None), judgement
    every = _with_failures({name: section for name, (section, _) in found.items()}, run, known)
    left_out = [section for section in every if _is_left_out(section)]
    shown = with_widths(run, [section for section in every if not _is_left_out(section)])
    counts = {state: sum(section.state == state for section in shown) for state in WORST}
    damage = list(run.damage().texts)
    parquet = run.folder / "samples.parquet"
    budget = budget_spent(run)
    whole = Document(
        run=run.about["id"],
        folder=str(run.folder),
        machine=run.about.get("machine"),
        profile=run.about.get("profile"),
        created=run.about.get("created"),
        state=overall(counts) if shown else "invalid",
        states=counts,
        valid=bool(shown) and not any(_is_broken(section) for section in shown),
        warnings=[f"{s.benchmark}: {text}" for s in shown for text in s.warnings] + damage,
        damage=damage,
        samples=str(parquet if parquet.exists() else run.folder / "launches"),
        causes=causes(list(found.values()), beside(run)),
        benchmarks=shown,
        left_out=[Skipped(benchmark=of.benchmark, title=of.title, reason=_reason(of)) for of in left_out]
        + [from_json(Skipped, each) for each in run.about.get("left_out") or ()]
        + [_unplaced(entry) for entry in run.entries() if entry["event"] == "left out"]
        + skipped(budget),
        provenance={key: HostFacts(stated) for key, stated in run.provenance().items()},
        host=measuring_host(run, measured),
        hosts={name: HostFacts(stated) for name, stated in measured.items()},
        described=described,
        unfinished=unfinished(run),
        budget=budget,
        kind=_kind(run),
        quoted=_quoted(run) if quoted_nodes and described else None,
    )
    if (nothing := nothing_measured(whole)) is not None:
        whole = replace(whole, warnings=[nothing, *whole.warnings])
    whole = replace(whole, variants=build_variants(run, whole, {name: lines.failed for name, lines in read.items()}))
    source = RunSource(run=run, tasks=[task for of in tasks.values() for task in of], records=known)
    for complete in (each.complete for each in sections().values()):
        whole = whole if complete is None else complete(source, whole)
    return whole


def _with_failures(sections: dict[str, Section], run: Run, known: Mapping[str, Benchmark]) -> list[Section]:
    """The sections with what failed: its warnings stand before those that follow from it."""
    failed: dict[str, list[str]] = defaultdict(list)
    for entry in failures(run):
        failed[entry["benchmark"]].append(f"{entry['task']} failed: {entry['reason']}")
    made = dict(sections)
    for name, texts in failed.items():
        of = made.get(name) or frame(name, known.get(name))
        state = worst((of.state, "disturbed")) if of.figures else "invalid"
        made[name] = replace(of, state=state, warnings=[*texts, *of.warnings])
    return list(made.values())


def section(run: Run, name: str, *, figures_only: bool = False, host: str | None = None) -> Section | None:
    """Derive one benchmark's part of the document alone; None where it has made no launch yet.

    `figures_only`: without what is derived beside figures and headlines (fits, variance, nodes), for a look at a run.
    `host`: of a node program, by what this node wrote alone.
    """
    tasks = [(about, file) for about, file in run.tasks() if about.benchmark == name]
    if host is not None:
        tasks = [(about, file) for about, file in tasks if host in hosts_of(file)]
    lines = launch_lines(tasks)
    if not lines.launches:
        return None
    usual = usual_references(lines.launches)
    launcher = _launcher_reports(run).get(name, {})
    measured = hosts(run, tasks)
    return _section(run, lines, among([name])[name], launcher, usual, measured, whole=not figures_only)[0]


def hosts_of(file: LaunchFile, *, complete: bool = False) -> set[str]:
    """The hosts whose (complete) launches are in a file: of a node program one."""
    return {row.host for row in file.rows if isinstance(row, Launch) and (row.complete or not complete)}


def _is_broken(section: Section) -> bool:
    """Whether a section makes a run invalid: a check failed, or nothing of it is valid."""
    return section.state == "invalid" or bool(section.failed_checks)


def _unplaced(entry: LeftOutEntry) -> Skipped:
    """What the session left out, as the machine has no place for it."""
    record = among([entry["benchmark"]]).get(entry["benchmark"])
    title = entry["benchmark"] if record is None else record.title
    return Skipped(benchmark=entry["benchmark"], title=title, reason=entry["reason"])


def _is_left_out(section: Section) -> bool:
    """Whether this machine has nothing that the benchmark could measure, by its remarks, and nothing went wrong."""
    return not section.figures and not section.warnings and bool(_reason(section))


def _reason(section: Section) -> str:
    return "; ".join(each.text for each in section.remarks or () if each.kind == "skip")


def _kind(run: Run) -> NumberKind:
    """The kind of the figures: a described machine's are simulated; cells by cell: published/cells/run_kinds.py."""
    return NumberKind.SIMULATED if run.about.get("described") else NumberKind.MEASURED


def _quoted(run: Run) -> Quoted | None:
    """What was published of a described machine's nodes, which no simulation measures; None where nothing was."""
    from assay.published.tables import quoted

    machine = quoted.published(str(run.about.get("machine")))
    if machine is None:
        return None
    known = benchmarks() | own_benchmarks()
    found = quoted.answer(machine, [record for record in known.values() if record.kind == "node"])
    return found if found.benchmarks else None


def frame(name: str, record: Benchmark | None) -> Section:
    """Give the section of a benchmark of which nothing was measured: the texts of its record, and no figures."""
    if record is None:
        return Section(benchmark=name, title=name, part=None, states=dict.fromkeys(WORST, 0))
    shares, roof, accuracy, choice = record.shares, record.roof, record.accuracy, record.choice
    convergence = record.convergence
    return Section(
        benchmark=name,
        title=record.title,
        part=record.part,
        summary=record.summary,
        source=record.source,
        cost=record.cost,
        check=record.check,
        historical=record.historical,
        published=list(record.published),
        matrix=None if record.matrix is None else list(record.matrix),
        shares=None if shares is None else SharesDrawn(**shares._asdict() | {"parts": list(shares.parts)}),
        roof=None if roof is None else RoofPart(**roof._asdict()),
        accuracy=None if accuracy is None else AccuracyDrawn(**accuracy._asdict()),
        convergence=None if convergence is None else ConvergenceStated(**convergence._asdict()),
        choice=None if choice is None else ChoiceWanted(**choice._asdict()),
        states=dict.fromkeys(WORST, 0),
    )


def _section(
    run: Run,
    lines: LaunchLines,
    record: Benchmark,
    launcher: dict[str, list[str]],
    usual: Mapping[str, float],
    measured: Mapping[str, Facts],
    whole: bool = True,
    every: bool = False,
) -> tuple[Section, Judged]:
    everything, errors = readings(block for block, _ in lines.blocks), record.errors
    blocks = [of for of in everything if of.metric not in errors]
    result = judged(run, lines, record, blocks, usual, measured)
    result.add_unmeasured(launcher.get("warnings", []))  # such as ranks that wait for a hardware thread
    result.add_unmeasured(pooled(record.name, lines.alike.values(), run.provenance()))
    for case, detail in lines.failed:
        if not result.worsen(State.INVALID, case=case):  # it names none that was sampled: then all
            result.worsen(State.INVALID)
        result.warnings.append(f"check failed{f' for {case}' if case else ''}: {detail}")
    for (metric, case), reason in too_coarse(record, gathered(everything)).items():
        result.worsen(State.INVALID, metric, case)
        result.warnings.append(reason)
    noted = dict.fromkeys(launch_notes(json.loads(launch.notes) for launch in lines.launches))
    remarked = launch_remarks(lines.launches)
    warnings = [remark for remark in remarked if remark.kind == "doubt"]
    result.add_unmeasured([warning.text for warning in warnings])
    noted |= dict.fromkeys(result.remarks)
    stand = sampled(run, lines, gathered(result.standing))
    derived = figures(record, stand, result.verdicts, _kind(run), gathered(blocks) if every else ())
    odd, of_nodes = fleet(record, stand) if whole else ([], None)
    fitted = [cell for cell in stand if _fits_in(result.verdicts[cell.metric, cell.case])]
    counts = states(derived)
    skips = any(launch.complete and has_skip(launch) for launch in lines.launches)
    framed, described = frame(record.name, record), _kind(run) == NumberKind.SIMULATED
    whose = instead_of_library(run.provenance())
    virtual = [bool(facts.get("virtualised")) for facts in run.provenance().values()]
    if framed.choice is not None and whose is not None:
        framed = replace(framed, choice=replace(framed.choice, whose=whose))
    source = BenchmarkSource(
        run=run, record=record, lines=lines, figures=derived, section=framed, described=described, complete=whole
    )
    framed, notes, skipped_figures = _with_sections(source)
    remarked += [Remark("skip", text) for text in (*skipped_figures, *not_positive(record, stand, derived))]
    noted |= dict.fromkeys([*notes, *map(str, remarked)])
    return replace(
        framed,
        state=_state(derived) if derived else "clean" if skips and not lines.failed else "invalid",
        states=counts,
        failed_checks=len(lines.failed),
        warnings=result.warnings,
        notes=[note for note in noted if note not in set(map(str, warnings))],
        remarks=[SectionRemark(kind=each.kind, text=each.text) for each in remarked if each.kind != "doubt"] or None,
        transport=sorted({launch.transport for launch in lines.launches if launch.transport}),
        mpi=launcher.get("mpi") if any(launch.transport not in (None, NO_RANKS) for launch in lines.launches) else None,
        binding=launcher.get("binding", []),
        guest=placement_from_host((each.params for each in derived), virtual),
        launches=len({of.launch for of in blocks}),
        ppn=asked_for(run.about, record.name),
        figures=derived,
        headlines=_headlines(record, _of_reference(run, derived), described, whose),
        fits=with_states(_fits(record, fitted), derived) if whole else [],
        variance=variance_by_level(record, blocks) if whole else [],
        odd_nodes=odd,
        fleet=of_nodes,
    ), result


def _with_sections(source: BenchmarkSource) -> tuple[Section, list[str], list[str]]:
    """Return the section with what each section of the report derives, their notes, and what they skip."""
    values: Derived = {}
    notes: list[str] = []
    skips: list[str] = []
    for derive in (each.derive for each in sections().values()):
        if derive is not None:
            found = derive(source)
            values |= found.values
            notes += found.notes
            skips += found.skips
    known = {each.name for each in fields(Section)}
    further = {name: value for name, value in values.items() if name not in known and value is not None}
    own = {name: value for name, value in values.items() if name in known}
    return replace(source.section, **own, derived=further or None), notes, skips


def _state(derived: list[ReportedFigure]) -> str:
    """The state that half of a section's cases reach, or that of half of its main figures where that is worse.

    Counts and errors, which nothing disturbs, must not outvote the times that a benchmark is about.
    """
    main = [figure for figure in derived if figure.headline]
    return worst([overall(states(of)) for of in (derived, main) if of])


def _fits_in(verdict: Verdict) -> bool:
    """Whether a law may be fitted to a case: it has an estimate, no bound, and it is valid."""
    return verdict.state in (State.CLEAN, State.DISTURBED)


def _fits(record: Benchmark, found: Sequence[CaseSamples]) -> list[Fit]:
    if record.model is None and record.part != "applications":
        return []
    from assay.analysis.fits import fits

    return from_json(list[Fit], fits(record, found))


def _headlines(
    record: Benchmark, derived: list[ReportedFigure], described: bool, whose: str | None = None
) -> list[Headline]:
    """Pick the figures that the record wants on the first screen: `[headline.NAME]` with figure, title, where, most.

    Of the cases that fit `where`, those with the most of the parameter `most`, if one is named, or those between nodes,
    if some are and the record says `across_nodes`; of these the best. Measured with several numbers of ranks per node,
    each has a main figure of its own, whose title names it: the best of all would hide the worse. `whose`: what
    stands for "the library's", of a machine without one.
    """
    made = []
    several = len(by_ranks_per_node(derived)) > 1
    for wanted in record.headlines.values():
        where = dict(word.split("=", 1) for word in wanted.where.split() if "=" in word)
        fitting = [
            figure
            for figure in derived
            if figure.name == wanted.figure
            and _is_wanted(figure, wanted.statistic)
            and figure.value is not None
            and all(str(figure.params.get(key)) == value for key, value in where.items())
        ]
        groups = [_most(of, wanted.most) for of in by_ranks_per_node(fitting)]
        if wanted.across_nodes:
            across = [[each for each in of if each.params.get("placement") not in WITHIN_A_NODE] for of in groups]
            groups = [of for of in across if of] or groups
        for of in groups:
            best = max if of[0].better == "higher" else min
            chosen = best(of, key=lambda figure: figure.value or 0.0)
            title = at_case(wanted.title, record, chosen.params) or chosen.name
            title = titled(title if whose is None else without_library(title, whose), chosen.params, several)
            made.append(
                Headline(
                    figure=chosen,
                    title=title,
                    says=at_case(wanted.says, record, chosen.params),
                    bound=wanted.bound,
                    order=wanted.order,
                    advice=(wanted.described_advice if described else None) or wanted.advice,
                    chosen=_differing(of),
                )
            )
    return made


def _differing(figures: Sequence[ReportedFigure]) -> list[str]:
    """The parameters in which some figures differ: of their best one these were chosen."""
    keys = dict.fromkeys(key for figure in figures for key in figure.params)
    return [key for key in keys if len({str(figure.params.get(key)) for figure in figures}) > 1]


def _most(fitting: list[ReportedFigure], key: str | None) -> list[ReportedFigure]:
    """Those with the most of a parameter; all where none is named."""
    if key is None:
        return fitting
    top = max(figure.params[key] for figure in fitting)
    return [figure for figure in fitting if figure.params[key] == top]


def _of_reference(run: Run, derived: list[ReportedFigure]) -> list[ReportedFigure]:
    """The figures that main figures are chosen from: of variants those of the first."""
    varied = variants(run.about)
    return [figure for figure in derived if not varied or variant_of(figure.params) in (None, varied[0])]


def _is_wanted(figure: ReportedFigure, statistic: str) -> bool:
    """Whether a figure is by the statistic that a headline asks for; where no median stands, by what bounds it."""
    bound = statistic == "median" and figure.estimator == Estimator.BEST.value
    return figure.statistic == statistic or bound


class FailedEntry(EndedEntry):
    """The end of a launch that failed, with its benchmark."""

    benchmark: str


def _launcher_reports(run: Run) -> dict[str, dict[str, list[str]]]:
    """What the launchers reported of each benchmark: MPIs, the binding of ranks, and warnings about its times."""
    begun: dict[str, StatedCircumstance] = {}
    provenance = run.provenance()
    found: dict[str, dict[str, dict[str, None]]] = {}
    for entry in run.entries():
        if entry["event"] == "begun":
            begun[entry["task"]] = entry["about"]
        elif entry["event"] == "ended" and entry["status"] == 0:
            about = begun[entry["task"]]
            of = found.setdefault(about["benchmark"], {"binding": {}, "warnings": {}, "mpi": {}})
            mpi = started_by(about, entry.get("command") or (), provenance)
            of["mpi"] |= {mpi: None} if mpi else {}
            of["binding"] |= {binding: None} if (binding := entry.get("binding")) else {}
            of["warnings"] |= dict.fromkeys(entry.get("warnings") or ())
    return {
        name: {key: sorted(texts) if key == "mpi" else list(texts) for key, texts in of.items()}
        for name, of in found.items()
    }


def failures(run: Run) -> list[FailedEntry]:
    """Give the journal's entries of launches that failed and were not made again, each with its `benchmark`."""
    about = {e["task"]: e["about"]["benchmark"] for e in run.entries() if e["event"] == "begun"}
    last = {e["task"]: e for e in run.entries() if e["event"] == "ended"}
    failed = {task: entry for task, entry in last.items() if entry["status"] != 0 and not entry.get("cut")}
    return [{**entry, "benchmark": about[task]} for task, entry in failed.items()]
