"""Limits of a machine and anomalies of a run: one line each, the worst first, each with advice.

Rules over a run's document, and those of its sections; nothing is measured here. `weight` orders them: from 100 (the
run was interrupted) and 90 (a result is missing) over 60 (figures were moved) and 40 (what limits this machine) to 10
(what a reader should know).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.document.fits import BreaksFit
from assay.document.run_document import Document
from assay.document.run_verdict import Finding, ReachedLine
from assay.machine.abilities import HostWarning
from assay.report.derive import progress
from assay.report.judge import launch_modes, run_to_run
from assay.report.judge.bounds import percent, reached
from assay.report.judge.finding_lines import finding, short
from assay.report.registry import sections
from assay.report.units import few, human

MOST_CAUSES = 3  # among the first lines
OURS = ("shared processors", "quota")  # what was asked for, and no quiet machine mends: it comes before others' work
FAR = 0.5  # of its bound: less is worth a line
SLOWER, LEAST_EARLIER = 1.25, 3  # times slower than so many earlier runs of this machine: more is worth a line
FASTER, LEAST_SLOWER = 2.0, 2  # times faster than the best of so many earlier runs: more is worth a line
MOST_APART = 2  # main figures whose launches lie far apart that have a line each
QUIET = ("few processors", "users", "counters", "frequency", "accelerators", "scratch")  # known, and no news
BUSY = ("busy", "stolen time")  # what the run's own accounting reports more precisely


def findings(document: Document, lines: Sequence[ReachedLine], warnings: Sequence[HostWarning]) -> list[Finding]:
    """Return the lines, the heaviest first; `warnings` are those of the host's discovery."""
    made = [
        *_unfinished(document),
        *_missing(document),
        *_causes(document),
        *_cut_short(document),
        *(found for section in sections().values() for found in section.findings(document)),
        *_far(lines),
        *_slower_than_before(lines),
        *_faster_than_before(lines),
        *_launches_apart(document, lines),
        *_runs_apart(document, lines),
        *_breaks(document),
        *_host_warnings(document, warnings),
    ]
    return sorted(made, key=lambda each: -each.weight)


def _unfinished(document: Document) -> Iterator[Finding]:
    if document.unfinished is not None:
        yield progress.finding(document.unfinished, document.folder)


def _missing(document: Document) -> Iterator[Finding]:
    bad = [section for section in document.benchmarks if section.state == "invalid"]
    for section in bad[:2]:
        reason = short(section.warnings[0]) if section.warnings else "no case gave one"
        none = all(figure.value is None for figure in section.figures)
        what = "no valid result" if none else "some cases have no valid result"
        alone = f"; assay run {section.benchmark} measures it alone" if len(document.benchmarks) > 1 else ""
        advice = f"its part below{alone}"
        yield finding(90 if none else 55, "missing", f"{section.title}: {what}: {reason}", advice)
    if len(bad) > 2:
        names = ", ".join(section.benchmark for section in bad[2:8])
        yield finding(80, "missing", f"without a valid result in some cases as well: {names}", "their parts below")
    few = [each for each in document.left_out if each.kind == "ranks"]
    if few:
        names = ", ".join(each.benchmark for each in few)
        yield finding(12, "missing", f"not measured for lack of ranks: {names}", "their least number is under This run")
    if document.budget is not None and document.budget.text:
        advice = "a greater `--budget`; `assay plan` shows what it would include"
        yield finding(70, "missing", document.budget.text, advice)
    for each in (each for each in document.left_out if each not in few and each.kind != "budget"):
        reason = short(each.reason)
        what = "" if reason.startswith("not described") else "not measured: "
        yield finding(12, "missing", f"{each.title}: {what}{reason}")


def _causes(document: Document) -> Iterator[Finding]:
    causes = sorted(document.causes, key=lambda cause: cause.cause not in OURS)
    count = 0
    for cause in causes:
        hit = [figure for figure in cause.figures if figure.state != "clean"]
        if not hit:
            continue  # it was seen, and moved nothing
        moved = [m for figure in hit if figure.state != "bound" and (m := figure.most) is not None]
        bounds = sum(figure.state == "bound" for figure in hit)  # the best reading: no estimate that was moved
        names = list(dict.fromkeys(figure.benchmark for figure in hit))
        by = f" by up to {percent(max(moved))}" if moved else ""
        by += f", only a bound is known of {bounds}" if bounds else ""
        text = f"{_plain(cause.text)}: figures of {len(names)} benchmark{'s' * (len(names) > 1)} moved{by}"
        count += 1
        shown = count <= MOST_CAUSES  # the others stand in their table
        weight = 82.0 if cause.cause in OURS else 60 + 20 * min(1.0, max(moved, default=float(bounds > 0)))
        yield finding(weight if shown else 13, "odd", text, cause.advice)
    odd = [section.benchmark for section in document.benchmarks if section.state in ("disturbed", "bound")]
    if odd and not any(figure.state != "clean" for cause in causes for figure in cause.figures):
        text = f"{len(odd)} of {len(document.benchmarks)} benchmarks have disturbed cases: {few(odd)}"
        yield finding(60, "odd", text, "repeat on a quiet machine; assay doctor --watch shows who runs")


