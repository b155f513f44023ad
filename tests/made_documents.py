"""Documents of runs, made by hand: what a report of them says is known beforehand; and a run's document as its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.case import Case
from assay.document.json_form import from_json, to_json
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.document import document as document_of
from assay.report.derive.document import frame
from assay.store import Run

Json = dict[str, Any]
LINE: Json = {
    **{"alpha": 1e-6, "beta": 1e-9, "alpha_ci95": None, "beta_ci95": None, "alpha_range": [0, 0], "beta_range": [0, 0]},
    **{"sizes": [], "residuals": [], "holdout": None, "lack_of_fit": None, "launches": 3, "scope": ""},
    **{"estimator": "relative", "over": [0, 0]},
}
SPEEDUP_LAW: Json = {"name": "", "base": "", "ci95": None, "time_one": 1.0, "limit": None, "best_processors": None}
FITS: dict[str, Json] = {
    "alpha_beta": LINE,
    "per_hop": LINE
    | {"gamma": 0.0, "gamma_ci95": None, "gamma_range": [0, 0], "hops": [], "cells": 1}
    | {"median": 0.0, "worst": 0.0},
    "rates_by_level": {"figure": "rate", "size": None, "lengths": [], "r_max_ci95": None, "n_half_ci95": None}
    | {"bandwidth": 0.0, "reason": None},
    "cache_levels": {},
    "speedup": {"efficiency": [], "superlinear": []},
    "amdahl": SPEEDUP_LAW | {"lack_of_fit": None, "scope": ""},
    "universal": SPEEDUP_LAW | {"lack_of_fit": None, "scope": ""},
}
NODE: Json = {"seconds": 1.0, "lost": 0.0, "detours": 0.0, "tick": None, "in_step": 0.0, "causes": [], "text": []}


def figure(name: str, value: float | None, unit: str, statistic: str = "median", **params: Any) -> Json:
    """A clean figure of three launches, 10% about its value."""
    counts = {"launches": 3, "samples": 9, "batch": 1, "state": "clean", "better": "higher", "kind": "measured"}
    about = {"benchmark": "", "ci95": None, "scope": "", "host": None, "headline": False, "help": "", **counts}
    about |= {"estimator": "median", "disturbance": None, "reasons": [], "metric": name, "by_launch": []}
    pair = None if value is None else [0.9 * value, 1.1 * value]
    return {"name": name, "value": value, "unit": unit, "statistic": statistic, "params": params, "range": pair} | about


def bare(benchmark: str, name: str, value: float, unit: str, params: Mapping[str, Any], **more: Any) -> ReportedFigure:
    """A clean median of a case, with no launches."""
    about = {"benchmark": benchmark, "statistic": "median", "reasons": [], "by_launch": []} | more
    return ReportedFigure(name=name, value=value, unit=unit, params=Case(params), **about)


def section(name: str, figures: list[Json], **more: Any) -> Section:
    """A benchmark's section; of fits and nodes of noise only what matters need be given."""
    about = to_json(frame(name, None)) | {"figures": figures, "state": "clean", "launches": 3} | more
    fits = [{"benchmark": name, "text": ""} | FITS[fit["law"]] | fit for fit in about["fits"]]
    if about.get("noise"):
        about["noise"] = [NODE | node for node in about["noise"]]
    return from_json(Section, about | {"fits": fits})


def headline(title: str, value: float | None, unit: str, **more: Any) -> Json:
    """A main figure."""
    keys = {"says": None, "bound": None, "order": None}
    return figure("rate", value, unit) | {"title": title} | keys | more


def document(*sections: Section, **more: Any) -> Document:
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
    return from_json(Document, about | said | {"benchmarks": list(sections)} | more)


def as_json(run: Run) -> Json:
    """The document of a run as the JSON that `assay report --json` prints."""
    found: Json = to_json(document_of(run))
    return found
