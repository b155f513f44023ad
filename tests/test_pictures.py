"""Heat maps and timelines: every link and message in them, with the load and the times that it has."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay._core import network as core
from assay.network import heatmap
from assay.network.description import parse
from assay.toml.source import Source
from command_line import assay

NETWORK = """
[network]
topology = "hypercube"
dimension = 3
[traffic]
load = 0.3
flits = 8
[method]
cycles = 200000
warmup_cycles = 1000
"""


@pytest.mark.parametrize(
    "network",
    [
        {"topology": "hypercube", "dimension": 4},
        {"topology": "mesh", "extents": [4, 3]},
        {"topology": "torus", "radix": 4, "dimensions": 2},
        {"topology": "k-ary-n-tree", "radix": 2, "levels": 3},
        {"topology": "dragonfly", "p": 2, "a": 4, "h": 2, "routing": "valiant"},
        {"topology": "fat-tree", "children": [2, 3], "parents": [2]},
        {"topology": "ring", "nodes": 6},
    ],
    ids=lambda network: str(network["topology"]),
)
def test_every_link_is_drawn_with_its_exact_load(network: dict[str, Any], tmp_path: Path) -> None:
    described = parse({"network": network, "traffic": {"load": 0.1, "pattern": "uniform"}}, Source(Path("x"), ""))
    path = tmp_path / "map.svg"
    heatmap.write(path, described, None)
    drawn = ElementTree.parse(path).getroot()
    built = core.build_network(described.fabric())
    rates = built.channel_rates("uniform")["rate"]
    expected = sorted(
        f"{link['from']} to {link['to']}: {0.1 * rate / link['channels']:.1%}"
        for link, rate in zip(built.links, rates, strict=True)
        if link["kind"] == "network"
    )
    titles = [element[0].text for element in drawn.iter("{http://www.w3.org/2000/svg}path")]
    assert sorted(str(title) for title in titles) == expected
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) == built.routers


def test_the_papers_machine_is_drawn_with_both_networks(tmp_path: Path) -> None:
    described = parse({"network": {"topology": "hypercube", "dimension": 3}, "io": {}}, Source(Path("x"), ""))
    heatmap.write(tmp_path / "map.svg", described, None)
    assert (tmp_path / "map.svg").read_text().count("<circle") == 8 + 2


def test_the_verb_draws_what_a_network_with_io_nodes_offers(tmp_path: Path) -> None:
    """Its links are not watched; nobody asked for `method.utilisation`, so nobody is told of it."""
    path, picture = tmp_path / "net.toml", tmp_path / "map.svg"
    path.write_text('[network]\ntopology = "hypercube"\ndimension = 3\n[io]\n[method]\ncycles = 20000\n')
    made = assay("simulate", str(path), "--heatmap", str(picture), "--json")
    assert made.status == 0, made.err
    assert "load of the links, offered, by the routes" in picture.read_text()


def test_simulated_loads_are_the_offered_ones(tmp_path: Path) -> None:
    path, picture = tmp_path / "net.toml", tmp_path / "map.svg"
    path.write_text(NETWORK)
    made = assay("simulate", str(path), "--heatmap", str(picture), "--json")
    assert made.status == 0, made.err
    busy = {one["link"]: one["busy"] for one in made.document["utilisation"]}
    described = parse(
        {"network": {"topology": "hypercube", "dimension": 3}, "traffic": {"load": 0.3}}, Source(path, "")
    )
    _, load = heatmap.offered(described)
    assert [busy[link] for link in range(len(load))] == pytest.approx(load, rel=0.1)
    assert picture.read_text().count("<path") == 24


def test_colours_go_from_light_to_dark() -> None:
    def brightness(share: float) -> int:
        text = heatmap.colour(share)
        return sum(int(text[at : at + 2], 16) for at in (1, 3, 5))

    shades = [brightness(share) for share in (-1, 0, 0.3, 0.6, 1, 7)]
    assert shades == sorted(shades, reverse=True)
    assert shades[0] == shades[1] and shades[-1] == shades[-2]


def replayed(tmp_path: Path, network: str, messages: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The timeline's events, and the document."""
    (tmp_path / "net.toml").write_text(network)
    (tmp_path / "messages.csv").write_text("id,cycle,source,destination,flits\n" + messages)
    files = [str(tmp_path / name) for name in ("net.toml", "messages.csv", "delivered.csv", "trace.json")]
    made = assay("replay", files[0], files[1], "-o", files[2], "--timeline", files[3], "--json")
    assert made.status == 0, made.err
    events: list[dict[str, Any]] = json.loads(Path(files[3]).read_text())["traceEvents"]
    return events, made.document


