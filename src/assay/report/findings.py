"""Limits of a machine and anomalies of a run: one line each, the worst first, each with advice.

Rules over a run's document; nothing is measured or judged here. `weight` orders them: from 100 (the run was
interrupted) and 90 (a result is missing)
over 60 (figures were moved) and 40 (what limits this machine) to 10 (what a reader should know).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from assay.document.fits import BreaksFit
from assay.document.run_document import Document
from assay.document.run_verdict import Finding, ReachedLine
from assay.document.section import Section
from assay.machine.abilities import HostWarning
from assay.report import (
    accuracy,
    choices,
    choices_first,
    guidelines,
    launches_apart,
    over_time,
    pairs_shown,
    slow_libraries,
    unfinished,
)
from assay.report.balance import balances, missing, streamed
from assay.report.bounds import percent, reached, values
from assay.report.units import few, human
from assay.report.variant_tables import title
from assay.report.variants import reference

MOST_CAUSES = 3  # among the first lines
OURS = ("shared processors", "quota")  # what was asked for, and no quiet machine mends: it comes before others' work
MOST_CHOICES = 2  # operations for which a library chose badly
FAR = 0.5  # of its bound: less is worth a line
SLOWER, LEAST_EARLIER = 1.25, 3  # times slower than so many earlier runs of this machine: more is worth a line
FASTER, LEAST_SLOWER = 2.0, 2  # times faster than the best of so many earlier runs: more is worth a line
MOST_APART = 2  # main figures whose launches lie far apart that have a line each
NOISY = 0.01  # share of the time that noise takes
QUIET = ("few processors", "users", "counters", "frequency", "accelerators", "scratch")  # known, and no news
BUSY = ("busy", "stolen time")  # what the run's own accounting reports more precisely


def findings(document: Document, lines: Sequence[ReachedLine], warnings: Sequence[HostWarning]) -> list[Finding]:
    """Return the lines, the heaviest first; `warnings` are those of the host's discovery."""
    made = [
        *_unfinished(document),
        *_wrong(document),
        *_missing(document),
        *_causes(document),
        *_cut_short(document),
        *_nodes(document),
        *_noise(document),
        *_over_time(document),
        *_balance(document),
        *_threads(document),
        *_far(lines),
        *_slower_than_before(lines),
        *_faster_than_before(lines),
        *_launches_apart(document, lines),
        *_breaks(document),
        *_accuracy(document),
        *_choices(document),
        *_guidelines(document),
        *_slow_libraries(document),
        *_slow_pairs(document),
        *_host_warnings(document, warnings),
    ]
    return sorted(made, key=lambda each: -each.weight)


def _line(weight: float, kind: str, text: str, advice: str | None = None) -> Finding:
    return Finding(weight=weight, kind=kind, text=text, advice=advice or "")


def _unfinished(document: Document) -> Iterator[Finding]:
    if document.unfinished is not None:
        yield unfinished.finding(document.unfinished, document.folder)


def _wrong(document: Document) -> Iterator[Finding]:
    """Name the variants whose results are wrong, each with the first check that says so."""
    if document.variants is None:
        return
    wrong = document.variants.wrong
    for label in dict.fromkeys(each.label for each in wrong):
        of = [each for each in wrong if each.label == label]
        more = f" (and {len(of) - 1} more)" if len(of) > 1 else ""
        text = f"wrong result: {_short(of[0].text)}{more}"
        advice = f"do not use what gives wrong results; the part {title(document.variants)} has all"
        yield _line(95, "odd", text, advice)


