"""Every key that a network file accepts changes some result, or the loader refuses it: over the whole schema."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.network import applies, description, network_tables, records, replaying, simulation, sweep, trace
from by_night import by_night
from command_line import assay
from test_network_fuzz import SMALL, dumped
from test_routing_laws import DIRECT

Tree = dict[str, dict[str, Any]]
METHOD = {"cycles": 3000, "warmup_cycles": 300, "replications": 1}
CUBE = {"topology": "hypercube", "dimension": 3}


def loaded(tree: Tree, folder: Path) -> description.NetworkDescription:
    file = folder / "network.toml"
    file.write_text(dumped(tree))
    return description.load(file)


KEPT: dict[str, str | InputError] = {}


def result(tree: Tree, folder: Path) -> str:
    """All that a simulation finds, without what repeats its input and what depends on this machine; simulated once."""
    key = dumped(tree)
    if key not in KEPT:
        try:
            KEPT[key] = simulated(tree, folder)
        except InputError as error:
            KEPT[key] = error
    found = KEPT[key]
    if isinstance(found, InputError):
        raise found
    return found


def simulated(tree: Tree, folder: Path) -> str:
    found: list[dict[str, Any]] = []
    sweep.drive([simulation.steps(loaded(tree, folder))], None, lambda _, document: found.append(document))
    document = found[0]
    document.pop("cpu_seconds"), document.pop("seed"), document["warmup"].pop("pilot_cpu_seconds")
    for figure in document["figures"]:
        figure.pop("params")
    return json.dumps(document, sort_keys=True)


def but(tree: Tree, table: str, /, **keys: Any) -> Tree:
    changed = copy.deepcopy(tree)
    changed.setdefault(table, {}).update(keys)
    return changed


def case(network: dict[str, Any] | None = None, load: float = 0.6, **tables: Any) -> Tree:
    traffic = {} if "io" in tables else {"traffic": {"load": load, "flits": 8} | tables.pop("traffic", {})}
    return {"network": CUBE | (network or {}), **traffic, "method": METHOD, **tables}


# --- [network]: every common key in every switching -------------------------------------------------------------------
SWITCHINGS: dict[str, Tree] = {
    "wormhole": case(),
    "wormhole, lanes": case({"lanes": 2, "buffer_flits": 2}),
    "wormhole, packets": case({"packet_flits": 4}),
    "cut-through": case({"switching": "cut-through", "buffer_packets": 2}),
    "cut-through, output": case({"switching": "cut-through", "buffers": "output", "output_packets": 2}),
    "store-and-forward": case({"switching": "store-and-forward", "packet_flits": 4, "buffer_packets": 2}),
    "circuit": case({"switching": "circuit"}),
    "failed": case({"failed_links": [[0, 1]], "routing": "up-down"}),
}
COMMON: dict[str, Any] = {
    "channels": 3,
    "injection_channels": 2,
    "ejection_channels": 2,
    "lanes": 3,
    "buffer_flits": 3,
    "flit_ticks": 2,
    "body_ticks": 9,
    "head_ticks": 3,
    "credit_ticks": 2,
    "node_flit_ticks": 2,
    "node_body_ticks": 9,
    "node_head_ticks": 3,
    "ejection_flit_ticks": 2,
    "ejection_head_ticks": 3,
    "failed_links": [[2, 3]],
    "failed_one_way": True,
    "failed_routers": [1],
    "failed_nodes": [1],
    "flit_bytes": 2.0,
    "links": [{"node": 2, "slower": 2.0}],
    "cycle": 1e-7,
    "channel_rate": 1e7,
    "switching": "store-and-forward",
    "engine": "flit",
    "buffer_packets": 3,
    "buffers": "fifo",
    "output_packets": 1,
    "header_flits": 1,
    "circuit_release": "end",
    "acknowledgement": 3,
    "sink_ticks": 3,
    "packet_flits": 3,
    "packet_gap": 5,
    "topology": "ring",
    "routing": "shortest-path",
}
ELSEWHERE = {"io"}  # a table: below, message by message
SAME = {  # what may be said twice: a value that happens to be what is there anyhow
    ("store-and-forward", "switching"): "is so already",
    ("wormhole, lanes", "engine"): "the flit engine is the only one that has lanes",
}


def test_the_common_keys_are_all_here() -> None:
    assert set(COMMON) | ELSEWHERE == set(network_tables.NetworkTable.model_fields) | {
        each["name"] for each in records.common()
    }


@pytest.mark.parametrize("name", by_night(SWITCHINGS, ["wormhole", "wormhole, lanes", "cut-through"]))
def test_every_key_of_network_counts_or_is_refused(name: str, tmp_path: Path) -> None:
    base = SWITCHINGS[name]
    before, counted = result(base, tmp_path), set()
    for key, value in COMMON.items():
        given = {"topology": "ring", "nodes": 8} if key == "topology" else {key: value}
        changed = but(base, "network", **given)
        if key == "topology":
            del changed["network"]["dimension"]
        try:
            after = result(changed, tmp_path)
        except InputError as error:
            assert re.search(r"network\.toml:\d+: network\.", str(error)), error
            continue
        assert (after != before) == ((name, key) not in SAME), (name, key)
        counted.add(key)
    assert {"channels", "flit_ticks", "failed_nodes", "cycle", "flit_bytes", "routing"} <= counted


def test_every_common_key_counts_somewhere(tmp_path: Path) -> None:
    for key in set(COMMON) - {"topology"}:
        assert any(counts(key, base, tmp_path) for base in SWITCHINGS.values()), key


def counts(key: str, base: Tree, folder: Path) -> bool:
    try:
        return result(but(base, "network", **{key: COMMON[key]}), folder) != result(base, folder)
    except InputError:
        return False


# --- [network]: keys of topologies and routings -----------------------------------------------------------------------
OWN: dict[tuple[str, str], tuple[dict[str, Any], Any]] = {  # (owner, key): the case, and what the key becomes
    ("bus", "nodes"): ({}, 5),
    ("butterfly", "radix"): ({}, 3),
    ("butterfly", "stages"): ({}, 2),
    ("crossbar", "nodes"): ({}, 5),
    ("dragonfly", "p"): ({}, 2),
    ("dragonfly", "a"): ({}, 3),
    ("dragonfly", "h"): ({}, 2),
    ("dragonfly", "groups"): ({}, 2),
    ("dragonfly", "arrangement"): ({"a": 4}, "relative"),
    ("dragonfly", "global_channels"): ({}, 2),
    ("dragonfly", "global_flit_ticks"): ({}, 3),
    ("dragonfly", "global_body_ticks"): ({}, 3),
    ("dragonfly", "global_head_ticks"): ({}, 3),
    ("fat-tree", "children"): ({}, [3, 3]),
    ("fat-tree", "parents"): ({}, [1]),
    ("fat-tree", "taper"): ({"parents": None}, 2.0),
    ("fat-tree", "level_channels"): ({}, [3]),
    ("graph", "file"): ({"links": None}, "edges.txt"),
    ("graph", "links"): ({}, [[0, 1], [1, 2]]),
    ("graph", "link_channels"): ({"nodes": [0, 0, 0, 1]}, [3, 1, 1]),
    ("graph", "link_delays"): ({}, [3, 0, 0]),
    ("graph", "nodes"): ({}, [0, 2]),
    ("graph", "directed"): ({"routing": "shortest-path"}, True),
    ("hypercube", "dimension"): ({}, 4),
    ("hypercube", "nodes"): ({"routing": "shortest-path"}, 6),
    ("hyperx", "extents"): ({}, [2, 2]),
    ("hyperx", "concentration"): ({}, 2),
    ("k-ary-n-tree", "radix"): ({}, 3),
    ("k-ary-n-tree", "levels"): ({}, 3),
    ("mesh", "extents"): ({}, [4, 3]),
    ("mesh", "radix"): ({"extents": None, "radix": 3, "dimensions": 2}, 4),
    ("mesh", "dimensions"): ({"extents": None, "radix": 3, "dimensions": 2}, 1),
    ("omega", "radix"): ({}, 3),
    ("omega", "stages"): ({}, 2),
    ("ring", "nodes"): ({}, 6),
    ("star", "nodes"): ({}, 5),
    ("torus", "extents"): ({}, [4, 3]),
    ("torus", "radix"): ({"extents": None, "radix": 3, "dimensions": 2}, 4),
    ("torus", "dimensions"): ({"extents": None, "radix": 3, "dimensions": 2}, 1),
    ("dimension-order", "order"): ({"topology": "mesh"}, ...),
    ("dimension-order", "tie"): ({"topology": "torus", "extents": [4, 4]}, ...),
    ("dimension-order", "dateline"): ({"topology": "ring"}, "none"),
    ("e-cube", "order"): ({"topology": "hypercube"}, ...),
    ("nearest-common-ancestor", "up"): ({"topology": "fat-tree"}, ...),
    ("shortest-path", "equals"): ({"topology": "hypercube"}, ...),
    ("table", "table"): ({"topology": "graph", "table": DIRECT}, DIRECT.replace("0,2,2", "0,2,1")),
    ("ugal", "base"): ({"topology": "hypercube"}, "shortest-path"),
    ("ugal", "base_keys"): ({"topology": "hypercube"}, {"order": "lowest-first"}),
    ("ugal", "threshold"): ({"topology": "hypercube"}, 4),
    ("up-down", "root"): ({"topology": "hypercube"}, 3),
    ("up-down", "equals"): ({"topology": "hypercube"}, ...),
    ("valiant", "base"): ({"topology": "hypercube"}, "shortest-path"),
    ("valiant", "base_keys"): ({"topology": "hypercube"}, {"order": "lowest-first"}),
}
PARAMETERS = {
    (owner, parameter["name"]): parameter
    for known in (records.topologies(), records.routings())
    for owner, record in known.items()
    for parameter in record["parameters"]
}


def test_the_keys_of_topologies_and_routings_are_all_here() -> None:
    assert set(OWN) == set(PARAMETERS)


@pytest.mark.parametrize(("owner", "key"), OWN)
def test_every_key_of_a_topology_or_routing_counts(owner: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n2 3\n")
    given, value = OWN[owner, key]
    topology = str(given.get("topology", owner))
    network = {"topology": topology} | SMALL[topology] | ({"routing": owner} if owner in records.routings() else {})
    network = {name: held for name, held in (network | given).items() if held is not None}
    base: Tree = {"network": network, "traffic": {"load": 0.5, "flits": 8}, "method": METHOD}
    values = [value]
    if value is ...:
        values = re.findall(r'"([^"]+)"', PARAMETERS[owner, key]["accepts"])
    try:
        before = result(base, tmp_path)
    except InputError:
        assert (owner, key) == ("graph", "file")  # without links there is nothing before
        before = ""
    found = [result(but(base, "network", **{key: one}), tmp_path) != before for one in values]
    assert any(found)


# --- the other tables ------------------------------------------------------------------------------------------------
FOUR = {"dimension": 4}
TRAFFIC: dict[str, tuple[dict[str, Any], Any]] = {
    "pattern": ({}, "transpose"),
    "self": ({}, True),
    "arrivals": ({}, "bernoulli"),
    "flits": ({}, 9),
    "load": ({}, 0.5),
    "burst_messages": ({"arrivals": "burst"}, 3.0),
    "hotspots": ({"pattern": "hotspot"}, [3]),
    "hotspot_share": ({"pattern": "hotspot"}, 0.5),
    "radius": ({"pattern": "spherical"}, 2),
    "locality": ({"pattern": "spherical"}, 0.3),
}
LENGTHS: dict[str, tuple[dict[str, Any], Any]] = {
    "lengths": ({"lengths": [4, 8]}, [4, 9]),
    "weights": ({"lengths": [4, 8]}, [1.0, 3.0]),
    "minimum": ({"minimum": 3, "maximum": 9}, 4),
    "maximum": ({"minimum": 3, "maximum": 9}, 11),
    "geometric_mean": ({"geometric_mean": 5}, 6),
}
ELEMENTS = {"nodes": [0, 7, 9, 14], "interval": 800.0, "io_rate": 0.5, "read_ratio": 0.5, "hit_rate": 0.5}
ELEMENTS |= {"disk": 3000, "access": 400, "startup": 100}
IO: dict[str, Any] = {
    "nodes": [0, 15],
    "failed": [2],
    "b": 2,
    "k": 1,
    "m": 1,
    "n": 1,
    "r": 1,
    "interval": 900.0,
    "io_rate": 0.3,
    "read_ratio": 0.8,
    "locality": 0.7,
    "hit_rate": 0.9,
    "startup": 200,
    "access": 600,
    "disk": 5000,
    "service": 700,
    "message_flits": 16,
    "request_flits": 16,
    "forward_flits": 16,
    "reply_flits": 512,
    "write_flits": 512,
    "files": {"blocks": [1, 1]},
    "drive": {"heads": 2},
}
FILES: dict[str, Any] = {"blocks": [2, 5], "files": 7, "skew": 0.0, "declustering": 2, "cache": 9, "broadcast": 0.2}
DRIVE: dict[str, Any] = {
    "cylinders": 120,
    "heads": 9,
    "sectors": 9,
    "revolution": 3000,
    "overhead": 100,
    "seek_short": 50,
    "seek_short_root": 70.0,
    "seek_split": 200,
    "seek_long": 900,
    "seek_long_slope": 40.0,
}
HOW: dict[str, tuple[dict[str, Any], Any]] = {
    "seed": ({}, 2),
    "warmup_cycles": ({}, 500),
    "cycles": ({}, 4000),
    "replications": ({}, 3),
    "precision": ({"replications": None, "cycles": None}, 0.3),
    "max_replications": ({"replications": None, "cycles": None, "precision": 0.0001}, 20),
    "max_messages": ({"replications": None, "cycles": None, "precision": 0.0001}, 20_000),
    "confidence": ({}, 0.9),
    "quantiles": ({}, [0.3]),
    "warmup_messages": ({"warmup_cycles": None}, 200),
    "messages": ({}, 500),
    "utilisation": ({}, True),
}


def test_the_keys_of_the_other_tables_are_all_here() -> None:
    assert set(TRAFFIC) == set(network_tables.TrafficTable.model_fields)
    assert set(LENGTHS) == set(network_tables.Lengths.model_fields)
    assert set(IO) == set(network_tables.InputOutput.model_fields)
    assert set(FILES) == set(network_tables.IoFiles.model_fields)
    assert set(DRIVE) == set(network_tables.IoDrive.model_fields)
    assert set(HOW) == set(network_tables.Method.model_fields)


@pytest.mark.parametrize("key", TRAFFIC)
def test_every_key_of_traffic_counts(key: str, tmp_path: Path) -> None:
    given, value = TRAFFIC[key]
    base = case(FOUR, traffic=given)
    assert result(but(base, "traffic", **{key: value}), tmp_path) != result(base, tmp_path)


@pytest.mark.parametrize("key", LENGTHS)
def test_every_key_of_lengths_counts(key: str, tmp_path: Path) -> None:
    given, value = LENGTHS[key]
    base = case(FOUR, traffic={"flits": given})
    assert result(but(base, "traffic", flits=given | {key: value}), tmp_path) != result(base, tmp_path)


@pytest.mark.parametrize("key", IO)
def test_every_key_of_io_counts(key: str, tmp_path: Path) -> None:
    base = case(FOUR, io=ELEMENTS) | {"method": METHOD | {"cycles": 20_000}}
    if key == "drive":
        base = but(base, "io", files=IO["files"])
        base["io"].pop("disk")
    assert result(but(base, "io", **{key: IO[key]}), tmp_path) != result(base, tmp_path)


@pytest.mark.parametrize("key", [*FILES, *DRIVE])
def test_every_key_of_files_and_of_drives_counts(key: str, tmp_path: Path) -> None:
    files: dict[str, Any] = {"blocks": [1, 4], "files": 30, "cache": 4}
    drive: dict[str, Any] = {"cylinders": 1000, "heads": 1, "sectors": 4, "revolution": 400, "seek_short_root": 9.0}
    drive |= {"seek_split": 400, "seek_long": 300, "seek_long_slope": 1.0}
    given = {name: value for name, value in ELEMENTS.items() if name not in ("hit_rate", "disk")}
    base = case(FOUR, io=given | {"files": files, "drive": drive, "reply_flits": 64})
    base |= {"method": METHOD | {"cycles": 20_000}}
    if key in FILES:
        other = but(base, "io", files=files | {key: FILES[key]})
    else:
        other = but(base, "io", drive=drive | {key: DRIVE[key]})
    assert result(other, tmp_path) != result(base, tmp_path)


@pytest.mark.parametrize("key", HOW)
def test_every_key_of_method_counts(key: str, tmp_path: Path) -> None:
    given, value = HOW[key]
    base = case(FOUR, load=0.3)
    base["method"] = {name: held for name, held in (METHOD | given).items() if held is not None}
    assert result(but(base, "method", **{key: value}), tmp_path) != result(base, tmp_path)


BESIDE: dict[str, Any] = {"nodes": [0, 6], "b": 2, "m": 1, "n": 1, "r": 1, "topology": "ring"}


@pytest.mark.parametrize("key", BESIDE)
def test_every_key_of_io_nodes_beside_a_network_counts(key: str, tmp_path: Path) -> None:
    """[network.io] has nodes that only traces reach: many messages at once, so that widths count."""
    messages = tmp_path / "messages.csv"
    ends = [(1, 8), (2, 8), (4, 8), (9, 0), (10, 1), (8, 9), (9, 8), (8, 11), (11, 8), (3, 10)]
    rows = [f"{i},0,{ends[i % 10][0]},{ends[i % 10][1]},64\n" for i in range(100)]
    messages.write_text("id,cycle,source,destination,flits\n" + "".join(rows))

    def played(io: dict[str, Any]) -> str:
        count = len(io["nodes"])
        kept = [row for row in rows if max(int(row.split(",")[2]), int(row.split(",")[3])) < 8 + count]
        messages.write_text("id,cycle,source,destination,flits\n" + "".join(kept))
        replaying.replay(loaded({"network": CUBE | {"io": io}}, tmp_path), trace.load(messages), tmp_path / "out.csv")
        return (tmp_path / "out.csv").read_text()

    four: dict[str, Any] = {"nodes": [0, 3, 5, 7]}
    assert played(four | {key: BESIDE[key]}) != played(four)


# --- what is refused --------------------------------------------------------------------------------------------------
IDLE: list[tuple[Tree, str]] = [
    (case({"switching": "circuit", "buffer_flits": 4}), "network.buffer_flits"),
    (case({"buffers": "fifo"}), "network.buffers"),
    (case({"buffer_packets": 4}), "network.buffer_packets"),
    (case({"switching": "cut-through", "output_packets": 4}), "network.output_packets"),
    (case({"circuit_release": "end"}), "network.circuit_release"),
    (case({"acknowledgement": 4}), "network.acknowledgement"),
    (case({"switching": "circuit", "credit_ticks": 4}), "network.credit_ticks"),
    (case({"packet_gap": 4}), "network.packet_gap"),
    (case({"failed_one_way": True}), "network.failed_one_way"),
    (
        {"network": {"topology": "mesh", "extents": [3, 3], "routing": "dimension-order", "dateline": "none"}},
        "network.dateline",
    ),
    ({"network": {"topology": "mesh", "extents": [3, 3], "radix": 4}}, "network.radix"),
    ({"network": {"topology": "torus", "extents": [3, 3], "dimensions": 4}}, "network.dimensions"),
    ({"network": {"topology": "fat-tree", "children": [4, 4], "parents": [2], "taper": 2.0}}, "network.taper"),
    ({"network": {"topology": "graph", "links": [[0, 1]], "file": "edges.txt"}}, "network.links"),
    ({"network": {"topology": "graph", "link_channels": [2], "file": "edges.txt"}}, "network.link_channels"),
    ({"network": {"topology": "graph", "link_delays": [2], "file": "edges.txt"}}, "network.link_delays"),
    (case({"injection_channels": 2}, io=ELEMENTS), "network.injection_channels"),
    (case({"ejection_channels": 2}, io=ELEMENTS), "network.ejection_channels"),
    (case(traffic={"pattern": "transpose", "self": True}), "traffic.self"),
    (case(traffic={"hotspots": [1]}), "traffic.hotspots"),
    (case(traffic={"hotspot_share": 0.5}), "traffic.hotspot_share"),
    (case(traffic={"radius": 3}), "traffic.radius"),
    (case(traffic={"locality": 0.5}), "traffic.locality"),
    (case(traffic={"burst_messages": 3.0}), "traffic.burst_messages"),
    (case(io=ELEMENTS) | {"traffic": {"load": 0.3}}, "traffic.load"),
    (case(io=ELEMENTS | {"b": 0, "n": 2}), "io.n"),
    (case(io=ELEMENTS | {"b": 0, "r": 2}), "io.r"),
    (case(io=ELEMENTS | {"files": {"cache": 9}}), "io.hit_rate"),
    (case(io=ELEMENTS | {"files": {}, "drive": {}}), "io.disk"),
    (case(io=ELEMENTS) | {"method": METHOD | {"utilisation": True}}, "method.utilisation"),
    (case(io=ELEMENTS | {"files": {}, "service": 7}), "io.service"),
    (case() | {"method": METHOD | {"warmup_messages": 50}}, "method.warmup_cycles"),
    (case() | {"method": METHOD | {"max_replications": 50}}, "method.max_replications"),
    (case() | {"method": METHOD | {"max_messages": 5000}}, "method.max_messages"),
]


def test_every_rule_has_a_case() -> None:
    ruled = {f"{rule.table}.{key}" for rule in applies.RULES for key in rule.keys}
    assert {key for _, key in IDLE} >= ruled - {"network.tie"}


@pytest.mark.parametrize(("tree", "key"), IDLE, ids=[key for _, key in IDLE])
def test_a_key_that_changes_nothing_is_refused(tree: Tree, key: str, tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n")
    file = tmp_path / "network.toml"
    file.write_text(dumped(tree))
    found = assay("simulate", str(file))
    assert (found.status, found.out) == (2, "")
    (line,) = found.err.splitlines()
    said = re.fullmatch(rf"assay: {re.escape(str(file))}:(\d+): {key}: has no effect here; got .*, expected \S.*", line)
    assert said is not None, line
    assert file.read_text().splitlines()[int(said[1]) - 1].startswith(f"{key.partition('.')[2]} = ")


def test_keys_of_the_file_stay_when_the_word_that_decides_is_set_from_outside(tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    file.write_text(dumped(case(traffic={"pattern": "hotspot", "hotspots": [2]})))
    points = assay("simulate", str(file), "--sweep", "traffic.pattern=uniform,hotspot")
    assert points.status == 0, points.err
    refused = assay("simulate", str(file), "--set", "traffic.pattern=uniform", "--set", "traffic.hotspots=[3]")
    assert "--set traffic.hotspots=[3]: traffic.hotspots: has no effect here" in refused.err


def test_a_described_machine_is_held_to_the_same(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'name = "own"\n[network]\ntopology = "ring"\nnodes = 4\ncycle = "1 us"\nacknowledgement = 5\n'
        '[[protocol]]\nstartup = "1 us"\n'
    )
    found = assay("run", "echo", "--on", str(file))
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"assay: {file}:6: network.acknowledgement: has no effect here")
