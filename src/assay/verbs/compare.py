"""`assay compare RUN RUN|MACHINE…`: a run compared with others, with described and with published machines.

`assay compare RUN` alone compares the build variants of that run with its first one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import typer

from assay.verbs._completion import comparable_names, run_names
from assay.verbs._options import MOST, Budget, Json, Quiet

if TYPE_CHECKING:
    from assay.document.comparison import FigureRow, LoneFigure, RunComparison
    from assay.document.run_document import Document
    from assay.report.judge.comparison import Key
    from assay.store import Run
    from assay.stored.run_record import RunRecord

LEAST_MARGIN = 0.001  # relative
LEAST_PAIRS = 10  # as analysis/paired_decision.py has it, which is not imported for help
MISSED, NOT_SHOWN = 3, 4  # exit statuses of a threshold: a figure differs; none does, but not all are shown to be equal


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def compare(
        run: Annotated[
            str,
            typer.Argument(
                metavar="RUN",
                help="a run: its folder, id, label, or latest; with --live a VARIANT",
                autocompletion=run_names,
            ),
        ],
        others: Annotated[
            list[str] | None,
            typer.Argument(
                help="runs, described machines (simulated), published machines; none: a run's build variants",
                autocompletion=comparable_names,
            ),
        ] = None,
        within: Annotated[
            str | None,
            typer.Option(
                "--margin",
                help="largest difference of equal figures, such as 3%; status 0: all equal, 3: some differ, 4: unclear",
            ),
        ] = None,
        figures: Annotated[
            str | None,
            typer.Option(
                metavar="FIGURE,…",
                help="figures for --margin: BENCHMARK.FIGURE,… (default: headlines of both)",
            ),
        ] = None,
        live: Annotated[
            bool,
            typer.Option(
                "--live",
                help="measure two VARIANTs in turn, each given as options of `assay run`, until equal or different",
            ),
        ] = False,
        pairs: Annotated[
            int | None,
            typer.Option(
                metavar="N", min=LEAST_PAIRS, max=MOST, help="with --live: maximum number of pairs (default: 20)"
            ),
        ] = None,
        budget: Budget = None,
        only_worse: Annotated[
            bool,
            typer.Option("--only-worse", help="with --margin or --live: a figure that became better misses no margin"),
        ] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Compare the figures of runs and machines: which differ, which are equal, which cannot be judged.

        With --live: `assay compare --live 'vectors --flags -O2' 'vectors --flags -O3' --margin 3%`.
        """
        import sys

        from assay.analysis.comparison import MARGIN
        from assay.cli import emit
        from assay.decide.between_runs import between_runs, by_launches_alone
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.report.derive.document import document
        from assay.report.judge import comparison, gate, run_differences
        from assay.report.render.figure_list import of_comparisons
        from assay.store import Run

        margin = _margin(within)
        if live:
            from assay.execute.run_request import seconds
            from assay.verbs import _compare_live

            status = _compare_live.live(
                [run, *(others or ())],
                margin=margin,
                figures=figures,
                pairs=pairs,
                budget=seconds(budget, "--budget"),
                only_worse=only_worse,
                quiet=quiet,
                json=json,
            )
            if status:
                raise typer.Exit(status)
            return
        for option, value in (("--pairs", pairs), ("--budget", budget)):
            if value is not None:
                raise InputError("has no effect here", key=option, value=value, accepted="with --live")
        if figures is not None and margin is None:
            raise InputError(
                "names figures for a margin, and there is none",
                key="--figures",
                value=figures,
                accepted="with --margin",
            )
        if only_worse and margin is None:
            raise InputError("has no effect here", key="--only-worse", accepted="with --margin or --live")
        first = Run.open(run)
        if figures is not None:
            runs = [first, *(Run.open(name) for name in others or () if _is_run(name))]
            gate.known_to_records(figures, (each.benchmark for of in runs for each, _ in of.tasks()))
        whole = document(first, all_readings=True)
        if not others:
            whole, beside = _variants(first, whole)
        else:
            if figures is not None and not any(map(_is_run, others)):  # refused before anything is simulated
                gate.named(figures, [whole])
            beside = [other for name in others for other in _opened(first, name, whole)]
        unlike = {
            other.entry.other: run_differences.differences((whole, first.about), (other.document, other.about))
            for other in beside
            if other.document is not None and other.about is not None
        }
        whole, beside = _matched(whole, beside)
        judged_by = [other.document for other in beside if other.document is not None]
        words = None if figures is None else gate.named(figures, [whole, *judged_by])
        found = []
        shown = []
        reasons: dict[str, str | None] = {}
        for other in beside:
            entry = other.entry
            if other.document is not None:
                wanted = gate.required(whole, other.document, words, (_planned(first), other.planned))
                known = between_runs(whole, other.document) if other.about is not None else {}
                rows = comparison.against(whole, other.document, margin or MARGIN, wanted.__contains__, known)
                alone = set() if other.about is None else by_launches_alone(whole, other.document, rows, known)
                verdict = gate.judge(
                    rows, whole, other.document, wanted, only=words is not None, alone=alone, only_worse=only_worse
                )
                entry = replace(
                    entry,
                    rows=[*rows],
                    gate=verdict,
                    judged=verdict.judged,
                    differences=unlike.get(entry.other, []),
                    only_in_a=run_differences.lone(whole, rows, "a"),
                    only_in_b=run_differences.lone(other.document, rows, "b"),
                )
                reasons[entry.other] = None if rows else run_differences.why_nothing(whole, other.document)
            printed = entry
            if other.document is not None and words is not None:  # the JSON has all rows

                def asked_for(of: FigureRow | LoneFigure, wanted: set[Key] = wanted) -> bool:
                    return (of.benchmark, of.figure, of.params) in wanted

                printed = replace(
                    entry,
                    rows=[row for row in rows if asked_for(row)],
                    only_in_a=[each for each in entry.only_in_a if asked_for(each)],
                    only_in_b=[each for each in entry.only_in_b if asked_for(each)],
                )
                reasons[entry.other] = reasons[entry.other] or f"none of {figures} is in both"
            found.append(entry)
            shown.append(printed)
        gates = [entry.gate for entry in found if entry.gate is not None]
        judged = bool(gates) and all(each.judged for each in gates)
        passed = judged and all(each.passed for each in gates)
        if json:
            about = {"state": whole.state, "warnings": whole.warnings, "judged": judged, "passed": passed}
            about |= {"margin": margin or MARGIN, "only_worse": only_worse}
            listed = {"figures": of_comparisons(found), "comparisons": [to_json(entry) for entry in found]}
            emit({"run": first.about["id"], **about, **listed})
        else:
            unkept = {of.entry.other: of.why for of in beside if of.why is not None}
            for name, state in ((whole.run, whole.state), *((entry.other, entry.state) for entry in found)):
                if state not in (None, "clean"):
                    of = name if others else first.about["id"]
                    why = unkept.get(name) or f"see `assay report {of}`"
                    print(f"{name} is {state}: {why}", file=sys.stderr)
            _show(_name_of(first, whole), shown, margin, quiet, reasons, only_worse=only_worse)
        if margin is not None and not passed:
            raise typer.Exit(MISSED if any(each.missed for each in gates) else NOT_SHOWN)


