"""A run's figures as a description of the machine that was measured, and what is known of each of its numbers.

Half of the cells are fitted (`halves`). The echo's one-way times are cut into ranges of lengths, each a line of its own
(`length_lines`); the network, else a crossbar, carries the least time per byte of them, and what a range takes more is
copying. Where partners were at several hops and the run has its topology, a hop's delay is fitted as well (`per_hop`).
How a message divides between both ends and the network, how it progresses during a computation, and what a node
computes, is fitted where the run has a benchmark that shows it. What nothing shows is assumed, and [uncertainty] names
it under `not_determined`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay import versions
from assay.analysis import fits_hops
from assay.document.fitted_run import RunFitted, StretchFound
from assay.document.run_document import Document
from assay.document.section import Section
from assay.fitting import divisions, launch_spread, network_parts, per_hop, shown_parts, storage_from_run
from assay.fitting.chosen_cells import ChosenCells, chosen_cells, processors
from assay.fitting.compute_rates import compute_rates
from assay.fitting.estimates import Estimates
from assay.fitting.fitted_tables import FittedTables
from assay.fitting.halves import RULE
from assay.fitting.intake import taken_in
from assay.fitting.length_lines import LengthLine, LengthLines, length_lines, without_hops
from assay.fitting.measured_cells import times
from assay.fitting.not_determined import MessagesKnown, not_determined
from assay.fitting.overlapped import progress
from assay.fitting.protocol_tables import protocol_tables, wire
from assay.fitting.several_runs import pooled
from assay.fitting.wire_parts import wire_parts
from assay.toml.source import TomlTable
from assay.toml.writing import write_toml

LEAST_LENGTHS = 3  # of an echo


@dataclass(frozen=True)
class FitSubject:
    """What a fit needs in addition to figures. `shape`: the keys of [network] that define the topology, where known."""

    machine: str
    run: str
    ranks: int = 2
    nodes: int = 1
    shape: TomlTable | None = None


@dataclass
class FittedRun:
    """Tables of a description as in a file, the origins of its numbers, and how well they are known."""

    subject: FitSubject
    lines: LengthLines
    tables: FittedTables = field(default_factory=FittedTables)
    origin: dict[str, str] = field(default_factory=dict)
    known: Estimates = field(default_factory=Estimates)
    comments: list[str] = field(default_factory=list)

    @property
    def source(self) -> str:
        """The run, as origins name it."""
        return f"run {self.subject.run}"

    @property
    def name(self) -> str:
        """The machine's name as a description may have it."""
        return re.sub(r"[^A-Za-z0-9._-]", "-", self.subject.machine) or "machine"

    def as_tables(self) -> dict[str, object]:
        """The whole description, which `assay.described.machine_file.check` takes."""
        head = {"name": self.name, "title": f"{self.subject.machine}, as measured", "source": self.source}
        return {**head, **self.tables, "origin": self.origin, "uncertainty": self.known.table(RULE)}

    def text(self) -> str:
        """The description as a TOML file."""
        first = f"Fitted to {self.source} of {self.subject.machine}, half of its cells: `assay fit`."
        return write_toml(versions.marked(versions.MACHINE, self.as_tables()), [first, *self.comments])


def fit_sections(sections: Sequence[Section], subject: FitSubject) -> FittedRun | None:
    """Fit the figures of a run; None where they hold no echo of at least three lengths, two of them with values.

    It takes some 0.1 s, so that many runs can be fitted, and is the same for the same figures.
    """
    chosen = chosen_cells(sections, subject.ranks)
    cells = times(chosen.echo)
    if len(np.unique(cells.length)) < LEAST_LENGTHS:
        return None
    lines = length_lines(cells)
    if lines is None:
        return None
    planar = subject.shape is not None and lines.per_hop > 0
    first = float(cells.hops.min()) if planar else 0.0
    if not planar:
        lines = without_hops(lines, float(cells.hops.min()))
    made = FittedRun(subject, lines)
    known = _messages(chosen, subject.shape if planar else None, first, made)
    _within(chosen, made)
    _compute(chosen, made)
    limits = [line.up_to for line in lines.lines if line.up_to is not None]
    made.known.launches = launch_spread.spreads(sections, limits)
    made.known.not_determined += not_determined(sections, chosen, lines, cells, known)
    made.comments = [text_of(line) for line in lines.lines]
    return made


