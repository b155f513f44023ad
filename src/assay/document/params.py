"""What is free in a document, because benchmarks, launchers and hosts name its keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from assay.case import Case, Parameters
from assay.document.json_form import CaseForm

__all__ = [
    "KNOWN_FROM_HOST",
    "WITHIN_A_NODE",
    "Derived",
    "Facts",
    "Parameters",
    "Params",
    "Plot",
    "placement_from_host",
]
Params = Annotated[Case, CaseForm]
Derived = dict[str, Any]  # by sections of a report that have no field of their own: values by name
Facts = dict[str, Any]  # circumstances as a host or a launcher states them, in SI units
Plot = dict[str, Any]  # a Plotly figure: {data, layout, ticks}

# How near two ranks are whose messages no network carries: `placement` of a case (programs/mpi/nearness.cpp).
WITHIN_A_NODE = ("same core", "same core complex", "same socket", "same node")
# Of these, what a virtual machine only knows from its host, which may move virtual processors as it likes.
KNOWN_FROM_HOST = WITHIN_A_NODE[:3]


def placement_from_host(cases: Iterable[Parameters], virtualised: Iterable[bool | None]) -> bool | None:
    """Whether a case's `placement` is what a virtual machine's host reported; None where no case has such a one."""
    near = any(case.get("placement") in KNOWN_FROM_HOST for case in cases)
    return True if near and any(virtualised) else None
