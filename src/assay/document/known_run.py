"""A run as `assay runs` lists it under `--json`."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class KnownRun(TypedDict):
    """A run that you made; `created`: s since 1970."""

    id: str
    created: float | None
    state: str
    machine: str | None
    profile: str | None
    benchmarks: list[str]
    folder: str
    label: NotRequired[str | None]