def _cut_short(document: Document) -> Iterator[Finding]:
    names = [of.benchmark for of in document.benchmarks if any(each.kind == "cut" for each in of.remarks or ())]
    if names:
        text = f"cut short, as launches would have taken too long: {few(names, 4)}; "
        text += "fewer readings support their figures"
        yield finding(30, "odd", text, "repeat on a quiet machine; assay doctor --watch shows who runs")


def _plain(text: str) -> str:
    """A cause without the counts of blocks, which its table has."""
    return re.sub(r"(, now and then|, from block \d+ of \d+ on)? \(in [^)]*\)$", "", text)


def _far(lines: Sequence[ReachedLine]) -> Iterator[Finding]:
    for line in lines:
        bound = line.bound
        if bound is not None and bound.share < FAR and line.state != "bound":
            text = f"{line.title} reaches {percent(bound.share)} of its bound"  # which stands beside it
            yield finding(40 - 10 * bound.share, "limit", text, line.advice)


def _slower_than_before(lines: Sequence[ReachedLine]) -> Iterator[Finding]:
    """Name main figures far behind the median of earlier runs with the same software, beyond what disturbed them."""
    for line in lines:
        before = sorted(each.value for each in line.earlier if not each.made_with and each.value > 0)
        if len(before) < LEAST_EARLIER or not line.value or line.state not in ("clean", "disturbed"):
            continue
        usual = before[len(before) // 2]
        factor = 1 / reached(line.value, usual, line.better)
        explained = 1 / (1 - min(line.displaced or 0.0, 0.99)) if line.state == "disturbed" else 1.0
        if factor > SLOWER * explained:
            text = f"{line.title}: {factor:.2g} times slower than earlier runs here ({human(usual, line.unit, 3)})"
            yield finding(
                56, "odd", text, f"`assay compare {line.earlier[0].run} RUN` shows what else differs from the last one"
            )


def _faster_than_before(lines: Sequence[ReachedLine]) -> Iterator[Finding]:
    """Name main figures far ahead of every earlier run with the same software: what they measure was another thing."""
    found: list[tuple[float, str]] = []
    fewest = 0
    for line in lines:
        before = [each.value for each in line.earlier if not each.made_with and each.value > 0]
        if len(before) < LEAST_SLOWER or not line.value or line.value < 0 or line.state == "invalid":
            continue
        best = max(before) if line.better == "higher" else min(before)
        factor = reached(line.value, best, line.better)
        if factor > FASTER:
            fewest = min(fewest or len(before), len(before))
            found.append((factor, f"{line.title} ({factor:.2g} times, best before {human(best, line.unit, 3)})"))
    if found:
        named = ", ".join(text for _, text in sorted(found, key=lambda each: -each[0]))
        last = next(line.earlier[0].run for line in lines if line.earlier)
        advice = f"`assay compare {last} RUN` shows what else differs; measure again before relying on it"
        text = f"far faster than all of {fewest} or more earlier runs here: {named}"
        yield finding(57, "odd", text, advice)


def _launches_apart(document: Document, lines: Sequence[ReachedLine]) -> Iterator[Finding]:
    """Name main figures whose launches lie far apart: the one shown is of one of two modes."""
    found = sorted(launch_modes.apart(document, lines), key=lambda each: -each[0])
    more = f" (and {len(found) - MOST_APART} more main figures)" if len(found) > MOST_APART else ""
    advice = "more launches (`--profile standard`) show which is usual"
    if document.facts.virtualised:
        advice += "; a host may place a guest's processors near one another in one launch and far in the next"
    for i, (_, text) in enumerate(found[:MOST_APART]):
        yield finding(57.5, "odd", text + (more if i == 0 else ""), advice)


def _runs_apart(document: Document, lines: Sequence[ReachedLine]) -> Iterator[Finding]:
    """Name main figures that differ more from run to run than from launch to launch."""
    found = sorted(run_to_run.wider_between_runs(document, lines), key=lambda each: -each[0])
    if found:
        named = "; ".join(text for _, text in found[:MOST_APART])
        more = f"; and {len(found) - MOST_APART} more main figures" if len(found) > MOST_APART else ""
        yield finding(57.2, "odd", f"runs differ more than launches: {named}{more}", run_to_run.ADVICE)


def _breaks(document: Document) -> Iterator[Finding]:
    for section in document.benchmarks:
        found = [fit for fit in section.fits if isinstance(fit, BreaksFit)]
        if section.benchmark == "echo" and found:
            jumps = [each for each in found[0].breakpoints if each.kind == "jump"] or found[0].breakpoints
            worst = max(jumps, key=lambda each: abs(each.effect))
            text = (
                f"message time changes its law between {human(worst.below, 'B')} and {human(worst.above, 'B')} "
                f"({worst.kind} of {percent(abs(worst.effect))})"
            )
            advice = "a change of protocol" + ("" if document.described else ": the MPI's eager limit moves it")
            yield finding(28, "limit", text, advice)


def _host_warnings(document: Document, warnings: Sequence[HostWarning]) -> Iterator[Finding]:
    for warning in warnings:
        if warning.about in QUIET or (warning.about in BUSY and document.causes):
            continue
        known = warning.about == "virtualised"
        yield finding(14 if known else 50, "odd", short(warning.text), warning.remedy)
