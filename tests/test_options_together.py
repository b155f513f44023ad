"""Laws over all verbs: an option has its effect beside every other, or both are refused; none loses in silence."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperOption
from typer.main import get_command

from assay.cli import application
from command_line import Answer, assay
from example_inputs import CONSTANT, HYPERCUBE, SATURATION, SHORT, described_runs, study

VERBS: dict[str, Any] = vars(get_command(application()))["commands"]
QUIET, JSON = "--quiet", "--json"
MIX = ("mix", "--jobs", "jobs.toml", "--on", "batch.toml")
# How each verb is asked, one mode of it after the other: quick ones.
ASKED: dict[str, list[tuple[str, ...]]] = {
    "accept": [("contract.toml", "--run", "a"), ("--template",)],
    "build": [("--list",)],
    "cache": [()],
    "catalogue": [(), ("ipsc860",), ("fat-tree-hdr",), ("--claims",), ("--benchmarks",), ("--machine-keys",)],
    "compare": [("a", "b")],
    "doctor": [(), ("--watch", "--for", "0.2")],
    "evaluate": [("--on", "ksr1", "--only", "threads")],
    "examples": [()],
    "export": [("a",)],
    "fit": [("a",)],
    "history": [("--import", "a", "--import", "b", "--machine", "constant")],
    "lab": [("list",)],
    **{verb: [] for verb in ("mpicc", "mpicxx", "mpifort")},  # all words are the compiler's
    "mpirun": [],  # what follows the program is the program's: tests/test_mpirun_ends.py
    "plan": [("--on", CONSTANT), ("--on", "ksr1")],
    "predict": [("model.toml", "a")],
    "query": [("SELECT count(*) FROM blocks",)],
    "replay": [(HYPERCUBE, "messages.csv", "-o", "delivered.csv")],
    "report": [("a",), ("b", "a")],
    "run": [("lock", "--on", "ksr1")],
    "runs": [()],
    "sensitivity": [("echo", "--on", CONSTANT)],
    "simulate": [(HYPERCUBE, *SHORT), (HYPERCUBE, *SHORT, "--sweep", "traffic.load=0.1,0.2"), ("--keys",)],
    "study": [("study.toml",), ()],
    "throughput": [MIX, (*MIX, "--set", "machine.nodes=2,3")],  # --dry-run takes what the command without it would
    "tune": [("a", "-o", "tuned.conf")],
    "version": [()],
    "watch": [("--install", "cron")],
}
# A value of each option, by its name, or by verb and name; flags have none.
SAMPLES = {
    "--benchmark": "threads.lock-unlock",
    "--beside": "a",
    "--confidence": "90%",
    "--coverage": "90%",
    "--from": "a",
    "--html": "page.html",
    "--junit": "verdicts.xml",
    "--most": "9",
    "--sheet": "sheet.html",
    "--tolerance": "10%",
    "--budget": "20min",
    "--command": "lammps",
    "--compiler": "g++",
    "--compress": "7",
    "--compute": "cpu:2",
    "--device": "opencl",
    "--docs": "written",
    "--draws": "21",
    "--every": "2h",
    "--executor": "processes",
    "--export": "exported.csv",
    "--fail-on-regression": "5%",
    "--figures": "echo.rate",
    "--flags": "-O1",
    "--for": "0.2",
    "--format": "json",
    "--heatmap": "heat.svg",
    "--import": "b",
    "--install": "systemd",
    "--isa": "default",
    "--jobs": "jobs.toml",
    "--label": "first",
    "--keep": "1",
    "--last": "1",
    "--library": "own",
    "--launches": "2",
    "--delay": "1ms",
    "--name": "nosuch",
    "--rate": "10Mbit/s",
    "--slow": "n0-n1=0.5",
    "--twin": "twin.toml",
    "--machine": "nosuch",
    "--margin": "80%",
    "--matrix": "matrix.csv",
    "--metrics": "metrics.prom",
    "--goal": "one.goal",
    "--model": "model.toml",
    "--mpi": "default",
    "--on": "ipsc2",
    "--only": "messages",
    "--pairs": "20",
    "--placement": "0,1",
    "--plots": "drawn",
    "--policy": "easy",
    "--ppn": "2",
    "--profile": "full",
    "--remove": "nosuch",
    "--repeat": "2",
    "--resume": "a",
    "--run": "b",
    "--schedule": "out.swf",
    "--seed": "2",
    "--set": "nosuch=1",
    "--since": "a",
    "--slots": "3",
    "--sweep": "traffic.load=0.1,0.3",
    "--table": "blocks",
    "--timeline": "trace.json",
    "--timeout": "20s",
    "--transport": "tcp",
    "--until": "mean_wait < 1h",
    "--via": "local",
    "--within": "2%",
    "--workers": "2",
    "--wdir": ".",
    "-N": "2",
    "-n": "2",
    "-x": "HOME",
    "accept --out": "made.toml",
    "export --out": "rows.csv",
    "fit --out": "fitted.toml",
    "predict --out": "validated.toml",
    "history --since": "b",
    "mpirun --set": "machine.nodes=2",
    "replay --set": "routing.name=dimension_order",
    "report --out": "page.html",
    "run --out": "kept",
    "evaluate --out": "kept",
    "mpirun --out": "kept",
    "replay --out": "delivered.csv",
    "simulate --out": "points.jsonl",
    "sensitivity --set": "bytes=8",
    "simulate --set": "traffic.flits=3",
    "study --out": "points.jsonl",
    "tune --out": "tuned.conf",
    "throughput --out": "test",
    "throughput --set": "workload.load=0.5",
    "throughput --on": "batch.toml",
}
# What a flag needs to end soon.
FURTHER = {"doctor --watch": "--for 0.2", "simulate --saturation": "--set method.precision=0.2"}
LONG = {("study", (), "--all")}  # minutes, and `./x docs` does it
# What changes how something is done, or only says what is so by default, and not what is answered.
HOW = {"--executor", "--open", "--workers", "--write"}
WRITTEN = {
    "--docs",
    "--export",
    "--heatmap",
    "--html",
    "--junit",
    "--matrix",
    "--out",
    "--plots",
    "--schedule",
    "--sheet",
    "--timeline",
}


def name(option: Any) -> str:
    return str(max(option.opts, key=len))


def options(verb: str) -> dict[str, list[str]]:
    """Each option of a verb with a value."""
    found: dict[str, list[str]] = {}
    for each in VERBS[verb].params:
        if isinstance(each, TyperOption) and each.is_flag:
            found[name(each)] = [name(each), *FURTHER.get(f"{verb} {name(each)}", "").split()]
        elif isinstance(each, TyperOption):
            value = SAMPLES.get(f"{verb} {name(each)}") or SAMPLES[name(each)]
            found[name(each)] = [name(each), value]
    return found


def forms(verb: str) -> list[str]:
    """The options of a verb that say in what form it answers, or where to."""
    kinds = {
        name(each): each.type_descriptor.annotation for each in VERBS[verb].params if isinstance(each, TyperOption)
    }
    listed = [
        each for each, kind in kinds.items() if each in WRITTEN or (isinstance(kind, type) and issubclass(kind, Enum))
    ]
    return [*listed, *(each for each in (QUIET, JSON, "--markdown") if each in kinds)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("together")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_RUNS", str(made / "state"))
        described_runs(made)
    (made / "study.toml").write_text(study(4, '"traffic.load" = [0.1, 0.2]') + SATURATION)  # more than --quick takes
    return made


@pytest.fixture(autouse=True)
def here(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A folder with the same files each time; and an empty cache, but for what only compiles a program to use it."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    if "doctor" not in request.node.name:
        monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")


def ask(verb: str, *words: str) -> Answer:
    """What a verb answers where nothing of what it may write is there."""
    given = {"jobs.toml", "batch.toml", "model.toml", "a", "b", "."}
    for each in {"examples", "kept", "test", *SAMPLES.values()} - given:
        path = Path(each)
        if path.is_dir():
            shutil.rmtree(path)
        elif path.is_file():
            path.unlink()
    return assay(verb, *words)


def lost(option: list[str], words: list[str], answer: Answer, without: Answer) -> bool:
    """Whether an option of a good answer had no effect; `without`: what is answered without it."""
    named = option[0]
    if named == QUIET:
        return JSON not in words and len(answer.out.splitlines()) != (
            3 if words[:2] == ["b", "a"] else 1
        )  # of two runs each one, and their page
    if named == JSON:
        return not is_document(answer.out)
    if named in WRITTEN:
        return not Path(option[1]).exists()
    return named not in HOW and steady(answer) == steady(without)


def is_document(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def steady(answer: Answer) -> tuple[int, str]:
    """An answer without what differs each time: times, and names of runs."""
    return answer.status, re.sub(
        r"\d{8}-\d{6}-\w+|[\d.e-]+ (CPU )?s\b|\"(cpu_)?seconds\": .*|\d\d:\d\d", "#", answer.out
    )


def refused(answer: Answer, *named: str) -> bool:
    return answer.status == 2 and not answer.out and all(each in answer.err for each in named)


CASES = [(verb, words) for verb, asked in ASKED.items() for words in asked]


def label(case: tuple[str, tuple[str, ...]]) -> str:
    return " ".join((case[0], *(Path(word).name for word in case[1])))


def test_every_verb_is_asked_and_every_path_is_known() -> None:
    assert set(ASKED) == set(VERBS)
    for verb, command in VERBS.items():
        options(verb)
        for each in (each for each in command.params if isinstance(each, TyperOption)):
            assert "Path" not in str(each.type_descriptor.annotation) or name(each) in WRITTEN | {
                "--beside",
                "--import",
                "--metrics",
                "--twin",
                "--goal",
                "--wdir",
            }, each.opts


@pytest.mark.parametrize("case", CASES, ids=label)
def test_an_option_has_its_effect_or_is_refused_by_name(case: tuple[str, tuple[str, ...]]) -> None:
    verb, words = case
    without = ask(verb, *words)
    assert without.status == 0, without.err
    silent = []
    for option in options(verb).values():
        if option[0] in words or (verb, words, option[0]) in LONG:
            continue
        answer = ask(verb, *words, *option)
        good = answer.status in (0, 3, 4) and not lost(option, [*words, *option], answer, without)
        named = [option[0], *(word for word in words if word.startswith("--"))]
        if not good and not (answer.status == 2 and any(each in answer.err for each in named)):
            silent.append((option, answer.status, answer.err))
    assert not silent


@pytest.mark.parametrize("case", CASES, ids=label)
def test_two_forms_are_both_given_or_both_refused(case: tuple[str, tuple[str, ...]]) -> None:
    verb, words = case
    known = options(verb)
    alone = {each: ask(verb, *words, *known[each]) for each in forms(verb) if each not in words}
    silent = []
    for one, other in itertools.combinations([each for each, answer in alone.items() if answer.status != 2], 2):
        both = [*words, *known[one], *known[other]]
        answer = ask(verb, *both)
        good = answer.status in (0, 3) and not (
            lost(known[one], both, answer, alone[other]) or lost(known[other], both, answer, alone[one])
        )
        same = steady(answer) == steady(alone[one]) == steady(alone[other])  # two words for one form
        if not (good or same) and not refused(answer, one, other):
            silent.append((one, other, answer.status, answer.err))
    assert not silent
