"""Laws over all verbs: `--json` prints one document and nothing else, `-q` one line; an option means one thing."""

from __future__ import annotations

import json
import pkgutil
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperOption
from typer.main import get_command

from assay import verbs
from assay.cli import application
from command_line import assay
from example_inputs import CONSTANT, HYPERCUBE, SHORT, described_runs
from mpi_programs import resolved

VERBS = sorted(module.name for module in pkgutil.iter_modules(verbs.__path__) if not module.name.startswith("_"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return described_runs(tmp_path_factory.mktemp("verbs"))


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    shutil.rmtree("examples", ignore_errors=True)
    monkeypatch.setenv("ASSAY_RUNS", str(folder / "state"))
    monkeypatch.setenv("ASSAY_CACHE", str(folder / "cache"))


# What each verb can be asked in a second or two: the words, and how often `-q` prints a line where that is not once.
ASKED: dict[str, list[tuple[str, ...]]] = {
    "accept": [("contract.toml", "--run", "a")],
    "build": [("--list",)],
    "catalogue": [
        (),
        ("ipsc860",),
        ("fat-tree-hdr",),
        ("--claims",),
        ("--benchmarks",),
        ("--machine-keys",),
        ("--benchmark", "threads.lock-unlock"),
    ],
    "cache": [()],
    "compare": [("a", "b"), ("a", "a")],
    "doctor": [()],
    "evaluate": [("--on", CONSTANT, "--only", "messages", "-N", "4")],
    "examples": [()],
    "lab": [("list",)],
    "export": [
        ("a",),
        ("a", "-o", "rows.csv"),
        ("a", "--format", "json", "-o", "rows.json"),
        ("a", "--table", "checks"),
        ("a", "--table", "figures"),
        ("a", "--format", "parquet", "-o", "rows.parquet"),
        ("a", "--format", "junit", "-o", "rows.xml"),
    ],
    "fit": [("a",), ("--on", "delta"), ("a", "--out", "fitted.toml")],
    "history": [("--import", "a", "--machine", "constant"), ("echo", "--import", "b", "--machine", "constant")],
    "mpirun": [("--on", CONSTANT, "-n", "2", "mpi:pingpong", "8"), ("--check", "mpi:ends")],
    "plan": [("--on", CONSTANT), ("--only", "processor"), ("--on", "ksr1")],
    "predict": [("model.toml", "a")],
    "query": [("SELECT 1 AS one",), ("SELECT * FROM blocks", "--run", "a")],
    "replay": [(HYPERCUBE, "messages.csv", "-o", "delivered.csv")],
    "report": [("a",)],  # --markdown is a form of its own, refused beside these
    "run": [("echo", "--on", CONSTANT, "--set", "bytes=8,64"), ("lock", "--on", "ksr1")],
    "runs": [(), ("a", "--label", "first")],
    "sensitivity": [("echo", "--on", CONSTANT, "--set", "bytes=8,64")],
    "simulate": [
        (HYPERCUBE, *SHORT),
        (HYPERCUBE, *SHORT, "--sweep", "traffic.load=0.1,0.2"),
        (HYPERCUBE, *SHORT, "--saturation", "--set", "method.precision=0.2", "--set", "network.dimension=3"),
        ("--keys",),
    ],
    "study": [("study.toml",), ("section6",), ()],
    "throughput": [
        ("mix", "--jobs", "jobs.toml", "--on", "batch.toml"),
        ("mix", "--jobs", "jobs.toml", "--on", "delta"),
    ],
    "tune": [("a", "-o", "tuned.conf")],
    "version": [()],
    "watch": [("--install", "systemd"), ("--install", "cron", "--only", "memory")],
}
CASES = [(verb, words) for verb, asked in ASKED.items() for words in asked]


def label(case: Any) -> str:
    return " ".join((case[0], *(Path(word).name for word in case[1])))


PASSED_ON = ["mpicc", "mpicxx", "mpifort"]  # all their words are the compiler's


def test_every_verb_is_asked() -> None:
    assert sorted([*ASKED, *PASSED_ON]) == VERBS


LONGEST = ("evaluate", "study")  # by night only with -q, too


@pytest.mark.parametrize(
    ("quiet", "case"),
    [
        pytest.param(
            quiet,
            case,
            marks=[pytest.mark.nightly] if quiet and case[0] in LONGEST else [],
            id=f"{quiet}-{label(case)}",
        )
        for quiet in ("", "-q")
        for case in CASES
    ],
)
def test_json_is_one_document_and_nothing_else(quiet: str, case: tuple[str, tuple[str, ...]]) -> None:
    verb, words = case
    answer = assay(verb, "--json", *quiet.split(), *resolved(*words))
    assert answer.status in (0, 3), answer.err
    assert isinstance(answer.document, dict)  # fails where there is a word before or after it
    assert answer.out.startswith("{") and answer.out.endswith("}\n")
    json.dumps(answer.document, allow_nan=False)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_quiet_is_one_line(case: tuple[str, tuple[str, ...]]) -> None:
    verb, words = case
    answer = assay(verb, "-q", *resolved(*words))
    assert answer.status in (0, 3), answer.err
    if verb == "mpirun" and "--check" not in words:  # its output is the program's
        assert not answer.out and not answer.err
        return
    assert len(answer.out.splitlines()) == 1 and answer.out.strip(), answer.out


def options() -> dict[str, dict[str, TyperOption]]:
    """Options by flag, then by verb."""
    group = get_command(application())
    found: dict[str, dict[str, TyperOption]] = defaultdict(dict)
    for verb, command in vars(group)["commands"].items():
        for parameter in command.params:
            if isinstance(parameter, TyperOption):
                for flag in parameter.opts:
                    found[flag][verb] = parameter
    return found


# Keys of a benchmark or a network; files of kinds; one number of ranks, or several; launchers, batch systems; programs
# forgotten, the cache emptied.
OWN = {"--set", "--out", "-o", "--via", "--remove", "-n"}


def test_an_option_means_the_same_in_every_verb() -> None:
    several = {flag: {(each.help, each.metavar) for each in by_verb.values()} for flag, by_verb in options().items()}
    assert {flag: meanings for flag, meanings in several.items() if len(meanings) > 1 and flag not in OWN} == {}


def test_every_verb_has_json_quiet_and_help_that_says_something() -> None:
    found = options()
    for flag in ("--json", "-q", "--quiet"):
        assert sorted([*found[flag], *PASSED_ON]) == VERBS
    for flag, by_verb in found.items():
        assert all(option.help for option in by_verb.values()), flag
    assert set(found["-o"]) == set(found["--out"])
