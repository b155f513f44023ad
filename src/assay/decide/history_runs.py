"""Runs of one machine over time: per judged figure a series of values, and what each run was made with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from assay.decide.run_figures import run_figures
from assay.document.history import FigureHistory, HistoryRun, HistoryValue
from assay.document.reported_figure import ReportedFigure
from assay.errors import AssayError, InputError, warn
from assay.report.judge import gate
from assay.report.judge.comparison import Key
from assay.store import Run
from assay.stored.provenance import fingerprint

CONFIRMS = "confirms"  # key of run.json: a run that `history --confirm` made, with an older build; no part of a history
COMMON_KEYS = ("machine", "described")  # of run.json: what runs of one history have in common
WRITTEN = ("clean", "disturbed")  # a bound and an invalid figure are no estimates
NOT_MADE_WITH = frozenset({"names", "budget", "on", "launches", "within", "seed", "timeout", "profile", "nodes"})
OTHER_KEYS = ("microcode", "firmware", "python", "variables")  # of circumstances, where a run states them


def machine_runs(runs: Sequence[Run], machine: str | None, here: str, since: str | None = None) -> list[Run]:
    """Choose the runs of a machine (default: this host) that have ended, the newest last; from run id `since` on.

    Described and measured runs are never mixed: those like the newest count. InputError where there is none.
    """
    ended = [run for run in runs if run.state != "running" and CONFIRMS not in run.about]
    wanted = here if machine is None else machine
    named = [run for run in ended if run.about.get("machine") == wanted]
    if not named:
        known = sorted({str(name) for run in ended if (name := run.about.get("machine"))})
        accepted = ", ".join(known) or "none: assay evaluate makes a run"
        raise InputError("no run of this machine is known", key="--machine", value=wanted, accepted=accepted)
    alike = [run for run in named if all(run.about.get(key) == named[-1].about.get(key) for key in COMMON_KEYS)]
    if since is None:
        return alike
    ids = [run.about["id"] for run in alike]
    if since not in ids:
        raise InputError("is no run of this history", key="--since", value=since, accepted=f"a run of {wanted}")
    return alike[ids.index(since) :]


def series(
    runs: Sequence[Run], words: Sequence[str] | None, advance: Callable[[int], None] = lambda done: None
) -> tuple[list[HistoryRun], list[FigureHistory]]:
    """Read runs, the oldest first: what each was made with, and the values of the judged figures.

    `words`: figures as `compare --figures` names them; None: the headlines of the newest run that has any of a
    benchmark. Values that are not positive are left out, as are bounds. InputError for a figure that no run has.
    """
    made: list[HistoryRun] = []
    found: dict[Key, FigureHistory] = {}
    heads: dict[str, set[Key]] = {}
    seen: set[tuple[str, str]] = set()
    for number, run in enumerate(runs):
        try:
            reached = run_figures(run)
        except AssayError as error:
            warn(f"{error}; this run is skipped")
            continue
        created = float(run.about.get("created") or 0.0)
        made.append(HistoryRun(run.about["id"], created, run.about.get("label"), _made_with(run), reached.others))
        for benchmark in {key[0] for key in reached.headlines}:
            heads[benchmark] = {key for key in reached.headlines if key[0] == benchmark}
        for key, figure in reached.figures.items():
            seen.add(key[:2])
            if words is not None and not any(gate.means(word, key[:2]) for word in words):
                continue
            if figure.state in WRITTEN and figure.value is not None and figure.value > 0:
                _enter(found, key, figure, made[-1])
        advance(number + 1)
    for word in words or ():
        if not any(gate.means(word, pair) for pair in seen):
            accepted = ", ".join(sorted(".".join(pair) for pair in seen)) or "nothing was valid"
            raise InputError("no run of this history has this figure", key="FIGURE", value=word, accepted=accepted)
    judged = set(found) if words is not None else {key for of in heads.values() for key in of}
    return made, [each for key, each in found.items() if key in judged]


def _enter(found: dict[Key, FigureHistory], key: Key, figure: ReportedFigure, run: HistoryRun) -> None:
    assert figure.value is not None  # as the caller has seen
    of = found.setdefault(key, FigureHistory(".".join(key[:2]), figure.params, figure.unit, figure.better))
    ends = figure.ci95 or figure.range
    interval = None if ends is None else (ends[0], ends[1])
    of.values.append(HistoryValue(run.id, run.created, figure.value, interval, figure.state))


def _made_with(run: Run) -> dict[str, str]:
    """What a run states of machine, system, build and launches, as text by key with dots between."""
    found: dict[str, dict[str, None]] = {}
    for stated in run.provenance().values():
        known = {key: value for key, value in stated.items() if key in OTHER_KEYS and value is not None}
        for key, value in (fingerprint(stated) | known).items():
            if value is not None:
                found.setdefault(key, {})[_text(value)] = None
    made = {key: " or ".join(sorted(values)) for key, values in found.items()}
    request = run.about.get("wishes")
    for key, value in (request if isinstance(request, dict) else {}).items():
        if key not in NOT_MADE_WITH and value not in (None, [], {}, ""):
            made[f"asked.{key}"] = _text(value)
    return made


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
