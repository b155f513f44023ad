"""Whether the launches that one benchmark's figures are made from were all of one machine, program and MPI."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.samples import Launch
from assay.stored.provenance import differences

STATED = ("compiler", "flags", "library")  # by the programs themselves
MOST_SAID = 3


def pooled(benchmark: str, alike: Iterable[Sequence[Launch]], provenance: Mapping[str, dict[str, object]]) -> list[str]:
    """Say by what the complete launches of one figure differ, in one text; empty where they do not.

    `alike`: the launches by what the plan varied, of which no figure combines two. Compared are what a host's programs
    state, and the circumstances by the keys that decide whether a run may be resumed (`assay.stored.provenance`); what
    other programs were built by does not count.
    """
    found: dict[str, None] = {}
    for launches in alike:
        found |= dict.fromkeys(_within(benchmark, [each for each in launches if each.complete], provenance))
    if not found:
        return []
    more = f"; and {len(found) - MOST_SAID} more" if len(found) > MOST_SAID else ""
    return [
        f"one figure combines launches made under different circumstances: {'; '.join(list(found)[:MOST_SAID])}{more}"
    ]


def _within(benchmark: str, counted: Sequence[Launch], provenance: Mapping[str, dict[str, object]]) -> list[str]:
    found: list[str] = []
    for host in dict.fromkeys(launch.host for launch in counted):
        for key in STATED:
            values = dict.fromkeys(getattr(launch, key) for launch in counted if launch.host == host)
            if len(values) > 1:
                found.append(f"{key} was {' and '.join(str(value) for value in values)}")
    known = [provenance[key] for key in dict.fromkeys(launch.provenance for launch in counted) if key in provenance]
    for other in known[1:]:
        found += [
            str(each)
            for each in differences(known[:1], other)
            if not each.key.startswith("programs.") or each.key.startswith(f"programs.{benchmark}.")
        ]
    return found
