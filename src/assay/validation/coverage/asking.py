"""What a check is judged by: the command line, the described machines' answers, and the claims."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.document import split_pages
from assay.document.validation import Outcome
from assay.published.cells.answers import Answers, Played
from assay.published.judge import OUTCOMES
from assay.validation.claims import messages as claims

GHOSH = re.compile(r"^\*\*. (?P<outcome>[a-z ]+)\*\*: .*\(`(?P<claim>ghosh\.[^`]+)`", re.MULTILINE)


@dataclass(frozen=True)
class CommandAnswer:
    """What a command answered: its exit status and both streams."""

    status: int
    out: str
    err: str = ""
    refused: bool = False
    """Whether the last line of `err` gives the reason of a refusal."""

    @property
    def document(self) -> Mapping[str, Any]:
        """The JSON document on standard output; empty where there is none."""
        try:
            found = json.loads(self.out)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def refusal(self) -> str:
        """Why it was refused, in one line; empty where it was not."""
        if not self.refused:
            return ""
        lines = [line for line in self.err.splitlines() if line.strip()]
        answer = lines[-1] if lines else f"exit status {self.status}"
        answer = answer.removeprefix("assay: ").partition("; expected ")[0].partition("; got ")[0]
        return re.sub(r"(?<!\S)/\S*/", "", answer)  # folders are of this machine


Ask = Callable[[tuple[str, ...]], CommandAnswer]  # the words of a command line without `assay`


@dataclass
class Asking:
    """Runs command lines, each once; `docs`: the folder in which `study --all` wrote last."""

    ask: Ask
    answers: Answers = field(default_factory=Played)
    docs: Path | None = None
    _known: dict[tuple[str, ...], CommandAnswer] = field(default_factory=dict)

    def answer(self, command: str, *more: str) -> CommandAnswer:
        """The answer to the last of several commands (semicolons); RUN is the folder of the run of the one before."""
        folder, found = "", CommandAnswer(0, "")
        steps = [step.strip() for step in command.split(";")]
        for at, step in enumerate(steps):
            words = tuple(folder if word == "RUN" else word for word in shlex.split(step))
            last = at == len(steps) - 1
            found = self._once((*words, *(more if last else ("--json",))))
            folder = str(found.document.get("folder", ""))
            if found.refusal and not last:
                return found
        return found

    def disturbed(self, command: str) -> bool:
        """Whether a command was run, and failed without being refused: on a real machine that was busy."""
        first = command.partition(";")[0]
        return any(answer.status and not answer.refused for words, answer in self._known.items() if _is(words, first))

    def forget(self, command: str) -> None:
        """Run this command again the next time."""
        first = command.partition(";")[0]
        self._known = {words: answer for words, answer in self._known.items() if not _is(words, first)}

    def _once(self, words: tuple[str, ...]) -> CommandAnswer:
        if words not in self._known:
            self._known[words] = self.ask(words)
        return self._known[words]

    def outcome(self, claim: str) -> tuple[Outcome, str]:
        """A claim's outcome, and the numbers that decide it: judged now, and of Ghosh's paper as its page has it.

        `CLAIM MACHINE`: of one of its machines.
        """
        claim, _, machine = claim.partition(" ")
        if claim.startswith("ghosh."):
            return self._of_studies.get(claim, "inconclusive"), ""
        known = claims.published()
        if claim not in known:
            return "inconclusive", "only runs of this machine answer it"
        own = {"machine": machine, "machines": ()} if machine else {}
        found = claims.judge(self.answers, known[claim].model_copy(update=own))
        numbers = [part.numbers for part in found.parts if part.outcome == found.outcome]
        return found.outcome, numbers[0] if numbers else found.note

    @cached_property
    def _of_studies(self) -> Mapping[str, Outcome]:
        text = "" if self.docs is None else split_pages.read(self.docs, "ghosh")
        known = {str(outcome): outcome for outcome in OUTCOMES}
        found = [(match["claim"], match["outcome"]) for match in GHOSH.finditer(text)]
        return {claim: known[outcome] for claim, outcome in found if outcome in known}


def _is(words: tuple[str, ...], command: str) -> bool:
    """Whether these words are that command, whatever the requested form of the answer."""
    wanted = tuple(shlex.split(command))
    return bool(wanted) and words[: len(wanted)] == wanted
