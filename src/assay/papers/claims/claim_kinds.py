"""How a claim of each kind is tested: a value, a range, a ratio, a comparison, a trend.

The claim's own numbers, tolerances, `versus` and `over` come from the catalogue; the quantity that it speaks of from
`quantities`. What a number in print leaves open is half of its last digit, and where times of a coarse clock are
subtracted a tick (`allowance.claimed`); any other tolerance is in the catalogue and says there which print it is from
(`tol_basis`). None is set by what the simulation gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from assay.machine import catalogue
from assay.machine.published import Claim
from assay.papers.cells import allowance
from assay.papers.cells.answers import Answers
from assay.papers.claims.quantities import QUANTITIES, over
from assay.papers.claims.verdict import Outcome, Part
from assay.report.units import human

HYPERCUBES = ("ipsc1", "ipsc2", "ipsc860", "ncube3200", "ncube6400")  # a claim of that paper that names no machine
FLAT = 0.05  # where a trend is flat and no print says how flat: a twentieth, what a reader sees of a printed curve
Test = Callable[[Answers, Claim, str, str], list[Part]]


def about(claim: Claim) -> tuple[str, ...]:
    """The machines that a claim is judged on."""
    return claim.about or HYPERCUBES


def value_of(answers: Answers, claim: Claim, machine: str, benchmark: str, params: dict[str, Any]) -> float | None:
    """The quantity (SI) that the claim speaks of, on a machine; None where nothing simulates it."""
    function = QUANTITIES.get((benchmark, claim.metric or ""))
    return None if function is None else function(answers, machine, {"metric": claim.metric, **params})


def part(found: float | None, fits: bool, words: str) -> Part:
    """One comparison; nothing found leaves it open."""
    outcome: Outcome = "cannot be told" if found is None else "holds" if fits else "differs"
    return Part(outcome, words)


def compares(claim: Claim, found: float, machine: str) -> bool:
    """Whether a quantity (SI) stands to the claim's value as the claim says."""
    wanted = catalogue.si(claim.value, claim.unit or "1")[0] if claim.value is not None else 0.0
    slack = allowance.claimed(claim, machine)
    return {
        "==": abs(found - wanted) <= 1e-9 * abs(wanted),
        "~=": abs(found - wanted) <= slack * (1 + 1e-9),
        "<": found < wanted,
        ">": found > wanted,
        "<=": found <= wanted,
        ">=": found >= wanted,
    }[claim.op or "~="]


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


def tested(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    """A claim that compares a quantity with a value; for each value of a parameter that is a list."""
    lists = {key: value for key, value in claim.params.items() if isinstance(value, list | tuple)}
    parts = []
    for key, values in lists.items() or {"": ("",)}.items():
        for value in values:
            params = {**claim.params, **({key: value} if key else {})}
            found = value_of(answers, claim, machine, benchmark, params)
            where = f"{machine}{f', {key} {value}' if key else ''}"
            words = f"{where}: {shown(found, claim)} ({stated(claim, machine)})"
            parts.append(part(found, found is not None and compares(claim, found, machine), words))
    return parts


def ends(claim: Claim) -> tuple[float, float]:
    """The least and the greatest value (SI) of a range, with what its print leaves open."""
    unit = claim.unit or "1"
    least, most = claim.value_min or 0, claim.value_max or 0
    slack = [allowance.half(end) if claim.tol_abs is None else claim.tol_abs for end in (least, most)]
    return catalogue.si(least - slack[0], unit)[0], catalogue.si(most + slack[1], unit)[0]


def ranged(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    """A claim that a quantity lies between two."""
    found = value_of(answers, claim, machine, benchmark, dict(claim.params))
    low, high = ends(claim)
    said = f"{claim.value_min:g} to {claim.value_max:g} {'' if claim.unit in (None, '1') else claim.unit}".strip()
    words = f"{machine}: {shown(found, claim)} ({said})"
    return [part(found, found is not None and low <= found <= high, words)]


def ratio(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    """A claim that compares a quantity with the same one elsewhere."""
    versus = dict(claim.versus)
    other_machine, other_benchmark = versus.pop("machine", machine), versus.pop("benchmark", benchmark)
    one = value_of(answers, claim, machine, benchmark, dict(claim.params))
    other = value_of(answers, claim, other_machine, other_benchmark, {**claim.params, **versus})
    if one is None or other is None or not other:
        return [Part("cannot be told", f"{machine}: not simulated")]
    name = other_machine if other_machine != machine else other_benchmark if other_benchmark != benchmark else ""
    beside = name or ", ".join(f"{key} {value}" for key, value in versus.items())
    words = f"{machine} / {beside}: {one / other:.3g} ({stated(claim, machine)})"
    return [part(one, compares(claim, one / other, machine), words)]


def trend(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    """A claim that a quantity rises, falls or stays over a parameter."""
    key = claim.over or ""
    values = over(machine, key, claim.params)
    found = [value_of(answers, claim, machine, benchmark, {**claim.params, key: value}) for value in values]
    known = [(value, one) for value, one in zip(values, found, strict=True) if one is not None]
    if len(known) < 2:
        return [Part("cannot be told", f"{machine}: not simulated")]
    each = ", ".join(f"{value}: {human(one, _unit(claim))}" for value, one in known)
    how = claim.direction or ""
    if how == "flat":
        how += f" within {claim.tol_rel or FLAT:.1%}"
    fits = _follows(claim, [one for _, one in known])
    return [Part("holds" if fits else "differs", f"{machine}, by {key}: {each} ({how})")]


def _unit(claim: Claim) -> str:
    return {"time": "s", "slowdown": "1"}.get(claim.metric or "", "B/s")


def _follows(claim: Claim, values: Sequence[float]) -> bool:
    if claim.direction == "flat":
        return max(values) <= (1 + (claim.tol_rel or FLAT)) * min(values)
    rising = claim.direction == "increasing"
    steps = all((b >= a) if rising else (b <= a) for a, b in pairwise(values))
    return steps and values[0] != values[-1]


KINDS: dict[str, Test] = {"value": tested, "range": ranged, "ratio": ratio, "compare": ratio, "trend": trend}
