"""A run's own numbers in the words of the papers: for comparison with published cells.

Most are a run's figures as they are. Others are what a paper makes of several of them: a fit's coefficients, the
greatest rate over sizes, the worst error over ranges of arguments. `assay compare RUN MACHINE` and the tables of what
papers print take them from here, so that all of them show the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from assay.analysis.fits import PAPER_SHORT, PAPER_SIZES
from assay.analysis.ping_pong import SHORT, greatest_rate, latency
from assay.benchmark.record import benchmarks
from assay.case import Case
from assay.document.fits import LevelRatesFit, LineFit
from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.published.tables.echo_case import echo_case
from assay.published.tables.merit import merits

IMPLEMENTATIONS = {"dot": "dotproduct", "axpy": "axpy"}  # of a matrix-vector product: ours, and the paper's word
NEAR_ONE = {("log", "near"): "log near 1"}  # a function and a range, as the paper names them together
WAVELET = {256: "512x256"}  # columns, and the grid that the paper prints
# the greatest of all sizes and forms
UNSTATED: Parameters = {"implementation": None, "size": None, "operands_in": None}


@dataclass(frozen=True)
class OwnNumber:
    """A number of a run (SI units) that answers published cells of one of `published` and of `metric`.

    `case` is what such a cell states (a value of None: that it states nothing of this); None of a figure as it is,
    whose own case decides. `params` is the run's own case, `of` what the number was chosen from, in words, `level` the
    one that holds the operands, where that is known.
    """

    published: tuple[str, ...]
    metric: str
    benchmark: str
    figure: str
    value: float
    unit: str
    params: Case
    kind: str
    state: str = "clean"
    case: Parameters | None = None
    of: str | None = None
    level: str | None = None


def numbers(document: Document) -> list[OwnNumber]:
    """Those that papers make of a run's figures and fits; figures as they are need none of this."""
    found: list[OwnNumber] = []
    for section in document.benchmarks:
        for made in SOURCES.get(section.benchmark, ()):
            found += made(document, section)
    return found


def of_figure(
    figure: ReportedFigure, section: Section, metric: str, case: Parameters | None = None, of: str | None = None
) -> OwnNumber:
    """A figure as a number of `metric`; without a case it is the figure as it is, by its own."""
    return OwnNumber(
        published=tuple(section.published),
        metric=metric,
        benchmark=section.benchmark,
        figure=figure.name,
        value=figure.shown or 0.0,
        unit=figure.unit,
        params=figure.params,
        kind=figure.kind,
        state=figure.state,
        case=case,
        of=of,
    )


def _rates(section: Section, *names: str) -> list[ReportedFigure]:
    """The figures of the first of these names that the section has, by the main estimator of each case."""
    for name in names:
        found = [each for each in section.figures if each.name == name and each.main and each.shown is not None]
        if found:
            return found
    return []


def _greatest(found: Iterable[ReportedFigure]) -> ReportedFigure | None:
    return max(found, key=lambda each: each.shown or 0.0, default=None)


# What Tables 6.1, 6.4 and 6.7 of van der Steen 2000 print of a loop, and its n_half: metric, level, our fit's field.
OF_LOOPS = (
    ("r_max_L1", "L1", "r_max_paper", "flop/s"),
    ("cycles_per_op_per_element", "L1", "cycles_per_element", "cycle"),
    ("latency_L1", "L1", "start_up_cycles", "cycle"),
    ("r_max_L2", "L2", "r_max_paper", "flop/s"),
    ("n_half", "L1", "n_half", "1"),
)


def _loops(document: Document, section: Section) -> Iterator[OwnNumber]:
    record = benchmarks()[section.benchmark]
    names = dict(zip(map(str, record.parameters["kernel"].choices), record.published, strict=True))
    for fit in section.fits:
        if not isinstance(fit, LevelRatesFit):
            continue
        access = str(fit.params.get("access"))
        stride: int | str | None = int(access.removeprefix("stride")) if access.startswith("stride") else None
        for metric, level, key, unit in OF_LOOPS:
            value = getattr(fit, key)
            if fit.level == level and value is not None and fit.state != "invalid":
                yield OwnNumber(
                    published=(names[str(fit.params["kernel"])],),
                    metric=metric,
                    benchmark=section.benchmark,
                    figure=metric,
                    value=value,
                    unit=unit,
                    params=Case({key: fit.params[key] for key in ("kernel", "access") if key in fit.params}),
                    kind=document.kind,
                    state=fit.state,
                    case={"stride": stride if access != "indexed" else access, "kernels": None},
                    of=None if fit.basis == "line" else fit.basis,
                )


