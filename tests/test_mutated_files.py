"""Shipped files of machines and networks with one fault: one line that names file, line and key, exit status 2."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.described.shipped import shipped
from command_line import assay

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NETWORKS = [EXAMPLES / "hypercube.toml", EXAMPLES / "io_nodes.toml"]
MACHINES = [EXAMPLES / "constant.toml", *shipped().values()]
KEY = re.compile(r'(?P<key>"[^"]+"|[\w-]+) *= *(?P<value>.+)')
HEADER = re.compile(r"(?P<open>\[+)(?P<name>[\w.]+)\]+")
# No key of either family takes any of these.
WRONG = ("{ telepathy = 1 }", "[[[1]]]", "1979-05-27", "[{ telepathy = 1 }]")
# Names in these tables are of kernels and parameters, which people's own programs add to: only their values are wrong.
FREE = {"compute.rate", "compute.time", "compute.shared", "defaults"}
BROKEN = ("", "=", '"never closed', "[1, 2", "1 us", "wormhole", "0x", "1979-02-30", "1__0")


def places(path: Path, pattern: re.Pattern[str]) -> list[int]:
    """Lines (from 0) that hold a key, or the header of a table."""
    return [at for at, line in enumerate(path.read_text().splitlines()) if pattern.match(line)]


def table_of(lines: list[str], at: int) -> str:
    """The table that a line stands in; nothing at the top."""
    return next((found["name"] for line in reversed(lines[:at]) if (found := HEADER.match(line))), "")


def refused(path: Path, words: tuple[str, ...]) -> tuple[int, str]:
    """The line of the file and the key that the one line of the refusal names."""
    answer = assay(*words)
    assert (answer.status, answer.out) == (2, ""), (path.read_text(), answer)
    (line,) = answer.err.splitlines()
    assert "Traceback" not in line and "pydantic" not in line
    found = re.match(rf"assay: {re.escape(str(path))}:(\d+): (.*)", line)
    assert found is not None, line
    return int(found[1]), found[2]


def command(family: str, path: Path, table: str) -> tuple[str, ...]:
    """What reads the file; a table of a variant is read where the variant is chosen."""
    if family == "network":
        return ("simulate", str(path))
    variant = f":{table.split('.')[1]}" if table.startswith("variant.") else ""
    return ("run", "echo", "--on", f"{path}{variant}", "-n", "2", "--set", "bytes=8")


@st.composite
def wrong_keys(draw: Callable[..., Any], files: list[Path]) -> tuple[list[str], int, str]:
    """The lines of a file with one key that does not exist, or whose value is of a wrong kind."""
    path = draw(st.sampled_from(files))
    at = draw(st.sampled_from(places(path, KEY)))
    lines = path.read_text().splitlines()
    found = KEY.match(lines[at])
    assert found is not None
    key = found["key"].strip('"')
    if table_of(lines, at) in FREE or draw(st.booleans()):
        lines[at] = f"{found['key']} = {draw(st.sampled_from(WRONG))}"
    else:
        key = f"{key}{draw(st.sampled_from(['s', '_ticks', 'x', '-', '9']))}"
        lines[at] = f'"{key}" = {found["value"]}'
    return lines, at, key


@st.composite
def broken_texts(draw: Callable[..., Any], files: list[Path]) -> tuple[list[str], int]:
    """The lines of a file that is not TOML, or that says something twice."""
    path = draw(st.sampled_from(files))
    lines = path.read_text().splitlines()
    at = draw(st.sampled_from(places(path, KEY)))
    found = KEY.match(lines[at])
    assert found is not None
    how = draw(st.sampled_from(["value", "twice", "no key", "table twice"]))
    if how == "value":
        lines[at] = f"{found['key']} = {draw(st.sampled_from(BROKEN))}"
    elif how == "twice":
        lines.insert(at, lines[at])
        at += 1
    elif how == "no key":
        lines[at] = f"= {found['value']}"
    else:
        headers = [line for line in lines if (header := HEADER.match(line)) and header["open"] == "["]
        lines.append(draw(st.sampled_from(headers)))
        at = len(lines) - 1
    return lines, at


QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize(("family", "files"), [("network", NETWORKS), ("machine", MACHINES)])
def test_a_wrong_key_is_named_with_its_file_and_line(family: str, files: list[Path], tmp_path: Path) -> None:
    @QUICK
    @given(wrong_keys(files))
    def check(case: tuple[list[str], int, str]) -> None:
        lines, at, key = case
        path = tmp_path / "mutated.toml"
        path.write_text("\n".join(lines) + "\n")
        line, said = refused(path, command(family, path, table_of(lines, at)))
        assert line == at + 1 and key in said.partition(": ")[0], (line, at + 1, key, said)
        assert "expected " in said, said

    check()


@pytest.mark.parametrize(("family", "files"), [("network", NETWORKS), ("machine", MACHINES)])
def test_what_is_not_toml_is_named_with_its_file_and_line(family: str, files: list[Path], tmp_path: Path) -> None:
    @QUICK
    @given(broken_texts(files))
    def check(case: tuple[list[str], int]) -> None:
        lines, at = case
        path = tmp_path / "mutated.toml"
        path.write_text("\n".join(lines) + "\n")
        line, said = refused(path, command(family, path, ""))
        assert said.startswith("is not TOML: ") and at + 1 <= line <= len(lines) + 1, (line, at + 1, said)

    check()


@pytest.mark.parametrize(
    ("family", "files"),
    [
        ("network", NETWORKS),
        ("machine", MACHINES[:3]),
        pytest.param("machine", MACHINES[3:], marks=pytest.mark.nightly),
    ],
)
def test_a_table_that_does_not_exist_is_named_with_its_file_and_line(
    family: str, files: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "mutated.toml"
    for file in files:
        for at in places(file, HEADER):
            lines = file.read_text().splitlines()
            name = HEADER.match(lines[at])
            assert name is not None
            if re.fullmatch(r"variant\.\w+", name["name"]):
                continue  # any name is a variant's
            lines[at] = lines[at].replace("]", "x]", 1)
            path.write_text("\n".join(lines) + "\n")
            line, _ = refused(path, command(family, path, name["name"]))
            assert 1 <= line <= len(lines)
