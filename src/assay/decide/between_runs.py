"""What follows from earlier runs of a machine for two runs that are compared: how far equal runs differ (rule 16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from assay.analysis.run_spread import LEAST_POOLED, RunSpread, learn, pool
from assay.decide.history_runs import CONFIRMS
from assay.decide.run_figures import run_figures
from assay.document.comparison import FigureRow, JudgedRow
from assay.document.run_document import Document
from assay.errors import AssayError
from assay.report.judge.comparison import Key, compared
from assay.store import Run, known_runs
from assay.stored.provenance import differences

MOST_RUNS = 12  # the newest: to judge one for the first time takes a second
NOT_COMPARED = frozenset({"assay"})  # of circumstances: its version; programs that change are compiled anew


def between_runs(a: Document, b: Document) -> dict[Key, RunSpread]:
    """Estimator and spread by figure, from runs of the machine of both, which are no part of what is compared.

    Runs count that were made as A was, or those made as B was where these are more: with other flags, another MPI or
    kernel they are no equal runs. Nothing where both are not of one measured machine, or fewer than LEAST_POOLED such
    earlier runs are known. A figure's earlier runs count with as many launches as the compared runs have at least, and
    no more of them. A figure with too few of them for a spread of its own has that of all figures together.
    """
    if a.described or b.described or a.machine is None or a.machine != b.machine or a.run == b.run:
        return {}
    shared = {each.benchmark for each in a.benchmarks} & {each.benchmark for each in b.benchmarks}
    known = [run for run in known_runs() if _counts(run, a, b, shared)]
    runs = max((_made_alike(known, of) for of in (a, b)), key=len)
    if len(runs) < LEAST_POOLED:
        return {}
    first, second = compared(a), compared(b)
    launches = {key: min(len(first[key].by_launch), len(second[key].by_launch)) for key in first if key in second}
    series: dict[Key, list[list[float]]] = defaultdict(list)
    for run in runs:
        for key, values in _launch_values(run).items():
            count = launches.get(key, 0)
            if count and len(values) >= count and all(value > 0 for value in values):
                series[key].append([*values[:count]])
    pooled = pool(series)
    learnt = {key: learn(of, first[key].better) or pooled.get(key) for key, of in series.items()}
    return {key: each for key, each in learnt.items() if each is not None}


def by_launches_alone(
    a: Document, b: Document, rows: Iterable[JudgedRow | FigureRow], known: Mapping[Key, RunSpread]
) -> set[Key]:
    """Give the figures of two measured runs that only their launches judged: how far equal runs differ is not known."""
    if a.described or b.described or a.run == b.run:
        return set()
    keys = {(row.benchmark, row.figure, row.params) for row in rows if isinstance(row, JudgedRow) and not row.paired}
    return keys - set(known)


def _counts(run: Run, a: Document, b: Document, shared: set[str]) -> bool:
    about = run.about
    alike = about.get("machine") == a.machine and not about.get("described") and CONFIRMS not in about
    named = set((about.get("wishes") or {}).get("names") or shared)
    return alike and run.state == "done" and about["id"] not in (a.run, b.run) and bool(named & shared)


def _made_alike(known: Sequence[Run], of: Document) -> list[Run]:
    """The newest runs, the oldest first, with the host, kernel, MPI, compilers, flags and variants of a document's."""
    variants = _variants(Run.load(Path(of.folder)))
    stated = [_compared_keys(host.stated) for host in of.provenance.values()]

    def alike(run: Run) -> bool:
        if _variants(run) != variants:
            return False
        then = [_compared_keys(each) for each in run.provenance().values()]
        return not any(differences(then, each) for each in stated)

    return [*islice(filter(alike, reversed(known)), MOST_RUNS)][::-1]


def _variants(run: Run) -> object:
    wishes = run.about.get("wishes")
    return (wishes if isinstance(wishes, dict) else {}).get("variants") or []


def _compared_keys(stated: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in stated.items() if key not in NOT_COMPARED}


def _launch_values(run: Run) -> dict[Key, Sequence[float]]:
    try:
        reached = run_figures(run).figures
    except AssayError:
        return {}
    return {key: [value for _, value in of.by_launch] for key, of in reached.items() if of.state != "invalid"}
