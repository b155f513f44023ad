"""Which of a run's numbers is paired with which published cell, and what prevents a ratio of the two.

One rule for all benchmarks. A cell and a number of a run meet where they are of one metric and unit and agree in all
that both state. They are of like work where these agree as well: what one operation is (`[unlike]` of the record gives
where it is not), the program, the precision, and the size of the problem, unless both are the greatest over sizes. Of
unlike work the row gives the difference, and has no ratio.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.benchmark.record import Benchmark, benchmarks
from assay.document.params import Parameters
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.catalogue import PublishedCell, load
from assay.published.tables.own_numbers import OwnNumber, numbers, of_figure
from assay.published.tables.paragon import BANDWIDTH, KERNELS, THREADS
from assay.report.units import few, params

# what makes an own case the same thing as a published benchmark, where the record's rows do not give it
SAME: dict[str, Parameters] = {
    **{row: case for row, (_, case) in (THREADS | KERNELS).items()},
    **{row: case for row, (_, case, _) in BANDWIDTH.items()},
    "pfldq": {**BANDWIDTH["pfldq"][1], "size": 0},  # arrays beyond the caches
    "linpack": {"code": "ours", "size": 100},
    "sieve": {"size": 8190},  # section 3.2
    "tcp": {"method": "tcp"},
    "euroben.intrinsics": {"variant": "scalar"},  # the compiler's own functions
}
COUNTS, OWN_COUNTS = ("cpus", "nodes", "compute_nodes"), ("threads", "ranks")  # of processors: published, and own
DOUBLE = "float64"  # what the papers measured in, and Assay measures in, by default
PRECISIONS = {"single": "float32", "double": DOUBLE}  # a paper's word, and the type of ours


@dataclass(frozen=True)
class Pair:
    """A published cell and the number of a run paired with it; `unlike`: why no ratio is formed of them."""

    cell: PublishedCell
    own: OwnNumber
    unlike: str | None = None

    @property
    def ratio(self) -> float | None:
        """Published to own; None of unlike work."""
        return None if self.unlike or not self.own.value else self.cell.value / self.own.value


def pairs(document: Document, cells: Iterable[PublishedCell]) -> tuple[list[Pair], list[str]]:
    """The pairs, in the order of the run's benchmarks and of the cells, and for which cells the run has no case.

    A cell has one pair: of several own numbers that fit, one whose work is like it, with the fewest processors.
    """
    derived = numbers(document)
    of_benchmark: dict[str, list[PublishedCell]] = defaultdict(list)
    known = load().benchmarks
    for cell in cells:
        family = known[cell.benchmark].family if cell.benchmark in known else None
        for name in dict.fromkeys((cell.benchmark, family or cell.benchmark)):
            of_benchmark[name].append(cell)
    found: list[Pair] = []
    without: dict[str, dict[str, None]] = defaultdict(dict)
    for section in document.benchmarks:
        record = benchmarks().get(section.benchmark)
        made = [each for each in derived if each.benchmark == section.benchmark]
        answered = dict.fromkeys([*section.published, *(name for each in made for name in each.published)])
        there = {id(cell): cell for name in answered for cell in of_benchmark.get(name, ())}  # a family's parts once
        for cell in there.values():
            alike = [each for each in made if _same_quantity(each, cell)] or [*_as_they_are(section, cell)]
            if not alike or math.isnan(cell.value) or not cell.value:
                continue
            fitting = [pair for own in alike if (pair := _paired(own, cell, record)) is not None]
            if not fitting:
                case = params(dict(cell.params)) or cell.benchmark
                without[f"{section.benchmark} {cell.metric}"][f"({case})" if "," in case else case] = None
                continue
            found.append(min(fitting, key=lambda pair: (pair.unlike is not None, _processors(pair.own.params) or 1)))
    lacking = [f"{of}: no case of the run is as published for {few(list(cases))}" for of, cases in without.items()]
    return found, [*lacking, *_other_programs(document, of_benchmark)]


def _same_quantity(own: OwnNumber, cell: PublishedCell) -> bool:
    return cell.benchmark in own.published and own.metric == cell.metric and own.unit == cell.unit


def _as_they_are(section: Section, cell: PublishedCell) -> Iterator[OwnNumber]:
    """This run's figures of a published cell's metric and unit, whatever their case."""
    family = load().benchmarks[cell.benchmark].family
    for figure in section.figures if {cell.benchmark, family} & {*section.published} else ():
        stands = figure.statistic == "median" and figure.shown
        if stands and figure.name == cell.metric and figure.unit == cell.unit:
            yield of_figure(figure, section, figure.name)


def _paired(own: OwnNumber, cell: PublishedCell, record: Benchmark | None) -> Pair | None:
    """The pair; None where own case and published one are not the same."""
    same: Parameters = {}
    if own.case is not None:
        if any(cell.params.get(key) != value for key, value in own.case.items()) or not _as_many(own.params, cell):
            return None
    else:
        cases = record.published_cases if record else {}
        same = dict(cases.get(cell.benchmark, {})) or SAME.get(cell.benchmark, {})
        if not _fits(own.params, cell.params, same) or not _as_many(own.params, cell):
            return None
    return Pair(cell, own, _unlike(own, cell, record, same))


def _fits(own: Parameters, published: Parameters, same: Parameters) -> bool:
    """Whether an own case agrees with a published one in all that both state, and in its length.

    Own cases of a message's length are paired with nothing of an unpublished length; what one of several processors
    reaches is paired with no sum.
    """
    wanted = {key: value for key, value in published.items() if own.get(key) is not None} | {**same}
    if "bytes" in own:
        wanted["bytes"] = published.get("message_B")
    if "size" in own and "n" in published:
        wanted["size"] = published["n"]
    if own.get("hops") is not None:
        wanted["hops"] = published.get("hops", 1)
    alike = all(str(own.get(key)) == str(value) for key, value in wanted.items())
    return alike and published.get("cpu", "sum") == "sum"


def _as_many(own: Parameters, cell: PublishedCell) -> bool:
    """Whether both are of as many processors, where the published case has their number."""
    stated = next((cell.params[key] for key in COUNTS if key in cell.params), None)
    return stated is None or stated == (_processors(own) or 1)


def _unlike(own: OwnNumber, cell: PublishedCell, record: Benchmark | None, same: Parameters) -> str | None:
    """In what the work of both is unlike; None where it is equal as far as papers and records show."""
    declared: Mapping[str, str] = record.unlike if record else {}
    if cell.benchmark in declared:
        return declared[cell.benchmark]
    theirs = PRECISIONS.get(str(cell.params.get("precision")), str(cell.params.get("precision", DOUBLE)))
    ours = str(own.params.get("type", DOUBLE))
    if "type" not in same and theirs != ours:
        return f"{theirs} there, {ours} here"
    there, here = cell.params.get("operands_in"), own.level
    if there is not None and here is not None and there != here:
        return f"operands in {there} there, in {here} here"
    if own.case is None and "size" in own.params and not {"n", "size"} & {*cell.params, *same}:
        return f"its size is not printed, ours is {own.params['size']}"
    return None


def _other_programs(document: Document, cells: Mapping[str, Sequence[PublishedCell]]) -> list[str]:
    """What was published of another program than the run's, of the same subject: it has no row."""
    texts = []
    for section in document.benchmarks:
        record = benchmarks().get(section.benchmark)
        for name in record.related if record else ():
            for cell in cells.get(name, ()):
                case = params(dict(cell.params)) or name
                texts.append(f"{name} {cell.metric} ({case}): another program than {section.benchmark}")
    return texts


def _processors(own: Parameters) -> int | None:
    """The number of processors of a case; None where it has none."""
    count = next((own[key] for key in OWN_COUNTS if own.get(key) is not None), None)
    return int(count) if count is not None else None
