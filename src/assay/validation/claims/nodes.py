"""Claims about what the processors of a node compute, judged by the node model (described/node_model.py).

Each part names the published cells that it speaks of, so that a claim is as good as these: a speedup of two and three
processors is evidence where the description was given one processor's rate alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assay.machine import catalogue
from assay.machine.published import Claim
from assay.published.cells.answers import Answers
from assay.published.cells.node_twins import SPEEDUPS, bandwidths, by_threads
from assay.published.judge import EXACT, Accepted, ClaimPart, accepted, fact, judged
from assay.report.units import human
from assay.validation.claims.claim_kinds import accepted_of, stated

MACHINE = "paragon-mp"
SEVERAL = (2, 3)  # processors of a node beyond the first
NOT_SIMULATED = f"{MACHINE}: not simulated"


def _rates(answers: Answers, benchmark: str) -> Mapping[int, float]:
    """Bytes per second of one, two and three processors together."""
    return bandwidths(answers, MACHINE, benchmark, (1, *SEVERAL))


def _over_one(answers: Answers, benchmark: str, wanted: Callable[[int], Accepted], words: str) -> list[ClaimPart]:
    """What two and three processors have over one."""
    rates = _rates(answers, benchmark)
    if not {1, *SEVERAL} <= set(rates):
        return [fact(None, NOT_SIMULATED)]
    return [
        judged(
            rates[cpus] / rates[1],
            wanted(cpus),
            f"{MACHINE}: {cpus} processors {rates[cpus] / rates[1]:.2f} times one ({words.format(cpus)})",
            (f"{MACHINE} {benchmark} [cpus {cpus}]",),
        )
        for cpus in SEVERAL
    ]


def _loads(answers: Answers, _: Claim) -> list[ClaimPart]:
    """Quad loads of several processors over one's, and one's over the bus as specified."""
    parts = _over_one(answers, "pfldq", lambda cpus: accepted("<=", 1 + EXACT), "<= 1")
    specified = catalogue.machine(MACHINE).fact("bus_bandwidth_B_per_s")
    one = _rates(answers, "pfldq").get(1)
    if one is None:
        return parts
    words = f"one {human(one, 'B/s')}, {one / specified:.2f} of the bus as specified (< 1)"
    return [*parts, judged(one / specified, accepted("<", 1), words, (f"{MACHINE} pfldq [cpus 1]",))]


def _inner_product(answers: Answers, _: Claim) -> list[ClaimPart]:
    """The inner product from memory: more than one processor's rate, and less than so many times it."""
    return _over_one(answers, "ddot", lambda cpus: Accepted(1, cpus, open=True), "below {0}")


def _cached(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The inner product from the cache: each processor's rate, on one to three."""
    rates = _rates(answers, "ddot-cached")
    of = (f"{MACHINE} ddot-cached",)
    return [
        judged(
            rates[cpus] / cpus,
            accepted_of(claim, MACHINE),
            f"{MACHINE}, {cpus}: {human(rates[cpus] / cpus, 'B/s')} each ({stated(claim, MACHINE)})",
            of,
        )
        for cpus in sorted(rates)
    ] or [fact(None, NOT_SIMULATED)]


def _speedups(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Speedups on three processors, as printed."""
    parts = []
    for name in claim.of:
        program, params = SPEEDUPS[name]
        rates = by_threads(answers, MACHINE, program, "rate", (1, SEVERAL[-1]), **params)
        found = rates[SEVERAL[-1]] / rates[1] if {1, SEVERAL[-1]} <= set(rates) else None
        shown = "not simulated" if found is None else f"{found:.2f} of 3 processors"
        words = f"{MACHINE}, {name}: {shown} ({stated(claim, MACHINE)})"
        parts.append(judged(found, accepted_of(claim, MACHINE), words, (f"{MACHINE} {name} [metric speedup]",)))
    return parts


def _sums_of_products(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Operations per second of a sum of products in double precision, on two machines."""
    machines = (claim.machine or "", str(claim.versus["machine"]))
    times = [
        [
            each.value
            for each in answers.ask(
                machine, "caltech", "time_per_op", type="float64", operation="compound", form="throughput"
            )
        ]
        for machine in machines
    ]
    if not all(times):
        return [fact(None, f"{machines[0]}: not simulated")]
    found = times[1][0] / times[0][0]
    of = tuple(f"{machine} caltech.real8_compound [metric time_per_op]" for machine in machines)
    words = f"{machines[0]} / {machines[1]}: {found:.3g} ({stated(claim, machines[0])})"
    return [judged(found, accepted_of(claim, machines[0]), words, of)]


JUDGES: dict[str, Callable[[Answers, Claim], Sequence[ClaimPart]]] = {
    "d91h.ncube3200-vs-ipsc1-flops": _sums_of_products,
    "d95p.bus-limit": _loads,
    "d95p.ddot-cached-linear": _cached,
    "d95p.ddot-sublinear": _inner_product,
    "d95p.hitc-no-speedup": _speedups,
    "d95p.integration-linear": _speedups,
}
