"""`assay compare --live VARIANT VARIANT`: two variants, each the words of `assay run`, in turn until decided."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay import progress
from assay.analysis.comparison import MARGIN
from assay.analysis.paired_decision import LEVEL, pairs_needed
from assay.decide.live import LiveFigure, LiveResult, LiveSide, decide
from assay.document.verb_figure import VerbFigure
from assay.errors import InputError
from assay.execute.run_request import RunRequest
from assay.report.judge.gate import known_to_records
from assay.report.render.console import listing
from assay.report.units import params
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
    quiet: bool,
    json: bool,
) -> int:
    """Measure, decide, show; the exit status: 0 all equal, 3 a figure differs, 4 not decided."""
    from assay.cli import emit

    sides, found = measured_in_turn(variants, margin=margin, figures=figures, pairs=pairs, budget=budget, quiet=quiet)
    if json:
        emit(_document(sides, found, margin or MARGIN))
    else:
        _show(sides, found, margin or MARGIN, quiet)
    verdicts = {each.decision.verdict.value for each in found.figures}
    return 3 if "differs" in verdicts else 0 if verdicts == {"equal"} else 4


def measured_in_turn(
    variants: Sequence[str],
    *,
    margin: float | None,
    figures: str | None,
    pairs: int | None = None,
    budget: float | None = None,
    quiet: bool,
    about: Mapping[str, Any] | None = None,
) -> tuple[Sequence[LiveSide], LiveResult]:
    """Measure two variants in turn until they are decided; `about`: further keys of both runs' records.

    Before its other words a variant may have `CXX=…` and `CXXFLAGS=…`, by which its programs are built.
    """
    if len(variants) != 2:
        accepted = "two VARIANTs, each the words of `assay run`, such as 'vectors --flags -O2'"
        raise InputError("compares two variants", key="--live", value=len(variants), accepted=accepted)
    most = PAIRS if pairs is None else pairs
    environments = [_environment(words) for words in variants]
    given = [parse_words(words) for _, words in environments]
    request = [_one(words, options, most) for words, options in zip(variants, given, strict=True)]
    words = None if figures is None else [word.strip() for word in figures.split(",") if word.strip()]
    if figures is not None:
        known_to_records(figures, (name for each in request for name in each.names))

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr)

    with interleave_runs() as runs:
        for each in request:
            runs.admit(each)
        for text, options, (environment, _) in zip(variants, given, environments, strict=True):
            runs.begin(text, options["out"], label=options["label"], about=about, environment=environment)
        sides = runs.sides
        with progress.counted("measuring", "pairs", most, quiet, at_most=True) as advance:
            found = decide(
                (sides[0], sides[1]),
                margin=margin or MARGIN,
                most=most,
                seed=request[0].seed,
                words=words,
                budget=budget,
                say=say,
                advance=advance,
            )
    return sides, found


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


def _one(words: str, options: RunWords, pairs: int) -> RunRequest:
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
        found = request_of(options)
    except InputError as error:
        raise InputError(str(error), key="--live") from None
    if len(found.variants) > 1 or found.rank_counts or len(found.ppn) > 1:
        raise InputError("is more than one variant", key="VARIANT", value=words, accepted="one value of each option")
    return replace(found, launches=pairs)


def _document(sides: Sequence[LiveSide], found: LiveResult, margin: float) -> dict[str, object]:
    verdicts = {each.decision.verdict.value for each in found.figures}
    return {
        "variants": [{"words": side.words, "run": side.run.about["id"]} for side in sides],
        "margin": margin,
        "level": LEVEL,
        "pairs": found.pairs,
        "seconds": found.seconds,
        "ended": found.ended,
        "judged": bool(verdicts) and verdicts <= {"equal", "differs"},
        "passed": verdicts == {"equal"},
        "figures": [_figure(each, margin) for each in found.figures],
    }


def _figure(of: LiveFigure, margin: float) -> VerbFigure:
    decision = of.decision
    return {
        "name": f"{of.benchmark}.{of.figure}",
        "value": decision.ratio,
        "unit": "1",
        "statistic": "ratio",
        "params": of.params,
        "ci95": None,
        "range": None,
        "state": "clean",
        "estimator": f"Hodges-Lehmann over pairs of launch {of.statistic}s",
        "disturbance": None,
        "better": of.better,
        "verdict": _verdict(of),
        "interval": decision.interval,
        "pairs": decision.pairs,
        "deviation": decision.deviation,
        "pairs_needed": None if decision.decided else _needed(of, margin),
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
    counts = Counter(_verdict(each) for each in found.figures)
    equal = f"{counts['equal']} equal within {margin:.1%}"
    counted = f"{equal}, {counts['differs']} differ, {counts['inconclusive']} inconclusive"
    say(f"after {found.pairs} pairs in {found.seconds:.0f} s ({found.ended}): {counted}")


def _verdict(of: LiveFigure) -> str:
    return of.decision.verdict.value if of.decision.decided else "inconclusive"


def _needed(of: LiveFigure, margin: float) -> int | None:
    """How many pairs would show a difference that is clearly beyond the margin; None where it is not known."""
    deviation = of.decision.deviation
    return None if deviation is None else pairs_needed(SHOWN * margin, margin, deviation)


def _line(of: LiveFigure, margin: float) -> str:
    decision = of.decision
    case = params(of.params)
    name = f"{of.benchmark} {of.figure.replace('_', ' ')}{f' ({case})' if case else ''}"
    between = ""
    if decision.interval is not None:
        between = f" ({decision.interval[0] - 1:+.1%} to {decision.interval[1] - 1:+.1%})"
    line = f"{name}: {_verdict(of)}, B/A {decision.ratio - 1:+.1%}{between}"
    if of.statistic != "median":
        line += f" by {of.statistic}s" + ("" if of.medians is None else f", medians {of.medians - 1:+.1%}")
    if decision.decided or decision.deviation is None:
        return line
    line += f"; pairs differ by {decision.deviation:.1%} (standard deviation)"
    needed = _needed(of, margin)
    return line if needed is None else f"{line}: a difference of {SHOWN * margin:.0%} needs about {needed} pairs"
