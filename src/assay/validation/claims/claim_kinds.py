"""How a claim of each kind is tested: a value, a range, a ratio, a comparison, a trend.

The claim's own numbers, tolerances, `versus` and `over` come from the catalogue; the quantity that it speaks of from
`quantities`. What a number in print leaves open is half of its last digit, and where times of a coarse clock are
subtracted a tick (`allowance.claimed`); any other tolerance is in the catalogue and says there which print it is from
(`tol_basis`) or that it is our choice. None is set by what the simulation gives.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.machine import catalogue
from assay.machine.published import Claim
from assay.published.cells import allowance
from assay.published.cells.answers import Answers
from assay.published.judge import Accepted, ClaimPart, accepted, fact, follows, judged
from assay.report.units import human
from assay.validation.claims.quantities import QUANTITIES, Params, over

HYPERCUBES = ("ipsc1", "ipsc2", "ipsc860", "ncube3200", "ncube6400")  # a claim of that paper that names no machine
Test = Callable[[Answers, Claim, str, str], list[ClaimPart]]


def about(claim: Claim) -> tuple[str, ...]:
    """The machines that a claim is judged on."""
    return claim.about or (() if claim.id.startswith("vds.") else HYPERCUBES)


def value_of(answers: Answers, claim: Claim, machine: str, benchmark: str, params: Params) -> float | None:
    """The quantity (SI) that the claim speaks of, on a machine; None where nothing simulates it."""
    function = QUANTITIES.get((benchmark, claim.metric or ""))
    return None if function is None else function(answers, machine, {"metric": claim.metric, **params})


def accepted_of(claim: Claim, machine: str) -> Accepted:
    """What the claim accepts of its quantity (SI)."""
    wanted = catalogue.si(claim.value, claim.unit or "1")[0] if claim.value is not None else 0.0
    return accepted(claim.op or "~=", wanted, allowance.claimed(claim, machine))


def stated(claim: Claim, machine: str) -> str:
    """What the claim says in numbers, with what its print allows."""
    unit = "" if claim.unit in (None, "1") else claim.unit or ""
    text = f"{claim.op or ''} {claim.value:g} {unit}".strip()
    if claim.op != "~=" or claim.value is None:
        return text
    scale = catalogue.si(1, claim.unit or "1")[0]
    return f"{text} ± {allowance.claimed(claim, machine) / scale:.3g}"


def shown(found: float | None, claim: Claim) -> str:
    """A quantity (SI) for people."""
    unit = catalogue.si(0, claim.unit or "1")[1]
    if found is None:
        return "not simulated"
    return f"{found:,.0f} B" if unit == "B" else human(found, unit)


def tested(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[ClaimPart]:
    """A claim that compares a quantity with a value; for each value of a parameter that is a list."""
    lists = {key: value for key, value in claim.params.items() if isinstance(value, list | tuple)}
    parts = []
    for key, values in lists.items() or {"": ("",)}.items():
        for value in values:
            params = {**claim.params, **({key: value} if key else {})}
            found = value_of(answers, claim, machine, benchmark, params)
            where = f"{machine}{f', {key} {value}' if key else ''}"
            words = f"{where}: {shown(found, claim)} ({stated(claim, machine)})"
            parts.append(judged(found, accepted_of(claim, machine), words))
    return parts


def ends(claim: Claim) -> Accepted:
    """The least and the greatest value (SI) of a range, with what its print leaves open."""
    unit = claim.unit or "1"
    least, most = claim.value_min or 0, claim.value_max or 0
    slack = [allowance.half(end) if claim.tol_abs is None else claim.tol_abs for end in (least, most)]
    return Accepted(catalogue.si(least - slack[0], unit)[0], catalogue.si(most + slack[1], unit)[0])


def ranged(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[ClaimPart]:
    """A claim that a quantity lies between two."""
    found = value_of(answers, claim, machine, benchmark, dict(claim.params))
    printed = f"{claim.value_min:g} to {claim.value_max:g} {'' if claim.unit in (None, '1') else claim.unit}".strip()
    words = f"{machine}: {shown(found, claim)} ({printed})"
    return [judged(found, ends(claim), words)]


def ratio(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[ClaimPart]:
    """A claim that compares a quantity with the same one elsewhere."""
    versus = dict(claim.versus)
    other_machine, other_benchmark = str(versus.pop("machine", machine)), str(versus.pop("benchmark", benchmark))
    one = value_of(answers, claim, machine, benchmark, dict(claim.params))
    other = value_of(answers, claim, other_machine, other_benchmark, {**claim.params, **versus})
    if one is None or other is None or not other:
        return [fact(None, f"{machine}: not simulated")]
    name = other_machine if other_machine != machine else other_benchmark if other_benchmark != benchmark else ""
    beside = name or ", ".join(f"{key} {value}" for key, value in versus.items())
    words = f"{machine} / {beside}: {one / other:.3g} ({stated(claim, machine)})"
    return [judged(one / other, accepted_of(claim, machine), words)]


def trend(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[ClaimPart]:
    """A claim that a quantity rises, falls or stays over a parameter."""
    key = claim.over or ""
    values = over(machine, key, claim.params)
    found = [value_of(answers, claim, machine, benchmark, {**claim.params, key: value}) for value in values]
    known = [(value, one) for value, one in zip(values, found, strict=True) if one is not None]
    if len(known) < 2:
        return [fact(None, f"{machine}: not simulated")]
    each = ", ".join(f"{value}: {human(one, _unit(claim))}" for value, one in known)
    how, flat = claim.direction or "", allowance.share(claim, allowance.FLAT)
    outcome = follows([one for _, one in known], how, flat)
    return [ClaimPart(outcome, f"{machine}, by {key}: {each} ({f'{how} within {flat:.1%}' if how == 'flat' else how})")]


def _unit(claim: Claim) -> str:
    return {"time": "s", "slowdown": "1"}.get(claim.metric or "", "B/s")


KINDS: dict[str, Test] = {"value": tested, "range": ranged, "ratio": ratio, "compare": ratio, "trend": trend}
