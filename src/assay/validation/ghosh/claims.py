"""The claims of Ghosh, Goveas and Draper, judged: a verdict for each that a study answers."""

from __future__ import annotations

from collections.abc import Sequence

from assay.machine import catalogue
from assay.machine.published import Claim
from assay.network.study.results import Results
from assay.published.judge import ClaimPart, ClaimVerdict, fact, verdict
from assay.validation.ghosh import claims_background, claims_links, claims_response
from assay.validation.ghosh.judging import INPUTS, JUDGES, NOTES

JUDGED_IN = (claims_response, claims_links, claims_background)  # imported, they have registered their judges


def published() -> dict[str, Claim]:
    """The paper's claims by id."""
    return {claim.id: claim for claim in catalogue.load().claims if claim.id.startswith("ghosh.")}


def evaluate(results: Results) -> list[ClaimVerdict]:
    """A verdict for every claim that the study answers."""
    known = published()
    found = []
    for name in results.study.head.claims:
        judge = JUDGES.get(name)
        if judge is None or name not in known:
            found.append(verdict(name, [], "no such claim, or no function that judges it"))
            continue
        try:
            parts: Sequence[ClaimPart] = judge(results, known[name])
        except LookupError as error:
            parts = [fact(None, f"not simulated here: {error}")]
        found.append(verdict(name, parts, NOTES[name], "input" if name in INPUTS else None))
    return found