def _missing(document: Document) -> Iterator[Finding]:
    bad = [section for section in document.benchmarks if section.state == "invalid"]
    for section in bad[:2]:
        reason = _short(section.warnings[0]) if section.warnings else "no case gave one"
        none = all(figure.value is None for figure in section.figures)
        what = "no valid result" if none else "some cases have no valid result"
        alone = f"; assay run {section.benchmark} measures it alone" if len(document.benchmarks) > 1 else ""
        advice = f"its part below{alone}"
        yield _line(90 if none else 55, "missing", f"{section.title}: {what}: {reason}", advice)
    if len(bad) > 2:
        names = ", ".join(section.benchmark for section in bad[2:8])
        yield _line(80, "missing", f"without a valid result in some cases as well: {names}", "their parts below")
    few = [each for each in document.left_out if each.kind == "ranks"]
    if few:
        names = ", ".join(each.benchmark for each in few)
        yield _line(12, "missing", f"not measured for lack of ranks: {names}", "their least number is under This run")
    if document.budget is not None and document.budget.text:
        yield _line(70, "missing", document.budget.text, "a greater `--budget`; `assay plan` says what it would hold")
    for each in (each for each in document.left_out if each not in few and each.kind != "budget"):
        reason = _short(each.reason)
        what = "" if reason.startswith("not described") else "not measured: "
        yield _line(12, "missing", f"{each.title}: {what}{reason}")


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
        yield _line(weight if shown else 13, "odd", text, cause.advice)
    odd = [section.benchmark for section in document.benchmarks if section.state in ("disturbed", "bound")]
    if odd and not any(figure.state != "clean" for cause in causes for figure in cause.figures):
        text = f"{len(odd)} of {len(document.benchmarks)} benchmarks have disturbed cases: {few(odd)}"
        yield _line(60, "odd", text, "repeat on a quiet machine; assay doctor --watch shows who runs")


def _cut_short(document: Document) -> Iterator[Finding]:
    names = [of.benchmark for of in document.benchmarks if any(each.kind == "cut" for each in of.remarks or ())]
    if names:
        text = f"cut short, as launches would have taken too long: {few(names, 4)}; "
        text += "fewer readings stand behind their figures"
        yield _line(30, "odd", text, "repeat on a quiet machine; assay doctor --watch shows who runs")


def _plain(text: str) -> str:
    """A cause without the counts of blocks, which its table has."""
    return re.sub(r"(, now and then|, from block \d+ of \d+ on)? \(in [^)]*\)$", "", text)


def _nodes(document: Document) -> Iterator[Finding]:
    for section in document.benchmarks:
        for odd in section.odd_nodes[:2]:
            text = f"node {odd.host} differs in {section.title}: {odd.text}"
            yield _line(70, "odd", text, "look at that node, or leave it out of the allocation")


def _noise(document: Document) -> Iterator[Finding]:
    for _, value in values(document, "noise", "lost", "median", method="work"):
        if value > NOISY:
            yield _line(
                45,
                "limit",
                f"noise takes {percent(value)} of the processors' time",
                "see its causes under threads; isolate processors, or leave one to the system",
            )


def _over_time(document: Document) -> Iterator[Finding]:
    """Name the longest stall of each benchmark, writes that slow down for good, and processes that end far apart."""
    for section in reference(document).benchmarks:
        stalled = over_time.stalled(section)
        for seconds, text in stalled[:1]:
            more = f" (and {len(stalled) - 1} more cases)" if len(stalled) > 1 else ""
            advice = "look at the device (dmesg, SMART) and at who else uses it; rate over time is in the part on files"
            yield _line(58 + min(10.0, seconds), "odd", f"{section.title}: {text}{more}", advice)
        for ratio, text in over_time.sustained(section)[:1]:
            advice = "take the second rate for long writes; rate over time is in the part on files"
            yield _line(26 + min(10.0, ratio), "limit", f"{section.title}: {text}", advice)
        for ratio, text in over_time.uneven(section)[:1]:
            yield _line(24 + min(10.0, ratio), "limit", f"{section.title}: {text}", "compare rate_first and rate_last")


def _balance(document: Document) -> Iterator[Finding]:
    """How many flops per byte from memory must feed, on as many threads as streamed."""
    found = balances(document)
    if not found:
        if why := missing(document):
            yield _line(19, "missing", why, "`assay run stream --set kernel=triad` measures the triad alone")
        return
    first, *others = found
    computed = f"{first.against}: {human(first.bandwidth, 'B/s', 3)} for {human(first.rate, 'flop/s', 3)}"
    beside = "".join(f"; {each.flop_per_byte:.2g} by the {each.against}" for each in others)
    threads = f"{first.threads} thread{'s' * (first.threads > 1)}"
    yield _line(
        42,
        "limit",
        f"memory limits what computes less than {first.flop_per_byte:.2g} flop per byte "
        f"({computed} on {threads}{beside})",
        "keep working sets in the caches: the roof in the part on memory shows what each level gives",
    )


def _threads(document: Document) -> Iterator[Finding]:
    rates = {figure.params.get("threads"): value for figure, value in streamed(document)}
    counts = sorted(count for count in rates if count)
    if len(counts) > 1 and counts[0] == 1:
        gain = rates[counts[-1]] / rates[1]
        if gain < 0.75 * counts[-1]:
            text = f"memory bandwidth grows {gain:.2g} times from 1 to {counts[-1]} threads"
            yield _line(41, "limit", text, "memory-bound codes gain no more than that from more threads")


