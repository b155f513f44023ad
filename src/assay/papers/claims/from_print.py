"""Claims about nodes, which no simulation of messages reaches, judged from the papers' own tables.

Such a verdict says whether the text follows from the print; it is no evidence for a description, and is marked
`restated`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.machine.published import Claim
from assay.papers.cells import allowance
from assay.papers.claims.claim_kinds import accepted_of, ends, stated
from assay.papers.claims.judge import Accepted, ClaimPart, accepted, fact, judged

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


def _flops(claim: Claim) -> list[ClaimPart]:
    """Rates of the compound expression as section 3.1 prints them."""
    rates = [
        next(c.value for c in catalogue.cells(machine=m, benchmark="caltech.real8_compound", metric="rate"))
        for m in ("ncube3200", "ipsc1")
    ]
    ratio = rates[0] / rates[1]
    return [judged(ratio, accepted_of(claim, "ncube3200"), f"section 3.1: {ratio:.3g} ({stated(claim, 'ncube3200')})")]


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


def _loads(claim: Claim) -> list[ClaimPart]:
    """Table 3.1's sums of quad loads on one to three processors, and the bus's specification."""
    one, two, three = (_cell("paragon-mp", "pfldq", "table3.1", cpus=cpus, cpu="sum").value for cpus in (1, 2, 3))
    specified = catalogue.machine("paragon-mp").fact("bus_bandwidth_B_per_s")
    return [
        judged(two / one, accepted("<=", 1), f"Table 3.1: two processors together {two / one:.2f} of one (<= 1)"),
        judged(three / one, accepted("<=", 1), f"Table 3.1: three {three / one:.2f} of one (<= 1)"),
        judged(one / specified, accepted("<", 1), f"one {one / specified:.2f} of the bus as specified (< 1)"),
    ]


def _inner_product(claim: Claim) -> list[ClaimPart]:
    """Table 3.1's inner product on two and three processors, over one."""
    one, two, three = (_cell("paragon-mp", "ddot", "table3.1", cpus=cpus, cpu="sum").value for cpus in (1, 2, 3))
    pairs = ((2, two / one), (3, three / one))
    return [
        judged(gain, Accepted(1, n, open=True), f"Table 3.1: {n} processors {gain:.2f} times one (below {n})")
        for n, gain in pairs
    ]


def _speedups(claim: Claim) -> list[ClaimPart]:
    """Table 3.4's speedups on three processors, to the printed digit."""
    parts = []
    for name in claim.of:
        cell = _cell("paragon-mp", name, "table3.4")
        parts.append(
            judged(cell.value, accepted_of(claim, "paragon-mp"), f"Table 3.4, {name}: {cell.value:g} of 3 processors")
        )
    return parts


def _threads(claim: Claim) -> list[ClaimPart]:
    """Table 3.2's thread and join against each other machine."""
    own = _cell("paragon-mp", "threads.thread-join", "table3.2")
    others: Iterable[str] = claim.versus["machine"]
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
    "d91h.ncube3200-vs-ipsc1-flops": _flops,
    "d91h.consistent-with-components": _components,
    "d91d.applications-faster": _applications,
    "d95p.bus-limit": _loads,
    "d95p.ddot-sublinear": _inner_product,
    "d95p.hitc-no-speedup": _speedups,
    "d95p.integration-linear": _speedups,
    "d95p.thread-once": _threads,
}
