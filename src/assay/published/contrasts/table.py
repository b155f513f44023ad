"""The contrasts between kernels that van der Steen 2000 draws: by its own tables, and by this run.

Each contrast is one number, computed equally for the paper's machines and for this one. What the paper claims of it is
tested on the paper's own numbers first: a sentence that its own tables do not bear out is no expectation of a machine.
Then it is tested on this run: whether the same sentence holds here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.benchmark.record import benchmark
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.machine.catalogue import load, si
from assay.machine.published import Claim
from assay.published.contrasts.rates import DYADIC, KernelRates, PublishedRates, RunRates
from assay.published.judge import Accepted, accepted, together, within

MACHINES = {
    "compaq-xp1000-cluster": "Compaq XP1000",
    "ibm-netfinity-cluster": "IBM Netfinity",
    "sgi-l1200-cluster": "SGI L1200",
}
TITLE = "Contrasts between kernels"
LOOPS = ("add", "subtract", "multiply", "zaxpy", "rotation")  # "most kernels" of the claim on the second cache


@dataclass(frozen=True)
class Stated:
    """A claim about a contrast: its id, the machines, and the contrast in the claim's own unit.

    `share`: the sentence's number for the contrast where the claim's own number is of something else.
    """

    claim: str
    machines: tuple[str, ...]
    in_claim_unit: Callable[[float], float] = lambda value: value
    share: float | None = None


@dataclass(frozen=True)
class Contrast:
    """A number of a machine, or several (one for each loop); `percent`: shown as a percentage.

    `note`: what this run's number is of, where the page has others of the same name.
    """

    name: str
    of: Callable[[KernelRates], list[float]]
    stated: tuple[Stated, ...]
    percent: bool = True
    note: Callable[[RunRates], str] = lambda here: ""


def _ratio(over: float | None, under: float | None) -> list[float]:
    return [] if over is None or not under else [over / under]


def _one(value: float | None) -> list[float]:
    return [] if value is None else [value]


def _percent(value: float) -> float:
    return 100 * value


def _loss(value: float) -> float:
    return 100 * (1 - value)


def _gain(value: float) -> float:
    """How much faster it is, in percent."""
    return 100 * (value - 1)


def _slower(value: float) -> float:
    """How much longer it takes, in percent."""
    return 100 * (1 / value - 1)


COMPAQ, IBM, SGI = MACHINES
CONTRASTS = (
    Contrast(
        "flops per cycle of z = x + y and z = x y, first cache",
        lambda rates: [*_one(rates.per_cycle("add")), *_one(rates.per_cycle("multiply"))],
        (Stated("vds.copy-triad-one-operand-per-cycle", (COMPAQ,)),),
        percent=False,
    ),
    Contrast(
        "polynomial, share of the peak",
        lambda rates: _one(rates.of_peak("polynomial9")),
        (
            Stated("vds.xp1000-poly-fraction", (COMPAQ,), _percent),
            Stated("vds.intel-poly-fraction-sgi", (IBM, SGI), _percent),
        ),
        note=lambda here: here.of_peak_words("polynomial9"),
    ),
    Contrast(
        "second difference, share of the peak",
        lambda rates: _one(rates.of_peak("difference2")),
        (Stated("vds.ibm-best-kernel", (IBM,), _percent),),
        note=lambda here: here.of_peak_words("difference2"),
    ),
    Contrast(
        "dot product, second cache: stride 4 against 1",
        lambda rates: _ratio(rates.loop("dot", "L2", "stride4"), rates.loop("dot", "L2")),
        (Stated("vds.sgi-l2-stride4", (SGI,), _loss),),
    ),
    Contrast(
        "dot product, second cache: stride 3 against 1",
        lambda rates: _ratio(rates.loop("dot", "L2", "stride3"), rates.loop("dot", "L2")),
        (Stated("vds.sgi-l2-stride4", (SGI,), share=1.0),),
    ),
    Contrast(
        "z = x + y, x - y, x y, first cache: more optimisation against less",
        lambda rates: [each for kernel in DYADIC for each in _one(rates.optimised(kernel))],
        (Stated("vds.xp1000-o5-dyadic", (COMPAQ,), _gain),),
        percent=False,
    ),
    Contrast(
        "dot product, first cache: more optimisation against less",
        lambda rates: _one(rates.optimised("dot")),
        (Stated("vds.xp1000-o5-dyadic", (COMPAQ,), share=0.5),),
        percent=False,
    ),
    Contrast(
        "loops scaled by clock, against the SGI L1200, first cache",
        lambda rates: [
            each
            for kernel in benchmark("vectors").parameters["kernel"].choices
            for each in _ratio(rates.per_cycle(str(kernel)), PublishedRates(SGI).per_cycle(str(kernel)))
        ],
        (Stated("vds.ibm-sgi-scale-with-clock", (IBM,)),),
        percent=False,
    ),
    Contrast(
        "z = x + y, x - y, x y, x + a y, rotation: first cache over second",
        lambda rates: [each for kernel in LOOPS for each in _ratio(rates.loop(kernel), rates.loop(kernel, "L2"))],
        (Stated("vds.sgi-l2-drop", (SGI,)),),
        percent=False,
    ),
    Contrast(
        "matrix-vector by inner products against the dot loop",
        lambda rates: _ratio(rates.program("mod2a", "dot"), rates.loop("dot")),
        (Stated("vds.ibm-mxv-slower", (IBM,), _slower),),
        note=lambda here: here.program_words("mod2a", "dot"),
    ),
    Contrast(
        "matrix-vector by columns against the axpy loop",
        lambda rates: _ratio(rates.program("mod2a", "axpy"), rates.loop("axpy")),
        (Stated("vds.ibm-mxv-slower", (IBM,), _slower), Stated("vds.sgi-mxv-axpy", (SGI,), _loss)),
        note=lambda here: here.program_words("mod2a", "axpy"),
    ),
    Contrast(
        "dense solver against the axpy loop",
        lambda rates: _ratio(rates.program("mod2b"), rates.loop("axpy")),
        (
            Stated("vds.xp1000-mod2b-axpy", (COMPAQ,)),
            Stated("vds.ibm-mod2b-axpy", (IBM,), _percent),
            Stated("vds.sgi-mod2b-axpy", (SGI,), _loss),
        ),
        note=lambda here: here.program_words("mod2b"),
    ),
    Contrast(
        "Fourier transform: from memory against the first cache",
        lambda rates: _ratio(rates.program("mod2f", level="memory"), rates.program("mod2f")),
        (Stated("vds.xp1000-fft-memory", (COMPAQ,), share=1 / 8),),
        note=lambda here: f"{here.program_words('mod2f', level='memory')} and {here.program_words('mod2f')}",
    ),
    Contrast(
        "wavelet transform: first cache over memory",
        lambda rates: _ratio(rates.program("mod2g"), rates.program("mod2g", level="memory")),
        (Stated("vds.xp1000-wavelet-levels", (COMPAQ,)),),
        note=lambda here: f"{here.program_words('mod2g')} and {here.program_words('mod2g', level='memory')}",
        percent=False,
    ),
)


def table(document: Document, peak: float | None) -> Grid | None:
    """A row for each contrast that this run has, next to the paper's machines; None where it has none.

    peak: flop/s of one core in float64, where it is known.
    """
    here = RunRates(document, peak)
    rows = []
    for contrast in CONTRASTS:
        own = contrast.of(here)
        if own:
            there = (_shown(contrast, contrast.of(PublishedRates(machine))) for machine in MACHINES)
            also_here = ", ".join(here_too(contrast, stated, own) for stated in contrast.stated) or "–"
            brackets = f" ({words})" if (words := contrast.note(here)) else ""
            rows.append((contrast.name, _shown(contrast, own) + brackets, *there, _verdicts(contrast), also_here))
    headings = (
        "",
        str(document.machine),
        *MACHINES.values(),
        "the paper's sentence, by its own tables",
        "the same sentence here",
    )
    note = (
        "Rates of one by the other, on one hardware thread; this machine: our plain code, as compiled here. The last "
    )
    note += "column judges the numbers as they are shown, without their intervals. A program's rate is the greatest of "
    note += "its sizes, as in Table 6.13, in brackets of which."
    if document.variants is None:
        note += " What more optimisation gains or loses, and in which kernels: `assay run vectors --flags -O2 --flags "
        note += '"-O3 -ffast-math"`.'
    return grid(TITLE, headings, rows, note) if rows else None


def verdict(contrast: Contrast, stated: Stated) -> str:
    """Whether a claim holds by the paper's own numbers: holds, differs, or inconclusive."""
    found = [value for machine in stated.machines for value in contrast.of(PublishedRates(machine))]
    return together([within(stated.in_claim_unit(value), _accepted(stated)) for value in found])


