"""`--via slurm[:OPTIONS]`: Slurm by its own commands; OPTIONS go to sbatch (`slurm:--partition=short`).

Submission is `sbatch --parsable`, what waits and runs is seen by `squeue`, what ended by `sacct` where there is an
accounting database, else by `scontrol show job`, which forgets a job after MinJobAge. Jobs carry the experiment's mark
in their comment and their own id as their name. Slurm decides by whole minutes of requested time; jobs shorter than
that are ended at their own limit by their starter. A job is never requeued: it would run twice.

Capacity is what `sinfo` reports of the partition's nodes: those that are up, or powered down and powered up for jobs;
of these the nodes of a reservation (`--reservation`, in which they are not others'), without those of `--exclude`, with
the features of `--constraint`. Options that give each job listed nodes (`--nodelist`) are refused. A job that waits for
a reason for which it never starts is deleted: at once for what its request itself rules out (PartitionTimeLimit), after
a minute where it needs more than the nodes that are neither down nor drained.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import InputError
from assay.machine.slurm_nodes import DOWN, DRAINED, FORMAT, FUTURE, NEVER_STARTS, RESERVED, UP, SlurmNode, slurm_nodes
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    Accounted,
    AccountedTime,
    BatchQueue,
    NodeCommand,
    SystemFacts,
)
from assay.throughput.command_system import PINGS_WITHIN, CommandSystem, expanded, pairs
from assay.throughput.job_programs import job_folder
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import ALONE_MACHINE, ALONE_NODES, INSTANCES, NODES, PER_NODE
from assay.throughput.occupancy import Occupancy, hidden

STAGES = {
    WAITING: ("PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"),
    RUNNING: ("RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "RESIZING", "SIGNALING"),
}
FACTS = ("Default", "MaxTime", "MaxNodes", "PriorityTier", "PreemptMode", "OverSubscribe", "State", "TotalCPUs")
NEVER_AFTER, UNAVAILABLE_AFTER = 5.0, 60.0  # s, for reasons of the request itself, and of nodes that are away
LOOKS_EACH = 10.0  # s, between two looks at what nodes could give a job that waits
HOLDING = "RUNNING,SUSPENDED,CONFIGURING,COMPLETING,STOPPED,SIGNALING,STAGE_OUT,RESIZING"  # of jobs with processors
NO_REASON = ("", "None", "(null)")
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
    on_each_node = NodeCommand(  # a step in addition to the job's own ones, on processors that are not allocated to it
        words=(
            *("srun", "--overlap", "--quiet", "--mpi=none", "--input=none", "--wait=0", "--ntasks-per-node=1"),
            *("--cpus-per-task=1", "-N", "{count}", "-n", "{count}"),
        ),
        count="SLURM_JOB_NUM_NODES",
    )
    _accounting = False
    _partition_name, _nodes_of = "", 0
    _only: frozenset[str] | None = None  # the nodes that the options leave to jobs; all without any
    _excluded: frozenset[str] = frozenset()
    _reserves = False  # whether jobs go to a reservation of their own
    _usable: tuple[float, int, int] = (-1e9, 0, 0)  # when it was queried, the usable processors and nodes
    rules = frozenset((PER_NODE, NODES, ALONE_NODES, ALONE_MACHINE, INSTANCES))

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
        self._partition_name = chosen["PartitionName"]
        self._choose_nodes()
        nodes = self._nodes()
        usable = {name: node for name, node in nodes.items() if node.usable}
        self._nodes_of = len(usable)
        limited = self._only is not None or self._excluded
        scheduler = settings.get("SchedulerType", "unknown")
        version = re.search(r"^slurm\S* (\d\S*)$", self._ask("sinfo", "--version"), re.MULTILINE)
        queues = tuple(
            BatchQueue(name=each["PartitionName"], facts={key: each[key] for key in FACTS if key in each})
            for each in partitions
        )
        return SystemFacts(
            name=self.name,
            version=version[1] if version is not None else "unknown",
            policy=POLICIES.get(scheduler, scheduler),
            processors=sum(node.processors for node in usable.values()),
            nodes=tuple(usable),
            queues=queues,
            defined=sum(node.processors for node in nodes.values()) if limited else int(chosen.get("TotalCPUs", "0")),
        )

    def _nodes(self) -> dict[str, SlurmNode]:
        """The partition's nodes by name, without those that do not exist yet."""
        every = slurm_nodes(self._sinfo(FORMAT))
        nodes = {
            name: node
            for name, node in every.items()
            if node.kind != FUTURE and name not in self._excluded and (self._only is None or name in self._only)
        }
        if self._reserves:
            nodes = {name: replace(node, kind=UP) if node.kind == RESERVED else node for name, node in nodes.items()}
        return nodes

    def _sinfo(self, columns: str) -> str:
        return self._ask("sinfo", "-h", "-N", f"--partition={self._partition_name}", "-o", columns)

    def _choose_nodes(self) -> None:
        """The nodes of the partition to which the options limit jobs; InputError where these are not known."""
        accepted = "--partition=NAME, --reservation=NAME, --exclude=NODES, --constraint=FEATURES"
        for names in (("-w", "--nodelist"), ("-F", "--nodefile")):
            if (value := self._named_option(*names)) is not None:
                problem = f"{names[1]} gives every job all these nodes"
                raise InputError(problem, key="--via slurm", value=value, accepted=accepted)
        self._only = None
        reservation = self._named_option("--reservation")
        self._reserves = reservation is not None
        if reservation is not None:
            answer = self._ask_what_may_be_none("scontrol", "show", "reservation", reservation, "--oneliner")
            found = [_words(line) for line in answer.splitlines()]
            about = next((each for each in found if each.get("ReservationName") == reservation), None)
            if about is None:
                raise InputError("there is no such reservation", key="--via slurm", value=reservation)
            self._only = frozenset(expanded(about.get("Nodes", "")))
        excluded = self._named_option("-x", "--exclude") or ""
        if "/" in excluded:
            raise InputError("a file of nodes is not read", key="--via slurm", value=excluded, accepted=accepted)
        self._excluded = frozenset(expanded(excluded))
        constraint = self._named_option("-C", "--constraint")
        if constraint is not None:
            featured = self._featured(constraint)
            self._only = featured if self._only is None else self._only & featured

    def _featured(self, constraint: str) -> frozenset[str]:
        """The nodes that have the features."""
        if re.fullmatch(r"[\w.:-]+((&[\w.:-]+)*|(\|[\w.:-]+)*)", constraint) is None:
            problem, accepted = "of --constraint only names and & or | between them are read", "--constraint=a&b or a|b"
            raise InputError(problem, key="--via slurm", value=constraint, accepted=accepted)
        meets = any if "|" in constraint else all
        found = set()
        for line in self._sinfo("%N|%f").splitlines():
            name, there, features = line.partition("|")
            if there and meets(each in features.strip().split(",") for each in re.split(r"[&|]", constraint)):
                found.add(name.strip())
        return frozenset(found)

    def occupancy(self) -> Occupancy:
        """By the states of the partition's nodes, and by all jobs that hold processors of them."""
        nodes = self._nodes()
        shown = others = 0.0
        answer = self._ask("squeue", "--noheader", "--all", f"--states={HOLDING}", "--format=%A|%C|%N")
        for line in answer.splitlines():
            batch_id, count, listed = (*line.split("|"), "", "")[:3]
            held = expanded(listed)
            here = sum(name in nodes for name in held)
            if count.isdecimal() and here:
                shown += int(count) * here / len(held)
                others += int(count) * here / len(held) if batch_id not in self._own else 0
        reserved = [node for node in nodes.values() if node.kind == RESERVED]
        away = [node for node in nodes.values() if node.kind in (DOWN, DRAINED)]
        return Occupancy(
            total=sum(node.processors for node in nodes.values()),
            others=round(others),
            hidden=hidden(round(shown), _allocated(nodes), lambda: _allocated(self._nodes())),
            down=sum(max(node.processors - node.allocated, 0) for node in away),
            reserved=sum(max(node.processors - node.allocated, 0) for node in reserved),
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
        nodes = job.nodes
        if job.alone == "machine":  # all that may be used now: a node may have come back
            nodes = self._nodes_of = sum(node.usable for node in self._nodes().values())
        before = self._after(job)
        tasks = max(job.processors, nodes)  # Slurm gives no more nodes than tasks
        return [
            *("sbatch", "--parsable", "--no-requeue", f"--job-name={job.id}", f"--comment={self._work.mark}"),
            *(f"--ntasks={tasks}", f"--time={_minutes(job)}", f"--chdir={folder}"),
            *(f"--output={folder}/starter.log", "--open-mode=append", "--export=ALL"),
            *((f"--ntasks-per-node={job.per_node}",) if job.per_node else ()),
            *((f"--nodes={nodes}-{max(nodes, self._nodes_of)}",) if nodes else ()),
            *(("--exclusive",) if job.alone else ()),
            *((f"--dependency=afterany:{before}",) if before else ()),
            *self._options,
        ]

    def _marked(self, job: LiveJob) -> str | None:
        """By its name and the experiment's mark, among those that wait or run, and those that ended.

        The accounting stores comments only where configured (AccountingStoreFlags), folders always.
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
        for line in self._ask("squeue", "--noheader", "--me", "--states=all", "--format=%i|%T|%N|%r").splitlines():
            batch_id, word, nodes, reason = (*line.split("|", 3), "", "", "")[:4]
            each = _accounted(batch_id, word, None, nodes)
            if each.stage == WAITING and reason not in NO_REASON:
                never = self._never_after(batch_id, reason)
                each = replace(each, word=f"{word} ({reason})", never_after=never)
            yield each

    def _never_after(self, batch_id: str, reason: str) -> float | None:
        """How long a reason must hold until the job is taken never to start; None where it only has to wait."""
        if NEVER_STARTS.search(reason):
            return NEVER_AFTER
        job = self._own.get(batch_id)
        if job is None or not reason.startswith(("ReqNodeNotAvail", "Nodes", "Resources", "NodeDown")):
            return None
        looked, processors, count = self._usable
        if time.monotonic() - looked > LOOKS_EACH:
            nodes = [node for node in self._nodes().values() if node.kind not in (DOWN, DRAINED)]
            processors, count = sum(node.processors for node in nodes), len(nodes)
            self._usable = (time.monotonic(), processors, count)
        needed = max(job.nodes, self._nodes_of if job.alone == "machine" else 0)
        needed = max(needed, -(-job.processors // job.per_node) if job.per_node else 0)
        return UNAVAILABLE_AFTER if job.processors > processors or needed > count else None

    def _account(self, ids: Sequence[str]) -> Iterator[Accounted]:
        if self._accounting:
            listed = ",".join(ids)
            columns = "--format=JobID,State,ExitCode,NodeList,UserCPU,SystemCPU"
            for line in self._ask("sacct", "-n", "-P", "-X", f"--jobs={listed}", columns).splitlines():
                batch_id, word, code, nodes, user, system = (*line.split("|"), *[""] * 5)[:6]
                yield replace(_accounted(batch_id, word, code, nodes), used=_used(user, system))
            return
        for about in self._shown():
            if about.get("JobId", "") in ids:
                yield _accounted(about["JobId"], about["JobState"], about.get("ExitCode"), about.get("NodeList", ""))

    def _shown(self) -> list[dict[str, str]]:
        return [_words(line) for line in self._ask("scontrol", "show", "job", "--oneliner").splitlines()]


def _allocated(nodes: Mapping[str, SlurmNode]) -> int:
    """Processors that jobs have: Slurm reports it of nodes also where it does not show all jobs (PrivateData)."""
    return sum(node.allocated for node in nodes.values())


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


def _used(user: str, system: str) -> AccountedTime | None:
    """Of all steps of a job. None without either: a cluster need not gather what jobs use."""
    found = [_time(text) for text in (user, system)]
    if found[0] is None or found[1] is None or not any(found):
        return None
    return AccountedTime(user=found[0], system=found[1], total=found[0] + found[1])


def _time(text: str) -> float | None:
    """Seconds of Slurm's [DD-[HH:]]MM:SS[.mmm]; None of what is no such time."""
    match = re.fullmatch(r"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d*)?)", text)
    if match is None:
        return None
    days, hours, minutes, seconds = (float(each or 0) for each in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _words(line: str) -> dict[str, str]:
    """The KEY=VALUE words of a line of scontrol's."""
    return {key: value for key, there, value in (word.partition("=") for word in line.split()) if there}


SYSTEM: Any = SlurmSystem
