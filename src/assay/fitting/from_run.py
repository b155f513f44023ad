"""A run's figures as a description: start-up and time per byte by length; a hop, where hops were distinguished.

The echo's one-way medians of neighbours are cut where a further stretch takes away half of the error that is left; each
stretch is a line by the relative estimator, or, where partners stood at several hops and the run has its topology, a
plane (`per_hop`). The network, else a crossbar, carries the least time per byte of them; what a stretch has more is
copying. An echo gives the sum of what both ends spend on a message: half of it goes to either, by assumption.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay import versions
from assay.analysis import fits_hops
from assay.analysis.alpha_beta import fit, piecewise
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.fitting import per_hop, storage_from_run
from assay.toml.writing import write_toml

LEAST_GAIN = 0.5  # a further stretch must leave at most this share of the relative error
ENOUGH = 0.005  # and there must be as much of it left
MOST_STRETCHES = 4
HALF = "half of a message's constant part, how it divides is assumed"  # of a start-up at either end
ROUNDING = 1e-9  # of a time per byte: a smaller difference of two fits is rounding, which differs among processors


def description(document: Document) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and what was fitted: an echo's network with the files as variants, or the files alone.

    InputError where the run holds neither.
    """
    times = _times(document, "echo", "half_round_trip")
    if len(times) < 3:
        return storage_from_run.storage_description(document)
    lines, source = stretches(times), f"run {document.run}"
    planes = per_hop.planes(document, [line["greatest"] for line in lines])
    shape = per_hop.shape(document) if planes else None
    if shape is not None:
        lines = [{**line, "alpha": max(plane.alpha, 0.0), "beta": max(plane.beta, 0.0)}
                 for line, plane in zip(lines, planes, strict=True)]  # fmt: skip
    name = re.sub(r"[^A-Za-z0-9._-]", "-", str(document.machine)) or "machine"
    least = max(min(line["beta"] for line in lines), 1e-13)
    network, origin = (
        _crossbar(least, max(2, int(_ranks(document))), source)
        if shape is None
        else per_hop.network(shape, least, planes, source)
    )
    tables: dict[str, Any] = {"network": network, "protocol": []}
    for place, line in enumerate(lines):
        half = line["alpha"] / 2
        protocol: dict[str, Any] = {"up_to": f"{line['greatest']:.0f} B"} if place < len(lines) - 1 else {}
        protocol |= {"startup": f"{1e9 * half:.6g} ns", "receive": f"{1e9 * half:.6g} ns"}
        copy = line["beta"] - least
        protocol |= {"copy": f"{1e9 * copy if copy > ROUNDING * least else 0.0:.6g} ns/B"}
        ends = [f"protocol.{place}.{key}" for key in ("startup", "receive")]
        keys = [f"protocol.{place}.copy"] + ([f"protocol.{place}.up_to"] if place < len(lines) - 1 else [])
        origin |= dict.fromkeys(ends, f"fitted: echo ({HALF}; of {source})")
        origin |= dict.fromkeys(keys, f"fitted: echo (of {source})")
        if shape is not None and per_hop.crosses(planes, place) == 3:
            protocol["handshake"] = True
        tables["protocol"].append(protocol)
    own = _times(document, "self", "time")
    if len(own) >= 3:
        whole = fit(list(own), list(own.values()))
        path = {"startup": f"{1e9 * max(whole.alpha, 0):.6g} ns", "copy": f"{1e9 * max(whole.beta, 0):.6g} ns/B"}
        tables["self"] = [path]
        origin |= {f"self.0.{key}": f"fitted: echo-self (of {source})" for key in path}
    variants, origins, stored, storage = storage_from_run.storage_variants(document)
    if variants:
        tables["variant"] = variants
        origin |= origins
    head = {"name": name, "title": f"{document.machine}, as measured", "source": source}
    fitted = [fits_hops.text_of(plane) for plane in planes] if planes else [_text(line) for line in lines]
    fitted += [fits_hops.text_of(plane) for plane in per_hop.papers(document)]
    comments = [f"Fitted to {source} of {document.machine}: `assay fit`.", *fitted]
    comments += [f"{name}:{line}" for line in stored]
    text = write_toml(versions.marked(versions.MACHINE, {**head, **tables, "origin": origin}), comments)
    return text, ({"storage": storage} if storage else {}) | {
        "machine": document.machine,
        "run": document.run,
        "stretches": lines,
        "per_hop": planes[0].gamma if planes else 0.0,
        "planes": [plane.to_dict() for plane in planes],
        "papers": [plane.to_dict() for plane in per_hop.papers(document)],
    }


