"""Parts of the paper that need no simulation: section 3's placement and scaling, section 6's queues and readings."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay._core import network as core
from assay.analysis.queueing import section6
from assay.analysis.queueing.wormhole import Spread
from assay.network import prediction
from assay.network.description import NetworkDescription, parse
from assay.network.study.results import StudyTable
from assay.toml.source import Source
from assay.validation.ghosh import degraded, io_nodes_needed

Rows = list[list[Any]]


def test_case(**io: Any) -> NetworkDescription:
    """The 7-cube of section 6 with some keys of [io] set otherwise."""
    tree = {"network": {"topology": "hypercube", "dimension": 7}, "io": io}
    from pathlib import Path

    return parse(tree, Source(Path("section 6"), ""))


def placement() -> list[StudyTable]:
    """Section 3: where I/O nodes sit in cubes of 3 to 8 dimensions, and how their number scales."""
    rows: Rows = []
    for dimension in range(1, 9):
        code = core.hamming_placement(dimension)
        least = core.minimum_dominating_set(dimension)
        members = set(code)
        near = [
            (node in members) + sum((node ^ 1 << d) in members for d in range(dimension))
            for node in range(1 << dimension)
        ]
        where = ", ".join(map(str, code)) if len(code) <= 16 else f"{', '.join(map(str, code[:8]))}, …"
        rows.append(
            [
                dimension,
                "yes" if core.perfect_placement(dimension) else "no",
                len(code),
                f"{min(near)} to {max(near)}" if min(near) != max(near) else min(near),
                len(least),
                1 << core.io_network_dimension(dimension),
                where,
            ]
        )
    cubes = StudyTable(
        "Placement by Hamming code, and the smallest dominating set. *Covered*: I/O nodes at a PE or next to it.",
        ["dimension", "perfect", "I/O nodes", "covered", "dominating set", "nodes by the formula", "at PEs"],
        rows,
    )
    memory = 2.0**20
    scale: Rows = []
    for n in (3, 7, 10, 16, 20):
        elements = 2.0**n
        exact, rule = core.sorting_scaling(elements, memory), core.io_scaling(elements)
        balance = core.sorting_balance(elements, memory, rule)
        scale.append(
            [f"2^{n}", f"{exact:.4g}", f"{rule:.4g}", f"{core.matrix_scaling(elements):.4g}", f"{balance:.3f}"]
        )
    scaling = StudyTable(
        "Balance (equation 3, memory of 2^20 words per PE): I/O bandwidth over one PE's that keeps sorting in "
        "balance, the "
        "rule N/log N, √N for matrix multiplication, and t_comp/t_io under the rule (1 is balanced).",
        ["N", "N log M/(log N + log M)", "N/log N", "√N", "t_comp/t_io"],
        scale,
    )
    return [cubes, scaling]


def queues() -> list[StudyTable]:
    """Section 6: its numbers, Table 2 in every reading, the general method, and the argument by bisection."""
    machine = section6.CubeModel()
    numbers = StudyTable(
        "Numbers that section 6 prints.",
        ["quantity", "here", "printed"],
        [
            ["λ_IOch / λ_PE", f"{machine.io_rate_per_channel():.3f}", "0.32"],
            ["x̄ of an I/O channel (cycles)", f"{machine.io_service().mean:.0f}", "2064"],
            ["its C_b²", f"{machine.io_service().scv:.3f}", "≈ 1"],
            ["x̄ of a channel of set D (cycles)", f"{machine.pe_service().mean:.1f}", "≈ 419"],
            ["its C_b²", f"{machine.pe_service().scv:.2f}", "≈ 8.1"],
            [
                "bound for b = 0, formulas as printed (1/ms)",
                f"{section6.per_ms(section6.control_bound(machine)):.1f}",
                "26.3",
            ],
            [
                "bound for b = 0, 8/15 of remote traffic (1/ms)",
                f"{section6.per_ms(section6.control_bound(machine, 8 / 15)):.1f}",
                "26.3",
            ],
        ],
    )
    readings: Rows = [
        [reading.name, f"{one:.2f}", f"{100 * (one / 11.3 - 1):+.0f}%", f"{two:.2f}", f"{100 * (two / 23.7 - 1):+.0f}%"]
        for reading, one, two in section6.table2()
    ]
    table2 = StudyTable(
        "Saturation by analysis (messages/ms per PE) in each reading of the adjusted service time: which channels "
        "follow; "
        "whether the PE channel at the end counts; what becomes of C_b² when the service is lengthened. Printed: "
        "11.3 for "
        "b = 1 and 23.7 for b = 2. None gives both.",
        ["reading", "b = 1", "", "b = 2", ""],
        readings,
    )
    general: Rows = []
    spreads: tuple[tuple[Spread, str], ...] = (
        ("lengths", "variance of the lengths"),
        ("blocking", "and the square of the time blocked"),
        ("exponential", "C² = 1"),
    )
    for apart in (False, True):
        for spread, words in spreads:
            found = [prediction.saturation(test_case(b=b), spread, apart=apart)["saturation"] for b in range(5)]
            general.append([f"{words}{'; apart' if apart else ''}", *(f"{rate:.1f}" for rate in found)])
    bounds: list[Any] = ["busiest channel, blocking neglected"]
    bounds += [f"{prediction.saturation(test_case(b=b))['busiest']:.1f}" for b in (0, 1, 2, 3, 4)]
    method = StudyTable(
        "The same method with exact rates and turns of all five kinds of messages on all links: saturation in "
        "messages/ms. "
        "*Apart*: messages over one channel do not wait for each other at the next, which the paper's method has "
        "them do; "
        "with that it gives 11.3 for b = 1, as printed, and comes within 2% of the printed 23.7.",
        ["variance", "b = 0", "b = 1", "b = 2", "b = 3", "b = 4"],
        [*general, bounds],
    )
    control, _ = section6.bisection_saturation(machine)
    bisected = [section6.per_ms(section6.bisection_saturation(section6.CubeModel(b=b))[1]) for b in (1, 2)]
    bisection = StudyTable(
        "The argument by bisection that the authors gave up: rates at which the bisections are full, were all their "
        "channels "
        "alike. It has every I/O network saturate long before b = 0; simulated, b = 0 lies between b = 1 and b = 2.",
        ["machine", "by bisection (1/ms)", "busiest channel of section 6 (1/ms)"],
        [
            [
                "b = 0",
                f"{section6.per_ms(control):.0f}",
                f"{section6.per_ms(section6.control_bound(machine, 8 / 15)):.1f}",
            ],
            ["b = 1", f"{bisected[0]:.1f}", f"{section6.table2((section6.READINGS[0],))[0][1]:.1f}"],
            ["b = 2", f"{bisected[1]:.1f}", f"{section6.table2((section6.READINGS[0],))[0][2]:.1f}"],
        ],
    )
    return [numbers, table2, method, bisection]


def class_work() -> tuple[float, float, float]:
    """b = 0: mean work (flits per cycle at unit load) on channels out of class I routers, out of class II, and the
    most.
    """
    found = test_case(b=0)
    model = prediction.channels(found)
    links = prediction.joined(found).links
    work = sum((flow.rate * flow.length.mean for flow in model.flows), np.zeros(len(links)))
    placed = set(core.hamming_placement(7))
    first = [w for w, link in zip(work, links, strict=True) if link["kind"] == "network" and link["from"] in placed]
    second = [
        w for w, link in zip(work, links, strict=True) if link["kind"] == "network" and link["from"] not in placed
    ]
    return float(np.mean(first)), float(np.mean(second)), float(max(first))


SECTIONS = {
    "placement": placement,
    "section6": queues,
    "io-nodes": io_nodes_needed.tables,
    "degraded": degraded.tables,
}
