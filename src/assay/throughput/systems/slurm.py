"""`--via slurm[:OPTIONS]`: Slurm by its own commands; OPTIONS go to sbatch (`slurm:--partition=short`).

Submission is `sbatch --parsable`, what waits and runs is seen by `squeue`, what ended by `sacct` where there is an
accounting database, else by `scontrol show job`, which forgets a job after MinJobAge. Jobs carry the experiment's mark
in their comment and their own id as their name. Slurm decides by whole minutes of requested time; jobs shorter than
that are ended at their own limit by their starter. A job is never requeued: it would run twice.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import InputError
from assay.throughput.batch_system import ENDED, RUNNING, WAITING, Accounted, BatchQueue, NodeCommand, SystemFacts
from assay.throughput.command_system import PINGS_WITHIN, CommandSystem, expanded, pairs
from assay.throughput.job_programs import job_folder
from assay.throughput.live_jobs import LiveJob

STAGES = {
    WAITING: ("PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"),
    RUNNING: ("RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "RESIZING", "SIGNALING"),
}
FACTS = ("Default", "MaxTime", "MaxNodes", "PriorityTier", "PreemptMode", "OverSubscribe", "State", "TotalCPUs")
POLICIES = {"sched/backfill": "backfill", "sched/builtin": "fcfs"}


class SlurmSystem(CommandSystem):
    """A Slurm cluster, seen by its commands."""

    name = "slurm"
    title = "Slurm"
    summary = "Slurm by sbatch, squeue and sacct; slurm:OPTIONS go to sbatch"
    needed: ClassVar = ("sbatch", "squeue", "scontrol", "scancel", "sinfo")
    queue_option: ClassVar = ("--partition={}",)
    options_for, example, canceller = "sbatch", "--partition=short", "scancel"
    silent: ClassVar = (
        *("Unable to contact slurm controller", "Socket timed out", "Connection refused"),
        "Zero Bytes were transmitted",
    )
    hidden: ClassVar = ("SBATCH_",)
    id_form: ClassVar = re.compile(r"(?:Submitted batch job )?(\d+)(?:;\S+| on cluster \S+)?")
    on_each_node = NodeCommand(  # a step beside the job's own ones, on processors that it does not hold
        words=(
            *("srun", "--overlap", "--quiet", "--mpi=none", "--input=none", "--wait=0", "--ntasks-per-node=1"),
            *("--cpus-per-task=1", "-N", "{count}", "-n", "{count}"),
        ),
        count="SLURM_JOB_NUM_NODES",
    )
    _accounting = False

    def _greet(self) -> None:
        self._ask("scontrol", "ping", within=PINGS_WITHIN)

    def facts(self) -> SystemFacts:
        """Slurm's version, scheduler, partitions; processors and nodes of the partition that jobs go to."""
        settings = pairs(self._ask("scontrol", "show", "config"), " = ")
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
        named = self._named_option("-p", "--partition")
        for each in partitions:
            if each["PartitionName"] == named or (named is None and each.get("Default") == "YES"):
                return each
        names = ", ".join(each["PartitionName"] for each in partitions)
        raise InputError("there is no such partition", key="--via slurm", value=named or "(default)", accepted=names)

    def time_limit(self, job: LiveJob) -> float:
        """Whole minutes."""
        return 60.0 * _minutes(job)

    def _submission(self, job: LiveJob, folder: Path) -> Sequence[str]:
        return [
            *("sbatch", "--parsable", "--no-requeue", f"--job-name={job.id}", f"--comment={self._work.mark}"),
            *(f"--ntasks={job.processors}", f"--time={_minutes(job)}", f"--chdir={folder}"),
            *(f"--output={folder}/starter.log", "--open-mode=append", "--export=ALL"),
            *((f"--ntasks-per-node={job.per_node}",) if job.per_node else ()),
            *self._options,
        ]

    def _marked(self, job: LiveJob) -> str | None:
        """By its name and the experiment's mark, among those that wait or run, and those that ended.

        The accounting keeps comments only where it is told to (AccountingStoreFlags); folders it always knows.
        """
        for about in self._shown():
            if about.get("JobName") == job.id and about.get("Comment") == self._work.mark:
                return about["JobId"]
        if self._accounting:
            columns = "--format=JobID,Comment,WorkDir"
            lines = self._ask("sacct", "-n", "-P", "-X", f"--name={job.id}", columns, "--starttime=now-30days")
            for line in lines.splitlines():
                batch_id, comment, folder = (*line.split("|", 2), "", "")[:3]
                if comment == self._work.mark or folder == str(job_folder(self._work.folder, job)):
                    return batch_id
        return None

    def _look(self) -> Iterator[Accounted]:
        """One squeue for what waits and runs."""
        for line in self._ask("squeue", "--noheader", "--me", "--states=all", "--format=%i|%T|%N").splitlines():
            batch_id, word, nodes = (*line.split("|"), "", "")[:3]
            yield _accounted(batch_id, word, None, nodes)

    def _account(self, ids: Sequence[str]) -> Iterator[Accounted]:
        if self._accounting:
            listed = ",".join(ids)
            answer = self._ask("sacct", "-n", "-P", "-X", f"--jobs={listed}", "--format=JobID,State,ExitCode,NodeList")
            for line in answer.splitlines():
                batch_id, word, code, nodes = (*line.split("|"), "", "", "")[:4]
                yield _accounted(batch_id, word, code, nodes)
            return
        for about in self._shown():
            if about.get("JobId", "") in ids:
                yield _accounted(about["JobId"], about["JobState"], about.get("ExitCode"), about.get("NodeList", ""))

    def _shown(self) -> list[dict[str, str]]:
        return [_words(line) for line in self._ask("scontrol", "show", "job", "--oneliner").splitlines()]


def _minutes(job: LiveJob) -> int:
    return int(job.limit) // 60 + 2  # the starter ends it before


def _accounted(batch_id: str, word: str, code: str | None, nodes: str) -> Accounted:
    head = (word.split() or [""])[0].rstrip("+")
    stage = next((stage for stage, words in STAGES.items() if head in words), ENDED)
    return Accounted(
        batch_id=batch_id,
        stage=stage,
        word=word if not code or code == "0:0" else f"{word} (exit code {code})",
        well=head == "COMPLETED" if stage == ENDED else None,
        cancelled=head == "CANCELLED" if stage == ENDED else None,
        nodes=expanded(nodes),
    )


def _words(line: str) -> dict[str, str]:
    """The KEY=VALUE words of a line of scontrol's."""
    return {key: value for key, there, value in (word.partition("=") for word in line.split()) if there}


SYSTEM: Any = SlurmSystem
