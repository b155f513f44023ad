"""A command parses each description once, its network once, and hands the machine to the core as few times."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.described import machine_file
from assay.described.shipped import find, open_described
from assay.network import description as networks
from assay.throughput import what_if
from command_line import assay

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the texts of machine files were parsed as TOML, and networks by the network's own reader."""
    found: Counter[str] = Counter()
    loads, parse = tomllib.loads, networks.parse

    def loads_counted(text: str) -> dict[str, Any]:
        found["machine files"] += 'name = "own"' in text
        return loads(text)

    def parse_counted(*given: Any) -> networks.NetworkDescription:
        found["networks"] += 1
        return parse(*given)

    monkeypatch.setattr(tomllib, "loads", loads_counted)
    monkeypatch.setattr(networks, "parse", parse_counted)
    return found


@pytest.mark.parametrize("more", [(), ("-N", "4", "--placement", "scattered")])
def test_one_command_parses_its_machine_once(more: tuple[str, ...], counted: Counter[str], tmp_path: Path) -> None:
    """A run of echo on ipsc860 parsed the file 3 times and the network 23 times."""
    file = tmp_path / "own.toml"  # which no other test opened
    file.write_text(find("ipsc860").read_text().replace('name = "ipsc860"', 'name = "own"'))
    answer = assay("run", "echo", *more, "--on", str(file), "--out", str(tmp_path / "out"), "-q")
    assert answer.status == 0, answer.err
    assert counted == {"machine files": 1, "networks": 1}


def test_an_edited_file_is_parsed_again(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    text = (ROOT / "examples" / "constant.toml").read_text()
    file.write_text(text)
    first = open_described(str(file))
    assert open_described(str(file)) is first
    assert open_described(str(file), {"nodes": "8"}) is not first
    file.write_text(text.replace("70 us", "71 us"))
    assert open_described(str(file)) != first


def test_variants_with_a_network_of_their_own_are_parsed_as_well(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f"{find('ipsc860').read_text()}\n[variant.wrong.network]\ncolour = 9\n")
    with pytest.raises(machine_file.InputError, match=r"variant\.wrong\.network\.colour"):
        machine_file.load(file)


def test_a_sweep_that_is_exported_is_simulated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    schedule = what_if.schedule

    def counted(*given: Any) -> Any:
        calls.append(given[2])
        return schedule(*given)

    monkeypatch.setattr(what_if, "schedule", counted)
    files = [word for kind in ("html", "csv", "json") for word in ("--export", str(tmp_path / f"out.{kind}"))]
    given = [str(ROOT / "examples" / "jobs.swf"), "--on", str(ROOT / "examples" / "batch-10000.toml")]
    answer = assay("throughput", *given, "--set", "policy=fcfs,easy", "-q", *files)
    assert answer.status == 0, answer.err
    assert sorted(calls) == ["easy", "fcfs"]
    rows = (tmp_path / "out.csv").read_text()
    assert "fcfs, simulated" in rows and "easy, simulated" in rows


def test_timelines_have_one_writer() -> None:
    sources = (ROOT / "src" / "assay").rglob("*.py")
    assert [path.name for path in sources if '"traceEvents"' in path.read_text()] == ["trace_events.py"]