def test_a_worm_that_waits_is_seen_to_wait(tmp_path: Path) -> None:
    # 0 to 1 and 2 to 1 in the 2-cube, both at cycle 0: the second asks for the ejection link that the first holds until
    # its tail of 8 flits has left, granted in cycle 2, so the other's head crosses it in cycle 2 + 8
    network = '[network]\ntopology = "hypercube"\ndimension = 2\n'
    events, _ = replayed(tmp_path, network, "7,0,0,1,8\n9,0,3,1,8\n")
    spans = [event for event in events if event["ph"] == "X"]
    us = 0.05
    last = sorted((event for event in spans if event["args"]["head"] >= 2), key=lambda event: event["ts"])
    assert [event["name"] for event in last] == ["7: 0 to 1", "9: 3 to 1"]
    assert [event["ts"] / us for event in last] == pytest.approx([2, 10])
    assert all(event["dur"] / us == pytest.approx(8) for event in last)
    begun = [event for event in events if event["ph"] == "b" and event["name"].startswith("9")]
    ended = [event for event in events if event["ph"] == "e" and event["name"].startswith("9")]
    assert (begun[0]["ts"] / us, ended[0]["ts"] / us) == pytest.approx((0, 18))


US = 0.05  # of a cycle
CROSSBAR = '[network]\ntopology = "crossbar"\nnodes = 3\n'


def nested(events: list[dict[str, Any]]) -> dict[str, list[tuple[str, int, int]]]:
    """Spans (name, first cycle, cycle after the last) by track of the messages, each wholly inside those around it."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    around: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        if event["ph"] == "b":
            around.setdefault(event["id"], []).append(event)
        elif event["ph"] == "e":
            begun = around[event["id"]].pop()
            assert begun["name"] == event["name"] and begun["ts"] < event["ts"]
            assert not (outer := around[event["id"]]) or outer[-1]["ts"] <= begun["ts"]
            span = (event["name"], round(begun["ts"] / US), round(event["ts"] / US))
            for _, start, end in found.setdefault(event["id"], []):
                assert end <= span[1] or span[1] <= start  # those that ended before lie before it or inside it
            found[event["id"]].append(span)
    assert not any(around.values())
    return found


@pytest.mark.parametrize(
    ("keys", "engine", "waits"),
    [
        ("", "worm", (1, 9)),
        ('engine = "flit"', "flit", (1, 9)),
        ('switching = "cut-through"', "worm", (1, 9)),
        ('switching = "cut-through"\nengine = "packet"', "packet", (1, 9)),
        # the one slot before the sink, which waits for the whole packet, is free as the first's tail leaves: 8 + 8 + 7
        ('switching = "store-and-forward"', "worm", (8, 23)),
        ('switching = "store-and-forward"\nengine = "packet"', "packet", (8, 23)),
        ('switching = "circuit"', "worm", (1, 13)),  # data from 2 + 2 acknowledgements on, through link 2 by 5 + 7
    ],
)
def test_every_engine_shows_the_wait_for_a_link(keys: str, engine: str, waits: tuple[int, int], tmp_path: Path) -> None:
    """Two messages of 8 flits for one node of a crossbar: the second head waits until the first's tail is through."""
    events, said = replayed(tmp_path, CROSSBAR + keys, "7,0,0,2,8\n9,0,1,2,8\n")
    assert said["engine"] == engine
    spans = nested(events)
    assert ("waits for router 0 into node 2", *waits) in spans["9"]
    assert not [name for name, *_ in spans["7"] if name.startswith("waits")]
    ejected = [event for event in events if event["ph"] == "X" and event["args"]["head"] == waits[1]]
    assert [event["name"] for event in ejected] == ["9: 1 to 2"]


@pytest.mark.parametrize(
    "keys", ["buffer_flits = 30", 'switching = "cut-through"', 'switching = "cut-through"\nengine = "packet"']
)
@pytest.mark.parametrize(("flits", "end"), [(1, 10), (8, 13), (20, 25)])
def test_a_head_is_on_its_way_until_it_is_inside(keys: str, flits: int, end: int, tmp_path: Path) -> None:
    """Two links in five cycles each; the tail follows on the last link, L - 1 cycles after the head."""
    events, said = replayed(tmp_path, f"{CROSSBAR}head_ticks = 5\n{keys}", f"7,0,0,2,{flits}\n")
    spans = nested(events)["7"]
    assert ("head on its way", 0, 10) in spans
    assert ("7: 0 to 2", 0, end) in spans
    assert [span for span in spans if span[0] == "body"] == ([("body", 10, end)] if end > 10 else [])
    latency = next(figure for figure in said["figures"] if figure["name"] == "header_latency")
    assert round(latency["value"] / (US * 1e-6)) == 10


