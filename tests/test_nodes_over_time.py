"""What nodes did during a run: looks by programs against /proc read apart, use from looks, and what a person sees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.analysis.node_use import use_of
from assay.benchmark.record import benchmark
from assay.document.json_form import from_json, to_json
from assay.document.run_document import Document
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from assay.report.render import page, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import node_use
from assay.samples import Circumstance
from assay.stored.launch_file import content
from command_line import assay
from made_documents import document as made_document
from mpis_here import CROWD, MPI
from started import words

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
ABOUT = Circumstance("r1", "echo", "messages", "here", 0, 0, 1, "p")


def counted() -> dict[str, int]:
    """This host's counters, read apart from the programs' code."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    memory = {line.split(":")[0]: int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines()}
    interfaces = [line.split(":", 1) for line in Path("/proc/net/dev").read_text().splitlines() if ":" in line]
    columns = [rest.split() for name, rest in interfaces if name.strip() != "lo"]
    return {
        "all": sum(ticks),
        "busy": sum(ticks) - ticks[3] - ticks[4],
        "memory": 1024 * memory["MemTotal"],
        "received": sum(int(each[0]) for each in columns),
        "sent": sum(int(each[8]) for each in columns),
    }


def held(looks: list[dict[str, Any]], before: dict[str, int], after: dict[str, int], begun: float) -> None:
    assert len(looks) >= 2
    assert [look["time"] for look in looks] == sorted(look["time"] for look in looks)
    assert begun - 0.1 <= looks[0]["time"] <= looks[-1]["time"] <= time.time() + 0.1
    assert all(late["time"] - early["time"] >= 0.5 for early, late in pairwise(looks[:-1]))
    for key in ("all", "busy", "received", "sent"):
        values = [before[key], *(look[key] for look in looks), after[key]]
        assert values == sorted(values), key
    assert {look["memory"] for look in looks} == {before["memory"]}
    assert all(0 < look["used"] < look["memory"] for look in looks)


def test_a_node_program_looks_at_its_node() -> None:
    program = build([benchmark("sieve")], mpi=None)["sieve"].path
    begun, before = time.time(), counted()
    ended = subprocess.run(
        [program, *words("sieve", "--blocks", "3", "--slice", "0.4")], capture_output=True, text=True, timeout=60
    )
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0 and found[-1]["event"] == "done"
    looks = [each for each in found if each["event"] == "node"]
    held(looks, before, counted(), begun)
    assert {look["host"] for look in looks} == {os.uname().nodename}


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_one_rank_of_each_node_looks(tmp_path: Path) -> None:
    """Three ranks on two nodes, by the names that a launcher gives them: the first rank of each."""
    assert MPI is not None
    program = build([benchmark("echo")], mpi=MPI)["echo"].path
    named = tmp_path / "named"
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    named.write_text(f'#!/bin/sh\nASSAY_NODE=n$(({rank} > 0 ? 2 : 1)) exec "$@"\n')
    named.chmod(0o755)
    given = ("--blocks", "2", "--slice", "0.3", "--set", "bytes=8,1024", "--deadline", "60")
    begun, before = time.time(), counted()
    ended = subprocess.run(
        [MPI.mpiexec, "-n", "3", str(named), str(program), *words("echo", *given)],
        **{"capture_output": True, "text": True, "timeout": 80, "env": launch_environment(os.environ) | CROWD},
    )
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert ended.returncode == 0, ended.stderr
    looks = [[each for each in found if each["event"] == "node" and each["host"] == node] for node in ("n1", "n2")]
    assert sum(map(len, looks)) == sum(each["event"] == "node" for each in found)
    for of_node in looks:
        held(of_node, before, counted(), begun)
    times = [{look["time"] for look in of_node} for of_node in looks]
    assert times[0] != times[1]  # each node's own, not one node's twice; single looks may fall on one moment


def test_use_is_what_the_counters_differ_by() -> None:
    """Half, then a quarter of the ticks; 1,000 bytes in two seconds; looks that are too near are one."""
    looks = [(100.0, 0, 0, 6, 8, 500), (102.0, 200, 400, 4, 8, 1500), (102.001, 201, 401, 4, 8, 1500)]
    looks += [(106.0, 400, 1200, 2, 8, 1500)]
    use = use_of("n1", looks, 99.0, 6.0)
    assert (use.begins, use.ends) == ([1.0, 3.0], [3.0, 7.0])
    assert (use.processor, use.memory, use.network) == ([0.5, 0.25], [0.5, 0.25], [500.0, 0.0])
    again = use_of("n1", [(0.0, 50, 100, 1, 2, 900), (1.0, 60, 120, 1, 2, 10)], 0.0, 1.0)  # its network began anew
    assert (again.processor, again.network) == ([0.5], [0.0])


LINE = {
    "event": "node",
    "host": "n1",
    "time": 5.0,
    "busy": 1,
    "all": 2,
    "used": 3,
    "memory": 4,
    "received": 5,
    "sent": 6,
}


