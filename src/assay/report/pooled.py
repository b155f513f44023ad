"""Whether the launches that one benchmark's figures are made from were all of one machine, program and MPI."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.samples import Launch
from assay.stored.provenance import differences

STATED = ("compiler", "flags", "library")  # by the programs themselves
MOST_SAID = 3


def pooled(benchmark: str, launches: Iterable[Launch], provenance: Mapping[str, dict[str, Any]]) -> list[str]:
    """Say by what the complete launches differ, in one text; empty where they are alike.

    Compared are what a host's programs state, and the circumstances by the keys that decide whether a run may be
    resumed (`assay.stored.provenance`); what other programs were built by does not count. Of a run with MPI variants
    each may state something else, and no figure combines them.
    """
    counted = [launch for launch in launches if launch.complete]
    found: dict[str, None] = {}
    variants = max((len(each.get("mpi_variants") or ()) for each in provenance.values()), default=0)
    for host in dict.fromkeys(launch.host for launch in counted):
        for key in STATED:
            values = dict.fromkeys(getattr(launch, key) for launch in counted if launch.host == host)
            if len(values) > max(1, variants):
                found[f"{key} was {' and '.join(str(value) for value in values)}"] = None
    known = [provenance[key] for key in dict.fromkeys(launch.provenance for launch in counted) if key in provenance]
    for other in known[1:]:
        for each in differences(known[:1], other):
            if not each.key.startswith("programs.") or each.key.startswith(f"programs.{benchmark}."):
                found[str(each)] = None
    if not found:
        return []
    more = f"; and {len(found) - MOST_SAID} more" if len(found) > MOST_SAID else ""
    return [
        f"one figure combines launches made under different circumstances: {'; '.join(list(found)[:MOST_SAID])}{more}"
    ]
