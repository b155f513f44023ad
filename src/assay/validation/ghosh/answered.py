"""A study with what the paper's room adds to it: the tables of a part that simulates nothing, and its judged claims."""

from __future__ import annotations

from assay.network.documents import StudyAnswer, StudyClaim
from assay.network.study import document as study
from assay.network.study.results import Results, StudyTable
from assay.published.judge import SIGNS, ClaimVerdict
from assay.validation.ghosh import analysed
from assay.validation.ghosh.claims import evaluate, published


def tables(results: Results) -> list[StudyTable]:
    """The tables of a part that simulates nothing."""
    section = analysed.SECTIONS.get(results.study.head.section)
    return section() if section else []


def document(results: Results) -> StudyAnswer:
    """The study as data, tables and claims included."""
    known = published()
    claims = [
        _claim(verdict, known[verdict.claim].text if verdict.claim in known else "") for verdict in evaluate(results)
    ]
    return study.document(results, tables(results), claims)


def _claim(verdict: ClaimVerdict, text: str) -> StudyClaim:
    made: StudyClaim = {
        "claim": verdict.claim,
        "outcome": verdict.outcome,
        "parts": [{"outcome": part.outcome, "numbers": part.numbers} for part in verdict.parts],
        "note": verdict.note,
        "mark": verdict.mark or "",
        "text": text,
    }
    if verdict.mark is None:
        del made["mark"]
    return made


def words(results: Results) -> str:
    """The study for a terminal, tables and claims included."""
    lines = [line for verdict in evaluate(results) for line in claim_lines(verdict)]
    return study.words(results, tables(results), lines)


def brief(results: Results) -> str:
    """The study in one line, with how many of its claims hold."""
    outcomes = [verdict.outcome for verdict in evaluate(results)]
    counted = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in SIGNS if outcome in outcomes)
    return study.brief(results, f"{len(outcomes)} claims: {counted}" if outcomes else "")


def claim_lines(verdict: ClaimVerdict) -> list[str]:
    """A claim for a terminal: what became of it, then the parts that do not hold (at most six)."""
    known = published().get(verdict.claim)
    lines = [f"{SIGNS[verdict.outcome]} {verdict.outcome}: {known.text if known else verdict.claim} ({verdict.claim})"]
    shown = [part for part in verdict.parts if part.outcome != "holds"] or list(verdict.parts)
    lines += [f"    {SIGNS[part.outcome]} {part.numbers}" for part in shown[:6]]
    if len(shown) > 6:
        lines.append(f"    and {len(shown) - 6} more")
    return lines
