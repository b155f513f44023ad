"""Where a description's numbers are from, read from its `[origin]`: stated, fitted on named cells, or assumed.

    "protocol.0.startup" = "fitted: echo [hops 1, 6] (remark)"       # several: separated by semicolons
    "protocol.0.receive" = "fitted: as protocol.0.startup"           # one number in two places
    "network.cycle"      = "fitted: ipsc860 echo [hops 1, 6]"        # cells of another machine
    "network.dimension"  = "stated: Table 1"
    "variant.turbo.protocol.0.startup" = "stated: section 4, 75 us; used: echo [metric time]; claim d95p.turbo"
    "protocol.0.handshake_from" = "assumed: as the printed rates ask for; used: summary [metric rate_8192_B]"

What stands behind `fitted:` was fitted on; what stands behind `used:` is the published cell or the claim whose very
value was taken, or that helped to choose. Both decide which published cells and claims count as evidence: none of
these does (`assay.published.cells.provenance`). Clauses: `assay.published.cells.clauses`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.errors import InputError
from assay.machine import catalogue
from assay.published.cells.clauses import ACCEPTED, Named, named

KINDS = ("stated", "fitted", "assumed")
_USED = re.compile(r";\s*used:\s*")
_CLAIM = re.compile(r"claim ([\w.-]+)$")


def kind(text: str) -> str:
    """`stated`, `fitted` or `assumed`. InputError for anything else."""
    found = text.partition(":")[0].strip()
    if found not in KINDS:
        raise InputError("does not say where the number is from", key="origin", value=text, accepted=", ".join(KINDS))
    return found


def used(text: str, machine: str) -> tuple[Named, ...]:
    """The cells that one origin's number was fitted on; none where it was not, or where another key's is taken."""
    if kind(text) != "fitted" or text.startswith("fitted: as "):
        return ()
    clauses = re.sub(r"\([^)]*\)", "", _USED.split(text)[0].partition(":")[2])
    return tuple(named(clause, machine) for clause in clauses.split(";"))


def inputs(text: str, machine: str) -> tuple[tuple[Named, ...], tuple[str, ...]]:
    """The cells and the claims (ids) that one origin took a value from, or was chosen by, without a fit."""
    kind(text)
    _, *rest = _USED.split(text)
    clauses = [clause.strip() for part in rest for clause in part.split(";")]
    claims = [found[1] for clause in clauses if (found := _CLAIM.match(clause))]
    return tuple(named(clause, machine) for clause in clauses if not _CLAIM.match(clause)), tuple(claims)


def check(origin: Mapping[str, str], machine: str, file: object = None, text: str = "") -> None:
    """Refuse an origin that cannot be read, or that uses no published cell or claim, by file, line and key."""
    known = catalogue.load()
    for key, stated in origin.items():
        where = [number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(f'"{key}"')]
        line = where[-1] if where else None
        try:
            used(stated, machine)
            cells, claims = inputs(stated, machine)
        except InputError:
            accepted = f"stated: …, assumed: … or fitted: {ACCEPTED}; then perhaps ; used: the same, or claim ID"
            raise InputError(
                "cannot be read", file=file, line=line, key=f"origin.{key}", value=stated, accepted=accepted
            ) from None
        lost = [str(each) for each in cells if not any(each.holds(cell) for cell in known.cells)]
        lost += sorted(set(claims) - {claim.id for claim in known.claims})
        if lost:
            accepted = "cells and claims of `assay catalogue`"
            raise InputError(
                "uses what was not published",
                file=file,
                line=line,
                key=f"origin.{key}",
                value=lost[0],
                accepted=accepted,
            )


def fitted_on(origin: Mapping[str, str], machine: str) -> tuple[Named, ...]:
    """All cells that any number of a description was fitted on."""
    return tuple(dict.fromkeys(each for text in origin.values() for each in used(text, machine)))


def taken_from(origin: Mapping[str, str], machine: str) -> tuple[Named, ...]:
    """All cells that any number of a description was taken from or chosen by."""
    return tuple(dict.fromkeys(each for text in origin.values() for each in inputs(text, machine)[0]))


def claims_used(origin: Mapping[str, str], machine: str) -> frozenset[str]:
    """All claims (ids) that any number of a description was taken from or chosen by."""
    return frozenset(claim for text in origin.values() for claim in inputs(text, machine)[1])
