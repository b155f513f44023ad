"""Machine balance: flop/s over the B/s of STREAM's triad, in double precision, on all threads that both used.

The matrix product comes first: it is what a program reaches that memory does not limit (McCalpin, Memory bandwidth and
machine balance, 1995, divides by the peak). The peak of multiply-adds stands second: no program computes faster. Of a
best reading that only bounds a rate nothing is concluded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.document.balance import MachineBalance
from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.report.derive.variants import reference
from assay.report.judge.bounds import best_peak, values
from assay.report.judge.finding_lines import finding
from assay.report.registry import BenchmarkView, Place, ReportSection, RunSource
from assay.report.render.tables import between
from assay.report.units import human, params

STREAM, PRODUCT = "stream", "gemm"  # the section that shows the table is the former's
AGAINST_PRODUCT, AGAINST_PEAK = "matrix product", "arithmetic peak"


def balances(document: Document) -> list[MachineBalance]:
    """Return the balance against the matrix product, then against the peak; [] where no triad was measured."""
    if document.balance is not None:
        return document.balance
    return [*_against_product(document), *_against_peak(document)]


def streamed(document: Document) -> list[tuple[ReportedFigure, float]]:
    """The triad's estimates in B/s, as STREAM counts bytes, by ascending threads: the best size of each count."""
    return _best(document, STREAM, kernel="triad", vector=0)


def missing(document: Document) -> str:
    """Why there is no balance although a rate of arithmetic stands, in one line; "" where STREAM was not asked for."""
    if balances(document) or not (_best(document, PRODUCT, type="float64") or best_peak(document.benchmarks)):
        return ""
    skipped = [each for each in document.left_out if STREAM in re.split(r", *", each.benchmark)]
    if skipped:
        return f"no machine balance: {skipped[0].title} was skipped: {skipped[0].reason}"
    section = next((each for each in document.benchmarks if each.benchmark == STREAM), None)
    if section is None:
        return ""
    triads = [each for each in section.figures if each.name == "rate" and each.params.get("kernel") == "triad"]
    if any(each.state == "bound" for each in triads):
        why = "is known only by a bound, of which no ratio is formed"
    elif triads or not section.figures:
        why = "has no valid result" + (f": {section.warnings[0]}" if section.warnings else "")
    else:
        why = "is not among the kernels of this run"
    return f"no machine balance: {section.title}'s triad {why}"


def _best(document: Document, benchmark: str, **case: object) -> list[tuple[ReportedFigure, float]]:
    found: dict[int, tuple[ReportedFigure, float]] = {}
    for figure, value in values(document, benchmark, "rate", "median", **case):
        threads = int(figure.params.get("threads") or 1)
        if figure.state != "bound" and (threads not in found or value > found[threads][1]):
            found[threads] = (figure, value)
    return [found[threads] for threads in sorted(found)]


def _against_product(document: Document) -> Iterator[MachineBalance]:
    """On the most threads of both; the best size and code there, library or ours."""
    products = {figure.params.get("threads") or 1: figure for figure, _ in _best(document, PRODUCT, type="float64")}
    for triad, bandwidth in reversed(streamed(document)):
        threads = int(triad.params.get("threads") or 1)
        if (product := products.get(threads)) is not None and product.value:
            yield _made(AGAINST_PRODUCT, product.value, _ends(product), (triad, bandwidth), _case("gemm", product))
            return


def _against_peak(document: Document) -> Iterator[MachineBalance]:
    peak = best_peak(document.benchmarks)
    if peak is not None and (triads := streamed(document)):
        triad, bandwidth = triads[-1]
        threads = int(triad.params.get("threads") or 1)
        of = f"peak, multiply-adds in registers, float64, best reading of one thread times {threads}"
        yield _made(AGAINST_PEAK, peak * threads, (peak * threads,) * 2, (triad, bandwidth), of)


def _made(
    against: str, rate: float, ends: tuple[float, float], triad: tuple[ReportedFigure, float], source: str
) -> MachineBalance:
    figure, bandwidth = triad
    low, high = _ends(figure)
    return MachineBalance(
        against=against,
        flop_per_byte=rate / bandwidth,
        range=[ends[0] / high, ends[1] / low],
        rate=rate,
        bandwidth=bandwidth,
        threads=int(figure.params.get("threads") or 1),
        sources=[source, _case(STREAM, figure)],
    )


def _ends(figure: ReportedFigure) -> tuple[float, float]:
    low, high = figure.ci95 or figure.range or [figure.value or 0.0] * 2
    return low, high


def _case(benchmark: str, figure: ReportedFigure) -> str:
    return f"{benchmark}, {params({key: value for key, value in figure.params.items() if value})}"


def table(document: Document, section: Section) -> list[Grid]:
    """The table of the section on memory's bandwidth; [] of any other, and where nothing can be divided."""
    found = balances(document) if section.benchmark == STREAM else []
    rows = [
        (
            each.against,
            str(each.threads),
            human(each.rate, "flop/s", 3),
            human(each.bandwidth, "B/s", 3),
            f"{each.flop_per_byte:.3g}",
            between(None, each.range, "1"),
            "; ".join(each.sources),
        )
        for each in found
    ]
    headings = ("against", "threads", "computes", "triad", "flop per byte", "over launches", "of")
    note = "Double precision; bytes as STREAM counts them. What does less per byte from memory is limited by memory."
    if rows and found[0].against != AGAINST_PRODUCT:
        note += " No estimate of the matrix product on as many threads in this run (assay run gemm)."
    return [grid("Machine balance", headings, rows, note)] if rows else []


def _findings(document: Document) -> Iterator[Finding]:
    yield from _limit(document)
    yield from _threads(document)


def _limit(document: Document) -> Iterator[Finding]:
    """How many flops per byte from memory must feed, on as many threads as streamed."""
    found = balances(document)
    if not found:
        if why := missing(document):
            yield finding(19, "missing", why, "`assay run stream --set kernel=triad` measures the triad alone")
        return
    first, *others = found
    computed = f"{first.against}: {human(first.bandwidth, 'B/s', 3)} for {human(first.rate, 'flop/s', 3)}"
    beside = "".join(f"; {each.flop_per_byte:.2g} by the {each.against}" for each in others)
    threads = f"{first.threads} thread{'s' * (first.threads > 1)}"
    yield finding(
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
            yield finding(41, "limit", text, "memory-bound codes gain no more than that from more threads")


def _complete(source: RunSource, document: Document) -> Document:
    return replace(document, balance=balances(reference(document)) or None)


SECTION = ReportSection(
    order=210, complete=_complete, findings=_findings, of_benchmark=BenchmarkView(place=Place.ANALYSIS, tables=table)
)