@pytest.mark.parametrize("keys", ["", 'switching = "cut-through"\nengine = "packet"', 'engine = "flit"'])
def test_packets_of_a_message_are_seen_one_by_one(keys: str, tmp_path: Path) -> None:
    events, _ = replayed(tmp_path, f"{CROSSBAR}packet_flits = 3\n{keys}", "5,10,0,2,8\n")
    spans = nested(events)
    assert set(spans) == {"5", "5.0", "5.1", "5.2"}
    crossed = sorted((event["args"]["packet"], event["args"]["head"]) for event in events if event["ph"] == "X")
    assert [packet for packet, _ in crossed] == [0, 0, 1, 1, 2, 2]
    assert crossed[0][1] == 10 and crossed[1][1] == 11


def test_lanes_of_a_wire_are_tracks_of_their_own(tmp_path: Path) -> None:
    """Two worms share the wire between routers 1 and 2 flit by flit, each in its lane."""
    network = '[network]\ntopology = "mesh"\nextents = [4]\nlanes = 2\nbuffer_flits = 4\n'
    events, said = replayed(tmp_path, network, "1,0,0,2,40\n2,0,1,3,40\n")
    assert said["engine"] == "flit"
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    shared = [event for event in events if event["ph"] == "X" and names[event["tid"]].startswith("router 1 to 2")]
    assert sorted(names[event["tid"]].partition(", ")[2] for event in shared) == ["lane 0)", "lane 1)"]
    one, other = (event["args"] for event in shared)
    assert one["head"] < other["tail"] and other["head"] < one["tail"]
    assert min(each["tail"] - each["head"] for each in (one, other)) > 60  # each had every second cycle


@pytest.mark.parametrize("engine", ["worm", "flit"])
def test_worms_that_wait_for_each_other_are_shown_as_waiting_forever(engine: str, tmp_path: Path) -> None:
    network = f'[network]\ntopology = "ring"\nnodes = 5\ndateline = "none"\nengine = "{engine}"\n'
    rows = "\n".join(f"{node},0,{node},{(node + 2) % 5},50" for node in range(5))
    events, said = replayed(tmp_path, network, rows)
    assert len(said["deadlock"]["cycle"]) == 5
    spans = nested(events)
    for node in range(5):
        assert [start for name, start, _ in spans[str(node)] if name == "waits forever"] == [2]
    held = [event for event in events if event["ph"] == "X" and event["args"]["tail"] == "never"]
    assert len(held) == 10  # the injection link and one of the ring by each


NETWORKS = {
    "worm": "buffer_flits = 2",
    "packet": 'switching = "cut-through"\nengine = "packet"\nchannels = 2',
    "flit": "lanes = 2\nbuffer_flits = 3",
}


@pytest.mark.parametrize("engine", NETWORKS)
def test_spans_do_not_overlap_on_a_channel_and_waits_make_up_the_latency(engine: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for number in range(300):
        source, destination = rng.choice(9, 2, replace=False)
        rows.append(f"{number},{rng.integers(0, 400)},{source},{destination},{rng.integers(1, 30)}")
    network = f'[network]\ntopology = "mesh"\nextents = [3, 3]\n{NETWORKS[engine]}\n'
    events, said = replayed(tmp_path, network, "\n".join(rows))
    assert said["engine"] == engine
    tracks: dict[int, list[dict[str, Any]]] = {}
    ways: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault(event["tid"], []).append(event)
            ways.setdefault(event["name"], []).append(event)
    for track in tracks.values():
        ordered = sorted(track, key=lambda event: event["ts"])
        for one, other in pairwise(ordered):
            assert one["ts"] + one["dur"] <= other["ts"] + 1e-6
    delivered = dict(line.split(",", 1) for line in (tmp_path / "delivered.csv").read_text().splitlines()[1:])
    born = {row.split(",")[0]: int(row.split(",")[1]) for row in rows}
    spans = nested(events)
    assert len(ways) == 300
    for name, way in ways.items():
        number = name.split(":")[0]
        heads = sorted(event["args"]["head"] for event in way)
        head, tail, hops = map(int, delivered[number].split(","))
        assert len(set(heads)) == len(way) == hops
        assert heads[-1] == head and max(event["args"]["tail"] for event in way) == tail
        assert all(event["args"]["tail"] - event["args"]["head"] >= event["args"]["flits"] - 1 for event in way)
        waited = sum(end - start for name, start, end in spans[number] if name.startswith("waits"))
        assert head - born[number] == hops - 1 + waited
