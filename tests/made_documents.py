"""Documents of runs, made by hand: what a report of them says is known beforehand."""

from __future__ import annotations

from typing import Any

from assay.report.document import frame

Document = dict[str, Any]


def figure(name: str, value: float | None, unit: str, statistic: str = "median", **params: Any) -> Document:
    """A clean figure of three launches, 10% about its value."""
    counts = {"launches": 3, "samples": 9, "batch": 1, "state": "clean", "better": "higher", "kind": "measured"}
    about = {"benchmark": "", "ci95": None, "scope": "", "host": None, "headline": False, "help": "", **counts}
    about |= {"estimator": "median", "disturbance": None, "reasons": [], "metric": name}
    pair = None if value is None else [0.9 * value, 1.1 * value]
    return {"name": name, "value": value, "unit": unit, "statistic": statistic, "params": params, "range": pair} | about


def section(name: str, figures: list[Document], **more: Any) -> Document:
    """A benchmark's section."""
    return frame(name, None) | {"figures": figures, "state": "clean", "launches": 3} | more


def headline(title: str, value: float | None, unit: str, **more: Any) -> Document:
    """A main figure."""
    keys = {"says": None, "bound": None, "order": None}
    return figure("rate", value, unit) | {"title": title} | keys | more


def document(*sections: Document, **more: Any) -> Document:
    """A run's document."""
    about = {"run": "r1", "folder": "", "machine": "here", "profile": "quick", "created": 0.0, "described": False}
    said = {
        "state": "clean",
        "valid": True,
        "warnings": [],
        "samples": "",
        "provenance": {},
        "host": {},
        "left_out": [],
    }
    return about | said | {"benchmarks": list(sections)} | more
