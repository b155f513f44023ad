"""Commands of README and docs: each names a verb and options that exist; README's that measure nothing are run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from assay.cli import application
from assay.mpi import wrappers
from command_line import assay
from console_blocks import blocks
from example_inputs import described_runs
from readme_commands import (
    FIRST,
    PAGES,
    QUICK,
    ROOT,
    SCRIPT,
    commands,
    elsewhere,
    measures,
    mentioned,
    quick,
    shortened,
    shown,
)

COMMANDS = [words for page in FIRST for words in commands(page) if words[0] not in SCRIPT]
SHOWN = shown(PAGES[0])
EVERY = [(page.name, words) for page in PAGES for words in commands(page) if words[0] not in SCRIPT]
FURTHER = [
    (page.name, words)
    for page in QUICK
    for words in commands(page)
    if quick(words)
    and tuple(words) not in {block.words for block in blocks(page)}  # these tests/test_task_pages.py runs
]
MENTIONED = [(page.name, words) for page in PAGES for words in mentioned(page)]
VERBS: dict[str, Any] = vars(get_command(application()))["commands"]


def alone(words: list[str]) -> bool:
    """Whether a command is run here: it measures nothing; tests/test_readme_clean.py runs most by night only."""
    return not (measures(words) or elsewhere(words) or {"study", "--saturation"} & set(words))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readme")
    (made / "examples").symlink_to(ROOT / "examples")
    subprocess.run([*wrappers.command("c", [str(ROOT / "examples" / "ring.c")]), "-o", str(made / "ring")], check=True)
    described_runs(made)
    (made / "mine.toml").write_bytes((made / "model.toml").read_bytes())
    return made


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 20 and sum(not measures(words) for words in COMMANDS) > 15
    assert len(EVERY) > len(COMMANDS) + 30 and len(MENTIONED) > 30 and len(FURTHER) > 8


@pytest.mark.parametrize(("page", "words"), EVERY, ids=lambda each: each if isinstance(each, str) else " ".join(each))
def test_a_command_is_read(page: str, words: list[str]) -> None:
    """Verb, options and the kinds of their values."""
    VERBS[words[0]].make_context(words[0], [word for word in words[1:] if word != "…"])


@pytest.mark.parametrize(
    ("page", "words"), MENTIONED, ids=lambda each: each if isinstance(each, str) else " ".join(each)
)
def test_a_command_that_a_sentence_names_has_a_verb_and_options_that_exist(page: str, words: list[str]) -> None:
    known = {flag for parameter in VERBS[words[0]].params for flag in (*parameter.opts, *parameter.secondary_opts)}
    assert {word.rstrip("…") for word in words[1:] if re.match("-[a-zA-Z-]", word)} <= known | {"-h", "--help"}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(each, marks=pytest.mark.nightly) if each[0] == "evaluate" else each
        for each in COMMANDS
        if alone(each)
    ],
    ids=" ".join,
)
def test_a_command_that_measures_nothing_works(words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works(words, folder, monkeypatch)


@pytest.mark.parametrize(
    ("page", "words"),
    [pytest.param(*each, marks=[pytest.mark.nightly] if each[1][0] == "sensitivity" else []) for each in FURTHER],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_a_quick_command_of_another_page_works(
    page: str, words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works(words, folder, monkeypatch)


def works(words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ASSAY_RUNS", str(folder / "state"))
    runs = iter("ab")
    answer = assay(*(next(runs) if word.rstrip("…") == "RUN" else word for word in shortened(words)))
    assert answer.status in ((0, 3) if "--margin" in words else (0,)), answer.err
    assert answer.out.strip() or words[0] in ("mpicc", "mpirun")  # which leave the output to what they start


@pytest.mark.parametrize(("words", "output"), SHOWN, ids=[words[0] for words, _ in SHOWN])
def test_the_output_that_readme_shows_is_what_the_command_prints(
    words: list[str], output: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ASSAY_RUNS", str(folder / "state"))
    monkeypatch.setenv("COLUMNS", "100")
    printed = "\n".join(line.rstrip() for line in assay(*words).out.splitlines())
    assert output.rstrip() in printed


def test_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = PAGES[0].read_text()
    assert len(SHOWN) == 2 and len(text) <= 9000
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (ROOT / target.partition("#")[0]).is_file(), target


def test_the_site_s_first_page_has_each_page_that_readme_s_tasks_lead_to() -> None:
    tasks = re.search(r"^\| task \| command \| page \|\n((?:\|.*\n)+)", PAGES[0].read_text(), re.MULTILINE)
    assert tasks is not None
    led = {target.removeprefix("docs/") for target in re.findall(r"\]\(([^)]+)\)", tasks[1])}
    assert len(led) > 20
    assert led <= set(re.findall(r"\]\(([^)]+)\)", (ROOT / "docs" / "index.md").read_text()))


def test_the_script_s_help_has_a_line_for_each_command() -> None:
    printed = subprocess.run([ROOT / "x", "help"], capture_output=True, text=True, check=True).stdout
    explained = re.findall(r"^  \./x ([a-z]+)\b.*  \S.*$", printed, re.MULTILINE)
    cases = re.findall(r"^  ([a-z]+)\)", (ROOT / "x").read_text(), re.MULTILINE)
    assert len(cases) > 8 and sorted(explained) == sorted(cases)


def test_the_script_s_own_commands_are_there() -> None:
    """`./x bench PART`: a part is a file; other words are cases of the script."""
    cases = set(re.findall(r"^  ([\w| -]+)\)", (ROOT / "x").read_text(), re.MULTILINE))
    for words in [words for page in PAGES for words in commands(page) if words[0] in SCRIPT]:
        assert words[0] in cases
        assert words[0] != "bench" or (ROOT / "bench" / f"{words[1]}.py").is_file(), words
