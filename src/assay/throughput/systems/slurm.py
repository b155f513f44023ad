"""`--via slurm[:OPTIONS]`: Slurm by its own commands; OPTIONS go to sbatch (`slurm:--partition=short`).

Submission is `sbatch --parsable`, what waits and runs is seen by `squeue`, what ended by `sacct` where there is an
accounting database, else by `scontrol show job`, which forgets a job after MinJobAge. Jobs carry the experiment's mark
in their comment and their own id as their name. Slurm decides by whole minutes of requested time; jobs shorter than
that are ended at their own limit by their starter. A job is never requeued: it would run twice.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.errors import InputError, MeasurementError
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    Accounted,
    BatchQueue,
    SilentSystemError,
    SystemFacts,
    SystemWishes,
    SystemWork,
)
from assay.throughput.job_programs import job_folder
from assay.throughput.live_jobs import LiveJob

ANSWERS_WITHIN = 60.0  # s, one command
PINGS_WITHIN = 20.0  # s, the first of all
NEEDED = ("sbatch", "squeue", "scontrol", "scancel", "sinfo")
SILENT = ("Unable to contact slurm controller", "Socket timed out", "Connection refused", "Zero Bytes were transmitted")
STAGES = {
    WAITING: ("PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"),
    RUNNING: ("RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "RESIZING", "SIGNALING"),
}
FACTS = ("Default", "MaxTime", "MaxNodes", "PriorityTier", "PreemptMode", "OverSubscribe", "State", "TotalCPUs")
POLICIES = {"sched/backfill": "backfill", "sched/builtin": "fcfs"}


class SlurmSystem:
    """A Slurm cluster, seen by its commands."""

    name = "slurm"
    summary = "Slurm by sbatch, squeue and sacct; slurm:OPTIONS go to sbatch"
    record_within = 5.0
    decisions: int | None = None

    def __init__(self, wishes: SystemWishes) -> None:
        """`wishes.option`: words for sbatch."""
        self._wishes = wishes
        try:
            self._options = shlex.split(wishes.option or "")
        except ValueError as error:
            accepted = "slurm:OPTIONS with options of sbatch, such as slurm:--partition=short"
            problem = f"cannot be split into words ({str(error).lower()})"
            raise InputError(problem, key="--via slurm", value=wishes.option, accepted=accepted) from None
        self._accounting = False
        self._mine: dict[str, None] = {}  # ids of this experiment that have not been seen to end
        self._ended: dict[str, Accounted] = {}

    def check(self) -> None:
        """InputError where Slurm's commands are not here, or its controller does not answer."""
        absent = [name for name in NEEDED if shutil.which(name) is None]
        if absent:
            problem = f"Slurm is not here: no {', '.join(absent)} on PATH (load the site's module)"
            raise InputError(problem, key="--via", value="slurm")
        if self._wishes.policy is not None:
            problem = "is not ours to choose: Slurm has its own policy"
            raise InputError(problem, key="--policy", value=self._wishes.policy, accepted="with --on or --via local")
        try:
            self._ask("scontrol", "ping", within=PINGS_WITHIN)
        except MeasurementError as error:
            raise InputError(str(error), key="--via", value="slurm") from None

    def facts(self) -> SystemFacts:
        """Slurm's version, scheduler, partitions; processors and nodes of the partition that jobs go to."""
        settings = _pairs(self._ask("scontrol", "show", "config"), " = ")
        self._accounting = "slurmdbd" in settings.get("AccountingStorageType", "") and shutil.which("sacct") is not None
        partitions = [
            each
            for text in self._ask("scontrol", "show", "partition", "--oneliner").splitlines()
            if (each := _words(text)).get("PartitionName")
        ]
        chosen = self._partition(partitions)
        nodes = self._ask("scontrol", "show", "hostnames", chosen.get("Nodes", "")).split()
        scheduler = settings.get("SchedulerType", "unknown")
        queues = tuple(
            BatchQueue(name=each["PartitionName"], facts={key: each[key] for key in FACTS if key in each})
            for each in partitions
        )
        return SystemFacts(
            name=self.name,
            version=(self._ask("sinfo", "--version").split() or ["unknown"])[-1],
            policy=POLICIES.get(scheduler, scheduler),
            processors=int(chosen.get("TotalCPUs", "0")),
            nodes=tuple(nodes),
            queues=queues,
        )

    def _partition(self, partitions: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
        """The partition that the options name, else the default one; InputError where it is none."""
        named = None
        for at, word in enumerate(self._options):
            if word.startswith("--partition="):
                named = word.partition("=")[2]
            elif word in ("-p", "--partition") and at + 1 < len(self._options):
                named = self._options[at + 1]
        for each in partitions:
            if each["PartitionName"] == named or (named is None and each.get("Default") == "YES"):
                return each
        names = ", ".join(each["PartitionName"] for each in partitions)
        raise InputError("there is no such partition", key="--via slurm", value=named or "(default)", accepted=names)

    def open(self, work: SystemWork) -> None:
        """Remember the jobs; those that were submitted before are asked for."""
        self._work = work
        self._mine = dict.fromkeys(work.held.values())

    def submit(self, job: LiveJob, keep: int) -> str:
        """One sbatch; its script is on standard input, and its words are quoted for the shell that Slurm starts."""
        folder = job_folder(self._work.folder, job)
        minutes = int(job.limit) // 60 + 2  # the starter ends it before
        words = [
            *("sbatch", "--parsable", "--no-requeue", f"--job-name={job.id}", f"--comment={self._work.mark}"),
            *(f"--ntasks={job.processors}", f"--time={minutes}", f"--chdir={folder}"),
            *(f"--output={folder}/starter.log", "--open-mode=append", "--export=ALL"),
            *((f"--ntasks-per-node={job.per_node}",) if job.per_node else ()),
            *self._options,
        ]
        script = f"#!/bin/sh\nexec {shlex.join(self._work.commands[job.id])}\n"
        batch_id = self._ask(*words, text=script, keep=keep).strip().partition(";")[0]
        if not batch_id.isdigit():
            raise MeasurementError(f"sbatch answers {batch_id!r}, which is no job's id")
        self._mine[batch_id] = None
        return batch_id

    def find(self, job: LiveJob) -> str | None:
        """A job by its name and the experiment's mark, among those that wait or run, and those that ended."""
        for about in self._shown():
            if about.get("JobName") == job.id and about.get("Comment") == self._work.mark:
                self._mine[about["JobId"]] = None
                return about["JobId"]
        if self._accounting:
            lines = self._ask(
                *("sacct", "-n", "-P", "-X", f"--name={job.id}", "--format=JobID,Comment", "--starttime=now-30days")
            )
            for line in lines.splitlines():
                batch_id, _, comment = line.partition("|")
                if comment == self._work.mark:
                    self._mine[batch_id] = None
                    return batch_id
        return None

    def poll(self) -> Mapping[str, Accounted]:
        """One squeue for what waits and runs; for what is no longer there, its accounting."""
        seen = dict(self._ended)
        gone = dict(self._mine)
        for line in self._ask("squeue", "--noheader", "--me", "--states=all", "--format=%i|%T|%N").splitlines():
            batch_id, word, nodes = (*line.split("|"), "", "")[:3]
            if batch_id in self._mine:
                gone.pop(batch_id, None)
                self._take(seen, batch_id, word, None, nodes)
        if gone:
            self._account(gone, seen)
        return seen

    def _account(self, gone: Mapping[str, None], seen: dict[str, Accounted]) -> None:
        if self._accounting:
            ids = ",".join(gone)
            answer = self._ask("sacct", "-n", "-P", "-X", f"--jobs={ids}", "--format=JobID,State,ExitCode,NodeList")
            for line in answer.splitlines():
                batch_id, word, code, nodes = (*line.split("|"), "", "", "")[:4]
                self._take(seen, batch_id, word, code, nodes)
            return
        for about in self._shown():
            if about.get("JobId", "") in gone:
                self._take(seen, about["JobId"], about["JobState"], about.get("ExitCode"), about.get("NodeList", ""))

    def _take(self, seen: dict[str, Accounted], batch_id: str, word: str, code: str | None, nodes: str) -> None:
        head = (word.split() or [""])[0].rstrip("+")
        stage = next((stage for stage, words in STAGES.items() if head in words), ENDED)
        names = tuple(_hosts(nodes))
        well = head == "COMPLETED" if stage == ENDED else None
        cancelled = head == "CANCELLED" if stage == ENDED else None
        shown = word if not code or code == "0:0" else f"{word} (exit code {code})"
        seen[batch_id] = Accounted(
            batch_id=batch_id, stage=stage, word=shown, well=well, cancelled=cancelled, nodes=names
        )
        if stage == ENDED:
            self._ended[batch_id] = seen[batch_id]
            self._mine.pop(batch_id, None)

    def wait(self, seconds: float) -> None:
        """Sleep: Slurm tells nobody."""
        time.sleep(seconds)

    def cancel(self, batch_ids: Iterable[str]) -> None:
        """One scancel for all."""
        ids = list(batch_ids)
        if ids:
            self._ask("scancel", *ids)

    def close(self) -> None:
        """Nothing is held."""

    def _shown(self) -> list[dict[str, str]]:
        return [_words(line) for line in self._ask("scontrol", "show", "job", "--oneliner").splitlines()]

    def _ask(
        self, *words: str, text: str | None = None, keep: int | None = None, within: float = ANSWERS_WITHIN
    ) -> str:
        """Standard output of a command; MeasurementError with what it says where it fails or hangs."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SBATCH_")}
        try:
            ended = subprocess.run(
                words,
                input=text,
                capture_output=True,
                text=True,
                timeout=within,
                env=kept,
                pass_fds=(keep,) if keep is not None else (),
                start_new_session=True,  # Ctrl-C at the terminal does not reach a submission in flight
            )
        except subprocess.TimeoutExpired:
            raise SilentSystemError(f"{words[0]} timed out after {within:g} s") from None
        if ended.returncode != 0:
            answer = " ".join(ended.stderr.split())[-300:] or f"exit status {ended.returncode}"
            kind = SilentSystemError if any(words in answer for words in SILENT) else MeasurementError
            raise kind(f"{words[0]}: {answer}")
        return ended.stdout


def _pairs(text: str, between: str) -> dict[str, str]:
    found = {}
    for line in text.splitlines():
        key, there, value = line.partition(between)
        if there:
            found[key.strip()] = value.strip()
    return found


def _words(line: str) -> dict[str, str]:
    """The KEY=VALUE words of a line of scontrol's."""
    return {key: value for key, there, value in (word.partition("=") for word in line.split()) if there}


def _hosts(nodes: str) -> list[str]:
    """n[1-3,5],m1 as names; what is in another form stays as it is."""
    found: list[str] = []
    for name, ranges, after in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?([^,\[\]]*)", nodes):
        if not ranges:
            found.append(name + after)
            continue
        for each in ranges.split(","):
            first, _, last = each.partition("-")
            if not first.isdigit() or (last and not last.isdigit()):
                found.append(name + each + after)
                continue
            found += [f"{name}{n:0{len(first)}d}{after}" for n in range(int(first), int(last or first) + 1)]
    return [name for name in found if name != "(null)"]


SYSTEM: Any = SlurmSystem
