"""The commands that a newcomer tries first: all answer with exit status 0, and say what to do next."""

from __future__ import annotations

import re
import shlex

import pytest
from typer.main import get_command

from assay.cli import application
from assay.verbs import _first_words as first_words
from command_line import assay

VERBS = vars(get_command(application()))["commands"]
SHOWN = re.findall(r"^  assay (.+?)   ", first_words.COMMANDS, re.M)
NAMED = re.findall(r"`assay ([^`]+)`", first_words.COMMANDS)


def test_alone_it_prints_five_commands() -> None:
    done = assay()
    assert (done.status, done.err, done.out) == (0, "", first_words.COMMANDS)
    assert len(SHOWN) == 5


@pytest.mark.parametrize("line", [*SHOWN, *NAMED])
def test_what_it_names_is_there(line: str) -> None:
    """The verb, and each option of it."""
    words = first_words.meant(shlex.split(line))
    if words[0] == "-h" or words[0] == "COMMAND":
        return
    known = {option for each in VERBS[words[0]].params for option in each.opts}
    assert {word for word in words[1:] if word.startswith("-")} <= known


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["help"], ["-h"]),
        (["help", "run"], ["run", "-h"]),
        (["list"], ["catalogue", "--benchmarks"]),
        (["benchmarks", "--json"], ["catalogue", "--benchmarks", "--json"]),
        (["machines"], ["catalogue"]),
    ],
)
def test_what_is_meant(typed: list[str], meant: list[str]) -> None:
    done, same = assay(*typed), assay(*meant)
    assert done.status == 0
    assert done.out == same.out != ""


def test_a_word_that_is_nearly_one_of_these_is_answered_by_it() -> None:
    done = assay("benchmark")
    assert done.status == 2 and "did you mean `assay benchmarks`?" in done.err


def test_the_help_cuts_no_sentence() -> None:
    """Each verb's first sentence is there whole."""
    shown = " ".join(assay("-h").out.split())
    assert "..." not in shown.partition("Commands:")[2]
    for name, verb in VERBS.items():
        first = " ".join((verb.help or "").split()).partition(". ")[0].rstrip(".")
        assert f"{name} {first}" in shown


def test_no_verb_of_ours_is_hidden() -> None:
    assert not {"help", *first_words.MEANT} & set(VERBS)
