"""The README's commands work: each names a verb and options that exist, and those that measure nothing are run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from assay.cli import application
from command_line import assay
from example_inputs import described_runs

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = re.findall(r"^    \./x (.+)$", (ROOT / "README.md").read_text(), re.MULTILINE)
SCRIPT = {"test", "lint", "bench", "docs"}  # what ./x does itself
WORDS = [words[words[0] == "assay" :] for words in (shlex.split(line, comments=True) for line in BLOCKS)]
COMMANDS = [words for words in WORDS if words[0] not in SCRIPT]
SLOW = {"study", "--saturation"}  # minutes


def measures(words: list[str]) -> bool:
    """Whether a command would measure this machine or another one, or needs a person's own file."""
    return (words[0] in {"evaluate", "run", "build"} and "--on" not in words) or words[:2] == ["doctor", "--via"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readme")
    (made / "examples").symlink_to(ROOT / "examples")
    return described_runs(made)


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 20 and sum(not measures(words) for words in COMMANDS) > 15


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_has_a_verb_and_options_that_exist(words: list[str]) -> None:
    command = vars(get_command(application()))["commands"][words[0]]
    known = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words[1:] if word.startswith("-")} <= known


@pytest.mark.parametrize(
    "words", [each for each in COMMANDS if not measures(each) and not SLOW & set(each)], ids=" ".join
)
def test_a_command_that_measures_nothing_works(words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ASSAY_RUNS", str(folder / "state"))
    runs = iter("ab")
    answer = assay(*(next(runs) if word == "RUN" else word for word in words))
    assert answer.status in ((0, 3) if "--margin" in words else (0,)), answer.err
    assert answer.out.strip()
