"""The published JSON Schemas: one a verb, made of the types, right for what the verbs give and for nothing else.

All documents of the suite are held to them, too: conftest.py checks what any verb gives in a test's process.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.main import get_command

from assay import versions
from assay.cli import application
from assay.schemas import made
from command_line import assay
from documents_checked import VERBS, fault, published
from example_inputs import CONTRACT

ROOT = Path(__file__).parents[1]
NETWORK = (
    '[network]\ntopology = "ring"\nnodes = 4\n[traffic]\nflits = 2\n[method]\nwarmup_cycles = 200\ncycles = 4000\n'
)


def test_every_verb_with_a_document_has_a_schema() -> None:
    commands: Any = vars(get_command(application()))["commands"]
    given = {name for name, each in commands.items() if any("--json" in option.opts for option in each.params)}
    assert given == set(made.forms()) == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_the_files_are_those_of_the_types_and_are_schemas(verb: str) -> None:
    assert published(verb) == json.loads(json.dumps(made.made(verb))), "after a change of a document: ./x docs"
    jsonschema.Draft202012Validator.check_schema(published(verb))
    assert published(verb)["$id"] == f"assay/{versions.DOCUMENT.version}/{verb}.json"


COMMANDS = [
    "accept --template", "accept {contract} --run {run}",
    "version", "cache", "export {run} --table figures --format json",
    "lab list", "runs", "runs --last 1", "catalogue", "catalogue ipsc860", "catalogue --benchmarks",
    "catalogue --machine-keys",
    "catalogue dunigan1991_delta --claims", "doctor", "plan --on ipsc860", "build --list", "study",
    "sensitivity echo --on ipsc860 -n 2 --set bytes=8", "simulate --keys", "simulate {net}",
    "simulate {net} --sweep traffic.load=0.1,0.2", "simulate {net} --saturation --set method.precision=0.5",
    "simulate {net} --set method.utilisation=true", "replay {net} {messages} --out {folder}/delivered.csv",
    "throughput lublin --on ipsc860 --set lublin.jobs=20", "throughput lublin --on ipsc860 --set lublin.jobs=20,30",
    "run echo --on ipsc860 -n 2 --set bytes=8", "run linpack --on ksr", "report {run}", "report {run} {run}",
    "compare {run} {run}", "query SELECT\\ 1", "export {run} --format json", "export {run} --out {folder}/samples.csv",
    "examples {folder}/examples", "fit --on ipsc860", "predict ipsc860 {run}",
    "history --import {run} --machine constant", "watch --install slurm",
]  # fmt: skip


@pytest.mark.parametrize("line", COMMANDS)
def test_what_a_verb_gives_is_as_its_schema_says(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, echo_run: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    (tmp_path / "net.toml").write_text(NETWORK)
    (tmp_path / "contract.toml").write_text(CONTRACT)
    (tmp_path / "messages.csv").write_text("id,cycle,source,destination,flits\n0,0,0,1,4\n")
    shutil.copytree(echo_run, tmp_path / "run")
    places = {"net": "net.toml", "messages": "messages.csv", "folder": str(tmp_path), "run": str(tmp_path / "run")}
    places["contract"] = "contract.toml"
    words = [word.replace("\\ ", " ").format(**places) for word in line.replace("\\ ", "\0").split()]
    answer = assay(*(word.replace("\0", " ") for word in words), "--json")
    assert answer.status == 0, answer.err
    document = answer.document
    assert fault(words[0], document) is None
    assert fault(words[0], {key: value for key, value in document.items() if key != "version"})
    assert fault(words[0], document | {"version": "3"})
    assert fault(words[0], document | {"colour": "red"}) or line.startswith("run ")  # of which one form is open


def test_a_test_s_process_fails_where_a_document_is_not_as_its_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook of conftest.py: break one document, and see it."""
    from assay import cli

    monkeypatch.setattr("sys.argv", ["assay", "version", "--json"])
    with (
        cli.answered(),
        pytest.raises(AssertionError, match=r"assay version --json: the document: 'assay' is a required"),
    ):
        cli.emit({"asay": "0.1"})
