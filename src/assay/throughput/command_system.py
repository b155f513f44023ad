"""A batch system that is seen by its commands: what all of these share; each is a file of `systems/`.

Commands are started without a shell. A job's script is one line on the submission's standard input, its words quoted
for the shell that the batch system starts. How a job ended comes from the accounting once it is no longer shown.

Sites wrap commands, and wrappers print notices. A job's id is the one line of an answer that has the form of an id; an
answer with none or several, and a submission that fails, may have left a job all the same: it is looked up by its mark
before it is called refused.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import InputError, MeasurementError
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    Accounted,
    NodeCommand,
    SilentSystemError,
    SystemRequest,
    SystemWork,
)
from assay.throughput.job_names import kind_of
from assay.throughput.job_programs import job_folder
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import predecessor
from assay.throughput.occupancy import Occupancy

ANSWERS_WITHIN = 60.0  # s, one command
SPARE = 60.0  # s, that a batch system's own limit is later than the one at which the starter ends a job
PINGS_WITHIN = 20.0  # s, the first of all
SHOWN_WITHIN = 5.0  # s, that a job may take to be shown after its submission's answer
MOST_NODES = 100_000  # of a range of names
NO_NODES = ("(null)", "none assigned", "none", "n/a", "unknown", "-")  # what is written where a job has none


class CommandSystem:
    """One batch system, by the commands that a user of it has.

    `options_for`: the command that gets the words behind the colon; `queue_option`: its words for a job's queue.
    `id_form`: a line of the answer to a submission with the job's id as its first group.
    `silent`: the output of its commands without an answer, so that the request may have been carried out.
    `hidden`: prefixes of variables with defaults of its commands, removed from their environment.
    `accounts_within`: seconds that its accounting may be late; after these, a job that was shown and has
    no account has ended in an unknown way.
    """

    name = ""
    summary = ""
    title = ""
    record_within = 5.0
    decisions: int | None = None
    on_each_node: NodeCommand = NodeCommand()
    needed: ClassVar[tuple[str, ...]] = ()
    options_for = ""
    queue_option: ClassVar[tuple[str, ...]] = ("-q", "{}")
    example = ""
    canceller = ""
    id_form: ClassVar[re.Pattern[str]] = re.compile(r"(\d+)")
    silent: ClassVar[tuple[str, ...]] = ()
    hidden: ClassVar[tuple[str, ...]] = ()
    accounts_within: float | None = None
    rules: frozenset[str] = frozenset()

    def __init__(self, request: SystemRequest) -> None:
        """`request.option`: words for the submission command."""
        self._request = request
        try:
            self._options = shlex.split(request.option or "")
        except ValueError as error:
            accepted = f"{self.name}:OPTIONS with options of {self.options_for}, such as {self.name}:{self.example}"
            problem = f"cannot be split into words ({str(error).lower()})"
            raise InputError(problem, key=f"--via {self.name}", value=request.option, accepted=accepted) from None
        self._mine: dict[str, None] = {}  # ids of this experiment that have not been seen to end
        self._own: dict[str, LiveJob] = {}  # every id of this experiment that is known here
        self._by_name: dict[str, list[str]] = {}  # ids by the jobs' names, in order of submission
        self._ended: dict[str, Accounted] = {}
        self._deleted: set[str] = set()
        self._shown_last: dict[str, Accounted] = {}
        self._gone_since: dict[str, float] = {}
        self._until = float("inf")

    def check(self) -> None:
        """InputError where its commands are not installed, or get no answer."""
        absent = [name for name in self.needed if shutil.which(name) is None]
        if absent:
            problem = f"{self.title} is not here: no {', '.join(absent)} on PATH (load the site's module)"
            raise InputError(problem, key="--via", value=self.name)
        if self._request.policy is not None:
            problem = f"is not ours to choose: {self.title} has its own policy"
            raise InputError(problem, key="--policy", value=self._request.policy, accepted="with --on or --via local")
        try:
            self._greet()
        except MeasurementError as error:
            raise InputError(str(error), key="--via", value=self.name) from None

    def open(self, work: SystemWork) -> None:
        """Remember the jobs; those that were submitted before are queried."""
        self._work = work
        self._mine = dict.fromkeys(work.held.values())
        for job in work.jobs:
            if job.id in work.held:
                self._is_own(job, work.held[job.id])

    def submit(self, job: LiveJob, keep: int) -> str:
        """One submission command."""
        folder = job_folder(self._work.folder, job)
        queue = [word.format(job.queue) for word in self.queue_option] if job.queue else []
        words = [*self._submission(job, folder), *queue]
        try:
            answer = self._ask(*words, text=self._script(job, folder), keep=keep)
        except SilentSystemError:
            raise
        except MeasurementError:
            batch_id = self._shown_within(job, 0.0)
            if batch_id is None:
                raise
        else:
            ids = self._ids_in(answer)
            batch_id = ids[0] if len(ids) == 1 else self._shown_within(job, SHOWN_WITHIN)
            if batch_id is None:
                raise self._no_id(answer)
        self._is_own(job, batch_id)
        return batch_id

    def _is_own(self, job: LiveJob, batch_id: str) -> None:
        if batch_id not in self._own:
            self._by_name.setdefault(kind_of(job.name), []).append(batch_id)
        self._own[batch_id] = job
        self._mine[batch_id] = None

    def _after(self, job: LiveJob) -> str | None:
        """The id of a job that must have ended before this one starts; None where there is none, or it has ended."""
        before = predecessor(job, self._by_name)
        return before if before in self._mine else None

    def _ids_in(self, answer: str) -> list[str]:
        """The ids in an answer's lines, each once."""
        found = (self.id_form.fullmatch(line.strip()) for line in answer.splitlines())
        return list(dict.fromkeys(self._id_of(each[1]) for each in found if each))

    def _id_of(self, word: str) -> str:
        """An id in stored form, from the word for it in an answer."""
        return word

    def _shown_within(self, job: LiveJob, seconds: float) -> str | None:
        """The id of a job whose submission's answer does not have it; None where no such job is shown in time.

        SilentSystemError where the last look failed: there may be such a job.
        """
        end = time.monotonic() + seconds
        while True:
            last = time.monotonic() >= end
            try:
                batch_id = self._looked_up(job)
            except SilentSystemError:
                if last:
                    raise
                batch_id = None
            if batch_id is not None or last:
                return batch_id
            time.sleep(0.5)

    def _looked_up(self, job: LiveJob) -> str | None:
        """As `_marked`; SilentSystemError also where what is answered cannot be read."""
        try:
            return self._marked(job)
        except SilentSystemError:
            raise
        except MeasurementError as error:
            raise SilentSystemError(f"{job.id} may have been submitted and cannot be looked up: {error}") from None

    def find(self, job: LiveJob) -> str | None:
        """A job of this experiment, by what it was marked with."""
        batch_id = self._looked_up(job)
        if batch_id is not None:
            self._is_own(job, batch_id)
        return batch_id

    def occupancy(self) -> Occupancy | None:
        """None where unknown."""
        return None

    def time_limit(self, job: LiveJob) -> float:
        """The limit that goes with its submission: later than that at which the starter ends a job."""
        return job.limit + SPARE

    def poll(self) -> Mapping[str, Accounted]:
        """What is shown of this experiment's jobs; of those that are no longer shown, their accounting."""
        seen = dict(self._ended)
        gone = dict(self._mine)
        for each in self._look():
            if each.batch_id in gone:
                gone.pop(each.batch_id)
                self._take(seen, each)
        for each in self._account(tuple(gone)) if gone else ():
            if each.batch_id in gone:
                self._take(seen, each)
        for batch_id in gone if self.accounts_within is not None else ():
            if batch_id not in seen and batch_id in self._shown_last:
                each = self._unaccounted(batch_id, self.accounts_within or 0.0)
                if each.stage == ENDED:
                    self._take(seen, each)
                else:
                    seen[batch_id] = each
        return seen

    def _unaccounted(self, batch_id: str, within: float) -> Accounted:
        """A job that was shown and is no longer, without an account as yet, or for good."""
        last = self._shown_last[batch_id]
        since = self._gone_since.setdefault(batch_id, time.monotonic())
        deleted = batch_id in self._deleted
        if not deleted and time.monotonic() - since < within:
            return replace(last, stage=RUNNING)
        words = "deleted by this test" if deleted else "no longer shown, and there is no account of it"
        return replace(last, stage=ENDED, word=words, well=None, cancelled=deleted or None)

    def _take(self, seen: dict[str, Accounted], each: Accounted) -> None:
        seen[each.batch_id] = each
        self._shown_last[each.batch_id] = each
        if each.stage == ENDED:
            self._ended[each.batch_id] = each
            self._mine.pop(each.batch_id, None)

    def wait(self, seconds: float) -> None:
        """Sleep: it sends no notifications."""
        time.sleep(seconds)

    def cancel(self, batch_ids: Iterable[str]) -> None:
        """One command for all."""
        ids = list(batch_ids)
        if ids:
            self._deleted.update(ids)
            self._ask(*self._cancellation(ids))

    def hurry(self, until: float) -> str:
        """The batch system is waited for, by its name."""
        self._until = until
        return self.title

    def close(self) -> None:
        """Nothing to release."""

    # --- what each system defines ---

    def _greet(self) -> None:
        """A query that fails without an answer."""
        raise NotImplementedError

    def _submission(self, job: LiveJob, folder: Path) -> Sequence[str]:
        """The words of the submission command."""
        raise NotImplementedError

    def _script(self, job: LiveJob, folder: Path) -> str:
        """What the job is, on the command's standard input."""
        return f"#!/bin/sh\nexec {shlex.join(self._work.commands[job.id])}\n"

    def _marked(self, job: LiveJob) -> str | None:
        """The id of a job that may have been submitted before."""
        raise NotImplementedError

    def _look(self) -> Iterable[Accounted]:
        """What it shows of jobs now, of whatever experiment."""
        raise NotImplementedError

    def _account(self, ids: Sequence[str]) -> Iterable[Accounted]:
        """Its accounting of jobs that it no longer shows."""
        raise NotImplementedError

    def _cancellation(self, ids: Sequence[str]) -> Sequence[str]:
        """The words of the command that deletes jobs."""
        return [self.canceller, *ids]

    # --- what they use ---

    def _no_id(self, answer: str) -> MeasurementError:
        several = "are several jobs' ids" if self._ids_in(answer) else "is no job's id"
        words = f"{self.options_for} answers {answer.strip()[:200]!r}"
        return MeasurementError(f"{words}, in which there {several}, and no job of this name is shown")

    def _named_option(self, *names: str) -> str | None:
        """The value of an option: `-q NAME`, `-qNAME`, `--queue NAME` or `--queue=NAME`; None without it."""
        words = self._options
        for at, word in enumerate(words):
            for name in names:
                if word == name and at + 1 < len(words):
                    return words[at + 1]
                joined = f"{name}=" if name.startswith("--") else name
                if word.startswith(joined) and word != name:
                    return word[len(joined) :]
        return None

    def _ask(
        self, *words: str, text: str | None = None, keep: int | None = None, within: float = ANSWERS_WITHIN
    ) -> str:
        """Standard output of a command; MeasurementError with its output where it fails or hangs."""
        within = min(within, self._until - time.monotonic())
        if within <= 0.0:
            raise SilentSystemError(f"{self.title} was not waited for any longer")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(self.hidden or ("\0",))}
        try:
            ended = subprocess.run(
                words,
                input=text,
                stdin=subprocess.DEVNULL if text is None else None,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=within,
                env=kept,
                pass_fds=(keep,) if keep is not None else (),
                start_new_session=True,  # Ctrl-C at the terminal does not reach a submission in flight
            )
        except subprocess.TimeoutExpired:
            raise SilentSystemError(f"{words[0]} timed out after {within:g} s") from None
        except OSError as error:
            raise MeasurementError(f"{words[0]}: {error.strerror or error}") from None
        if ended.returncode != 0:
            answer = " ".join((ended.stderr or ended.stdout).split())[-300:] or f"exit status {ended.returncode}"
            kind = SilentSystemError if any(words in answer for words in self.silent) else MeasurementError
            raise kind(f"{words[0]}: {answer}")
        return ended.stdout

    def _ask_what_may_be_none(self, *words: str) -> str:
        """As `_ask`; nothing where the command reports that the object does not exist."""
        try:
            return self._ask(*words)
        except SilentSystemError:
            raise
        except MeasurementError:
            return ""


