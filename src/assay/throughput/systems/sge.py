"""`--via sge[:OPTIONS]`: Grid Engine by its own commands; OPTIONS go to qsub (`sge:-q short.q -pe mpi`).

What waits and runs is seen by `qstat -xml`, what ended by `qacct`. A job of several processors needs a parallel
environment: the one that `-pe NAME` names, else the first of `qconf -spl` that a queue takes jobs of. Jobs are marked
by their name. Grid Engine keeps no account of a job that was deleted while it waited, and shows an account up to its
`flush_time` (15 s by default) late. Whether a waiting job can ever start is tested by `qalter -w v`, which tries it
on the cell without any job; why one is in an error state by `qstat -j`.

Forms: qstat(1), sge_submit(1) (-w) and the messages of Grid Engine 8.1.9 ("no suitable queues", "error reason").
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

from assay.errors import InputError, MeasurementError
from assay.throughput.batch_system import (
    ENDED,
    RUNNING,
    WAITING,
    Accounted,
    AccountedTime,
    BatchQueue,
    NodeCommand,
    SilentSystemError,
    SystemFacts,
    SystemRequest,
)
from assay.throughput.command_system import PINGS_WITHIN, CommandSystem
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import INSTANCES
from assay.throughput.occupancy import Occupancy, hidden

AWAY = "uEdDosc"  # of a queue instance's state: unknown, error, disabled, orphaned, suspended, wrongly configured
VERIFIES_EACH = 30.0  # s that a job has waited since it was last tested whether it can ever start
NEVER, NEVER_AFTER = "no suitable queues", 5.0  # s, that this must hold
FACTS = ("slots", "pe_list", "hostlist", "seq_no", "priority", "h_rt", "s_rt", "rerun", "qtype", "subordinate_list")


class GridEngineSystem(CommandSystem):
    """A Grid Engine cell, seen by its commands."""

    name = "sge"
    title = "Grid Engine"
    summary = "Grid Engine by qsub, qstat and qacct; sge:OPTIONS go to qsub"
    needed: ClassVar = ("qsub", "qstat", "qconf", "qdel", "qacct")
    options_for, example, canceller = "qsub", "'-q short.q'", "qdel"
    silent: ClassVar = ("unable to contact qmaster", "unable to send message to qmaster", "got select error")
    accounts_within = 30.0
    rules = frozenset((INSTANCES,))
    _taken: Sequence[str] = ()  # the queues that jobs go to
    id_form: ClassVar = re.compile(r"(?:[Yy]our job )?(\d+)(?: \(.*\) has been submitted)?")
    on_each_node = NodeCommand(words=("qrsh", "-inherit", "-nostdin", "{host}"), hosts="PE_HOSTFILE")

    def __init__(self, request: SystemRequest) -> None:
        """`request.option`: words for qsub; of them `-pe NAME` is without a number."""
        super().__init__(request)
        self._verified: dict[str, tuple[float, str]] = {}  # of waiting jobs: when they were last tested, and why never
        self._environment = self._named_option("-pe")
        if self._environment is not None and "-pe" in self._options:
            at = self._options.index("-pe")
            del self._options[at : at + 2]

    def _greet(self) -> None:
        self._ask("qconf", "-sh", within=PINGS_WITHIN)

    def facts(self) -> SystemFacts:
        """Queues with their definitions; processors and hosts of the queue that jobs go to, or of all."""
        listed = [words[0] for line in self._ask("qconf", "-sql").splitlines() if len(words := line.split()) == 1]
        every = {name: _keys(self._ask_what_may_be_none("qconf", "-sq", name)) for name in listed}
        definitions = {name: about for name, about in every.items() if about.get("qname") == name}
        names = list(definitions)
        chosen = self._named_option("-q")
        if chosen is not None and chosen not in definitions:
            raise InputError("there is no such queue", key="--via sge", value=chosen, accepted=", ".join(names))
        taken = [chosen] if chosen is not None else names
        self._choose_environment({word for name in taken for word in definitions[name].get("pe_list", "").split()})
        self._taken = taken
        instances = self._instances()
        hosts = dict.fromkeys(host for host, _, up in instances if up)
        scheduling = _keys(self._ask("qconf", "-ssconf"))
        version = re.search(r"^\S*GE \d\S*$", self._ask("qconf", "-help"), re.MULTILINE)
        reserves = scheduling.get("max_reservation", "0") != "0"
        return SystemFacts(
            name=self.name,
            version=version[0].removeprefix("SGE ") if version is not None else "unknown",
            policy=f"backfill (max_reservation {scheduling['max_reservation']})" if reserves else "firstfit",
            processors=sum(slots for _, slots, up in instances if up),
            nodes=tuple(hosts),
            queues=tuple(
                BatchQueue(name=name, facts={key: about[key] for key in FACTS if key in about})
                for name, about in definitions.items()
            ),
            defined=sum(slots for _, slots, _ in instances),
        )

    def _instances(self) -> list[tuple[str, int, bool]]:
        """Host and slots of each instance of the queues, and whether it takes jobs."""
        found = []
        for instance in _tree(self._ask("qstat", "-f", "-xml")).iter("Queue-List"):
            queue, _, host = (instance.findtext("name") or "").partition("@")
            if queue in self._taken:
                up = not set(AWAY) & set(instance.findtext("state") or "")
                found.append((host, int(instance.findtext("slots_total") or 0), up))
        return found

    def _in_use(self) -> int:
        """Slots of the queues' instances that jobs have, shown or not."""
        every = _tree(self._ask("qstat", "-f", "-xml")).iter("Queue-List")
        queues = [each for each in every if (each.findtext("name") or "").partition("@")[0] in self._taken]
        return sum(int(each.findtext("slots_used") or 0) for each in queues)

    def occupancy(self) -> Occupancy:
        """By the states of the queues' instances, and by the slots of all users' jobs that run there."""
        instances, in_use = self._instances(), self._in_use()
        shown = others = 0
        for each in _tree(self._ask("qstat", "-u", "*", "-s", "rs", "-xml")).iter("job_list"):
            queue = (each.findtext("queue_name") or "").partition("@")[0]
            if queue in self._taken:
                shown += (slots := int(each.findtext("slots") or 0))
                others += slots if each.findtext("JB_job_number") not in self._own else 0
        return Occupancy(
            total=sum(slots for _, slots, _ in instances),
            others=others,
            hidden=hidden(shown, in_use, self._in_use),
            down=sum(slots for _, slots, up in instances if not up),
        )

    def _choose_environment(self, taken: set[str]) -> None:
        known = self._ask_what_may_be_none("qconf", "-spl").split()
        if self._environment is not None and self._environment not in known:
            problem = "there is no such parallel environment"
            raise InputError(problem, key="--via sge", value=self._environment, accepted=", ".join(known) or "none")
        self._environment = self._environment or next((name for name in known if name in taken), None)

    def _name_of(self, job: LiveJob) -> str:
        return f"{self._work.mark}-{job.number:04d}"

    def _submission(self, job: LiveJob, folder: Path) -> Sequence[str]:
        if job.processors > 1 and self._environment is None:
            raise MeasurementError("its queues take jobs of no parallel environment: one processor at most")
        parallel = ("-pe", str(self._environment), str(job.processors)) if job.processors > 1 else ()
        return [
            *("qsub", "-terse", "-N", self._name_of(job), "-wd", str(folder), "-V", "-r", "n", "-S", "/bin/sh"),
            *("-j", "y", "-o", f"{folder}/starter.log", "-l", f"h_rt={int(self.time_limit(job))}", *parallel),
            *(("-hold_jid", before) if (before := self._after(job)) else ()),
            *self._options,
        ]

    def _jobs(self) -> Iterator[tuple[str, ElementTree.Element]]:
        """Each process of a job that runs (`-g t`), and each job that waits."""
        for each in _tree(self._ask("qstat", "-g", "t", "-xml")).iter("job_list"):
            yield each.findtext("JB_job_number") or "", each

    def _marked(self, job: LiveJob) -> str | None:
        name = self._name_of(job)
        for batch_id, about in self._jobs():
            if about.findtext("JB_name") == name:
                return batch_id
        return _keys(self._ask_what_may_be_none("qacct", "-j", name)).get("jobnumber")

    def _look(self) -> Iterator[Accounted]:
        found: dict[str, tuple[str, list[str]]] = {}
        for batch_id, about in self._jobs():
            _, nodes = found.setdefault(batch_id, (about.findtext("state") or "", []))
            host = (about.findtext("queue_name") or "").partition("@")[2]
            if host and host not in nodes:
                nodes.append(host)
        for batch_id, (word, nodes) in found.items():
            stage = ENDED if "E" in word else RUNNING if nodes else WAITING
            well = False if stage == ENDED else None
            never = self._never(batch_id) if stage == WAITING and "h" not in word else ""
            why = never or (self._error(batch_id) if stage == ENDED and batch_id in self._mine else "")
            yield Accounted(
                batch_id=batch_id,
                stage=stage,
                word=f"{word} ({why})" if why else word,
                well=well,
                nodes=tuple(nodes),
                never_after=NEVER_AFTER if never else None,
            )

    def _never(self, batch_id: str) -> str:
        """Why one of this experiment's jobs can never start; nothing where it can, or where that is not known."""
        now = time.monotonic()
        at, why = self._verified.setdefault(batch_id, (now, ""))
        if batch_id not in self._mine or now - at < VERIFIES_EACH:
            return why
        answer = self._both("qalter", "-w", "v", batch_id)
        lines = [line.strip() for line in answer.splitlines() if "cannot run" in line]
        why = "; ".join([NEVER, *lines[:2]]) if NEVER in answer else ""
        self._verified[batch_id] = now, why
        return why

    def _error(self, batch_id: str) -> str:
        """Why a job is in an error state."""
        found = re.search(r"^error reason\s+\d+:\s*(.*)", self._both("qstat", "-j", batch_id), re.MULTILINE)
        return found[1].strip() if found else ""

    def _both(self, *words: str) -> str:
        """A command's output, also where it fails."""
        try:
            return self._ask(*words)
        except SilentSystemError:
            return ""
        except MeasurementError as error:
            return str(error)

    def _account(self, ids: Sequence[str]) -> Iterator[Accounted]:
        for batch_id in ids:
            about = _keys(self._ask_what_may_be_none("qacct", "-j", batch_id))
            if not about:
                continue
            failed, status = (about.get(key, "0").split() or ["0"] for key in ("failed", "exit_status"))
            well = failed[0] == "0" and status[0] == "0"
            word = "ended" if well else f"failed {' '.join(failed)}, exit_status {' '.join(status)}"
            host = about.get("hostname", "")
            yield Accounted(
                batch_id=batch_id,
                stage=ENDED,
                word=word,
                well=well,
                cancelled=batch_id in self._deleted,
                nodes=(host,) if host else (),
                used=_used(about),
            )