def _messages(chosen: ChosenCells, shape: TomlTable | None, hops: float, made: FittedRun) -> MessagesKnown:
    """[network], [[protocol]], and how messages are taken in and progress; what of them the run shows."""
    lines, subject = made.lines, made.subject
    shown = shown_parts.shown(chosen, lines)
    parts = wire_parts(lines, wire(lines.lines), shown)
    parts = replace(parts, network=network_parts.as_written(parts.network))
    network = parts.network
    shares = divisions.divisions(lines, network[0], shown, parts.receivers is not None)
    delay = divisions.delay(lines, network, shares)
    moved_in = taken_in(lines, network, shares, shown)
    seen = progress(chosen.overlap, lines, network[0])
    requests_first = [line.crossings > 1 for line in lines.lines]
    beside: FittedTables = {}
    if moved_in is not None:
        shares, requests_first, delay = moved_in.divisions, moved_in.requests_first, 0.0
        beside = {"node": {"intake": "processor"}, "progress": {"kind": "interrupt"}}
        made.origin["progress.kind"] = "assumed: a processor that takes in what comes is interrupted"
        if moved_in.interrupt is not None:
            beside["progress"]["interrupt"] = made.known.add(
                ["progress.interrupt"], moved_in.interrupt[0], "ns", moved_in.interrupt[1]
            )
            made.origin["progress.interrupt"] = f"fitted: message-rate and loggp, echo (of {made.source})"
    elif seen is not None:
        requests_first = list(seen.requests_first)
        beside = {"progress": {"kind": seen.kind}}
        made.origin["progress.kind"] = f"fitted: overlap (of {made.source})"
    made.tables["network"], origin = network_parts.network(
        shape, max(subject.nodes, 2) if chosen.near else subject.ranks, network, lines, delay, made.source, made.known
    )
    corrections = network_parts.own_times(
        made.tables["network"], lines, network, hops, subject.ranks, requests_first, beside
    )
    made.tables["protocol"], more = protocol_tables(
        lines, shares, corrections, parts, made.source, made.known, requests_first
    )
    made.tables |= beside
    made.origin |= origin | more
    return MessagesKnown(bool(shares[0].known), parts, moved_in is not None, seen)


def _compute(chosen: ChosenCells, made: FittedRun) -> None:
    """[compute], and how many threads a node's programs have."""
    found = compute_rates(chosen.kernels, made.source, made.known)
    if not found.table:
        return
    made.tables["compute"] = found.table
    made.origin |= found.origin
    if found.threads not in (0, made.tables.get("node", {}).get("processors")):
        made.tables["node"] = made.tables.get("node", {}) | {"threads": found.threads}
        made.origin["node.threads"] = f"stated: {made.source}"


def description(first: Document, *others: Document) -> tuple[str, RunFitted]:
    """The text of a TOML file, and what was fitted: an echo's network with the files as variants, or the files alone.

    `others`: further runs of the same machine, which are fitted together. InputError where the runs hold neither, or
    are not equal.
    """
    document = pooled((first, *others))
    subject = FitSubject(
        str(document.machine),
        str(document.run),
        processors(document),
        max(1, len(document.hosts)),
        per_hop.shape(document),
    )
    fitted = fit_sections(document.benchmarks, subject)
    if fitted is None:
        return storage_from_run.storage_description(document)
    variants, origins, stored, storage = storage_from_run.storage_variants(document, fitted.known)
    if variants:
        fitted.tables["variant"] = variants
        fitted.origin |= origins
    papers = per_hop.papers(document)
    planes = per_hop.planes(document, [line.greatest for line in fitted.lines.lines])
    fitted.comments += [fits_hops.text_of(plane) for plane in planes]
    fitted.comments += [fits_hops.text_of(plane) for plane in papers]
    fitted.comments += [f"{fitted.name}:{line}" for line in stored]
    lines = fitted.lines
    found: RunFitted = {
        "machine": document.machine,
        "run": document.run,
        "stretches": [_stretch(line) for line in lines.lines],
        "per_hop": lines.per_hop,
        "planes": [plane.to_dict() for plane in planes],
        "papers": [plane.to_dict() for plane in papers],
        "uncertainty": fitted.known.listed(RULE),
    }
    return fitted.text(), {"storage": storage, **found} if storage else found


def _stretch(line: LengthLine) -> StretchFound:
    greatest = line.greatest if line.up_to is None else line.up_to
    return {"least": line.least, "greatest": greatest, "alpha": line.alpha, "beta": line.beta,
            "determined": line.determined}  # fmt: skip


def text_of(line: LengthLine) -> str:
    """A range's line as a person reads it."""
    over = f"over {line.least:.0f} to {line.greatest:.0f} B"
    if not line.determined:
        length, most = min(line.bounds)
        return f"T is not known {over}: every reading is a bound, {length:.0f} B in at most {most * 1e6:.4g} µs"
    terms = f"{line.alpha * 1e6:.4g} µs + {line.beta * 1e9:.4g} ns/B x N"
    return f"T = {terms} {over} (robust)"


def _within(chosen: ChosenCells, made: FittedRun) -> None:
    """[[self]] of messages within a node, where those between nodes were measured too, else of a rank to itself."""
    near = chosen.near
    cells = times(near or chosen.own)
    if len(np.unique(cells.length)) < LEAST_LENGTHS or (found := length_lines(cells, seed=1)) is None:
        return
    entries: list[TomlTable] = []
    for at, line in enumerate(found.lines):
        entry: TomlTable = {}
        if line.up_to is not None and line.limits is not None:
            entry["up_to"] = made.known.add([f"self.{at}.up_to"], line.up_to, "B", line.limits)
        entry["startup"] = made.known.add([f"self.{at}.startup"], line.alpha, "ns", line.alphas)
        entry["copy"] = made.known.add([f"self.{at}.copy"], line.beta, "ns/B", line.betas)
        measured = "echo, within a node" if near else "echo-self"
        made.origin |= {f"self.{at}.{key}": f"fitted: {measured} (of {made.source})" for key in entry}
        entries.append(entry)
    made.tables["self"] = entries
    if near:
        made.tables["node"] = made.tables.get("node", {}) | {"processors": made.subject.ranks}
        made.origin["node.processors"] = f"stated: {made.source}"
        made.known.not_determined.append("messages of a rank to itself: they are described as those within a node")
