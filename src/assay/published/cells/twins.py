"""The rule by which a published cell finds its simulated twin: benchmark, machine and parameters.

Each rule is a function from cells of one published benchmark to simulated values, registered under the benchmark's id;
a cell without a rule, or whose question cannot be played, is quoted. Rates and times in SI. Nothing is pooled: a table
is judged by itself, doubtful cells are shown and left out of its errors (method.md, rules 9 and 13).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from assay.analysis.alpha_beta import ordinary_line
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells import (  # noqa: F401  # their rules are registered
    application_twins,
    electron_twins,
    euroben_twins,
    materials_twins,
    maya5_twins,
    nas_twins,
    node_twins,
    slalom_twins,
    user_twins,
)
from assay.published.cells.allowance import length
from assay.published.cells.answers import Answers
from assay.published.cells.rules import RULES as RULES
from assay.published.cells.rules import Pairs, rule

LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)  # B, of the hypercubes' report
SHORT = 100  # B: the coefficients "up to 100 bytes"
NEEDS_REQUEST = ("ipsc2",)  # Table 6 gives these machines' line over longer messages only (the catalogue's remark)
MODES = {"OSF 1.0.4 R1.3 and SUNMOS 1.6.2": ("", "sunmos"), "OSF, turbo": ("turbo",)}
MESSAGES = ("rate_8192_B", "time_8_B", "comm_comp_ratio")  # the rows of a summary that messages decide
LONG = 1_000_000  # B: "one MB messages", where a Paragon's rate names no length


def has_rule(cell: PublishedCell) -> bool:
    """Whether this cell can have a simulated twin."""
    return cell.benchmark in RULES and (cell.benchmark != "summary" or cell.metric in MESSAGES)


def simulated(answers: Answers, machine: str, cells: Iterable[PublishedCell]) -> dict[int, float]:
    """The twins' values (SI) by the place of the cell among `cells`, for those that have one."""
    chosen = list(cells)
    found: dict[int, float] = {}
    for benchmark in dict.fromkeys(cell.benchmark for cell in chosen):
        made = RULES.get(benchmark)
        places = [i for i, cell in enumerate(chosen) if cell.benchmark == benchmark]
        if made is not None:
            by_id = {id(cell): value for cell, value in made(answers, machine, [chosen[i] for i in places])}
            found |= {i: by_id[id(chosen[i])] for i in places if id(chosen[i]) in by_id}
    return {i: value for i, value in found.items() if math.isfinite(value)}


def times(answers: Answers, machine: str, lengths: Sequence[int], hops: int = 1) -> dict[int, float]:
    """One-way echo times (s) by length."""
    found = answers.ask(machine, "echo", "half_round_trip", bytes=tuple(sorted(set(lengths))), hops=(hops,))
    return {int(answer.params["bytes"]): answer.value for answer in found}


@rule("echo")
def echo(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Rate or time by length and hops; a Paragon's mode is a variant of its description."""
    rows = [cell for cell in cells if cell.metric == "rate" and "hops" in cell.params]
    made = []
    if rows:
        lengths = tuple(sorted({int(length(cell) or 0) for cell in rows}))
        hops = tuple(sorted({int(cell.params["hops"]) for cell in rows}))
        found = answers.ask(machine, "echo", "rate", bytes=lengths, hops=hops)
        rates = {(int(a.params["bytes"]), int(a.params["hops"])): a.value for a in found}
        for cell in rows:
            key = (int(length(cell) or 0), int(cell.params["hops"]))
            if key in rates:
                made.append((cell, rates[key]))
    for cell in cells:
        if cell.metric == "utilisation":
            time = times(answers, machine, (int(length(cell) or 0),)).get(int(length(cell) or 0))
            if time:
                made.append((cell, (length(cell) or 0) / time / bandwidth(cell.machine or "")))
    for cell in cells:
        if cell.params.get("mode") in MODES:
            size = length(cell)
            size = int(LONG if size is None else size)
            by_variant = [
                times(answers, f"{machine}:{variant}" if variant else machine, (size,)).get(size)
                for variant in MODES[cell.params["mode"]]
            ]
            known = [time for time in by_variant if time]
            if known:
                time = min(known) if cell.metric == "time_min" else max(known)
                made.append((cell, size / time if cell.metric == "rate" else time))
    return made


def bandwidth(machine: str) -> float:
    """A channel's hardware bandwidth (B/s), as the paper divides by it."""
    published = catalogue.machine(machine)
    most, nominal = (published.fact(f"channel_bandwidth_{key}") for key in ("max_B_per_s", "Mbit_per_s"))
    return float(most) if most else 125e3 * float(nominal)


@rule("echo-force-type")
def forced(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Rate of messages whose receive is known to be posted."""
    lengths = tuple(sorted({int(length(cell) or 0) for cell in cells}))
    found_answers = answers.ask(machine, "forced", "rate", bytes=lengths, send="ready")
    found = {int(a.params["bytes"]): a.value for a in found_answers}
    return [(cell, found[int(length(cell) or 0)]) for cell in cells if int(length(cell) or 0) in found]


@rule("echo-self")
def to_self(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Rate of a node that sends to itself."""
    return _by_length(answers, machine, "self", cells)


@rule("echo-host")
def to_host(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Rate between the host and node 0."""
    return _by_length(answers, machine, "host", cells)


def _by_length(answers: Answers, machine: str, benchmark: str, cells: Sequence[PublishedCell]) -> Pairs:
    lengths = tuple(sorted({int(length(cell) or 0) for cell in cells}))
    found = {int(a.params["bytes"]): a.value for a in answers.ask(machine, benchmark, "rate", bytes=lengths)}
    return [(cell, found[int(length(cell) or 0)]) for cell in cells if int(length(cell) or 0) in found]


def line(answers: Answers, machine: str, metric: str) -> tuple[float, float]:
    """Start-up (s) and time per byte (s/B) by the papers' estimator: least squares over one-hop times."""
    lengths: tuple[int, ...] = LENGTHS
    if metric == "alpha_up_to_100_B":
        lengths = tuple(n for n in LENGTHS if n <= SHORT)
    elif machine in NEEDS_REQUEST:
        lengths = tuple(n for n in LENGTHS if n > SHORT)
    found = times(answers, machine, lengths)
    if len(found) < 2:
        return math.nan, math.nan
    alpha, beta = ordinary_line(np.array(list(found)), np.array(list(found.values())))
    return float(alpha), float(beta)


@rule("echo-fit")
def coefficients(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Tables 6 and 3.1: alpha (also of short messages) and beta."""
    found = []
    for cell in cells:
        alpha, beta = line(answers, machine, cell.metric)
        found.append((cell, beta if cell.metric == "beta" else alpha))
    return found


@rule("summary")
def merit(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Tables 7 and 5.1, the two rows of messages and their ratio to the multiply that the paper gives."""
    found = times(answers, machine, (8, 8192))
    if not {8, 8192} <= set(found):
        return []
    multiply = {cell.paper: cell.value for cell in cells if cell.metric == "time_8_B_multiply"}
    made: Pairs = []
    for cell in cells:
        if cell.metric == "rate_8192_B":
            made.append((cell, 8192 / found[8192]))
        elif cell.metric == "time_8_B":
            made.append((cell, found[8]))
        elif cell.metric == "comm_comp_ratio" and cell.paper in multiply:
            made.append((cell, found[8] / multiply[cell.paper]))
    return made