def _used(about: Mapping[str, str]) -> AccountedTime | None:
    """`ru_utime 12.850`: seconds of the job's processes; some versions write an s behind it."""
    found = {key: about.get(f"ru_{key}", "").removesuffix("s") for key in ("utime", "stime")}
    if not all(re.fullmatch(r"\d+(\.\d*)?", text) for text in found.values()):
        return None
    user, system = float(found["utime"]), float(found["stime"])
    return AccountedTime(user=user, system=system, total=user + system)


def _tree(text: str) -> ElementTree.Element:
    """The document of an answer, whatever is before its declaration and after its root element."""
    text = text[max(text.find("<?xml"), 0) :]
    root = re.search(r"<([A-Za-z_][\w.-]*)\b[^>]*?(?:/>|>.*</\1\s*>)", text, re.DOTALL)
    try:
        return ElementTree.fromstring(text[: root.end() if root else len(text)])
    except ElementTree.ParseError as error:
        raise MeasurementError(f"qstat -xml answers no XML: {error}") from None


def _keys(text: str) -> dict[str, str]:
    """Lines of a word and its value, a backslash continuing one."""
    words = (line.split(None, 1) for line in text.replace("\\\n", " ").splitlines())
    return {each[0]: each[1].strip() for each in words if len(each) == 2}


SYSTEM: Any = GridEngineSystem