def expanded(nodes: str) -> tuple[str, ...]:
    """n[1-3,5],m1 and rack[1-2]n[1-4] as names, as Slurm and Flux write them; other forms stay as they are.

    No names for words without nodes.
    """
    if nodes.strip().lower() in NO_NODES:
        return ()
    found: list[str] = []
    for each in re.findall(r"(?:[^,\[\]\s]|\[[^\]]*\])+", nodes):
        parts = re.split(r"\[([^\]]*)\]", each)  # what is in brackets is at odd places
        choices = [_numbers(part) if at % 2 else (part,) for at, part in enumerate(parts)]
        found += map("".join, itertools.islice(itertools.product(*choices), MOST_NODES))
    return tuple(found)


def _numbers(ranges: str) -> list[str]:
    """1-3,5 as words, with leading zeros."""
    found: list[str] = []
    for each in ranges.split(","):
        first, _, last = each.partition("-")
        span = range(int(first), int(last or first) + 1) if first.isdecimal() and (last or first).isdecimal() else None
        if span is None or len(span) > MOST_NODES:
            found.append(each)
        else:
            found += [f"{n:0{len(first)}d}" for n in span]
    return found


def document_in(answer: str) -> Any:
    """The JSON object of an answer, whatever lines are before or after it; ValueError where there is none.

    It begins a line: within a document that cannot be read no part is taken for the whole.
    """
    for start in re.finditer(r"^\{", answer, re.MULTILINE):
        try:
            found, end = json.JSONDecoder(strict=False).raw_decode(answer, start.start())
        except ValueError:
            continue  # a notice's bracket
        if not answer[end:].partition("\n")[0].strip():
            return found
    raise ValueError("no JSON document")


def pairs(text: str, between: str = "=") -> dict[str, str]:
    """The lines KEY = VALUE of a text."""
    found = {}
    for line in text.splitlines():
        key, there, value = line.partition(between)
        if there:
            found[key.strip()] = value.strip()
    return found
