"""`assay compare --live VARIANT VARIANT`: two variants, each the words of `assay run`, in turn until decided."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from assay import former_names, progress
from assay.analysis.comparison import MARGIN
from assay.analysis.launch_statistics import PILOT
from assay.analysis.paired_decision import LEVEL, pairs_needed
from assay.benchmark.record import among
from assay.decide.live import LiveResult, LiveSide, decide
from assay.decide.live_figures import LiveFigure
from assay.document.verb_figure import VerbFigure
from assay.errors import InputError
from assay.execute.run_request import RunRequest
from assay.report.judge.gate import known_to_records
from assay.report.render.console import listing
from assay.report.units import human, params
from assay.store import Run
from assay.stored.run_names import checked_label
from assay.verbs._interleaved import interleave_runs
from assay.verbs._one_benchmark import RunWords, parse_words, request_of

PAIRS = 20
SHOWN = 5 / 3  # of the margin: the difference for which the necessary number of pairs is reported
BUILT_BY = ("CXX", "CXXFLAGS")  # variables that a variant may begin with
REFUSED = ("launches", "within", "budget", "timeline", "matrix", "goal", "command")


def live(
    variants: Sequence[str],
    *,
    margin: float | None,
    figures: str | None,
    pairs: int | None,
    budget: float | None,
    only_worse: bool,
    quiet: bool,
    json: bool,
) -> int:
    """Measure, decide, show; the exit status: 0 met, 3 a figure differs, 4 not decided.

    `only_worse`: a figure that differs for the better meets the margin.
    """
    from assay.cli import emit

    sides, found = measured_in_turn(
        variants, margin=margin, figures=figures, pairs=pairs, budget=budget, only_worse=only_worse, quiet=quiet
    )
    if json:
        emit(_document(sides, found, margin or MARGIN, only_worse))
    else:
        _show(sides, found, margin or MARGIN, quiet)
    return _status(found, only_worse)


def _status(found: LiveResult, only_worse: bool) -> int:
    if any(each.worse if only_worse else each.verdict == "differs" for each in found.figures):
        return 3
    return 0 if all(each.decided for each in found.figures) else 4


def measured_in_turn(
    variants: Sequence[str],
    *,
    margin: float | None,
    figures: str | None,
    pairs: int | None = None,
    budget: float | None = None,
    only_worse: bool = False,
    quiet: bool,
    about: Mapping[str, Any] | None = None,
) -> tuple[Sequence[LiveSide], LiveResult]:
    """Measure two variants in turn until they are decided; `about`: further keys of both runs' records.

    Before its other words a variant may have `CXX=…` and `CXXFLAGS=…`, by which its programs are built. A variant may
    also be a RUN, whose program is used as it was compiled then.
    """
    if len(variants) != 2:
        accepted = "two VARIANTs, each the words of `assay run`, such as 'vectors --flags -O2'"
        raise InputError("compares two variants", key="--live", value=len(variants), accepted=accepted)
    most = PAIRS if pairs is None else pairs
    chosen = [_variant(words, PILOT + most) for words in variants]
    request = [each.request for each in chosen]
    words = None if figures is None else [word.strip() for word in figures.split(",") if word.strip()]
    if figures is not None:
        known_to_records(figures, (name for each in request for name in each.names))

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr)

    with interleave_runs() as runs:
        for each in chosen:
            runs.admit(each.request, each.program_of)
        for each in chosen:
            runs.begin(each.words, each.out, label=each.label, about=about, environment=each.environment)
        sides = runs.sides
        with progress.counted("measuring", "pairs", PILOT + most, quiet, at_most=True) as advance:
            found = decide(
                (sides[0], sides[1]),
                margin=margin or MARGIN,
                most=most,
                seed=request[0].seed,
                words=words,
                budget=budget,
                only_worse=only_worse,
                say=say,
                advance=advance,
            )
    return sides, found


@dataclass(frozen=True)
class _Variant:
    """One side: its words, what is measured, and by which program: built with `environment`, or an earlier run's."""

    words: str
    request: RunRequest
    environment: Mapping[str, str]
    out: Path | None = None
    label: str | None = None
    program_of: Run | None = None


def _variant(words: str, launches: int) -> _Variant:
    run = _run_named(words)
    if run is not None:
        return _Variant(words, replace(_single(words, _request_of_run(run)), launches=launches), {}, program_of=run)
    environment, rest = _environment(words)
    options = parse_words(rest)
    request = replace(_single(words, _one(words, options)), launches=launches)
    return _Variant(words, request, environment, options["out"], options["label"])


def _run_named(words: str) -> Run | None:
    """The run that a single word names, where it is no benchmark."""
    if len(words.split()) != 1 or among([former_names.accepted(words)]):
        return None
    try:
        return Run.open(words)
    except InputError:
        return None


def _request_of_run(run: Run) -> RunRequest:
    """What a run measured, without what decided the number of its launches, and without files."""
    from pydantic import ValidationError

    try:
        found = RunRequest.from_dict(run.about.get("wishes") or {})
    except ValidationError:
        found = None
    name = str(run.about["id"])
    if found is None or len(found.names) != 1:
        raise InputError("is not a run of one benchmark", key="--live", value=name, accepted="a run of `assay run`")
    if found.on is not None:
        raise InputError("is of a described machine", key="--live", value=name, accepted="a run that was measured")
    return replace(found, within=None, budget=None, timeline=None, matrix=None, goal=None)


