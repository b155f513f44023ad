"""Van der Steen 2000 on many users' jobs and on files, judged; and on whole programs, which nothing measures.

Jobs: the 33 of the paper's throughput test, simulated under first fit from the single-user times that it prints
(throughput/paper_figures.py), next to the printed times of the whole test. Files: the rates that it prints of
mod3a's large matrix. No verdict is evidence for a description: each is marked `restated`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from assay.machine import catalogue
from assay.machine.published import Claim
from assay.published.judge import Accepted, ClaimPart, accepted, judged
from assay.report.units import human
from assay.throughput import paper_figures
from assay.validation.claims.claim_kinds import accepted_of
from assay.validation.claims.user_programs import PROGRAMS  # whose claims our programs answer, by kind (claim_kinds)

CLUSTERS = {figure.machine: figure for figure in paper_figures.FIGURES}
COMPAQ, IBM, SGI = "compaq-xp1000-cluster", "ibm-netfinity-cluster", "sgi-l1200-cluster"
ORIGIN = "sgi-origin2000-300"
DECIDE = 0.5  # our choice: jobs decide a test that takes less than half as long without them
COMPARABLE = Accepted(0.5, 2.0)  # our choice

APPLICATION = "No benchmark measures it: applications."
PROCESS_TIMES = (
    "The paper measured user and system time of processes. A description has the time of computing and of calls, "
    "waiting included; what of a call is system time it does not say."
)
EQUAL_PARTS = (
    "The ranks of our program compute on equal parts of the work at one rate, so that computing alone speeds up as "
    "many times as there are ranks, by construction."
)
UNJUDGED = {
    "vds.origin-vs-intel-user": "Of primmod the Origin2000's description has no rate: code in a cache.",
    "vds.rboltz-user-speedup-compaq": EQUAL_PARTS,
    **dict.fromkeys(
        ("vds.rboltz-user-share-ethernet", "vds.rboltz-system-share-compaq", "vds.vasp-system-share-compaq"),
        PROCESS_TIMES,
    ),
    "vds.avoid-shared-nodes": "A recommendation without a number, of applications, which no benchmark measures.",
    "vds.throughput-near-single-user": "Times of single jobs in the test are not printed; a simulated job takes its "
    "single-user time.",
}


def speaks_of_whole_programs(claim: Claim) -> bool:
    """Whether a claim of that paper is one of these."""
    application = claim.id.startswith("vds.") and any(name.startswith("user.") for name in claim.of)
    return application or claim.id in UNJUDGED or claim.id in JUDGES


def reason(claim: Claim) -> str | None:
    """Why a claim is not judged; None of one that is, and of all others."""
    if claim.id in UNJUDGED:
        return UNJUDGED[claim.id]
    answered = claim.id in JUDGES or played(claim)
    return APPLICATION if speaks_of_whole_programs(claim) and not answered else None


def played(claim: Claim) -> bool:
    """Whether a program of ours answers it."""
    return bool(claim.of) and all(name in PROGRAMS for name in claim.of)


@cache
def makespan(machine: str, without: str = "") -> float:
    """Seconds from the first job's start to the last one's end, simulated; `without`: jobs of this program left out."""
    figure = CLUSTERS[machine]
    jobs = paper_figures.paper_activity(figure).jobs
    if without:
        numbers = [int(job.name.rpartition(".")[2]) for job in jobs if job.name.startswith(f"{without}.")]
        jobs = paper_figures.paper_activity(replace(figure, absent=(*figure.absent, *numbers))).jobs
    return max(job.ended or 0.0 for job in jobs)


def _longer_on_sgi(claim: Claim) -> list[ClaimPart]:
    """The test on the SGI cluster over the IBM one: as printed, and the same jobs under one policy on both."""
    pairs = {
        "as printed": (paper_figures.printed(CLUSTERS[SGI]), paper_figures.printed(CLUSTERS[IBM])),
        "under first fit on both, simulated": (makespan(SGI), makespan(IBM)),
    }
    return [
        judged(one / other, accepted_of(claim, SGI), f"{words}: {one:,.0f} s, {other:,.0f} s on the IBM cluster")
        for words, (one, other) in pairs.items()
    ]


def _euroben_decides(claim: Claim) -> list[ClaimPart]:
    """The test on the Compaq cluster without its EuroBen jobs."""
    every, others = makespan(COMPAQ), makespan(COMPAQ, "euroben")
    words = f"simulated: {every:,.0f} s, {others:,.0f} s without them (less than half: our reading)"
    return [judged(others / every, accepted("<", DECIDE), words)]


def _as_integrated(_: Claim) -> list[ClaimPart]:
    """Of the large matrix: the XP1000 cluster's rates over the Origin2000's; of smaller ones no machine is named."""
    parts = []
    for way in ("read", "write"):
        one, other = (
            next(
                float(cell.value)
                for cell in catalogue.cells(machine=machine, benchmark="euroben.mod3a", metric=f"bandwidth_{way}")
            )
            for machine in (COMPAQ, ORIGIN)
        )
        words = f"mod3a, {way}: {human(one, 'B/s')}, Origin2000 {human(other, 'B/s')} (within a factor of two)"
        parts.append(judged(one / other, COMPARABLE, words))
    return parts


JUDGES: dict[str, Callable[[Claim], list[ClaimPart]]] = {
    "vds.throughput-ibm-vs-sgi": _longer_on_sgi,
    "vds.throughput-euroben-dominates": _euroben_decides,
    "vds.io-comparable": _as_integrated,
}
NOTES = {
    "vds.throughput-ibm-vs-sgi": "Jobs take the printed single-user times.",
    "vds.throughput-euroben-dominates": "Jobs take the printed single-user times.",
    "vds.io-comparable": "From print alone; only these rates are printed of single machines.",
}
