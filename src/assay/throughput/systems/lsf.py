"""`--via lsf[:OPTIONS]`: IBM Spectrum LSF by its own commands; OPTIONS go to bsub (`lsf:-q short`).

What waits, runs and ended lately is seen by `bjobs -a -o`, what ended before (CLEAN_PERIOD) by `bhist -l`. Jobs are
marked by their description. LSF decides by whole minutes of requested time. Why a job waits is a question of its own
(`bjobs -p -o 'jobid pend_reason'`): an LSF that does not know the field refuses only that one, and no reason is shown.

Forms: IBM Spectrum LSF 10.1, command reference (`bjobs -o`, `bjobs -p`) and "Termination reasons displayed by bacct,
bhist and bjobs". We have not read that reference's list of fields: the name `pend_reason` is from IBM's granite.build,
pull request 248, which reads it from `bjobs -json` of LSF 10.1.0.15. Reasons for which a job never starts:
lsb_pendreason(3), PEND_JOB_DEP_INVALID; "no suitable hosts".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import InputError, MeasurementError
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    Accounted,
    BatchQueue,
    NodeCommand,
    SystemFacts,
    SystemRequest,
)
from assay.throughput.command_system import PINGS_WITHIN, CommandSystem
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import ALONE_NODES, INSTANCES, NODES, PER_NODE
from assay.throughput.occupancy import Occupancy, hidden

COLUMNS = ("jobid", "stat", "exit_code", "exit_reason", "exec_host", "job_description")
STAGES = {WAITING: ("PEND", "PSUSP", "WAIT"), RUNNING: ("RUN", "USUSP", "SSUSP", "UNKWN", "PROV")}
DELETED = ("TERM_OWNER", "TERM_ADMIN", "TERM_FORCE_OWNER", "TERM_FORCE_ADMIN", "TERM_USER")
AWAY = ("unavail", "unreach", "unlicensed", "closed_adm", "closed_lim", "closed_lock", "closed_ego")  # of bhosts
NEVER = re.compile(r"never satisfied|no suitable hosts", re.IGNORECASE)
NEVER_AFTER = 30.0  # s, that such a reason must hold
NONE_IS = "-"  # how bjobs writes an empty column


class LsfSystem(CommandSystem):
    """An LSF cluster, seen by its commands."""

    name = "lsf"
    title = "LSF"
    summary = "LSF by bsub, bjobs and bhist; lsf:OPTIONS go to bsub"
    needed: ClassVar = ("bsub", "bjobs", "bhist", "bkill", "bqueues", "bhosts", "lsid")
    options_for, example, canceller = "bsub", "'-q short'", "bkill"
    silent: ClassVar = ("LSF is down", "Cannot connect to LSF", "not responding", "Communication time out")
    hidden: ClassVar = ("LSB_DEFAULT", "BSUB_")
    id_form: ClassVar = re.compile(r"Job <(\d+)> is submitted\b.*")
    rules = frozenset((PER_NODE, NODES, ALONE_NODES, INSTANCES))
    _of: Sequence[str] = ()  # the hosts of the queue; all of them without any
    on_each_node = NodeCommand(words=("blaunch", "{host}"), hosts="LSB_DJOB_HOSTFILE")

    def __init__(self, request: SystemRequest) -> None:
        """`request.option`: words for bsub."""
        super().__init__(request)
        self._processors: dict[str, int] = {}  # of hosts without a limit of slots

    def _greet(self) -> None:
        self._ask("lsid", within=PINGS_WITHIN)

    def facts(self) -> SystemFacts:
        """LSF's version, queues with their parameters and policies; job slots of the hosts of the queue."""
        version = re.search(r"LSF.* (\d+\.[\d.]+)", self._ask("lsid"))
        queues = _queues(self._ask("bqueues", "-l"))
        named = self._named_option("-q")
        default = next((name for name, about in queues.items() if about.get("default")), next(iter(queues), ""))
        chosen = named or default
        if chosen not in queues:
            raise InputError("there is no such queue", key="--via lsf", value=chosen, accepted=", ".join(queues))
        of = queues[chosen].get("HOSTS", "all").split()
        self._of = [] if of == ["all"] else of
        every = self._hosts()
        nodes = {name: slots for name, (slots, up) in every.items() if up}
        return SystemFacts(
            name=self.name,
            version=version[1] if version else "unknown",
            policy=queues[chosen].get("SCHEDULING POLICIES", "fcfs").lower(),
            processors=sum(nodes.values()),
            nodes=tuple(nodes),
            queues=tuple(BatchQueue(name=name, facts=about) for name, about in queues.items()),
            defined=sum(slots for slots, _ in every.values()),
        )

    def _hosts(self) -> dict[str, tuple[int, bool]]:
        """The job slots of each of the queue's hosts, and whether jobs may be sent there when it has free ones.

        Without a limit (MAX `-`), its processors: LSF does not keep jobs from more slots there.
        """
        found = {}
        for row in self._host_rows():
            name, limit, up = row["HOST_NAME"], row["MAX"], not row["STATUS"].lower().startswith(AWAY)
            if not limit.isdigit() and name not in self._processors:
                self._processors |= _processors(self._ask_what_may_be_none("lshosts", "-w"))
            slots = int(limit) if limit.isdigit() else self._processors.get(name, 0)
            if up and not limit.isdigit() and not slots:
                raise MeasurementError(f"{name} has no limit of slots (bhosts) and no number of processors (lshosts)")
            found[name] = (slots, up)
        return found

    def _host_rows(self) -> list[dict[str, str]]:
        """The columns of each host; a notice has not as many, or no count of jobs."""
        rows = [line.split() for line in self._ask("bhosts", "-w", *self._of).splitlines()]
        head = next((row for row in rows if row[:2] == ["HOST_NAME", "STATUS"]), [])
        hosts = [dict(zip(head, row, strict=True)) for row in rows if head and len(row) == len(head)]
        return [row for row in hosts if row["RUN"].isdigit()]

    def _in_use(self) -> int:
        """Slots of running jobs, by the queue's hosts: also of jobs that are not shown."""
        return sum(int(row["RUN"]) for row in self._host_rows())

    def occupancy(self) -> Occupancy:
        """By the states of the queue's hosts, and by the slots of all users' jobs that run there."""
        hosts, in_use = self._hosts(), self._in_use()
        shown = others = 0
        columns = "jobid exec_host delimiter='|'"
        for line in self._ask_what_may_be_none("bjobs", "-u", "all", "-r", "-noheader", "-o", columns).splitlines():
            batch_id, _, listed = line.partition("|")
            for each in listed.strip().split(":"):
                count, _, name = each.rpartition("*")
                slots = int(count or 1) if name in hosts and (count or "1").isdecimal() else 0
                shown += slots
                others += slots if batch_id.strip() not in self._own else 0
        return Occupancy(
            total=sum(slots for slots, _ in hosts.values()),
            others=others,
            hidden=hidden(shown, in_use, self._in_use),
            down=sum(slots for slots, up in hosts.values() if not up),
        )

    def time_limit(self, job: LiveJob) -> float:
        """Whole minutes."""
        return 60.0 * _minutes(job)

    def _submission(self, job: LiveJob, folder: Path) -> Sequence[str]:
        each = min(job.per_node or job.processors, max(job.processors // max(job.nodes, 1), 1))  # on a host
        before = self._after(job)
        return [
            *("bsub", "-J", f"assay-{job.number:04d}", "-Jd", f"{self._work.mark}/{job.number}", "-rn"),
            *("-n", str(job.processors), "-W", str(_minutes(job)), "-cwd", str(folder), "-o", f"{folder}/starter.log"),
            *(("-R", f"span[ptile={each}]") if job.per_node or job.nodes else ()),
            *(("-x",) if job.alone else ()),
            *(("-w", f"ended({before})") if before else ()),
            *self._options,
        ]

    def _rows(self) -> Iterator[list[str]]:
        columns = f"{' '.join(COLUMNS)} delimiter='|'"
        for line in self._ask_what_may_be_none("bjobs", "-a", "-noheader", "-o", columns).splitlines():
            words = line.split("|", len(COLUMNS) - 1)
            if len(words) == len(COLUMNS):
                yield ["" if word.strip() == NONE_IS else word.strip() for word in words]

    def _marked(self, job: LiveJob) -> str | None:
        mine = f"{self._work.mark}/{job.number}"
        return next((words[0] for words in self._rows() if words[-1] == mine), None)

    def _pending(self) -> dict[str, str]:
        """Why each job waits, as far as LSF reports it."""
        words = ("bjobs", "-p", "-noheader", "-o", "jobid pend_reason delimiter='|'")
        lines = (line.partition("|") for line in self._ask_what_may_be_none(*words).splitlines())
        return {
            batch_id.strip(): " ".join(why.split()).rstrip(";")
            for batch_id, there, why in lines
            if there and why.strip() != NONE_IS
        }

    def _look(self) -> Iterator[Accounted]:
        rows = list(self._rows())
        pending = self._pending() if any(word in STAGES[WAITING] for _, word, *_ in rows) else {}
        for batch_id, word, code, reason, hosts, _ in rows:
            stage = next((stage for stage, words in STAGES.items() if word in words), ENDED)
            reason = pending.get(batch_id, reason) if stage == WAITING else reason
            about = ", ".join(text for text in (f"exit code {code}" if code else "", reason) if text)
            yield Accounted(
                batch_id=batch_id,
                stage=stage,
                word=f"{word} ({about})" if about else word,
                well=word == "DONE" if stage == ENDED else None,
                cancelled=reason.startswith(DELETED) if stage == ENDED else None,
                nodes=tuple(dict.fromkeys(each.rpartition("*")[2] for each in hosts.split(":") if each)),
                never_after=NEVER_AFTER if stage == WAITING and NEVER.search(reason) else None,
            )

    def _account(self, ids: Sequence[str]) -> Iterator[Accounted]:
        for batch_id in ids:
            text = self._ask_what_may_be_none("bhist", "-n", "0", "-l", batch_id)
            yield from _history(batch_id, text)


def _minutes(job: LiveJob) -> int:
    return int(job.limit) // 60 + 2  # the starter ends it before


def _history(batch_id: str, text: str) -> Iterator[Accounted]:
    """A job's end from `bhist -l`; nothing where it has none. Its lines are broken and indented."""
    whole = re.sub(r"\n {10,}", "", text)
    done = "Done successfully" in whole
    exits = re.findall(r"Exited(?: with exit code (\d+)| by signal (\d+)|[;.])", whole)
    if not done and not exits:
        return
    deleted = any(word in whole for word in DELETED) or "Signal <KILL> requested by user" in whole
    code, signal = exits[-1] if exits else ("", "")
    word = "Done" if done else f"Exited, code {code}" if code else f"Exited, signal {signal}" if signal else "Exited"
    hosts = [each for group in re.findall(r"on(?: \d+)? Hosts?(?:/Processors?)?(?:\(s\))? ((?:<[^>]+> ?)+)", whole)
             for each in re.findall(r"<([^>]+)>", group)]  # fmt: skip
    yield Accounted(
        batch_id=batch_id,
        stage=ENDED,
        word=word,
        well=done,
        cancelled=deleted and not done,
        nodes=tuple(dict.fromkeys(each.rpartition("*")[2] for each in hosts)),
    )


def _processors(text: str) -> dict[str, int]:
    """The processors of hosts from `lshosts -w`; not of those that are away, where it has none."""
    rows = [line.split() for line in text.splitlines()]
    head = next((row for row in rows if row[:1] == ["HOST_NAME"] and "ncpus" in row), None)
    if head is None:
        return {}
    column = head.index("ncpus")
    return {row[0]: int(row[column]) for row in rows if len(row) > column and row[column].isdigit()}


def _queues(text: str) -> dict[str, dict[str, str]]:
    """Each queue from `bqueues -l`: its line of parameters, run limit, policies, hosts and users."""
    found: dict[str, dict[str, str]] = {}
    now: dict[str, str] = {}
    lines = text.splitlines()
    for at, line in enumerate(lines):
        key, there, value = line.partition(":")
        if key == "QUEUE" and there:
            now = found.setdefault(value.strip(), {})
        elif key in ("SCHEDULING POLICIES", "HOSTS", "USERS", "PREEMPTION") and there:
            now[key] = " ".join(value.split())
        elif "default queue" in line:
            now["default"] = "yes"
        elif line.startswith("PRIO ") and at + 1 < len(lines):
            columns = dict(zip(line.split(), lines[at + 1].split(), strict=False))
            now |= {key: columns[key] for key in ("PRIO", "STATUS", "MAX", "JL/U") if key in columns}
        elif line.strip() in ("RUNLIMIT", "PROCLIMIT", "TASKLIMIT") and at + 1 < len(lines):
            now[line.strip()] = " ".join(lines[at + 1].split())
    return found


SYSTEM: Any = LsfSystem
