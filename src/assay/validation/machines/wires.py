"""The DELTA's question for the page: a mesh or a hypercube of the same number of wires (the study `wires`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.document.grid import Grid, grid
from assay.network.study import file, running
from assay.network.study.plots import draw
from assay.network.study.results import Results

# nodes: links of the cube and the mesh (pairs of channels), ticks of a flit in each, mean hops under uniform traffic
SHAPES = {64: (192, 112, 12, 7), 512: (2304, 976, 12, 5)}
LONG = 512  # flits
ROUTER = 12  # ticks


def section(pictures: Path) -> Iterator[str]:
    """Its lines; the picture goes to the folder."""
    results = running.make(file.load("wires"), None, None, True)
    (pictures / "wires.svg").write_text(draw(results, results.study.plots[0]), encoding="utf-8")
    yield "## Mesh or hypercube for the same number of wires?\n"
    yield (
        "The DELTA's question (section 1). `assay study wires`. With as many wires in all, an 8 x 8 mesh has channels "
        "1.71 times as wide as a 6-cube, a 16 x 32 mesh 2.36 times as a 9-cube. Nodes have four channels into and out "
        "of their routers, so that the networks decide.\n"
    )
    yield saturation(results).markdown()
    yield idle().markdown()
    yield "![Header latency by load](machines/wires.svg)\n"
    yield (
        "**Neither: it depends on where messages go.** Long messages in an idle network, and messages to neighbours, "
        "gain by the mesh's wide channels. Under uniform traffic the cube carries twice the load of the mesh at 64 "
        "nodes and over four times at 512: the channels across a mesh's middle grow only as the root of its nodes. "
        "Transposition is no better on a cube: deterministic routing sends it through few channels.\n"
    )


def saturation(results: Results) -> Grid:
    """Where each saturates, in flits per node and tick, and the mesh's share of the cube's."""
    found = {str(one.setting["label"]): one.middle for one in results.brackets}
    rows = []
    for label, cube in found.items():
        mesh = found.get(label.replace(", cube,", ", mesh,"))
        if ", cube," in label and mesh is not None:
            words = label.replace(", cube,", ",")
            rows.append((words, f"{cube:.4f}", f"{mesh:.4f}", f"{mesh / cube:.2f}"))
    headings = ("traffic", "hypercube saturates at", "mesh saturates at", "mesh / hypercube")
    return grid("Load at saturation, flits per node and tick (bisected by backlog)", headings, rows)


def idle() -> Grid:
    """Ticks of a long message over the mean distance of uniform traffic in an idle network, by the closed form."""
    rows = []
    for nodes, (_, _, cube, mesh) in SHAPES.items():
        dimension = nodes.bit_length() - 1
        far_cube = dimension * nodes / 2 / (nodes - 1)
        low, high = 1 << (dimension // 2), 1 << (dimension - dimension // 2)
        far_mesh = sum((k * k - 1) / (3 * k) for k in (low, high)) * nodes / (nodes - 1)
        times = [hops * ROUTER + LONG * flit for hops, flit in ((far_cube, cube), (far_mesh, mesh))]
        row = (f"{nodes} nodes", f"{far_cube:.2f} / {far_mesh:.2f}", *(f"{t:.0f}" for t in times))
        rows.append((*row, f"{times[1] / times[0]:.2f}"))
    headings = ("", "mean hops, cube / mesh", "hypercube, ticks", "mesh, ticks", "mesh / hypercube")
    return grid(f"A message of {LONG} flits in an idle network", headings, rows)