def _algorithms(document: Document, section: Section) -> Iterator[OwnNumber]:
    """EuroBen's module 2: our own code on one thread, at the size of the greatest rate, at each size, by level."""
    ours = [
        each
        for each in _rates(section, "rate_paper", "rate")
        if each.params.get("code", "ours") == "ours" and each.params.get("threads", 1) == 1
    ]
    many = len({each.params.get("size") for each in ours})
    of = f"the greatest of {many} sizes" if many > 1 else "the only size"
    if (best := _greatest(ours)) is not None:
        yield of_figure(best, section, "r_max", UNSTATED, of)
    by_form: dict[str, list[ReportedFigure]] = defaultdict(list)
    for each in ours:
        by_form[str(each.params.get("form"))].append(each)
    for form, word in IMPLEMENTATIONS.items():
        if (best := _greatest(by_form.get(form, ()))) is not None:
            yield of_figure(best, section, "r_max", {**UNSTATED, "implementation": word}, of)
    if section.benchmark not in BYTES:
        return
    caches = _caches(document)
    for each in ours:
        size = int(each.params["size"])
        level = _level(BYTES[section.benchmark](size), caches)
        stated = WAVELET.get(size) if section.benchmark == "wavelet" else size
        if stated is not None:
            yield replace(of_figure(each, section, "r_max", {"size": stated}, None), level=level)
    for level in ("L1", "L2", "memory"):
        within = [each for each in ours if _level(BYTES[section.benchmark](int(each.params["size"])), caches) == level]
        if (best := _greatest(within)) is not None:
            yield replace(of_figure(best, section, "r_max", {"operands_in": level, "size": None}, None), level=level)
            if level == "memory":  # a size that is called large
                yield replace(of_figure(best, section, "r_max", {"size": "large"}, None), level=level)


BYTES: dict[str, Callable[[int], int]] = {  # of a problem's data, by its size
    "fft": lambda size: 32 * size,  # complex numbers, in and out
    "wavelet": lambda size: 16 * size * size,  # twice as many rows as columns
}


def _caches(document: Document) -> dict[int, float]:
    """Bytes of one core's data caches by level, as the vector loops of this run found them, else as the host states."""
    seen = [fit for section in document.benchmarks for fit in section.fits if isinstance(fit, LevelRatesFit)]
    found = {int(fit.level[1:]): fit.size for fit in seen if fit.size is not None and fit.level.startswith("L")}
    if found:
        return found
    stated = document.facts.caches
    return {int(each["level"]): float(each["size"]) for each in stated if each.get("kind") != "instruction"}


def _level(size: float, caches: dict[int, float]) -> str | None:
    """Which level holds so many bytes; None where nothing is known of the caches."""
    if not caches:
        return None
    return next((f"L{level}" for level, most in sorted(caches.items()) if size <= most), "memory")


def _dot_products(document: Document, section: Section) -> Iterator[OwnNumber]:
    """EuroBen's mod1i: the best of its three implementations, by the number of ranks and per node."""
    by_ranks: dict[tuple[int, object], list[ReportedFigure]] = defaultdict(list)
    for each in _rates(section, "rate"):
        if isinstance(ranks := each.params.get("ranks"), int):
            by_ranks[ranks, each.params.get("ppn")].append(each)
    for (ranks, _), found in by_ranks.items():
        if (best := _greatest(found)) is not None:
            of = f"the best of {len(found)}; the paper prints no length"
            yield of_figure(best, section, "rate", {"implementation": "best", "cpus": ranks}, of)


def _patterns(document: Document, section: Section) -> Iterator[OwnNumber]:
    """EuroBen's mod1h: the greatest rate over lengths, by pattern, ranks and ranks per node."""
    found: dict[tuple[str, int, object], list[ReportedFigure]] = defaultdict(list)
    for each in _rates(section, "rate"):
        if isinstance(ranks := each.params.get("ranks"), int):
            found[str(each.params["pattern"]), ranks, each.params.get("ppn")].append(each)
    for (pattern, ranks, _), rates in found.items():
        if (best := _greatest(rates)) is not None:
            made = of_figure(best, section, "bandwidth", {"cpus": ranks}, f"the greatest of {len(rates)} lengths")
            yield replace(made, published=(f"mod1h.{pattern}",))


