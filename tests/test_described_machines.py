"""Machines described with a network: native comparisons, the iPSC/860's formula, what is refused, what is drawn."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import twin_cases
from assay._core import ranks as core
from assay.described.machine_file import DescribedMachine, load
from assay.described.published_name import SHIPPED
from assay.described.shipped import open_described, room, shipped
from assay.errors import InputError
from by_night import by_night
from command_line import assay
from started import play

IPSC860 = SHIPPED / "ipsc860.toml"


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "name",
    by_night(
        ["radix_heap", "agenda", "live", "machines", "networks", "noise", "one_sided", "sent_order", "wide_tags"],
        ["live", "machines", "networks"],
    ),
)
def test_on_line_networks_are_their_replays_and_machines_their_closed_forms(name: str) -> None:
    library = twin_cases.ROOT / "build" / "core" / "libassay_core.a"
    source = twin_cases.ROOT / "tests" / "native" / f"{name}.test.cpp"
    headers = [*(twin_cases.ROOT / "core").rglob("*.hpp"), *source.parent.glob("*.hpp"), library]
    program = twin_cases.build(f"{name}-test", [source], str(library), depends=headers)
    played = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert played.returncode == 0, played.stderr


def blocks(machine: DescribedMachine, *arguments: str, ranks: int = 128) -> dict[tuple[int, int], float]:
    lines = play("echo", machine.for_core(), ranks, list(arguments)).splitlines()
    found = [json.loads(line) for line in lines]
    assert all(event["passed"] for event in found if event["event"] == "check")
    return {
        (event["case"]["bytes"], event["case"]["hops"]): event["values"][0] / 2
        for event in found
        if event["event"] == "block"
    }


def test_the_ipsc860_echoes_by_a_formula_of_its_own_numbers() -> None:
    """Start-up, a byte, a hop, three times where a request and a reply go before; from the file's own numbers."""
    described = open_described("ipsc860")
    network = described.network or {}
    byte, hop = (float(network[key].split()[0]) * {"ns": 1e-9, "us": 1e-6}[network[key].split()[1]]
                 for key in ("flit_ticks", "head_ticks"))  # fmt: skip
    seen = blocks(described)
    assert {hops for _, hops in seen} == set(range(1, 8)) and {size for size, _ in seen} >= {8, 64, 128, 1024, 8192}
    for (size, hops), took in seen.items():
        entry = next(p for p in described.protocol if p.up_to is None or size <= p.up_to)
        processors = entry.startup + entry.receive
        processors += entry.copy_time * min(size, round(entry.copy_limit) if entry.copy_limit is not None else size)
        crossings = 3 if entry.handshake else 1
        processors += described.progress.interrupt if entry.handshake and described.progress else 0.0  # a request's
        wanted = processors + crossings * hops * hop + (size + crossings - 1) * byte
        assert took == pytest.approx(wanted, abs=2e-9 * crossings)


def test_a_run_is_the_same_bits_every_time() -> None:
    machine = open_described("ipsc860", {"network.dimension": "4"}).for_core()
    arguments = ["--set", "bytes=0,100,5000", "--seed", "3"]
    first, again = (
        [line for line in play("ring", machine, 16, arguments).splitlines() if '"launch"' not in line] for _ in range(2)
    )
    strip = [{k: v for k, v in json.loads(line).items() if k not in ("t0", "t1")} for line in first]
    assert strip == [{k: v for k, v in json.loads(line).items() if k not in ("t0", "t1")} for line in again]


def test_an_idealised_network_changes_what_messages_meet() -> None:
    """A ring's step of long messages: on a mesh they share channels, on a crossbar none do."""
    times = {}
    for shape in ({"topology": "mesh", "extents": [4, 4]}, {"topology": "crossbar", "nodes": 16}):
        network = shape | {"cycle": "1 ns", "flit_ticks": 400, "head_ticks": 1000}
        described = DescribedMachine.model_validate(
            {"name": "m", "network": network, "protocol": [{"startup": "60 us"}]}
        )
        lines = play("ring", described.for_core(), 16, ["--set", "bytes=4096", "--set", "scheme=shift"])
        times[shape["topology"]] = next(
            json.loads(line)["values"][0] for line in lines.splitlines() if "values" in line
        )
    assert times["crossbar"] < times["mesh"]