@pytest.mark.parametrize(
    ("key", "value"),
    [("time", "now"), ("busy", -1), ("busy", True), ("sent", 1.5), ("host", ""), ("memory", None), ("time", 1e300)],
)
def test_a_damaged_look_is_named_and_left_out(tmp_path: Path, key: str, value: Any) -> None:
    path = tmp_path / "lines"
    path.write_text("".join(json.dumps(each) + "\n" for each in (LINE, LINE | {key: value})))
    read = content(path, ABOUT)
    assert [look.sent for look in read.looks] == [6]
    assert len(read.faults) == 1 and read.faults[0].startswith(f"2: event 'node': {key}: got ")


@pytest.fixture
def two_nodes() -> Document:
    nodes = [
        {"node": "n1", "begins": [0.0, 2.0], "ends": [2.0, 4.0], "processor": [1.0, 0.5], "memory": [0.25, 0.5],
         "network": [1e6, 3e6]},
        {"node": "n2", "begins": [0.0, 1.0], "ends": [1.0, 4.0], "processor": [0.0, 0.0], "memory": [0.1, 0.1],
         "network": [0.0, 0.0]},
    ]  # fmt: skip
    cause = {"cause": "others", "host": "n1", "text": "others used 1 processor of n1", "from": 1001.0, "to": 1002.5}
    cause |= {"amount": 1.0, "figures": [], "processes": [], "advice": ""}
    return from_json(Document, to_json(made_document(nodes_over_time=nodes, begun=1000.0, causes=[cause])))


def test_the_table_has_means_over_time_and_the_busiest_first(two_nodes: Document) -> None:
    table = node_use.table(two_nodes)
    assert table is not None
    assert [list(row) for row in table.rows] == [
        ["n1", "4 s", "75%", "100%", "50%", "2 MB/s", "3 MB/s"],
        ["n2", "4 s", "0%", "0%", "10%", "0 B/s", "0 B/s"],
    ]
    assert "Nodes during the run" in as_markdown(two_nodes)


def test_the_terminal_draws_each_node_over_the_run(two_nodes: Document) -> None:
    """Of 4 s each bar stands for a quarter of one: n1 is busy for 2 s and half busy for two."""
    out = StringIO()
    terminal.show(two_nodes, Console(file=out, width=100))
    rows = [line.split() for line in out.getvalue().splitlines() if line.startswith(("n1 ", "n2 "))]
    assert rows == [
        ["n1", 8 * "█" + 8 * "▅", "75%", 8 * "▃" + 8 * "▅", "50%", 8 * "▃" + 8 * "█", "3", "MB/s"],
        ["n2", 16 * "▁", "0%", 16 * "▁", "10%", 16 * "▁", "0", "B/s"],
    ]
    assert "Nodes during the run" in out.getvalue() and "Over 4 s" in out.getvalue()


@pytest.mark.browser
def test_the_page_draws_each_node_and_what_disturbed_it(two_nodes: Document, tmp_path: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    written = tmp_path / "page.html"
    written.write_text(page.html(two_nodes))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        shown = chromium.new_page()
        errors: list[str] = []
        shown.on("pageerror", lambda error: errors.append(str(error)))
        shown.goto(written.as_uri())
        shown.click("#provenance > summary")
        shown.wait_for_selector("[data-plot='nodes-2'] .scatterlayer")
        plots = (
            "['nodes-0', 'nodes-1', 'nodes-2'].map(key => document.querySelector(`[data-plot=${key}] .js-plotly-plot`))"
        )
        data = shown.evaluate(f"{plots}.map(p => p.data.map(t => [t.name, Array.from(t.x), Array.from(t.y)]))")
        ticks = shown.evaluate(f"{plots}.map(p => p.layout.yaxis.ticktext.at(-1))")
        bands = shown.evaluate(f"{plots}.map(p => p.layout.shapes.map(s => [s.x0, s.x1]))")
        if "ASSAY_SCREENSHOT" in os.environ:
            shown.locator("#provenance").screenshot(path=os.environ["ASSAY_SCREENSHOT"])
        chromium.close()
    assert errors == []
    assert data[0] == [["n1", [0, 2, 2, 4], [1, 1, 0.5, 0.5]], ["n2", [0, 1, 1, 4], [0, 0, 0, 0]]]
    assert data[1][0][2] == [0.25, 0.25, 0.5, 0.5] and data[2][0][2] == [1e6, 1e6, 3e6, 3e6]
    assert ticks == ["100%", "50%", "3 MB/s"]
    assert bands == [[[1, 2.5]]] * 3


def test_a_run_keeps_and_shows_what_its_node_did(tmp_path: Path) -> None:
    made = assay("run", "sieve", "--out", str(tmp_path / "run"), "--launches", "2", "--json")
    assert made.status == 0, made.err
    (node,) = made.document["nodes_over_time"]
    assert node["node"] == os.uname().nodename and all(0 <= share <= 1 for share in node["processor"])
    assert assay("report", str(tmp_path / "run")).status == 0
    assert 'id="nodes"' in (tmp_path / "run" / "report.html").read_text()
    assert "Nodes during the run" in (tmp_path / "run" / "report.md").read_text()