def _environment(words: str) -> tuple[dict[str, str], str]:
    """The variables of compilers that the words begin with, and the other words."""
    found: dict[str, str] = {}
    try:
        parts = shlex.split(words)
    except ValueError:  # `parse_words` has the message
        return {}, words
    while parts and parts[0].partition("=")[0] in BUILT_BY and "=" in parts[0]:
        name, _, value = parts.pop(0).partition("=")
        found[name] = value
    return found, shlex.join(parts) if found else words


def _one(words: str, options: RunWords) -> RunRequest:
    every: Mapping[str, object] = options
    for key in REFUSED:
        if every[key] is not None:
            accepted = "options that decide what a launch is; --pairs and --budget of compare bound their number"
            raise InputError(f"has no effect with --live: --{key}", key="VARIANT", value=words, accepted=accepted)
    if options["label"] is not None:
        checked_label(options["label"])
    if options["on"] is not None:
        accepted = "a benchmark that is measured; `assay compare RUN MACHINE` compares with a described machine"
        raise InputError("gives the same at every launch", key="VARIANT", value=words, accepted=accepted)
    try:
        return request_of(options)
    except InputError as error:
        raise InputError(str(error), key="--live") from None


def _single(words: str, request: RunRequest) -> RunRequest:
    if len(request.variants) > 1 or request.rank_counts or len(request.ppn) > 1:
        raise InputError("is more than one variant", key="VARIANT", value=words, accepted="one value of each option")
    return request


def _document(sides: Sequence[LiveSide], found: LiveResult, margin: float, only_worse: bool) -> dict[str, object]:
    return {
        "variants": [{"words": side.words, "run": side.run.about["id"]} for side in sides],
        "margin": margin,
        "only_worse": only_worse,
        "level": LEVEL,
        "pilot": PILOT,
        "pairs": found.pairs,
        "seconds": found.seconds,
        "ended": found.ended,
        "judged": all(each.decided for each in found.figures),
        "passed": _status(found, only_worse) == 0,
        "figures": [_figure(each, margin) for each in found.figures],
    }


def _figure(of: LiveFigure, margin: float) -> VerbFigure:
    decision = of.decision
    return {
        "name": f"{of.benchmark}.{of.figure}",
        "value": None if decision is None else decision.ratio,
        "unit": "1",
        "statistic": "ratio",
        "params": of.params,
        "ci95": None,
        "range": None,
        "state": "clean" if decision is not None else "invalid",
        "estimator": f"Hodges-Lehmann over pairs of launch {of.statistic}s",
        "disturbance": None,
        "better": of.better,
        "verdict": of.verdict,
        "reason": of.reason,
        "interval": None if decision is None else decision.interval,
        "pairs": 0 if decision is None else decision.pairs,
        "deviation": None if decision is None else decision.deviation,
        "pairs_needed": None if of.decided else _needed(of, margin),
        "sides": {name: {"unit": of.unit, **asdict(seen)} for name, seen in of.seen.items()},
    }


def _show(sides: Sequence[LiveSide], found: LiveResult, margin: float, quiet: bool) -> None:
    out = listing()

    def say(text: str) -> None:
        out.print(text, highlight=False, markup=False, soft_wrap=True)

    if not quiet:
        for name, side in zip("AB", sides, strict=True):
            say(f"{name}: {side.words} ({side.run.folder})")
        for each in found.figures:
            say(_line(each, margin))
    counts = Counter(each.verdict for each in found.figures)
    equal = f"{counts['equal']} equal within {margin:.1%}"
    counted = f"{equal}, {counts['differs']} differ, {counts['inconclusive']} inconclusive"
    say(f"after {found.pairs} pairs and {PILOT} of a pilot in {found.seconds:.0f} s ({found.ended}): {counted}")


def _needed(of: LiveFigure, margin: float) -> int | None:
    """How many pairs would show a difference that is clearly beyond the margin; None where it is not known."""
    deviation = None if of.decision is None or of.reason is not None else of.decision.deviation
    return None if deviation is None else pairs_needed(SHOWN * margin, margin, deviation)


def _line(of: LiveFigure, margin: float) -> str:
    decision = of.decision
    case = params(of.params)
    line = f"{of.benchmark} {of.figure.replace('_', ' ')}{f' ({case})' if case else ''}: {of.verdict}"
    if decision is None:
        return f"{line}: {of.reason}"
    between = ""
    if decision.interval is not None:
        between = f" ({decision.interval[0] - 1:+.1%} to {decision.interval[1] - 1:+.1%})"
    line += f", B/A {decision.ratio - 1:+.1%}{between} by {of.statistic}s"
    for name, seen in of.seen.items():
        line += f", {name} {human(seen.a, of.unit)} and {human(seen.b, of.unit)} ({seen.ratio - 1:+.1%})"
    if of.reason is not None:
        return f"{line}: {of.reason}"
    needed = _needed(of, margin)
    if decision.decided or decision.deviation is None:
        return line
    line += f"; pairs differ by {decision.deviation:.1%} (standard deviation)"
    return line if needed is None else f"{line}: a difference of {SHOWN * margin:.0%} needs about {needed} pairs"
