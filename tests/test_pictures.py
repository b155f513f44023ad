"""Heat maps and timelines: every link and worm in them, with the load and the times that it has."""

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
from assay.network.description import Source, parse
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


def replayed(tmp_path: Path, network: str, messages: str) -> list[dict[str, Any]]:
    (tmp_path / "net.toml").write_text(network)
    (tmp_path / "messages.csv").write_text("id,cycle,source,destination,flits\n" + messages)
    drawn = tmp_path / "trace.json"
    network_file, trace_file, out = tmp_path / "net.toml", tmp_path / "messages.csv", tmp_path / "delivered.csv"
    made = assay("replay", str(network_file), str(trace_file), "-o", str(out), "--timeline", str(drawn))
    assert made.status == 0, made.err
    events: list[dict[str, Any]] = json.loads(drawn.read_text())["traceEvents"]
    return events


def test_a_worm_that_waits_is_seen_to_wait(tmp_path: Path) -> None:
    # 0 to 1 and 2 to 1 in the 2-cube, both at cycle 0: the second asks for the ejection link that the first holds until
    # its tail of 8 flits has left, granted in cycle 2, so the other's head crosses it in cycle 2 + 8
    network = '[network]\ntopology = "hypercube"\ndimension = 2\n'
    events = replayed(tmp_path, network, "7,0,0,1,8\n9,0,3,1,8\n")
    spans = [event for event in events if event["ph"] == "X"]
    us = 0.05
    last = sorted((event for event in spans if event["args"]["head"] >= 2), key=lambda event: event["ts"])
    assert [event["name"] for event in last] == ["7: 0 to 1", "9: 3 to 1"]
    assert [event["ts"] / us for event in last] == pytest.approx([2, 10])
    assert all(event["dur"] / us == pytest.approx(8) for event in last)
    begun = [event for event in events if event["ph"] == "b" and event["name"].startswith("9")]
    ended = [event for event in events if event["ph"] == "e" and event["name"].startswith("9")]
    assert (begun[0]["ts"] / us, ended[0]["ts"] / us) == pytest.approx((0, 18))


def test_spans_do_not_overlap_on_a_channel_and_heads_go_forward(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for number in range(300):
        source, destination = rng.choice(9, 2, replace=False)
        rows.append(f"{number},{rng.integers(0, 400)},{source},{destination},{rng.integers(1, 30)}")
    network = '[network]\ntopology = "mesh"\nextents = [3, 3]\nbuffer_flits = 2\n'
    events = replayed(tmp_path, network, "\n".join(rows))
    spans = [event for event in events if event["ph"] == "X"]
    tracks: dict[int, list[dict[str, Any]]] = {}
    worms: dict[str, list[dict[str, Any]]] = {}
    for event in spans:
        tracks.setdefault(event["tid"], []).append(event)
        worms.setdefault(event["name"], []).append(event)
    for track in tracks.values():
        ordered = sorted(track, key=lambda event: event["ts"])
        for one, other in pairwise(ordered):
            assert one["ts"] + one["dur"] <= other["ts"] + 1e-6
    delivered = dict(
        line.split(",", 1) for line in (tmp_path / "delivered.csv").read_text().replace('"', "").splitlines()[1:]
    )
    assert len(worms) == 300
    for name, way in worms.items():
        heads = sorted(event["args"]["head"] for event in way)
        head, tail, hops = map(int, delivered[name.split(":")[0]].split(","))
        assert len(set(heads)) == len(way) == hops
        assert heads[-1] == head and max(event["args"]["tail"] for event in way) == tail
        assert all(event["args"]["tail"] - event["args"]["head"] >= event["args"]["flits"] - 1 for event in way)
