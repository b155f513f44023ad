"""Van der Steen 2000 on whole programs on RISC machines and Intel ones, judged from its own tables.

Both sentences compare machines of the paper with one another, so that no run adds to them: a verdict shows whether the
text follows from the print. The one of section 7 names no programs. Compute-bound are, in the tables, module 3
(Table 6.14; the Origin2000 there is the other one, of 300 MHz) and vasp on one processor (Table 6.16): maya5's SGI
version has another search routine, and rboltz moves data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.machine.catalogue import cells, load
from assay.machine.published import Claim
from assay.published.judge import Accepted, ClaimPart, ClaimVerdict, judged, verdict

PAPER = "vandersteen2000_beowulf"
ALPHA = "compaq-xp1000-cluster"
MODULE3 = ("euroben.mod3c", "euroben.mod3d", "euroben.mod3e", "euroben.mod3f", "euroben.mod3g", "euroben.mod3h")
USER = ("user.vasp",)
NAMES = {
    ALPHA: "XP1000",
    "sgi-origin2000-400": "Origin2000/400",
    "ibm-netfinity-cluster": "IBM Netfinity",
    "sgi-l1200-cluster": "SGI L1200",
}
TITLE = "Speed of whole programs: what the paper says, by its own tables"


def _times(name: str, program: str, table: str) -> list[float]:
    """The program's time (s) on one processor of a machine; [] where the table has none."""
    found = cells(paper=PAPER, machine=name, benchmark=program)
    return [cell.value for cell in found if (cell.table or "").startswith(table) and cell.params.get("cpus") == 1]


def _module3(claim: Claim) -> Iterator[ClaimPart]:
    yield from _ratios(claim, ALPHA, claim.of or MODULE3, "table6.14")


def _compute_intensive(claim: Claim) -> Iterator[ClaimPart]:
    yield from _ratios(claim, ALPHA, MODULE3, "table6.14")
    for name in claim.about:
        yield from _ratios(claim, name, USER, "table6.16")


def _ratios(claim: Claim, name: str, programs: tuple[str, ...], table: str) -> Iterator[ClaimPart]:
    """A part for each program and Intel machine whose times are printed: how many times as fast."""
    slack = claim.tol_rel or 0.0
    expected = Accepted(float(claim.value_min or 0) * (1 - slack), float(claim.value_max or 0) * (1 + slack))
    others = claim.versus["machine"]
    assert isinstance(others, list)
    for program in programs:
        for other in others:
            for theirs in _times(other, program, table):
                for own in _times(name, program, table):
                    words = f"{NAMES[name]} over {NAMES[other]}: {program.partition('.')[2]} {theirs / own:.2f}"
                    yield judged(theirs / own, expected, words)


JUDGES: dict[str, Callable[[Claim], Iterator[ClaimPart]]] = {
    "vds.module3-alpha-vs-intel": _module3,
    "vds.risc-vs-intel-compute": _compute_intensive,
}


def verdicts() -> list[tuple[Claim, ClaimVerdict]]:
    """Return each of these claims with its verdict."""
    by_id = {claim.id: claim for claim in load().claims}
    return [(by_id[name], verdict(name, list(judge(by_id[name])), mark="restated")) for name, judge in JUDGES.items()]


def tables(document: Document) -> list[Grid]:
    """Lay out the sentences, each with its verdict and the ratios that it rests on; [] of a run without module 3."""
    if not any(name.startswith("euroben.mod3") for section in document.benchmarks for name in section.published):
        return []
    rows = [(f"“{claim.text}” ({claim.source})", found.outcome, _together(found.parts)) for claim, found in verdicts()]
    note = (
        "Times on one processor, the Intel machine's over the other's; 2 to 4 with a fifth either way. The second "
        "sentence names no programs: module 3 and vasp are our choice, and of the Origin2000 at 400 MHz vasp alone is "
        "printed. No run adds to either."
    )
    return [grid(TITLE, ("the paper's sentence", "", "by its tables"), rows, note, left=3)]


def _together(parts: Iterable[ClaimPart]) -> str:
    """Write the ratios, those of a pair of machines after one another."""
    by_pair: dict[str, list[str]] = {}
    for part in parts:
        pair, _, ratio = part.numbers.partition(": ")
        by_pair.setdefault(pair, []).append(ratio)
    return "; ".join(f"{pair}: {', '.join(ratios)}" for pair, ratios in by_pair.items())