@dataclass(frozen=True)
class Beside:
    """The other side of a comparison: the document of another run or of a simulation.

    `planned`: the benchmarks that it was to measure; `about`: another run's run.json; `why`: of a simulation, which no
    report keeps, the first reason for its state.
    """

    entry: RunComparison
    document: Document | None = None
    planned: set[str] = field(default_factory=set)
    about: RunRecord | None = None
    why: str | None = None


def _is_run(name: str) -> bool:
    from assay.errors import InputError
    from assay.store import Run

    try:
        Run.open(name)
    except InputError:
        return False
    return True


def _matched(whole: Document, beside: list[Beside]) -> tuple[Document, list[Beside]]:
    """A run and the other side, without the parameters of which each has only one value in the cases."""
    from assay.report.judge.run_differences import matched

    judged = [at for at, other in enumerate(beside) if other.document is not None]
    whole, *others = matched([whole, *(of for other in beside if (of := other.document) is not None)])
    made = list(beside)
    for at, document in zip(judged, others, strict=True):
        made[at] = replace(beside[at], document=document)
    return whole, made


def _name_of(run: Run, whole: Document) -> str:
    """The first side: a run, or the first of its build variants by its label."""
    return str(run.about["id"]) if whole.variants is None or whole.run == run.about["id"] else whole.run


def _variants(run: Run, whole: Document) -> tuple[Document, list[Beside]]:
    """The first variant of a run, and the others. InputError where it has fewer than two."""
    from assay.errors import InputError
    from assay.report.derive.variants import of_variant, parts

    builds = whole.variants.builds if whole.variants else []
    if len(builds) < 2:
        raise InputError("has no variants to compare", key="RUN", value=run.about["id"], accepted="another run")
    made = [of_variant(whole, parts(each), each.label) for each in builds]
    return made[0], [Beside(_unjudged(each.run, each.kind, each), each, _planned(run)) for each in made[1:]]


def _margin(text: str | None) -> float | None:
    from assay.analysis.comparison import MOST_MARGIN
    from assay.errors import InputError
    from assay.execute.run_request import share

    margin = share(text, "--margin")
    if margin is not None and not LEAST_MARGIN <= margin <= MOST_MARGIN:
        raise InputError(
            "is not a margin", key="--margin", value=text, accepted=f"{LEAST_MARGIN:.1%} to {MOST_MARGIN:.0%}"
        )
    return margin