def _fine_echo(document: Document, section: Section) -> Iterator[OwnNumber]:
    """EuroBen's mod1j: the greatest rate, and the intercept of a line over short lengths."""
    by_node: dict[object, list[ReportedFigure]] = defaultdict(list)
    for each in _rates(section, "half_round_trip"):
        by_node[each.params.get("ppn")].append(each)
    for found in by_node.values():
        times = {int(each.params["bytes"]): each.shown or 0.0 for each in found if each.statistic == "median"}
        if len([size for size in times if size <= SHORT]) < 2:
            continue
        rate, size = greatest_rate(times)
        base = next(each for each in found if int(each.params["bytes"]) == size)
        made = of_figure(base, section, "bandwidth", {"message": None, "message_B": None}, None)
        yield replace(made, value=rate, unit="B/s", figure="greatest_rate", of=f"the greatest of {len(times)} lengths")
        short = f"a line over lengths up to {SHORT:,} B"
        yield replace(made, metric="latency", value=latency(times), unit="s", figure="latency", of=short, case={})


def _intrinsics(document: Document, section: Section) -> Iterator[OwnNumber]:
    """Digits lost by the scalar functions in double precision: at the worst argument of all ranges, and near an end."""
    found: dict[str, list[ReportedFigure]] = defaultdict(list)
    for each in _rates(section, "digits_lost"):
        if each.params.get("type") == "float64" and each.params.get("variant") == "scalar":
            function, near = str(each.params["function"]), str(each.params.get("range"))
            found[function].append(each)
            if (function, near) in NEAR_ONE:
                found[NEAR_ONE[function, near]].append(each)
    for name, cases in found.items():
        worst = max(cases, key=lambda each: each.shown or 0.0)
        of = f"the worst of {len(cases)} ranges" if len(cases) > 1 else None
        yield _without_outcomes(of_figure(worst, section, "digits_lost", {"function": name}, of))
    every = [each for cases in found.values() for each in cases]
    if every:
        worst, functions = max(every, key=lambda each: each.shown or 0.0), len(found.keys() - {*NEAR_ONE.values()})
        of = f"the worst of {functions} functions"
        yield _without_outcomes(of_figure(worst, section, "digits_lost", {"function": "all"}, of))


def _without_outcomes(own: OwnNumber) -> OwnNumber:
    """The number with the parameters of its case alone: none that only its result has."""
    known = benchmarks()[own.benchmark].parameters
    return replace(own, params=own.params.without(own.params.keys() - known.keys()))


def _merit(document: Document, section: Section) -> Iterator[OwnNumber]:
    """Tables 7 and 5.1: from an echo and the arithmetic suite together."""
    for metric, found in merits(document).items():
        if found.base is None:  # quoted, so that it is not the run's
            continue
        yield OwnNumber(
            published=("summary",),
            metric=metric,
            benchmark=section.benchmark,
            figure=metric,
            value=found.value,
            unit=found.unit,
            params=found.base.params,
            kind=document.kind,
            state=found.base.state,
            case={},
            of=found.of,
        )


def _echo(document: Document, section: Section) -> Iterator[OwnNumber]:
    """Tables 6 and 7 of the hypercubes' report, 3.1 and 5.1 of the DELTA's: coefficients, and figures of merit."""
    chosen, _ = echo_case(document)
    for metric, key, over, unit in (
        ("alpha", "alpha", PAPER_SIZES, "s"),
        ("beta", "beta", PAPER_SIZES, "s/B"),
        ("alpha_up_to_100_B", "alpha", PAPER_SHORT, "s"),
    ):
        fit = papers_fit(section, over, chosen)
        if fit is not None:
            yield OwnNumber(
                published=("echo-fit",),
                metric=metric,
                benchmark=section.benchmark,
                figure=metric,
                value=getattr(fit, key),
                unit=unit,
                params=fit.params,
                kind=document.kind,
                case={},
                of=f"least squares over {fit.over[0]:g} to {fit.over[1]:g} B",
            )


def papers_fit(section: Section, over: tuple[float, float], chosen: Parameters) -> LineFit | None:
    """The ordinary least-squares line of a section within some lengths, of a case; None where it has none."""
    for fit in section.fits:
        if isinstance(fit, LineFit) and fit.estimator == "ordinary":
            alike = all(fit.params.get(key) == value for key, value in chosen.items())
            if over[0] <= fit.over[0] and fit.over[1] <= over[1] and alike:
                return fit
    return None


Source = Callable[[Document, Section], Iterator[OwnNumber]]
SOURCES: dict[str, tuple[Source, ...]] = {
    "vectors": (_loops,),
    **dict.fromkeys(("matrix-vector", "linpack", "eigenvalues", "fft", "wavelet"), (_algorithms,)),
    "distributed-dot": (_dot_products,),
    "patterns": (_patterns,),
    "fine-echo": (_fine_echo,),
    "intrinsics": (_intrinsics,),
    "echo": (_echo, _merit),
}
