"""The papers' claims, each judged by code from simulated samples: holds, differs, or inconclusive.

Every claim of the three papers is here, and van der Steen's on clusters' communication, of many users' jobs, of
files and of applications (`whole_programs`; kernels: published/contrasts): those that simulation answers (`claim_kinds`
by their kind, `special` and `clusters` one by one), those about nodes that only the papers' own tables answer
(`from_print`), and the rest with the reason why not (`unjudged`). Each judged one states whether it was an
input (`provenance`). A described machine repeats itself exactly, so that a verdict needs no interval. Notes tell how
words were taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.kinds import EVIDENCE, PUBLISHED, NumberKind, weakest
from assay.machine import catalogue
from assay.machine.published import Claim
from assay.published.cells.answers import Answers
from assay.published.cells.provenance import Provenance
from assay.published.cells.twins import has_rule
from assay.published.judge import ClaimPart, ClaimVerdict, fact, verdict
from assay.validation.claims import clusters, from_print, special, whole_programs
from assay.validation.claims.claim_kinds import KINDS, about
from assay.validation.claims.unjudged import REASONS

PAPERS = ("d91h.", "d91d.", "d95p.")
NOTES = {
    "d91h.fan-in-ipsc860": "1 to 6 senders; what is slight is our choice, made with the simulated gains in view.",
    "d91h.host-ipsc1-vs-ncube3200": "Large: 8,192 bytes, whose iPSC/1 row is lost in print.",
    "d91h.host-ipsc1-vs-node": "Large: 8,192 bytes.",
    "d91h.hop-ipsc860-long": "Appendix A itself gives 29 to 31 us per hop: the text does not follow from its tables.",
    "d91d.segments": "The greatest jump between 8 and 6,300 bytes; the other reading is a variant of the description.",
    "d91d.barrier-growth-cube": "By messages in rounds whose number is a logarithm: the algorithms are ours, the "
    "paper's are not printed.",
    "d91d.six-times-bandwidth": "8,192 bytes, without FORCE_TYPE; with it, 17 MB/s are six times the iPSC/860's 2.8.",
    "d95p.corner-to-corner": "77 hops of the 40 ns that the paper states are 3.08 us: the text rounds.",
    "d91d.fan-in-delta-small": "1 to 4 senders to a node inside the mesh.",
    "d91h.cfs-block-size": "One compute node; the paper prints no lengths of calls.",
    "d91h.cfs-aggregate-falls": "10 and 20 compute nodes with calls of 64 KiB, an assumed length.",
    "d91h.cfs-vs-host-file": "Files of 1 MiB, calls of 64 KiB; the hosts' disks and NFS are assumed.",
    "d91h.local-disk-vs-nfs": "As above: only that 1 KiB blocks lie scattered, and that NFS moves 8 KiB, makes it so.",
    "d91d.cfs-falls": "As many compute nodes as I/O nodes, and twice as many; calls of 64 KiB, an assumed length.",
    "d91d.cfs-same": "1, 4 and 10 compute and I/O nodes; calls of 64 KiB, an assumed length.",
    "d95p.compute-and-communicate": "Megabyte echoes from a processor beside the one that streams. 119 MB/s alone are "
    "of earlier software than the 171 that the description has.",
}


def published() -> dict[str, Claim]:
    """All claims of the three papers about these machines, and the clusters' but for kernels, by id."""
    return {
        claim.id: claim
        for claim in catalogue.load().claims
        if claim.id.startswith(PAPERS)
        or clusters.speaks_of_messages(claim)
        or whole_programs.speaks_of_whole_programs(claim)
    }


def evaluate(answers: Answers, machine: str | None = None, origin: dict[str, str] | None = None) -> list[ClaimVerdict]:
    """Judge every claim, or those that speak of one published machine, whose description has these origins."""
    chosen = [claim for claim in published().values() if machine is None or machine in about(claim)]
    behind = Provenance(has_rule, machine, origin)
    return [judge(answers, claim, behind) for claim in chosen]


def judge(answers: Answers, claim: Claim, behind: Provenance | None = None) -> ClaimVerdict:
    """Judge one claim on all its machines; marked by what the descriptions rest on.

    What the claim says and nothing tests (`untested`) is an inconclusive part: a half-tested claim does not hold.
    """
    if (why := REASONS.get(claim.id) or whole_programs.reason(claim)) is not None:
        return verdict(claim.id, [fact(None, why)])
    untested = [fact(None, f"not tested: {text}") for text in claim.untested]
    if claim.id in whole_programs.JUDGES:
        parts_of_whole = [*whole_programs.JUDGES[claim.id](claim), *untested]
        return verdict(claim.id, parts_of_whole, whole_programs.NOTES[claim.id], NumberKind.QUOTED, claim.rests_on)
    if claim.id in from_print.JUDGES:
        parts_of_print = [*from_print.JUDGES[claim.id](claim), *untested]
        return verdict(claim.id, parts_of_print, "From print alone.", NumberKind.QUOTED, claim.rests_on)
    one = special.JUDGES.get(claim.id) or clusters.JUDGES.get(claim.id)
    parts: list[ClaimPart] = list(one(answers, claim)) if one else []
    for machine in () if parts else about(claim):
        for benchmark in claim.of or ("",):
            parts += KINDS[claim.kind](answers, claim, machine, benchmark)
    kind = of_claim(claim, [part.of for part in parts], behind or Provenance(has_rule))
    return verdict(claim.id, [*parts, *untested], NOTES.get(claim.id, ""), kind, claim.rests_on)


def of_claim(claim: Claim, clauses: Sequence[tuple[str, ...]], behind: Provenance) -> NumberKind:
    """The kind of a claim: its own, and no more than that of the one that it rests on."""
    kinds = [behind.claim(claim, clauses)]
    if claim.rests_on is not None:
        kinds.append(behind.claim(published()[claim.rests_on]))
    return weakest(kinds) or NumberKind.TRANSFERRED


def evidence(verdicts: Sequence[ClaimVerdict]) -> list[ClaimVerdict]:
    """The verdicts that are evidence, each simulation once: those whose every clause is extrapolated or transferred."""
    return [one for one in verdicts if one.mark in EVIDENCE and one.rests_on is None]


def summary(verdicts: Sequence[ClaimVerdict]) -> str:
    """How many hold, and their kinds, as text."""
    count = Counter(str(one.outcome) for one in verdicts)
    holds = Counter(str(one.mark) for one in verdicts if one.outcome == "holds")
    words = f"{count['holds']} hold, {count['differs']} differ, {count['inconclusive']} inconclusive"
    kinds = ", ".join(f"{holds[kind]} {kind}" for kind in PUBLISHED if holds[kind])
    found = evidence(verdicts)
    held = sum(one.outcome == "holds" for one in found)
    once = sum(one.rests_on is not None and one.mark in EVIDENCE for one in verdicts)
    text = f"Of {len(verdicts)} claims {words}. Those that hold by kind: {kinds or 'none'}. "
    text += f"Only extrapolated and transferred ones are evidence: {len(found)}, of which {held} hold"
    return f"{text} ({once} more rest on one of these and are not counted again)." if once else f"{text}."