def _opened(first: Run, name: str, whole: Document) -> list[Beside]:
    """Find what a name means: a run, or else a machine, which may be described, published, or both."""
    import sys

    from assay.described.shipped import shipped
    from assay.document.comparison import RunComparison
    from assay.errors import InputError
    from assay.kinds import NumberKind
    from assay.machine.catalogue import load
    from assay.published.tables.quoted import published
    from assay.published.tables.ratios import against_machine
    from assay.report.derive.document import document
    from assay.store import Run
    from assay.toml.checking import near
    from assay.verbs._prediction import is_described, predict_run

    found: list[Beside] = []
    try:
        other = Run.open(name)
    except InputError:
        # Of a description in a file, or of a variant of one, nothing was published.
        of_file = name.endswith(".toml") or ":" in name
        machine = None if of_file else published(name)  # by its id or another of its names
        if machine is not None and not is_described(name):
            name = machine.id
        if is_described(name):
            made = predict_run(first, whole, name, lambda text: print(text, file=sys.stderr))
            if made is not None:
                why = next(iter(made.warnings), "nothing of what the run has was simulated")
                found.append(Beside(_unjudged(name, NumberKind.SIMULATED, made), made, why=why))
        if machine is not None:
            rows, lacking = against_machine(whole, machine.id)
            found.append(Beside(RunComparison(other=name, kind="quoted", state=None, warnings=lacking, rows=[*rows])))
        if not found and is_described(name):
            raise InputError(
                "can only be compared for message-passing benchmarks, and the run has none",
                key="compare",
                value=name,
                accepted="a run of echo, alltoall, …",
            ) from None
        if not found:
            accepted = "a run's folder or name, a machine of `assay catalogue`, or a TOML file that describes one"
            hint = near(name, {*shipped(), *load().machines})
            problem = f"is neither a run nor a machine{hint}"
            raise InputError(problem, key="compare", value=name, accepted=accepted) from None
        return found
    made = document(other, all_readings=True)
    return [Beside(_unjudged(other.about["id"], made.kind, made), made, _planned(other), other.about)]


def _unjudged(name: str, kind: str, made: Document) -> RunComparison:
    """A comparison that has no rows yet."""
    from assay.document.comparison import RunComparison

    return RunComparison(other=name, kind=kind, state=made.state, warnings=made.warnings, rows=[])


def _planned(run: Run) -> set[str]:
    """Name the benchmarks that a run was to measure."""
    return set((run.about.get("wishes") or {}).get("names") or ())


def _show(
    run: str,
    beside: list[RunComparison],
    margin: float | None,
    quiet: bool,
    nothing: dict[str, str | None],
    *,
    only_worse: bool,
) -> None:
    """Print the tables, a summary line for each, and the threshold's result; `nothing`: why there are no rows."""
    from assay.analysis.comparison import MARGIN
    from assay.document.comparison import FigureRow, PublishedRow
    from assay.report.render import comparison_tables as tables
    from assay.report.render.console import listing

    out = listing()

    def say(text: str) -> None:
        out.print(text, highlight=False, markup=False, soft_wrap=True)

    for entry in beside:
        quoted = [row for row in entry.rows if isinstance(row, PublishedRow)]
        judged = [row for row in entry.rows if isinstance(row, FigureRow)]
        if not entry.rows:
            of = f"what was published of {entry.other}" if entry.kind == "quoted" else entry.other
            why = "; ".join(entry.warnings) if entry.kind == "quoted" else nothing.get(entry.other)
            say(f"{run} and {of} have no figure in common" + (f": {why}" if why else ""))
        elif quoted and quiet:
            say(f"{entry.other}: {len(quoted)} published values next to {run}, none judged")
        elif quoted:
            out.print(tables.table_of_machine(quoted, run, entry.other, entry.warnings).rich())
        else:
            if not quiet:
                out.print(tables.table_of_runs(judged, run, entry.other, entry.differences).rich())
            sides = ((entry.only_in_a, run if quiet else "A"), (entry.only_in_b, entry.other if quiet else "B"))
            lone = [tables.lone_figures(found, name, named=not quiet) for found, name in sides if found]
            counted = tables.summary(judged, run, entry.other, margin or MARGIN)
            for line in ["; ".join([counted, *lone])] if quiet else [counted, *lone]:
                say(line)
    if margin is None:
        return
    gates = [entry.gate for entry in beside if entry.gate is not None]
    if not gates:
        say("threshold: not judged: published figures have no launches to judge by")
    for found in gates:
        for words, reasons in (("missed", found.missed), ("not judged", found.unjudged)):
            for reason in reasons[:MOST_REASONS]:
                say(f"threshold {words}: {reason}")
            if len(reasons) > MOST_REASONS:
                say(f"threshold {words}: and {len(reasons) - MOST_REASONS} more figures")
        if found.passed:
            counted = "1 figure is" if found.figures == 1 else f"{found.figures} figures are"
            say(f"threshold met: {counted} equal within {margin:.1%}{' or better' * only_worse}")


MOST_REASONS = 8  # lines with reasons why a threshold is not met; the rest is counted
