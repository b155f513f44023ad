"""Claims about nodes and whole programs that no simulation reaches, judged from the papers' own tables.

Such a verdict shows whether the text follows from the print; it is no evidence for a description, and is marked
`restated`.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.machine.published import Claim
from assay.published.cells import allowance
from assay.published.judge import Accepted, ClaimPart, accepted, fact, judged
from assay.validation.claims.claim_kinds import ends

Judge = Callable[[Claim], list[ClaimPart]]


def _cell(machine: str, benchmark: str, table: str | None = None, **params: object) -> PublishedCell:
    found = [
        c for c in catalogue.cells(machine=machine, benchmark=benchmark, params=params) if table in (None, c.table)
    ]
    (one,) = (c for c in found if c.benchmark == benchmark)
    return one


def _kernels(claim: Claim) -> list[ClaimPart]:
    """Times of Table 4: the Ncube 6400's over the iPSC/860's."""
    printed = f"{claim.value_min:g} to {claim.value_max:g} ± {claim.tol_abs:g}"
    parts = []
    for name in claim.of:
        ratio = _cell("ncube6400", name, "table4").value / _cell("ipsc860", name, "table4").value
        parts.append(judged(ratio, ends(claim), f"Table 4, {name}: {ratio:.1f} times ({printed})"))
    return parts


def _applications(claim: Claim) -> list[ClaimPart]:
    """Rates of the same program on both machines, section 5 of the DELTA's report."""
    parts = []
    for name in claim.of:
        rates = [
            next(c for c in catalogue.cells(machine=m, benchmark=name, paper=claim.paper)) for m in ("delta", "ipsc860")
        ]
        ratio = rates[0].value / rates[1].value
        parts.append(judged(ratio, accepted(">", 1), f"section 5, {name}: {ratio:.2f} times (> 1)"))
    return parts


def _components(claim: Claim) -> list[ClaimPart]:
    """The iPSC/860's rate over the Ncube 6400's, between the least and the greatest ratio of Table 4's kernels."""
    kernels = ("sieve", "dhrystone", "floatmath", "whetstone")
    among = [_cell("ncube6400", name, "table4").value / _cell("ipsc860", name, "table4").value for name in kernels]
    parts = []
    for name in claim.of:
        one, other = (
            next(c for c in catalogue.cells(machine=m, benchmark=name, paper=claim.paper)).value for m in claim.machines
        )
        words = f"section 6, {name}: {one / other:.1f} times ({min(among):.1f} to {max(among):.1f} in Table 4)"
        parts.append(judged(one / other, Accepted(min(among), max(among)), words))
    return parts


def _threads(claim: Claim) -> list[ClaimPart]:
    """Table 3.2's thread and join against each other machine."""
    own = _cell("paragon-mp", "threads.thread-join", "table3.2")
    others = claim.versus["machine"]
    assert isinstance(others, list)
    return [
        fact(
            allowance.printed(own)[0] > allowance.printed(cell)[1],
            f"Table 3.2: {own.printed:g} us, {name} {cell.printed:g} us",
        )
        for name in others
        for cell in [_cell(name, "threads.thread-join", "table3.2")]
    ]


JUDGES: dict[str, Judge] = {
    "d91h.ipsc860-vs-ncube6400-kernels": _kernels,
    "d91h.consistent-with-components": _components,
    "d91d.applications-faster": _applications,
    "d95p.thread-once": _threads,
}
