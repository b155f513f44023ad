"""What confirms a change of level: the older build or MPI and the newer one in turn, where that is what changed.

A kernel or a microcode cannot be put back by Assay; then the change is only measured again.
"""

from __future__ import annotations

import math
import shlex
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from assay.analysis.comparison import MOST_MARGIN
from assay.analysis.launch_statistics import MEDIAN
from assay.case import Case
from assay.decide.live import LiveResult
from assay.decide.live_figures import LiveFigure
from assay.document.history import Confirmation, HistoryChange, MachineHistory
from assay.document.params import Parameters
from assay.report.judge.comparison import identity, outcomes_of

PART = 0.5  # of the step: what is not confirmed differs by less
LEAST_MARGIN = 0.005
LAUNCHES = 10


def propose(
    found: MachineHistory, settings: Callable[[str], Collection[str]], here: Callable[[str], str | None] = shutil.which
) -> Confirmation | None:
    """How to confirm the newest change; None where there is none.

    `settings`: names of the parameters of a benchmark. `here`: where a command is, None if it is nowhere.
    """
    if not found.changes:
        return None
    change = max(found.changes, key=lambda each: [run.id for run in found.runs].index(each.at_run))
    benchmark = change.figure.partition(".")[0]
    words = _words(benchmark, change.params, settings(benchmark))
    margin = min(MOST_MARGIN, max(LEAST_MARGIN, math.expm1(PART * abs(math.log(change.ratio)))))
    variants = _variants(change, words, here)
    if variants is None:
        of = change.changed[0].key if change.changed else "nothing that is recorded"
        command = ["assay", "run", *shlex.split(words), "--launches", str(LAUNCHES), "--label", "confirmation"]
        why = f"{of} changed there, which no variant of this command undoes: measured again, it stays or goes"
        return Confirmation(
            figure=change.figure, params=change.params, at_run=change.at_run, command=shlex.join(command), why=why
        )
    named = ["--margin", f"{margin:.1%}", "--figures", change.figure]
    return Confirmation(
        figure=change.figure,
        params=change.params,
        at_run=change.at_run,
        command=shlex.join(["assay", "compare", "--live", *variants, *named]),
        why="the older variant and the newer one in turn",
        variants=variants,
        margin=margin,
    )


def confirmed(of: Confirmation, made: LiveResult, runs: Sequence[str]) -> Confirmation:
    """The proposal with what measuring the changed figure in its case showed; inconclusive where it has no ratio."""
    found = next((each for each in made.figures if _is_case(each, of)), None)
    decision = None if found is None else found.decision
    if found is None or decision is None:
        return replace(of, verdict="inconclusive", runs=[*runs])
    return replace(
        of,
        verdict=found.verdict,
        ratio=decision.ratio,
        interval=decision.interval,
        pairs=decision.pairs,
        newer=found.seen[MEDIAN].b if MEDIAN in found.seen else None,
        runs=[*runs],
    )


def _is_case(of: LiveFigure, wanted: Confirmation) -> bool:
    """Whether it is the figure and the case that changed: what only results state of a case is no part of it."""
    outcomes = outcomes_of(of.benchmark)
    cases = (identity(Case(each), outcomes) for each in (of.params, wanted.params))
    return f"{of.benchmark}.{of.figure}" == wanted.figure and len(set(cases)) == 1


def _words(benchmark: str, params: Parameters, known: Collection[str]) -> str:
    """The case as words of `assay run`."""
    set_ = [f"--set={key}={value}" for key, value in Case(params).items() if key in known and value is not None]
    ranks = params.get("ranks")
    return shlex.join([benchmark, *set_, *(["-n", str(ranks)] if ranks is not None else [])])


def _variants(change: HistoryChange, words: str, here: Callable[[str], str | None]) -> tuple[str, str] | None:
    """The older variant and the newer one, as `compare --live` takes them; None where what changed is no variant."""
    flags = f"programs.{change.figure.partition('.')[0]}.flags"
    for each in change.changed:
        if not each.lasting or each.before is None or each.after is None:
            continue
        if each.key == flags:
            return (
                f"{shlex.join([f'CXXFLAGS={each.before}'])} {words}",
                f"{shlex.join([f'CXXFLAGS={each.after}'])} {words}",
            )
        if each.key == "mpi.mpicxx" and here(each.before) and here(each.after):
            return f"{words} --mpi {shlex.quote(each.before)}", f"{words} --mpi {shlex.quote(each.after)}"
    return None