def _text(line: Mapping[str, float]) -> str:
    """A stretch's line as a person reads it."""
    terms = f"{line['alpha'] * 1e6:.4g} µs + {line['beta'] * 1e9:.4g} ns/B x N"
    return f"T = {terms} over {line['least']:g} to {line['greatest']:g} B (robust)"


def _crossbar(least: float, ranks: int, source: str) -> tuple[dict[str, Any], dict[str, str]]:
    """[network] of a machine whose hops are not known, and the origins of its numbers."""
    flit, cycle, ticks = per_hop.clock(least)
    table = {
        "topology": "crossbar",
        "nodes": ranks,
        "switching": "wormhole",
        "buffer_flits": 0,
        "cycle": f"{1e9 * cycle:g} ns",
        "flit_bytes": float(flit),
        "flit_ticks": ticks,
        "body_ticks": ticks,
        "head_ticks": ticks,
    }
    origin = {
        "network.nodes": f"stated: {source}",
        "network.cycle": "assumed: fine enough",
        "network.flit_bytes": "assumed: short messages in whole flits",
        "network.flit_ticks": f"fitted: echo (of {source})",
        "network.body_ticks": "assumed: as flit_ticks",
        "network.head_ticks": "assumed: as flit_ticks; a crossbar has no hops",
    }
    return table, origin


def stretches(times: Mapping[float, float]) -> list[dict[str, float]]:
    """Lines by length: as few as leave little, cut where cutting gains most."""
    sizes, values = np.array(sorted(times)), np.array([times[size] for size in sorted(times)])
    cuts: list[float] = []
    error = _error(sizes, values, cuts)
    while len(cuts) < MOST_STRETCHES - 1 and error > ENOUGH:
        tried = [sorted([*cuts, float(size)]) for size in sizes[2:-2] if size not in cuts]
        better = min(((_error(sizes, values, each), each) for each in tried), default=(np.inf, []))
        if better[0] > LEAST_GAIN * error:
            break
        error, cuts = better
    return [
        {
            "least": segment.least,
            "greatest": segment.greatest,
            "alpha": max(segment.line.alpha, 0.0),
            "beta": max(segment.line.beta, 0.0),
        }
        for segment in piecewise(sizes, values, cuts)
    ]


def _error(sizes: Any, values: Any, cuts: Sequence[float]) -> float:
    found = piecewise(sizes, values, cuts)
    if sum(len(segment.line.sizes) for segment in found) < len(sizes) or any(len(s.line.sizes) < 3 for s in found):
        return float("inf")
    return float(np.sqrt(np.mean([residual**2 for segment in found for residual in segment.line.residuals])))


def _figures(document: Document, benchmark: str, name: str) -> list[ReportedFigure]:
    return [
        figure
        for section in document.benchmarks
        if section.benchmark == benchmark
        for figure in section.figures
        if figure.name == name and figure.statistic == "median" and figure.value
    ]


def _times(document: Document, benchmark: str, name: str) -> dict[float, float]:
    """One-way times (s) by length, of neighbours where hops were distinguished."""
    found = _figures(document, benchmark, name)
    least = min((f.params.get("hops") or 0 for f in found), default=0)
    return {float(f.params["bytes"]): f.value for f in found if f.value and (f.params.get("hops") or 0) == least}


def _ranks(document: Document) -> int:
    return int(document.facts.usable_cpus or 2)
