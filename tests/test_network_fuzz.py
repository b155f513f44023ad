"""Mutated network files at the command line: a result, or one line that names the file, the line and the key."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assay.network import network_tables, records
from command_line import Answer, assay

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SMALL: dict[str, dict[str, object]] = {
    "bus": {"nodes": 4},
    "butterfly": {"radix": 2, "stages": 3},
    "crossbar": {"nodes": 4},
    "dragonfly": {"p": 1, "a": 2, "h": 1},
    "fat-tree": {"children": [2, 3], "parents": [2]},
    "graph": {"links": [[0, 1], [1, 2], [2, 0]]},
    "hypercube": {"dimension": 3},
    "hyperx": {"extents": [3, 2]},
    "k-ary-n-tree": {"radix": 2, "levels": 2},
    "mesh": {"extents": [3, 3]},
    "omega": {"radix": 2, "stages": 3},
    "ring": {"nodes": 5},
    "star": {"nodes": 4},
    "torus": {"extents": [3, 3]},
}
SHORT = {"cycles": 300, "warmup_cycles": 50, "replications": 1}
IO = tomllib.loads((EXAMPLES / "io_nodes.toml").read_text())["io"]
TABLES = {"traffic": network_tables.TrafficTable, "io": network_tables.InputOutput, "method": network_tables.Method}
NUMBERS = st.one_of(
    st.sampled_from([-(2**63) - 1, -1, 0, 1, 2, 3, 5, 2**63, 10**30, -0.5, 0.5, 1.5, 1e308, float("nan"), float("inf")])
)
WORDS = st.sampled_from(
    ["", "many", "１２", "²", "1 us", "2 B", "0.35 GB/s", "3 GBs", "0", "-1 s", "wormhole", "\x00", "é"]
)
VALUES = st.recursive(st.one_of(NUMBERS, WORDS, st.booleans()), lambda inner: st.lists(inner, max_size=3), max_leaves=4)
ENDLESS = {
    "cycles",
    "warmup_cycles",
    "messages",
    "warmup_messages",
    "replications",
    "max_replications",
    "max_messages",
    "precision",
}


def test_every_topology_has_its_small_case() -> None:
    assert set(SMALL) == set(records.topologies())


def dumped(tree: dict[str, Any]) -> str:
    """TOML; json's texts, numbers and lists are TOML's too, but for what is not finite."""

    def value(held: object) -> str:
        if isinstance(held, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {value(inner)}" for key, inner in held.items()) + "}"
        if isinstance(held, list):
            return "[" + ", ".join(map(value, held)) + "]"
        if isinstance(held, float):
            return str(held)
        return json.dumps(held)

    lines = []
    for name, table in tree.items():
        lines += [f"[{name}]", *(f"{key} = {value(held)}" for key, held in table.items()), ""]
    return "\n".join(lines)


def keys_of(tree: dict[str, Any]) -> list[tuple[str, str]]:
    topology = records.topologies()[tree["network"]["topology"]]
    routing = records.routings()[tree["network"].get("routing", topology["routing"])]
    of_network = {each["name"] for each in (*records.common(), *topology["parameters"], *routing["parameters"])}
    of_network |= set(network_tables.NetworkTable.model_fields)
    return [
        *(("network", key) for key in sorted(of_network)),
        *((table, key) for table, model in TABLES.items() if table in tree for key in sorted(model.model_fields)),
    ]


def refused(found: Answer, file: Path) -> str:
    """The one line, checked for what every refusal says."""
    assert found.status == 2, found
    assert found.out == ""
    (line,) = found.err.splitlines()
    assert "Traceback" not in line and "('" not in line
    assert line.startswith(f"assay: {file}:") or line.startswith(f"assay: {file}: "), line
    return line


def played(text: str, file: Path) -> Answer:
    file.write_bytes(text.encode(errors="surrogateescape"))
    found = assay("simulate", str(file), "--json")
    if found.status == 0:
        assert found.err == "" and json.loads(found.out)
    else:
        refused(found, file)
    return found


@st.composite
def mutated(draw: Callable[..., Any]) -> tuple[dict[str, Any], tuple[str, str]]:
    """A small case with one key changed."""
    name = draw(st.sampled_from([*sorted(SMALL), "io"]))
    network = {"topology": "hypercube", "dimension": 7} if name == "io" else {"topology": name, **SMALL[name]}
    tree: dict[str, Any] = {"network": network, "traffic": {"load": 0.2, "flits": 8}, "method": dict(SHORT)}
    if name == "io":
        tree["io"] = dict(IO)
        del tree["traffic"]
    table, key = draw(st.sampled_from(keys_of(tree)))
    value = draw(VALUES)
    if key in ENDLESS and isinstance(value, (int, float)):  # what is accepted must also end
        value = draw(st.sampled_from([-1, 0, 1, 2.5, 2**63, 10**30]))
    if (table, key) == ("traffic", "load") and isinstance(value, (int, float)) and value == value:
        value = min(value, 3)
    tree[table][key] = value
    return tree, (table, key)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
@example(({"network": {"topology": "fat-tree", "children": [0, 8]}, "method": SHORT}, ("network", "children")))
@example(
    ({"network": {"topology": "ring", "nodes": 4, "flit_ticks": 2**63}, "method": SHORT}, ("network", "flit_ticks"))
)
def test_one_wrong_key_is_named(tmp_path: Path, case: tuple[dict[str, Any], tuple[str, str]]) -> None:
    tree, (table, _) = case
    file = tmp_path / "mutated.toml"
    found = played(dumped(tree), file)
    if found.status == 2:
        where = re.search(r"mutated\.toml:(\d+): ([\w.]+)", found.err)
        assert where is not None, found.err
        assert where[2].partition(".")[0] in (table, "network", "io"), found.err
        lines = file.read_text().splitlines()
        assert lines[int(where[1]) - 1].split()[0] in (f"[{table}]", "[network]", "[io]", *where[2].split(".")), (
            found.err
        )


PIECES = ["\n", "[", "]", "=", '"', "#", "\0", "[network]\n", "９", "\udcff", "1e400", "{", ",", "'''", "-"]


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_garbled_files_simulate_or_are_refused(tmp_path: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["hypercube", "io_nodes"]))
    text = (EXAMPLES / f"{name}.toml").read_text()
    text = re.sub(r"(?m)^(warmup_)?cycles = \d+", lambda found: f"{found[1] or ''}cycles = 200", text)
    letters = list(text)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(letters) - 1))
        letters[at : at + data.draw(st.integers(0, 6))] = data.draw(st.sampled_from(PIECES))
    text = "".join(letters)
    if re.search(r"(?m)^\s*(warmup_)?cycles = 200\s*$", text) and not re.search(r"cycles\s*=\s*\d{6}", text):
        played(text, tmp_path / "garbled.toml")


def test_a_table_that_stands_twice_is_named_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "twice.toml"
    file.write_text('[network]\ntopology = "ring"\nnodes = 4\n[network]\n')
    assert assay("simulate", str(file)).err == f"assay: {file}:4: is not TOML: Cannot declare network twice\n"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("children = [0, 8]", ["network.children", "[0, 8]", "from 1 to 4096"]),
        ("children = [2]\nfailed_links = [[0, 99]]", ["network.failed_links", "99"]),
        ("children = [2]\nfailed_links = [[0, 1, 2]]", ["network.failed_links", "[0, 1, 2]"]),
    ],
)
@pytest.mark.parametrize("kind", ["network", "machine"])
def test_faults_of_the_network_name_file_and_line_wherever_it_stands(
    tmp_path: Path, kind: str, keys: str, words: list[str]
) -> None:
    file = tmp_path / "tree.toml"
    network = f'[network]\ntopology = "fat-tree"\n{keys}\n'
    file.write_text(
        network if kind == "network" else f'name = "tree"\n{network}cycle = "1 us"\n[[protocol]]\nstartup = "1 us"\n'
    )
    verb = ("simulate", str(file)) if kind == "network" else ("run", "echo", "--on", str(file))
    found = assay(*verb)
    line = refused(found, file)
    for word in words:
        assert word in line
    at = int(line.split(":")[2])
    assert file.read_text().splitlines()[at - 1].split()[0] == words[0].partition(".")[2]
