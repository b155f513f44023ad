"""The papers' claims about messages, each judged by code from simulated samples: holds, differs, or cannot be told.

The claim's own numbers, tolerances, `versus` and `over` come from the catalogue; the quantity that it speaks of from
`quantities`. A described machine repeats itself exactly, so that a verdict needs no interval; what no program answers
cannot be told. Notes say how words were taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from assay.machine import catalogue
from assay.machine.published import Claim
from assay.network.study.verdict import Outcome, Part, Verdict, verdict
from assay.report.units import human
from assay.validation.answers import Answers
from assay.validation.quantities import QUANTITIES, over

PAPERS = ("d91h.", "d91d.", "d95p.")
KINDS = ("value", "range", "ratio", "compare", "trend")
HYPERCUBES = ("ipsc1", "ipsc2", "ipsc860", "ncube3200", "ncube6400")  # a claim of that paper that names no machine
FLAT = 0.05  # a trend is flat within this share; the claims state none
SLIGHT = 0.25  # "only slightly": a rate that rises by no more than this share
NOTES = {
    "d91h.fan-in-ipsc860": "Judged for 1, 2, 4 and 6 senders of 8,192 bytes.",
    "d91h.host-ipsc1-vs-ncube3200": "Large: 8,192 bytes, whose iPSC/1 row is lost in print.",
    "d91h.host-ipsc1-vs-node": "Large: 8,192 bytes.",
    "d91d.segments": "The greatest jump between 8 and 6,300 bytes; the other reading is a variant of the description.",
    "d91d.fan-in-ipsc860": f"Flat is taken as the text's 'only a slight improvement': at most {SLIGHT:.0%} more.",
    "d91d.six-times-bandwidth": "8,192 bytes, without FORCE_TYPE; with it, 17 MB/s are six times the iPSC/860's 2.8.",
    "d95p.corner-to-corner": "77 hops of the 40 ns that the paper states are 3.08 us: the text rounds.",
    "d91d.fan-in-delta-small": "256 and 8,192 bytes, to a node inside the mesh. A stream alone waits for its buffers.",
    "d95p.compute-and-communicate": "Megabyte echoes from a processor beside the one that streams. 119 MB/s alone are "
    "of earlier software than the 171 that the description has.",
    "d91d.barrier-growth-mesh": "The mesh's own barrier is described as one step a node, after this sentence.",
    "d91h.routing-slowdown-first-generation": "What forwarding takes of a processor is set from this sentence.",
}
SLIGHTLY = ("d91d.fan-in-ipsc860",)


def published() -> dict[str, Claim]:
    """The claims about these machines' messages that can be evaluated, by id."""
    return {
        claim.id: claim
        for claim in catalogue.load().claims
        if claim.id.startswith(PAPERS) and claim.kind in KINDS and _speaks(claim)
    }


def _speaks(claim: Claim) -> bool:
    return claim.id in SPECIAL or any((benchmark, claim.metric or "") in QUANTITIES for benchmark in claim.of or ("",))


def about(claim: Claim) -> tuple[str, ...]:
    """The machines that a claim is judged on."""
    return claim.about or HYPERCUBES


def evaluate(answers: Answers, machine: str | None = None) -> list[Verdict]:
    """Judge every claim, or those that speak of one published machine."""
    chosen = [claim for claim in published().values() if machine is None or machine in about(claim)]
    return [judge(answers, claim) for claim in chosen]


def judge(answers: Answers, claim: Claim) -> Verdict:
    """Judge one claim on all its machines."""
    parts: list[Part] = list(SPECIAL[claim.id](answers, claim)) if claim.id in SPECIAL else []
    for machine in () if parts else about(claim):
        for benchmark in claim.of or ("",):
            parts += _TESTS[claim.kind](answers, claim, machine, benchmark)
    return verdict(claim.id, parts, NOTES.get(claim.id, ""))


def _value(answers: Answers, claim: Claim, machine: str, benchmark: str, params: dict[str, Any]) -> float | None:
    function = QUANTITIES.get((benchmark, claim.metric or ""))
    return None if function is None else function(answers, machine, {"metric": claim.metric, **params})


def _told(found: float | None, fits: bool, words: str) -> Part:
    outcome: Outcome = "cannot be told" if found is None else "holds" if fits else "differs"
    return Part(outcome, words)


