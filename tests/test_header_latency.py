"""One definition of header latency: to the head's arrival inside the destination, whatever a link's head ticks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.cli import application
from assay.network.figures import DEFINITIONS

SLOW = """[network]
topology = "crossbar"
nodes = 9
head_ticks = 5
{more}
[traffic]
load = 0.0005
flits = 4
[method]
warmup_cycles = 100
cycles = 400000
replications = 1
"""


def found(folder: Path, more: str, *arguments: str) -> dict[str, Any]:
    network = folder / "network.toml"
    network.write_text(SLOW.format(more=more))
    result = CliRunner().invoke(application(), [arguments[0], str(network), *arguments[1:], "--json"])
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


@pytest.mark.parametrize(
    ("more", "alone"),
    [
        ("", 10),  # head over two links, five ticks each
        ("node_head_ticks = 7", 14),
        ("ejection_head_ticks = 7", 12),
        ("node_head_ticks = 6\nejection_head_ticks = 7", 13),
        ('engine = "flit"', 10),
        ('switching = "cut-through"', 10),
        ('switching = "cut-through"\nengine = "packet"', 10),
        ('switching = "store-and-forward"', 13),  # the whole message in between
    ],
)
def test_a_head_is_there_when_it_is_inside_the_destination(tmp_path: Path, more: str, alone: int) -> None:
    document = found(tmp_path, more, "simulate")
    latency = document["estimates"]["header_latency"]["cycles"]["mean"]
    assert alone <= latency < alone + 0.1
    network = document["estimates"]["network_latency"]["cycles"]["mean"]
    assert alone <= network <= latency
    assert document["definitions"] == DEFINITIONS


@pytest.mark.parametrize(("more", "alone"), [("", 10), ("node_head_ticks = 7", 14), ("ejection_head_ticks = 7", 12)])
def test_a_replay_counts_it_alike(tmp_path: Path, more: str, alone: int) -> None:
    (tmp_path / "messages.csv").write_text("id,cycle,source,destination,flits\n0,3,0,1,4\n")
    out = ("-o", str(tmp_path / "delivered.csv"))
    document = found(tmp_path, more, "replay", str(tmp_path / "messages.csv"), *out)
    figure = next(one for one in document["figures"] if one["name"] == "header_latency")
    cycle = (
        next(one for one in document["figures"] if one["name"] == "completion")["value"] / document["simulated_cycles"]
    )
    assert figure["value"] == pytest.approx(alone * cycle)
    assert document["definitions"] == DEFINITIONS


def test_the_terminal_says_until_when(tmp_path: Path) -> None:
    network = tmp_path / "network.toml"
    network.write_text(SLOW.format(more=""))
    told = CliRunner().invoke(application(), ["simulate", str(network)]).stdout
    assert "until the head is inside the destination" in told
