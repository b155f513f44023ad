"""The verdict: what this machine is and does, in one sentence, and whether to believe it."""

from __future__ import annotations

from typing import Any

from assay.report.units import human

Document = dict[str, Any]


def verdict(document: Document) -> str:
    """Say in one sentence what was found; the headline figures speak in the order of the parts."""
    host = document.get("host") or {}
    if document.get("described"):
        what = f"{document['machine']}, as described and simulated,"
    else:
        usable = host.get("usable_cpus")
        model = host.get("cpu") or "a machine"
        what = f"{document['machine']} ({model}{f', {usable:g} processors' if usable else ''})"
    said = []
    for section in document["benchmarks"]:
        if section["historical"] or section["state"] == "invalid":
            continue
        said += [
            f"{figure['says']} {human(figure['value'], figure['unit'], 3)}"
            for figure in section["headlines"]
            if figure["value"] is not None and figure.get("says")
        ]
    body = "; ".join(said) if said else "gave no figure that stands"
    return f"{what} {body}. {doubt(document)}"


def doubt(document: Document) -> str:
    """Say in one sentence how far the figures can be trusted."""
    states = [section["state"] for section in document["benchmarks"]]
    bad = [s["benchmark"] for s in document["benchmarks"] if s["state"] == "invalid"]
    odd = [s["benchmark"] for s in document["benchmarks"] if s["state"] == "disturbed"]
    if not states:
        return "Nothing was measured."
    if not bad and not odd:
        return "Nothing disturbed the run that its own samples and accounting could show."
    parts = []
    if bad:
        parts.append(f"not valid: {_names(bad)}")
    if odd:
        parts.append(f"disturbed: {_names(odd)}")
    return f"Of {len(states)} benchmarks, {'; '.join(parts)}."


def _names(benchmarks: list[str], most: int = 4) -> str:
    """Name a few, count the rest."""
    more = f" and {len(benchmarks) - most} more" if len(benchmarks) > most else ""
    return ", ".join(benchmarks[:most]) + more