def _compares(claim: Claim, found: float) -> bool:
    wanted = catalogue.si(claim.value, claim.unit or "1")[0] if claim.value is not None else 0.0
    slack = abs(wanted) * (claim.tol_rel or 0.0)
    if claim.tol_abs is not None:
        slack = catalogue.si(claim.tol_abs, claim.unit or "1")[0]
    return {
        "==": abs(found - wanted) <= max(slack, 1e-9 * abs(wanted)),
        "~=": abs(found - wanted) <= slack,
        "<": found < wanted,
        ">": found > wanted,
        "<=": found <= wanted,
        ">=": found >= wanted,
    }[claim.op or "~="]


def _stated(claim: Claim) -> str:
    tolerance = f" within {claim.tol_rel:.0%}" if claim.tol_rel and claim.op == "~=" else ""
    return f"{claim.op or ''} {claim.value:g} {'' if claim.unit in (None, '1') else claim.unit}".strip() + tolerance


def _shown(found: float | None, claim: Claim) -> str:
    unit = catalogue.si(0, claim.unit or "1")[1]
    if found is None:
        return "not simulated"
    return f"{found:,.0f} B" if unit == "B" else human(found, unit)


def _tested(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    lists = {key: value for key, value in claim.params.items() if isinstance(value, list | tuple)}
    parts = []
    for key, values in lists.items() or {"": ("",)}.items():
        for value in values:
            params = {**claim.params, **({key: value} if key else {})}
            found = _value(answers, claim, machine, benchmark, params)
            words = f"{machine}{f', {key} {value}' if key else ''}: {_shown(found, claim)} ({_stated(claim)})"
            parts.append(_told(found, found is not None and _compares(claim, found), words))
    return parts


def _half(printed: float | None) -> float:
    """Half of the last digit that is printed."""
    exponent = Decimal(repr(printed or 0)).as_tuple().exponent
    return 0.5 * 10.0 ** (exponent if isinstance(exponent, int) else 0)


def _range(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    found = _value(answers, claim, machine, benchmark, dict(claim.params))
    unit, slack = claim.unit or "1", claim.tol_rel or 0.0
    low = catalogue.si((claim.value_min or 0) - _half(claim.value_min), unit)[0] * (1 - slack)
    high = catalogue.si((claim.value_max or 0) + _half(claim.value_max), unit)[0] * (1 + slack)
    stated = f"{claim.value_min:g} to {claim.value_max:g} {'' if unit == '1' else unit}".strip()
    words = f"{machine}: {_shown(found, claim)} ({stated})"
    return [_told(found, found is not None and low <= found <= high, words)]


def _ratio(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    versus = dict(claim.versus)
    other_machine, other_benchmark = versus.pop("machine", machine), versus.pop("benchmark", benchmark)
    one = _value(answers, claim, machine, benchmark, dict(claim.params))
    other = _value(answers, claim, other_machine, other_benchmark, {**claim.params, **versus})
    if one is None or other is None or not other:
        return [Part("cannot be told", f"{machine}: not simulated")]
    name = other_machine if other_machine != machine else other_benchmark if other_benchmark != benchmark else ""
    beside = name or ", ".join(f"{key} {value}" for key, value in versus.items())
    words = f"{machine} / {beside}: {one / other:.3g} ({_stated(claim)})"
    return [_told(one, _compares(claim, one / other), words)]


def _trend(answers: Answers, claim: Claim, machine: str, benchmark: str) -> list[Part]:
    key = claim.over or ""
    values = over(machine, key, claim.params)
    found = [_value(answers, claim, machine, benchmark, {**claim.params, key: value}) for value in values]
    known = [(value, one) for value, one in zip(values, found, strict=True) if one is not None]
    if len(known) < 2:
        return [Part("cannot be told", f"{machine}: not simulated")]
    shown = ", ".join(f"{value}: {human(one, _unit(claim))}" for value, one in known)
    fits = _follows(claim, [one for _, one in known])
    return [Part("holds" if fits else "differs", f"{machine}, by {key}: {shown} ({claim.direction})")]


def _unit(claim: Claim) -> str:
    return {"time": "s", "slowdown": "1"}.get(claim.metric or "", "B/s")


def _follows(claim: Claim, values: Sequence[float]) -> bool:
    if claim.direction == "flat":
        allowed = SLIGHT if claim.id in SLIGHTLY else FLAT
        return max(values) <= (1 + allowed) * min(values)
    rising = claim.direction == "increasing"
    steps = all((b >= a) if rising else (b <= a) for a, b in pairwise(values))
    return steps and values[0] != values[-1]


def _both_readings(answers: Answers, claim: Claim) -> list[Part]:
    """The DELTA's break: by the printed rates (the description) and by the text (its variant)."""
    parts = _tested(answers, claim, "delta", "echo")
    other = _value(answers, claim, "delta:text", "echo", {})
    return [*parts, Part("holds", f"by the text's reading (delta:text): {_shown(other, claim)}")]


def _small_and_large(answers: Answers, claim: Claim) -> list[Part]:
    """Rising with the senders for messages within a segment, flat above."""
    small = _trend(answers, claim.model_copy(update={"params": {"message_B": 256}}), "delta", "fan-in")
    large = {"params": {"message_B": 8192}, "direction": "flat"}
    return [*small, *_trend(answers, claim.model_copy(update=large), "delta", "fan-in")]


def _beside_the_stream(answers: Answers, claim: Claim) -> list[Part]:
    """What stream and messages keep beside each other, and their sum."""
    parts = []
    for figure, stated in (("stream", 146.0), ("messages", 31.0), ("sum", claim.value or 0.0)):
        found = _value(answers, claim, "paragon-mp", "pfldq-with-messages", {"share": figure})
        one = claim.model_copy(update={"value": stated})
        words = f"{figure} beside each other: {_shown(found, claim)} ({_stated(one)})"
        parts.append(_told(found, found is not None and _compares(one, found), words))
    return parts


def _not_the_networks(answers: Answers, claim: Claim) -> list[Part]:
    """The operating system's own messages are not described: 45 MB/s are only quoted."""
    found = _value(answers, claim, "paragon-mp", "echo", {"message_MB": 1})
    words = "NORMA IPC, the operating system's way between compute and I/O nodes, is not described; its 45 MB/s are"
    return [Part("cannot be told", f"{words} quoted beside the mesh's {_shown(found, _rate_of(claim))}")]


def _rate_of(claim: Claim) -> Claim:
    return claim.model_copy(update={"unit": "MB/s"})


def _falls_and_rises_again(answers: Answers, claim: Claim) -> list[Part]:
    """The slowdown falls with length; on the iPSC/1 it is greater beyond 1,024 bytes than at them."""
    parts = [part for machine in about(claim) for part in _trend(answers, claim, machine, "spincom")]
    one, other = (_value(answers, claim, "ipsc1", "spincom", {"message_B": size}) for size in (1024, 2048))
    if one is None or other is None:
        return [*parts, Part("cannot be told", "ipsc1 beyond 1,024 bytes: not simulated")]
    words = f"ipsc1: {one:.1%} at 1,024 bytes, {other:.1%} at 2,048 (increasing)"
    return [*parts, Part("holds" if other > one else "differs", words)]


def _form(answers: Answers, claim: Claim) -> list[Part]:
    """The trend, and whether a line in the number of nodes or in its logarithm is nearer."""
    parts = []
    for machine in about(claim):
        parts += _trend(answers, claim, machine, "barrier")
        nodes = over(machine, "nodes", {})
        times = [_value(answers, claim, machine, "barrier", {"nodes": count}) for count in nodes]
        if any(time is None for time in times):
            continue
        left = {form: _residual(nodes, times, form) for form in ("linear", "log2")}
        nearer = min(left, key=lambda form: left[form])
        words = f"{machine}: left over {left['linear']:.2g} of a line in nodes, {left['log2']:.2g} in their logarithm"
        parts.append(Part("holds" if nearer == claim.form else "differs", f"{words} ({claim.form})"))
    return parts


def _residual(nodes: Sequence[int], times: Sequence[float | None], form: str) -> float:
    x = np.log2(nodes) if form == "log2" else np.asarray(nodes, float)
    y = np.asarray(times, float)
    line = np.polyfit(x, y, 1)
    return float(np.sqrt(np.mean((y - np.polyval(line, x)) ** 2)) / y.mean())


SPECIAL = {
    "d91d.segments": _both_readings,
    "d91d.fan-in-delta-small": _small_and_large,
    "d91h.routing-slowdown-falls": _falls_and_rises_again,
    "d91d.barrier-growth-mesh": _form,
    "d91d.barrier-growth-cube": _form,
    "d95p.compute-and-communicate": _beside_the_stream,
    "d95p.ipc-limits-io": _not_the_networks,
}
_TESTS = {"value": _tested, "range": _range, "ratio": _ratio, "compare": _ratio, "trend": _trend}
