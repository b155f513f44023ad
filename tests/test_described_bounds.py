"""Bounds of a described machine: what its description implies, never passed by its simulation, seen everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay._core import network
from assay.described.limits import limits
from assay.described.shipped import open_described, shipped
from assay.document.run_document import Document
from assay.report.judge import bounds
from assay.report.judge.described_bounds import DESCRIBED_BOUNDS
from command_line import assay
from made_documents import document, headline, section

CUBE = """
name = "cube"
[network]
topology = "hypercube"
dimension = 3
switching = "circuit"
cycle = "1 ns"
flit_ticks = 100
node_flit_ticks = 1
[[protocol]]
up_to = "100 B"
startup = "10 us"
receive = "4 us"
[[protocol]]
startup = "30 us"
receive = "50 us"
"""  # channels between routers carry 10 MB/s, the ways into nodes a hundred times as much


def described(file: Path, text: str) -> dict[str, Any]:
    file.write_text(text)
    return limits(open_described(str(file)))


def test_the_slowest_channel_that_every_message_crosses_bounds_its_rate(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    assert described(file, CUBE)["rate"] == pytest.approx(10e6)
    slow = CUBE.replace("node_flit_ticks = 1", "ejection_flit_ticks = 400")
    assert described(file, slow)["rate"] == pytest.approx(2.5e6)
    bus = described(file, CUBE + '[node]\nbus = "2 MB/s"\n[compute]\nrate.stream = "3 MB/s"\n')
    assert (bus["rate"], bus["rate_by"]) == (pytest.approx(2e6), "the node's bus")
    tree = 'topology = "fat-tree"\nchildren = [2, 2]\nparents = [1]\nswitching = "cut-through"\nbuffer_packets = 2'
    near = CUBE.replace('topology = "hypercube"\ndimension = 3\nswitching = "circuit"', tree)
    assert described(file, near)["rate"] == pytest.approx(1e9)  # two nodes at one switch cross no channel between any
    plain = described(file, 'name = "plain"\n[messages]\nstartup = "70 us"\nper_byte = "0.4 us/B"\n')
    assert plain["rate"] == pytest.approx(2.5e6)
    assert plain["protocols"] == [{"up_to": None, "startup": pytest.approx(70e-6), "receive": 0.0}]


def made(name: str, key: str, better: str, allowed: dict[str, Any], **params: Any) -> Document:
    figure = headline(name, 1.0, "s", bound=key, better=better, kind="simulated") | {"params": params}
    of = section(name, [figure], headlines=[figure], part="messages")
    return document(of, described=True, provenance={"p": {"simulated": True, "limits": allowed}})


def test_what_start_ups_and_receipts_allow(tmp_path: Path) -> None:
    """By hand: two processors of a message; 8 ranks are reached by three rounds of start-ups; 4 pairs at 10 us each."""
    allowed = described(tmp_path / "m.toml", CUBE)
    for key, params, value in (
        ("line_transfers", {"bytes": 8}, 14e-6),
        ("line_transfers", {"bytes": 101}, 80e-6),
        ("line_transfers", {"ranks": 8, "algorithm": "library"}, 3 * 10e-6 + 4e-6),
        ("line_transfers", {"ranks": 9, "algorithm": "library"}, 4 * 10e-6 + 4e-6),
        ("start_ups", {"bytes": 8, "pairs": 4}, 4 / 10e-6),
        ("start_ups", {"bytes": 1000, "pairs": 4}, 4 / 50e-6),
        ("copy_rate", {"bytes": 4096}, 10e6),
    ):
        run = made("echo", key, "higher", allowed, **params)
        found = bounds.share(run.benchmarks[0].headlines[0], run)
        assert found is not None and found.value == pytest.approx(value), (key, params)
    for algorithm, steps in (("hardware", 1), ("dissemination", 3), ("tree", 6), ("tree-exchange", 5), ("linear", 8)):
        own = described(tmp_path / "m.toml", f'{CUBE}[barrier]\nalgorithm = "{algorithm}"\nstep = "7 us"\n')
        run = made("barrier", "line_transfers", "lower", own, ranks=8, algorithm="library")
        found = bounds.share(run.benchmarks[0].headlines[0], run)
        assert found is not None and found.value == pytest.approx(7e-6 * steps)


def test_ranks_that_share_a_node_are_not_bounded_by_what_others_send(tmp_path: Path) -> None:
    """Within a node a message is another one: by ranks per node of the case, of the run, or of the description."""
    barrier, node = {"ranks": 8, "algorithm": "library"}, "[node]\nprocessors = {}\n"

    def bounded(text: str, of_run: int | None = None, **case: int) -> bool:
        figure = headline("barrier", 1.0, "s", bound="line_transfers", better="lower", kind="simulated")
        figure |= {"params": barrier | case, "benchmark": "barrier"}
        of = section("barrier", [figure], headlines=[figure], part="messages", ppn=of_run)
        host = {"simulated": True, "limits": described(tmp_path / "m.toml", CUBE + text)}
        run = document(of, described=True, provenance={"p": host})
        return bounds.share(run.benchmarks[0].headlines[0], run) is not None

    one_of_two, two_of_three = node.format(2) + "ranks = 1\n", node.format(3) + "ranks = 2\n"
    assert bounded("") and bounded(one_of_two) and bounded(node.format(4), of_run=1) and bounded(node.format(4), ppn=1)
    assert not bounded(node.format(2)) and not bounded(two_of_three)
    assert not bounded(one_of_two, of_run=2) and not bounded(one_of_two, ppn=2)
    assert not bounded(one_of_two, ranks=16)  # of eight nodes


OF_LIMITS = sorted(set(DESCRIBED_BOUNDS) - {"not_slowed"})  # which is 1 whatever a machine's limits are


def test_a_run_that_does_not_say_its_limits_has_no_bound(tmp_path: Path) -> None:
    for key in OF_LIMITS:
        run = made("echo", key, "lower", {}, bytes=8, pairs=2)
        assert bounds.share(run.benchmarks[0].headlines[0], run) is None
        assert "no bound" in next(iter(_lines(run)))["bound_text"]


@pytest.mark.parametrize(
    "damaged",
    [
        "limits",
        {"protocols": None},
        {"protocols": [{"up_to": None, "startup": None, "receive": 1.0}]},
        {"protocols": [], "barrier": {"algorithm": "ring", "step": 1.0}},
    ],
)
def test_damaged_limits_bound_nothing(damaged: Any) -> None:
    for key in OF_LIMITS:
        run = made("echo", key, "lower", damaged, bytes=8, pairs=2, algorithm="library")
        assert bounds.share(run.benchmarks[0].headlines[0], run) is None


def _lines(run: Document) -> list[dict[str, Any]]:
    from assay.document.json_form import to_json
    from assay.report.judge.verdict import verdict

    found: list[dict[str, Any]] = to_json(verdict(run))["lines"]
    return found


def test_bounds_are_on_terminal_page_and_summary_and_no_figure_passes_them(tmp_path: Path) -> None:
    file = tmp_path / "cube.toml"
    file.write_text(CUBE)
    wanted = ("evaluate", "--on", str(file), "--only", "messages", "--out", str(tmp_path / "run"))
    shown = assay(*wanted)
    assert shown.status == 0, shown.err
    again = assay("report", str(tmp_path / "run"), "--json")
    lines = {line["benchmark"] + "." + line["unit"]: line for line in again.document["summary"]["lines"]}
    of = {name: lines[name]["bound"]["value"] for name in lines}
    assert of["echo.s"] == pytest.approx(14e-6) and of["echo.B/s"] == pytest.approx(10e6)
    assert of["barrier.s"] == pytest.approx(34e-6) and of["message-rate.1/s"] == pytest.approx(4 / 10e-6)
    assert of["interference.1"] == 1 and of["tournament.B/s"] == pytest.approx(10e6)
    assert all(0 < line["bar"]["at"] <= 1 and line["bound"]["share"] <= 1 for line in lines.values())
    page = (tmp_path / "run" / "report.html").read_text()
    for text in (shown.out, page, (tmp_path / "run" / "summary.md").read_text()):
        plain = " ".join(text.split())
        assert "of 14 µs: one start-up and a receipt" in plain
        assert "of 10 MB/s: what a channel carries" in plain
        assert "of 34 µs: 3 start-ups and a receipt" in plain
        assert "MPI's software" not in plain  # the machine has none


def test_where_the_network_takes_most_of_a_message_no_software_is_blamed(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text(CUBE.replace("flit_ticks = 100\n", "flit_ticks = 100\nhead_ticks = 40000\n", 1))
    answer = assay("run", "echo", "--on", str(file), "--set", "bytes=8", "--out", str(tmp_path / "run"))
    assert answer.status == 0, answer.err
    found = assay("report", str(tmp_path / "run"), "--json").document["summary"]["findings"]
    (said,) = [each["advice"] for each in found if each["text"].startswith("8-byte message, half a round trip")]
    assert said == "the way between the two ranks takes the rest"


@pytest.mark.parametrize("name", ["ncube6400", "paragon-gp", "delta"])
def test_echoes_of_shipped_machines_stay_within_the_bounds(name: str, tmp_path: Path) -> None:
    """Each length, not the main figures alone."""
    assert name in shipped()
    done = assay("run", "echo", "--on", name, "-n", "2", "--json", "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    allowed = limits(open_described(name))
    seen = 0
    for figure in done.document["figures"]:
        if figure["name"] in ("half_round_trip", "rate") and figure["statistic"] == "median":
            key = "line_transfers" if figure["name"] == "half_round_trip" else "copy_rate"
            run = made("echo", key, "higher", allowed, bytes=figure["params"]["bytes"])
            found = bounds.share(run.benchmarks[0].headlines[0], run)
            assert found is not None
            value = figure["value"] / found.value
            assert value >= 1 if key == "line_transfers" else value <= 1
            seen += 1
    assert seen > 10


@pytest.mark.parametrize(
    ("given", "ticks"),
    [
        ({"topology": "hypercube", "dimension": 3, "flit_ticks": 7, "node_flit_ticks": 2}, 7),
        ({"topology": "hypercube", "dimension": 3, "flit_ticks": 2, "ejection_flit_ticks": 5}, 5),
        ({"topology": "torus", "extents": [3, 3], "flit_ticks": 4, "node_flit_ticks": 4}, 4),
        ({"topology": "crossbar", "nodes": 4, "node_flit_ticks": 3}, 3),
        ({"topology": "fat-tree", "children": [2, 2], "parents": [1], "flit_ticks": 9, "node_flit_ticks": 2}, 2),
        ({"topology": "dragonfly", "p": 1, "a": 2, "h": 1, "flit_ticks": 2, "global_flit_ticks": 8}, 2),
    ],
)
def test_the_channel_that_all_cross_is_the_slowest_of_the_fastest_way(given: dict[str, Any], ticks: int) -> None:
    """Over every way between every two nodes, link by link."""
    net = network.build_network(given)
    links = net.links
    least = min(
        max(links[link]["flit_ticks"] for link, _ in way)
        for source in range(net.nodes)
        for destination in range(net.nodes)
        if source != destination
        for _, way in net.routes(source, destination)
    )
    found, kind = net.crossed_by_all
    assert found == least == ticks
    assert any(link["flit_ticks"] == ticks and link["kind"] == kind for link in links)


def test_a_bound_names_the_interface_where_that_is_slower_than_the_channels() -> None:
    """The DELTA's channels carry 65 MB/s (section 2); its interface takes in less, which was called a channel."""
    found = limits(open_described("delta"))
    assert found["rate_by"] == "a node's interface from the network" and found["rate"] < 18e6
    assert limits(open_described("ipsc860"))["rate_by"] == "a channel"
