"""A command parses each description once, its network once, and hands the machine to the core as few times."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay._core import ranks as core
from assay.benchmark.record import benchmark
from assay.described import machine_file
from assay.described.shipped import find, open_described
from assay.execute import simulated
from assay.network import description as networks
from assay.throughput import what_if
from command_line import assay
from started import words

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


@pytest.mark.parametrize(
    ("program", "machine"), [("echo", "ipsc860"), ("fan-in", "delta"), ("parallel-files", "delta")]
)
def test_columns_of_a_launch_say_what_its_lines_say(program: str, machine: str) -> None:
    described = open_described(machine)
    launch = core.play(program, described.for_core(), 4, words(program))
    events = [json.loads(line) for line in launch.lines.splitlines()]
    blocks = [event for event in events if event["event"] == "block"]
    columns, begin = launch.blocks, 0
    for row, block in enumerate(blocks):
        end = int(columns["ends"][row])
        assert columns["values"][begin:end].tolist() == block["values"]
        assert (columns["metric"][row], json.loads(columns["case"][row])) == (block["metric"], block["case"])
        assert columns["batch"][row] == block["batch"]
        begin = end
    assert len(columns["metric"]) == len(blocks) > 0
    where = [
        {k: v for k, v in event.items() if k not in ("event", "case")} for event in events if event["event"] == "where"
    ]
    assert [account for account in launch.accounts if account is not None] == where


def test_answers_are_those_of_a_launch_that_was_written(tmp_path: Path) -> None:
    """Figures of cells are played without a file; a run writes one."""
    from assay.published.cells.answers import Played

    answer = assay("run", "echo", "--on", "ipsc860", "-n", "2", "--set", "bytes=8,1024", "--json", "-o", str(tmp_path))
    written = [each for each in json.loads(answer.out)["figures"] if each["statistic"] == "median"]
    assert written
    for figure in written:
        settings = {"bytes": figure["params"]["bytes"], "on_ranks": 2}
        found = Played().ask("ipsc860", "echo", figure["name"], **settings)
        assert figure["value"] in [each.value for each in found]


def test_launches_of_one_command_differ_in_nothing_but_times() -> None:
    """A machine that is parsed once and used for several programs is not changed by any of them."""
    machine = open_described("ipsc860")
    before = machine.for_core(1)
    for program in ("echo", "barrier"):
        simulated.play(machine, benchmark(program), ("--profile", "quick"), 4, None)
    assert machine.for_core(1) == before


def test_refusals_of_the_core_are_codes_with_keys() -> None:
    """In a process of its own, as a person's script would catch them."""
    code = (
        "from assay._core import DescriptionError, network\n"
        "try:\n    network.build_network({'topology': 'mesh', 'radix': 4, 'failed_links': [[0, 5]]})\n"
        "except DescriptionError as error:\n    print(error.code, error.key, error.value)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "no-link network.failed_links [0, 5]\n"