def test_every_shipped_machine_is_read_and_has_room() -> None:
    for name in shipped():
        assert (room(open_described(name)) or 0) > 1


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"network.dimensions": "3"}, "network.dimensions.*no such key"),
        ({"network.head_ticks": "10 parsec"}, "head_ticks.*parsec"),
        ({"network.cycle": "0.3 ps"}, "whole number of picoseconds"),
        ({"protocol.0.startup": "7 B"}, "protocol.0.startup.*7 B.*70 us"),
        ({"protocol.0.up_to": "1 MB", "protocol.1.up_to": "1 kB"}, "up_to"),
        ({"protocol.9.startup": "7 us"}, "protocol"),
        ({"node.memory": "-1 B"}, "node.memory"),
        ({"progress.kind": "magic"}, "progress.kind.*magic"),
        ({"variant": "turbo"}, "no such variant"),
    ],
)
def test_a_wrong_key_from_outside_is_one_clear_error(keys: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        load(IPSC860, keys)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("nodes = 2", "nodez = 2", "nodez: there is no such key.*did you mean .*nodes"),
        ("nodes = 2", "nodes = 0", "nodes: is out of bounds; got 0"),
    ],
)
@pytest.mark.parametrize("chosen", [{}, {"variant": "other"}, {"variant": "turbo"}, {"nodes": "3"}])
def test_a_variant_that_is_not_chosen_is_checked_too(
    old: str, new: str, said: str, chosen: dict[str, str], tmp_path: Path
) -> None:
    text = (
        'name = "small"\nnodes = 4\n[messages]\nstartup = "70 us"\nper_byte = "0.4 us/B"\n'
        '[variant.other]\nnodes = 8\n[variant.turbo]\nnodes = 2\n[variant.turbo.messages]\nstartup = "7 us"\n'
    )
    path = tmp_path / "m.toml"
    path.write_text(text)
    assert (
        load(path, chosen).nodes == {"other": 8, "turbo": 2, "": int(chosen.get("nodes", 4))}[chosen.get("variant", "")]
    )
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=rf"m\.toml:9: variant\.turbo\.{said}"):
        load(path, chosen)


def test_errors_name_the_line_of_the_file(tmp_path: Path) -> None:
    text = IPSC860.read_text()
    for old, new, said in (
        ("handshake = true", "handshake = 7", "handshake"),
        ('switching = "circuit"', 'switching = "telepathy"', "switching"),
        ("[[self]]", "[[selves]]", "selves.*self"),
    ):
        path = tmp_path / "m.toml"
        path.write_text(text.replace(old, new, 1))
        line = next(i for i, each in enumerate(path.read_text().splitlines(), 1) if new in each)
        with pytest.raises(InputError, match=rf"m\.toml:{line}: .*{said}"):
            described = load(path)
            core.room(described.for_core())


def test_ranks_and_messages_over_time_and_as_a_matrix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = assay(
        "run", "echo", "--on", "ipsc860", "-n", "4", "--set", "bytes=8,4096", "--set", "hops=2", "--json",
        "--timeline", str(tmp_path / "t.json"), "--matrix", str(tmp_path / "m.csv"),
    )  # fmt: skip
    assert made.status == 0, made.err
    document = made.document
    assert {where["case"]["bytes"] for where in document["where"]} == {8, 4096}
    for where in document["where"]:
        assert where["messages"] == 2 and where["waiting"] == 0 and where["transport"] > 0 and where["startup"] > 0
    rows = (tmp_path / "m.csv").read_text().splitlines()
    # An echo there and back, and its verification with the count of wrong bytes, for each length.
    assert rows == [
        "source,destination,messages,bytes,source_node,destination_node",
        "0,3,4,8208,0,3",
        "3,0,6,8224,3,0",
    ]
    events: list[dict[str, Any]] = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    calls = [event for event in events if event.get("cat") == "rank"]
    assert {event["name"] for event in calls} == {"send", "recv"} and all(event["dur"] > 0 for event in calls)
    for rank in (0, 3):  # a rank does one thing at a time
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in calls if e["tid"] == rank + 1)
        assert all(end <= begin + 1e-6 for (_, end), (begin, _) in itertools.pairwise(spans))
    begun = [event["name"] for event in events if event["ph"] == "b"]
    assert begun.count("request") == begun.count("reply") == 4 and begun.count("data") == 10
    assert sum(event["ph"] == "s" for event in events) == sum(event["ph"] == "f" for event in events) == 10


def test_what_goes_wrong_on_a_described_machine_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words, said in (
        (("echo", "--on", "ipsc860", "-n", "129"), "128 nodes"),
        (("echo", "--on", "ipsc860", "--set", "bytes=8000000"), "8000000 bytes"),
        (("echo", "--on", "ipsc680"), "ipsc860"),
        (("echo", "--timeline", "x.json"), "--on"),
        (("echo", "--on", "ipsc860", "--set", "machine.network.dimension=99"), "dimension"),
    ):
        made = assay("run", *words)
        assert made.status != 0 and said in made.err and "Traceback" not in made.err, made.err


def test_the_reference_of_keys_names_every_key() -> None:
    from assay.described import machine_keys, machine_tables

    text = machine_keys.markdown()
    for model in machine_keys.SECTIONS:
        for name, field in model.model_fields.items():
            assert f"`{field.alias or name}`" in text
    assert "us/B" not in text and machine_tables.ProtocolTable.model_fields["startup"].description in text


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_machine_has_room_for_as_many_ranks_as_its_network_takes(name: str) -> None:
    """The network that would carry the messages says so itself when one rank more is asked for."""
    machine = open_described(name)
    ranks = room(machine)
    if ranks is None or ranks > 2**14:
        return
    with pytest.raises(Exception, match=rf"got {ranks + 1}, expected 1 to {ranks}: "):
        core.play("echo", machine.for_core(), ranks + 1, [])
