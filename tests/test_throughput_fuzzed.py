"""Schedules, tables of jobs and machines with anything in them: an answer, or one line that names the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.throughput import job_table, machine_file, schedule_file

TABLE = [
    *job_table.find("assay-mix").read_text().splitlines()[14:70],
    *("uses = { network = { demand = 1.5, part = 0.4 } }", 'limit = "20 min"', "ports = [2, 4]", "instances = 1"),
]
MACHINE = """[machine]
nodes = 8
cpus_per_node = 2
[batch]
decision_cost = "40 ms"
allocation = "contiguous"
unit = "node"
[network]
topology = "mesh"
extents = [4, 2]
[[reservation]]
start = "120 min"
length = "30 min"
nodes = 2
[[queue]]
name = "short"
max_time = "60 min"
[[shared]]
name = "network"
capacity = 40
demand = 0.2
part = 0.3
nodes = 2
[failures]
every = "43200 min"
[estimates]
factor = 5
""".splitlines()
SCHEDULE = ["# a comment", "0: 4 * rboltz_run", "900: 2 * maya5_run", "10.5:1*a", ""]
WORDS = ("", "-1", "0", "1e99", "nan", '"x"', '"1 B"', "[]", "{}", "[[a]]", "=", ":", "*", "\x00", "é", "true")
ODD = st.sampled_from(WORDS)


def mangled(lines: list[str]) -> st.SearchStrategy[str]:
    """Lines left out, doubled or in another order, and words of them replaced."""

    @st.composite
    def draw(draw: st.DrawFn) -> str:
        chosen = draw(st.lists(st.sampled_from(lines), max_size=14))
        made = []
        for line in chosen:
            words = line.split(" ")
            if draw(st.booleans()):
                words[draw(st.integers(0, len(words) - 1))] = draw(ODD)
            made.append(" ".join(words))
        return "\n".join(made) + "\n"

    return draw()


def read_by(read: Callable[[Path], Any], path: Path, text: str) -> None:
    path.write_text(text)
    try:
        assert read(path)
    except InputError as error:
        assert "\n" not in str(error) and str(path) in str(error), str(error)


CASES: dict[str, tuple[list[str], Callable[[Path], Any]]] = {
    "mix": (SCHEDULE, schedule_file.read),
    "jobs.toml": (TABLE, job_table.load),
    "machine.toml": (MACHINE, lambda path: machine_file.open_machine(str(path))),
}


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_anything_in_a_file_gives_an_answer_or_one_line(name: str, data: st.DataObject, tmp_path: Path) -> None:
    lines, read = CASES[name]
    read_by(read, tmp_path / name, data.draw(mangled(lines)))