def here_too(contrast: Contrast, stated: Stated, own: list[float]) -> str:
    """Whether the sentence holds of these numbers of a run: of each where there are several."""
    return together([within(stated.in_claim_unit(value), _accepted(stated)) for value in own])


def _claim(stated: Stated) -> Claim:
    return next(claim for claim in load().claims if claim.id == stated.claim)


def _accepted(stated: Stated) -> Accepted:
    claim = _claim(stated)
    if stated.share is not None:
        slack = si(claim.tol_abs or 0.0, claim.unit or "1")[0] + (claim.tol_rel or 0.0) * stated.share
        return accepted("~=", stated.share, slack)
    if claim.op is not None and claim.value is not None:
        value = float(claim.value)
        return accepted(claim.op, value, claim.tol_abs or (claim.tol_rel or 0.0) * abs(value))
    low, high = float(claim.value_min or 0), float(claim.value_max or 0)
    slack = claim.tol_rel or 0.0
    return Accepted(low * (1 - slack), high * (1 + slack))


def _verdicts(contrast: Contrast) -> str:
    texts = []
    for stated in contrast.stated:
        claim = _claim(stated)
        texts.append(f"{verdict(contrast, stated)}: “{claim.text}” ({claim.source})")
    return " ".join(texts) or "–"


def _shown(contrast: Contrast, found: list[float]) -> str:
    texts = [f"{100 * value:.3g}%" if contrast.percent else f"{value:.3g}" for value in found]
    if len(texts) > 2:
        low, high = min(found), max(found)
        return f"{low:.3g} – {high:.3g}"
    return ", ".join(texts) or "–"
