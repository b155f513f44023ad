"""A FIFO, a device, a folder or an endless file as input is refused by name at once, by every reader of files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

import pytest
from typer.main import get_command

from assay import input_file
from assay.cli import application
from assay.errors import InputError
from command_line import assay
from example_inputs import CONSTANT, CONTRACT, EXAMPLES, HYPERCUBE, small_mix

MESSAGES = str(EXAMPLES / "messages.csv")
# The words of each reader, with FILE for what it reads; and how its files are called.
READERS = {
    "a network": (("simulate", "FILE"), "x.toml"),
    "a study": (("study", "FILE"), "x.toml"),
    "a machine": (("run", "echo", "--on", "FILE"), "x.toml"),
    "a machine's plan": (("plan", "--on", "FILE"), "x.toml"),
    "a trace": (("replay", HYPERCUBE, "FILE", "-o", "out.csv"), "x.csv"),
    "a schedule": (("throughput", "FILE", "--jobs", "jobs.toml", "--on", "batch.toml"), "x"),
    "a workload": (("throughput", "FILE", "--on", "batch.toml"), "x.swf"),
    "a packed workload": (("throughput", "FILE", "--on", "batch.toml"), "x.swf.gz"),
    "a job table": (("throughput", "mix", "--jobs", "FILE", "--on", "batch.toml"), "x.toml"),
    "a batch machine": (("throughput", "mix", "--jobs", "jobs.toml", "--on", "FILE"), "x.toml"),
    "a program": (("build", "FILE"), "x.hpp"),
    "hosts": (("run", "sieve", "--via", "hosts:FILE"), "x"),
    "hosts of a plan": (("plan", "--only", "processor", "--via", "hosts:FILE"), "x"),
    "hosts of a survey": (("doctor", "--via", "hosts:FILE"), "x"),
    "a GOAL schedule": (("replay", "--goal", "FILE", "--on", "delta"), "x.goal"),
    "a contract": (("accept", "FILE"), "x.toml"),
    "a machine to evaluate": (("evaluate", "--on", "FILE"), "x.toml"),
    "a machine to accept": (("accept", "contract.toml", "--on", "FILE"), "x.toml"),
    "a machine to fit": (("fit", "--on", "FILE"), "x.toml"),
    "a machine for programs": (("mpirun", "--on", "FILE", "-n", "2", "/bin/true"), "x.toml"),
    "a machine for a schedule": (("replay", "--goal", "x.goal", "--on", "FILE"), "x.toml"),
    "a machine's sensitivity": (("sensitivity", "echo", "--on", "FILE"), "x.toml"),
    "a model": (("predict", "FILE", "none"), "x.toml"),
    "a network to replay on": (("replay", "FILE", MESSAGES, "-o", "out.csv"), "x.toml"),
    "hosts of an acceptance": (("accept", "contract.toml", "--via", "hosts:FILE"), "x"),
    "hosts of an evaluation": (("evaluate", "--via", "hosts:FILE"), "x"),
    "a run to report": (("report", "FILE"), "x"),
    "a run to compare": (("compare", "FILE", "none"), "x"),
    "a run to export": (("export", "FILE"), "x"),
    "a run to query": (("query", "SELECT 1", "--run", "FILE"), "x"),
    "a run to fit": (("fit", "FILE"), "x"),
    "a run to predict": (("predict", "delta", "FILE"), "x"),
    "a run to accept": (("accept", "contract.toml", "--run", "FILE"), "x"),
    "a run of reference": (("accept", "--from", "FILE", "-o", "out.toml"), "x"),
    "a run to resume": (("evaluate", "--resume", "FILE"), "x"),
    "a run beside": (("evaluate", "--on", "delta", "--beside", "FILE"), "x"),
    "a run beside a test": (("throughput", "mix", "--on", "delta", "--beside", "FILE"), "x"),
    "a run to name": (("runs", "FILE"), "x"),
    "a run of the history": (("history", "--since", "FILE"), "x"),
    "hosts to tune on": (("tune", "echo", "--via", "hosts:FILE", "-o", "out.conf"), "x"),
    "a run to tune": (("tune", "FILE", "-o", "out.conf"), "x"),
    "a model of a report": (("report", "echo", "--model", "FILE"), "x.toml"),
    "a graph": (("simulate", "graph.toml"), "graph"),
    "a graph of TOML": (("simulate", "graph2.toml"), "graph.toml2.toml"),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, echo_run: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    small_mix(tmp_path)
    shutil.copytree(echo_run, "echo")
    (tmp_path / "contract.toml").write_text(CONTRACT)
    for name, file in (("graph.toml", "graph"), ("graph2.toml", "graph.toml2.toml")):
        (tmp_path / name).write_text(f'[network]\ntopology = "graph"\nfile = "{file}"\n[method]\ncycles = 500\n')


INPUTS = {
    *("MACHINE", "MODEL", "NETWORK.toml", "messages.csv", "STUDY", "JOBS", "TABLE.toml", "[BENCHMARK|FILE.hpp]..."),
    *("CONTRACT.toml", "RUN", "[RUN]", "LAUNCHER"),
}
GOAL = ("replay", "--goal")  # of mpirun and run it is an output, by the same name


def parameters() -> set[tuple[str, str]]:
    """Verb and option (of arguments: the name shown in help) of all that names a file to be read."""
    found = {GOAL}
    for verb, command in get_command(application()).commands.items():
        for each in command.params:
            shown = each.opts[0] if each.opts[0].startswith("-") else each.metavar
            found |= {(verb, shown)} if each.metavar in INPUTS else set()
    return found


def test_every_option_that_names_an_input_is_tried() -> None:
    tried = set()
    for words, _ in READERS.values():
        at = next((number for number, word in enumerate(words) if "FILE" in word), 1)  # 1: named in that file
        tried.add((words[0], words[at - 1] if words[at - 1].startswith("-") else "argument"))
    wanted = {(verb, name if name.startswith("-") else "argument") for verb, name in parameters()}
    assert not wanted - tried


@pytest.mark.parametrize("kind", ["FIFO", "device", "folder", "longer than any"])
@pytest.mark.parametrize("reader", READERS)
def test_it_is_refused_and_not_waited_for(reader: str, kind: str, tmp_path: Path) -> None:
    words, name = READERS[reader]
    path = tmp_path / name
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(input_file.TABLE + 1)  # sparse
    answer = assay(*(word.replace("FILE", name) for word in words))
    assert (answer.status, answer.out) == (2, "")
    assert name in answer.err or "/dev/zero" in answer.err, answer.err
    assert [line.startswith("assay: ") for line in answer.err.splitlines()].count(True) == 1  # others: progress


def test_a_file_is_read_whole_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert input_file.content(path, 5) == b"12345" and input_file.text(path) == "12345"
    with pytest.raises(InputError, match="is too long; got '5 B', expected a file of at most 4 B"):
        input_file.content(path, 4)
    path.write_bytes(b"1\n2\xff")
    with pytest.raises(InputError, match="file:2: is not UTF-8 text"):
        input_file.text(path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        input_file.content(tmp_path / "none")


def test_a_file_that_grows_beyond_its_bound_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = tmp_path / "file", input_file.opened
    path.write_bytes(b"12345")

    def growing(path: Path, most: int) -> BinaryIO:
        file = opened(path, most)
        path.write_bytes(b"1234567")
        return file

    monkeypatch.setattr(input_file, "opened", growing)
    with pytest.raises(InputError, match="is too long; expected a file of at most 6 B"):
        input_file.content(path, 6)


def test_a_regular_file_is_read_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.toml").symlink_to(CONSTANT)
    assert assay("plan", "--on", "link.toml", "-q").status == 0