def _far(lines: Sequence[ReachedLine]) -> Iterator[Finding]:
    for line in lines:
        bound = line.bound
        if bound is not None and bound.share < FAR and line.state != "bound":
            text = f"{line.title} reaches {percent(bound.share)} of its bound"  # which stands beside it
            yield _line(40 - 10 * bound.share, "limit", text, line.advice)


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
            yield _line(
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
        yield _line(57, "odd", text, advice)


def _launches_apart(document: Document, lines: Sequence[ReachedLine]) -> Iterator[Finding]:
    """Name main figures whose launches lie far apart: the one shown is of one of two modes."""
    found = sorted(launches_apart.apart(document, lines), key=lambda each: -each[0])
    more = f" (and {len(found) - MOST_APART} more main figures)" if len(found) > MOST_APART else ""
    advice = "more launches (`--profile standard`) show which is usual"
    if document.facts.virtualised:
        advice += "; a host may place a guest's processors near one another in one launch and far in the next"
    for i, (_, text) in enumerate(found[:MOST_APART]):
        yield _line(57.5, "odd", text + (more if i == 0 else ""), advice)


def _accuracy(document: Document) -> Iterator[Finding]:
    for section in reference(document).benchmarks:
        for digits, text in accuracy.losses(section):
            advice = "do not compile what needs these results so; docs/intrinsics.md says how errors are counted"
            yield _line(30 + min(digits, 16), "odd", text, advice)


def _worst(
    document: Document, named: Callable[[Section, str], Iterable[tuple[float, str]]], place: float, advice: str
) -> Iterator[Finding]:
    """Say the worst operations of what was found slower: by which ratio, and a line each; the rest are counted."""
    found = [each for section in reference(document).benchmarks for each in named(section, _whose(document))]
    found.sort(key=lambda each: -each[0])
    unsaid = len(found) - MOST_CHOICES
    more = f" (and {unsaid} more operation{'s' if unsaid > 1 else ''})" if unsaid > 0 else ""
    for i, (ratio, text) in enumerate(found[:MOST_CHOICES]):
        yield _line(place + min(10.0, ratio), "choice", text + (more if i == 0 else ""), advice)


def _whose(document: Document) -> str:
    return "its library's" if document.described else "your library's"


def _choices(document: Document) -> Iterator[Finding]:
    """Name what a library does slower than one of the algorithms beside it, or say that it does nothing so."""
    advice = "use the faster one; the report compares them in its part on messages"
    if not document.described:
        advice = f"set the library's algorithm for it (docs/clusters.md), or {advice}"
    yield from _worst(document, choices.slower, 46, advice)
    for section in reference(document).benchmarks:
        if text := choices_first.standing(section, _whose(document)):
            yield _line(15, "choice", text)


def _guidelines(document: Document) -> Iterator[Finding]:
    """Name what a library does slower than it does more work with its other operations."""
    advice = "the library's choice of algorithm for it is at fault, or call the others instead (docs/clusters.md)"
    return _worst(document, guidelines.broken, 45, advice)


def _slow_libraries(document: Document) -> Iterator[Finding]:
    """Name the libraries that code compiled here beats at their own work, the worst case of each benchmark."""
    advice = "a library built for this processor: a newer version, or its maker's"
    for section in reference(document).benchmarks:
        for ratio, text in slow_libraries.slow(section):
            yield _line(51 + min(4.0, ratio), "odd", text, advice)


def _slow_pairs(document: Document) -> Iterator[Finding]:
    """Name the slowest of what a tournament of all pairs found slow."""
    for section in reference(document).benchmarks:
        for factor, text, advice in pairs_shown.slow(section):
            yield _line(65 + min(4.0, factor), "odd", text, f"{advice}; the part on messages draws all pairs")
        for text, advice in pairs_shown.waiting(section):
            yield _line(27, "limit", text, advice)


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
            yield _line(28, "limit", text, advice)


def _host_warnings(document: Document, warnings: Sequence[HostWarning]) -> Iterator[Finding]:
    for warning in warnings:
        if warning.about in QUIET or (warning.about in BUSY and document.causes):
            continue
        known = warning.about == "virtualised"
        yield _line(14 if known else 50, "odd", _short(warning.text), warning.remedy)


def _short(text: str, most: int = 180) -> str:
    text = text.splitlines()[0] if text else text
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + " …"
