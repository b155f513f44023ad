"""How what a benchmark was repeated by is said: so many ranks per node, an MPI, a transport."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.benchmark.variants import KEYS, MPI_KEYS
from assay.report.units import human

SKEW = "skew"  # s, within which ranks enter an operation; a case without one does not say it


def setting(key: str, value: object) -> str:
    """Say one parameter's value: "2 per node", "8 ranks"; a variant's part as it was named; of others also the key."""
    if key == "ppn":
        return f"{value} per node"
    if key == "ranks":
        return f"{value} ranks"
    if key == SKEW and isinstance(value, int | float) and value:
        return f"{key} {human(value, 's')}"
    return str(value) if key in (*KEYS, *MPI_KEYS) else f"{key} {value}"


def differing(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say of each of several cases what tells it from the others; of a single one nothing."""
    keys = dict.fromkeys(key for case in cases for key in case)
    unlike = [key for key in keys if len({str(case.get(key)) for case in cases}) > 1]
    return [", ".join(setting(key, case[key]) for key in unlike if key in case) for case in cases]
