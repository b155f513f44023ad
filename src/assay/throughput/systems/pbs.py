"""`--via pbs[:OPTIONS]`: OpenPBS and PBS Professional by their own commands; OPTIONS go to qsub (`pbs:-q workq`).

What waits and runs is seen by `qstat -f`, what ended by `qstat -x -f` where the server keeps finished jobs
(`job_history_enable`), else by `tracejob` where its logs can be read. Jobs are marked by a variable of their own.
Torque, whose `qstat -x` is something else, is not meant.

Where qstat knows `-F json` (PBS Professional 14 and later, OpenPBS), that is what is read: in its other form a value of
several lines, such as a shell function in a job's environment, cannot always be distinguished from the next attribute.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

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
)
from assay.throughput.command_system import PINGS_WITHIN, CommandSystem, document_in
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import ALONE_NODES, INSTANCES, NODES, PER_NODE
from assay.throughput.occupancy import Occupancy, hidden

STAGES = {WAITING: "QHWTS", RUNNING: "RBEUM"}  # of job_state; F, X and what is unknown: ended
HOLDING = "RBEU"  # of job_state: a job that has its processors; a suspended one (S) has given them back
DELETED = "91"  # substate of a job that was deleted
MARK = "ASSAY_JOB"
NOT_FACTS = ("total_jobs", "state_count", "mtime")
AWAY = ("down", "offline", "unknown", "stale", "state-unknown", "provisioning", "maintenance", "unresolvable")
RESERVED = ("resv-exclusive",)
NEVER, NEVER_AFTER = "Can Never Run", 30.0  # of a job's comment; s that it must hold


class PbsSystem(CommandSystem):
    """A PBS server, seen by its commands."""

    name = "pbs"
    title = "PBS"
    summary = "OpenPBS by qsub and qstat; pbs:OPTIONS go to qsub"
    needed: ClassVar = ("qsub", "qstat", "qdel", "pbsnodes")
    options_for, example, canceller = "qsub", "'-q workq'", "qdel"
    silent: ClassVar = ("cannot connect to server", "Connection refused", "Communication failure")
    hidden: ClassVar = ("PBS_DPREFIX",)
    accounts_within = 10.0
    id_form: ClassVar = re.compile(r"(\d+(?:\.\S+)?)")
    rules = frozenset((PER_NODE, NODES, ALONE_NODES, INSTANCES))
    _json = True  # until qstat refuses it
    on_each_node = NodeCommand(words=("pbs_tmrsh", "{host}"), hosts="PBS_NODEFILE")

    def _greet(self) -> None:
        self._ask("qstat", "-Bf", within=PINGS_WITHIN)

    def facts(self) -> SystemFacts:
        """The server's version and backfill depth; queues with their limits; processors of nodes that are up."""
        server = next(iter(blocks(self._ask("qstat", "-Bf"), "Server: ").values()), {})
        queues = blocks(self._ask("qstat", "-Qf"), "Queue: ")
        chosen = self._named_option("-q") or server.get("default_queue")
        if chosen is not None and chosen.partition("@")[0] not in queues:
            raise InputError("there is no such queue", key="--via pbs", value=chosen, accepted=", ".join(queues))
        every = self._nodes()
        nodes = {name: count for name, (count, states) in every.items() if not states & {*AWAY, *RESERVED}}
        depth = server.get("backfill_depth")
        return SystemFacts(
            name=self.name,
            version=server.get("pbs_version", "unknown"),
            policy="PBS" if depth is None else f"PBS, backfill_depth {depth}",
            processors=sum(nodes.values()),
            nodes=tuple(nodes),
            queues=tuple(
                BatchQueue(name=name, facts={key: text for key, text in about.items() if key not in NOT_FACTS})
                for name, about in queues.items()
            ),
            defined=sum(count for count, _ in every.values()),
        )

    def _nodes(self) -> dict[str, tuple[int, set[str]]]:
        """The processors and the states of each node."""
        return {
            name: (
                int(about.get("resources_available.ncpus", about.get("pcpus", "0"))),
                {word.strip() for word in about["state"].split(",")},
            )
            for name, about in self._node_blocks().items()
        }

    def _node_blocks(self) -> dict[str, dict[str, str]]:
        """The attributes of each node; a notice has no state."""
        found = blocks(self._ask("pbsnodes", "-a"))
        return {name: about for name, about in found.items() if "state" in about}

    def _in_use(self) -> int:
        """Processors that jobs have, by the nodes: also of jobs that are not shown (query_other_jobs)."""
        return sum(
            int(about.get("resources_assigned.ncpus", "0"))
            for about in self._node_blocks().values()
            if not {word.strip() for word in about["state"].split(",")} & {*AWAY, *RESERVED}
        )

    def occupancy(self) -> Occupancy:
        """By the states of all nodes, and by the jobs of all users that hold processors."""
        nodes, in_use = self._nodes(), self._in_use()
        held = {
            batch_id: _processors_of(about)
            for batch_id, about in self._jobs("-f").items()
            if about.get("job_state", "") in HOLDING
        }
        others = sum(count for batch_id, count in held.items() if batch_id not in self._own)
        return Occupancy(
            total=sum(count for count, _ in nodes.values()),
            others=others,
            hidden=hidden(sum(held.values()), in_use, self._in_use),
            down=sum(count for count, states in nodes.values() if states & {*AWAY}),
            reserved=sum(count for count, states in nodes.values() if states & {*RESERVED} and not states & {*AWAY}),
        )

    def _submission(self, job: LiveJob, folder: Path) -> Sequence[str]:
        each = min(job.per_node or job.processors, job.processors)
        chunks, left = divmod(job.processors, each)
        per_node = f"{chunks}:ncpus={each}" + (f"+1:ncpus={left}" if left else "")
        if job.nodes and chunks + bool(left) < job.nodes:  # over so many nodes, as evenly as it goes
            each, more = divmod(max(job.processors, job.nodes), job.nodes)
            per_node = f"{job.nodes - more}:ncpus={each}" + (f"+{more}:ncpus={each + 1}" if more else "")
        select = per_node if job.per_node or job.nodes else f"{job.processors}:ncpus=1"
        places = [*(["scatter"] if job.per_node or job.nodes else []), *(["exclhost"] if job.alone else [])]
        before = self._after(job)
        return [
            *("qsub", "-N", f"a{job.number:04d}", "-V", "-v", f"{MARK}={self._work.mark}/{job.number}"),
            *("-r", "n", "-j", "oe", "-o", f"{folder}/starter.log", "-l", f"select={select}"),
            *("-l", f"walltime={int(self.time_limit(job))}", *(("-l", f"place={':'.join(places)}") if places else ())),
            *(("-W", f"depend=afterany:{before}") if before else ()),
            *self._options,
        ]

    def _script(self, job: LiveJob, folder: Path) -> str:
        return f"cd {shlex.quote(str(folder))} && exec {shlex.join(self._work.commands[job.id])}\n"

    def _jobs(self, *options: str, ids: Sequence[str] = (), may_be_none: bool = False) -> dict[str, dict[str, str]]:
        """The attributes of jobs by id, from `qstat OPTIONS IDS`."""
        if self._json:
            try:
                answer = self._ask("qstat", *options, "-F", "json", *ids)
            except SilentSystemError:
                raise
            except MeasurementError as error:
                if "option" not in str(error) and "usage" not in str(error).lower():
                    if may_be_none:
                        return {}
                    raise
                self._json = False
            else:
                try:
                    return _of_json(answer)
                except (ValueError, AttributeError):
                    pass  # some versions do not quote all characters: this answer is requested in the other form
        ask = self._ask_what_may_be_none if may_be_none else self._ask
        return blocks(ask("qstat", *options, *ids), "Job Id: ")

    def _marked(self, job: LiveJob) -> str | None:
        mine = f"{MARK}={self._work.mark}/{job.number}"
        for options in (("-f",), ("-x", "-f")):
            for batch_id, about in self._jobs(*options, may_be_none="-x" in options).items():
                if mine in about.get("Variable_List", "").split(","):
                    return batch_id
        return None

    def _look(self) -> Iterator[Accounted]:
        for batch_id, about in self._jobs("-f").items():
            yield _accounted(batch_id, about)

    def _account(self, ids: Sequence[str]) -> Iterator[Accounted]:
        for batch_id in ids:
            about = self._jobs("-x", "-f", ids=(batch_id,), may_be_none=True).get(batch_id)
            if about is not None:
                yield _accounted(batch_id, about)
            elif shutil.which("tracejob") is not None:
                yield from _traced(batch_id, self._ask_what_may_be_none("tracejob", "-z", batch_id))


def _processors_of(about: Mapping[str, str]) -> int:
    """The processors of a job that runs: of its chunks (`(node01:ncpus=4)+(node02:ncpus=2)`)."""
    return sum(int(count) for count in re.findall(r"ncpus=(\d+)", about.get("exec_vnode", "")))


def _accounted(batch_id: str, about: Mapping[str, str]) -> Accounted:
    letter, status = about.get("job_state", ""), about.get("Exit_status")
    stage = next((stage for stage, letters in STAGES.items() if letter and letter in letters), ENDED)
    deleted = about.get("substate") == DELETED
    word = letter if status in (None, "0") else f"{letter} (Exit_status {status})"
    comment = about.get("comment", "") if stage == WAITING else ""
    nodes = dict.fromkeys(part.partition("/")[0] for part in about.get("exec_host", "").split("+") if part)
    return Accounted(
        batch_id=batch_id,
        stage=stage,
        word=f"{word}, deleted" if stage == ENDED and deleted else f"{word} ({comment})" if comment else word,
        never_after=NEVER_AFTER if comment.startswith(NEVER) else None,
        well=(status == "0" and not deleted) if stage == ENDED else None,
        cancelled=deleted if stage == ENDED else None,
        nodes=tuple(nodes),
        used=_used(about) if stage == ENDED else None,
    )


def _used(about: Mapping[str, str]) -> AccountedTime | None:
    """`resources_used.cput = 01:02:03`: user and system time of all its processes together."""
    listed = dict(each.split("=", 1) for each in about.get("resources_used", "").split(",") if "=" in each)
    match = re.fullmatch(r"(\d+):(\d\d):(\d\d)", about.get("resources_used.cput", listed.get("cput", "")))
    if match is None:
        return None
    hours, minutes, seconds = map(int, match.groups())
    return AccountedTime(total=3600.0 * hours + 60 * minutes + seconds)


def _traced(batch_id: str, text: str) -> Iterator[Accounted]:
    """A job's end from the server's logs; nothing where they have none."""
    statuses = re.findall(r"Exit_status=(-?\d+)", text)
    deleted = re.search(r"Job (?:to be )?deleted (?:at|as) request", text) is not None
    hosts = re.findall(r"exec_host=(\S+)", text)
    nodes = dict.fromkeys(part.partition("/")[0] for part in (hosts[-1] if hosts else "").split("+") if part)
    if statuses or deleted:
        word = f"Exit_status {statuses[-1]}" if statuses else "deleted"
        well = bool(statuses) and statuses[-1] == "0" and not deleted
        yield Accounted(batch_id=batch_id, stage=ENDED, word=word, well=well, cancelled=deleted, nodes=tuple(nodes))


def _of_json(text: str) -> dict[str, dict[str, str]]:
    """What `qstat -f -F json` prints, in the form of `blocks`; ValueError or AttributeError where it is none."""

    def flat(value: object) -> str:
        if isinstance(value, dict):
            return ",".join(f"{key}={each}" for key, each in value.items())
        return str(value)

    jobs = document_in(text).get("Jobs", {})
    return {name: {key: flat(value) for key, value in about.items()} for name, about in jobs.items()}


def blocks(text: str, head: str = "") -> dict[str, dict[str, str]]:
    """What `qstat -f` and `pbsnodes -a` print: a block for each thing, indented lines KEY = VALUE, tabs continuing one.

    A block begins after an empty line with `head` and its name (`Job Id: 12.server`; of `pbsnodes` the name alone),
    directly before an attribute. All other lines continue a value, which may have several; what follows an empty line
    and is followed by no attribute of its block is a notice.
    """
    found: dict[str, dict[str, str]] = {}
    now: dict[str, str] = {}
    key, later, begins, gap = "", "", True, False
    lines = text.splitlines()
    attributes = [re.fullmatch(r" {4,5}([\w.]+) = (.*)", line) for line in lines]
    for line, attribute, after in zip(lines, attributes, [*attributes[1:], None], strict=False):
        name = re.fullmatch(rf"{head}(\S+)", line.rstrip()) if begins and after else None
        if name:
            now, key, later = found.setdefault(name[1], {}), "", ""
        elif attribute:
            if key:
                now[key] += later
            key, later, gap = attribute[1], "", False
            now[key] = attribute[2]
        elif key and line.strip():
            more = line.strip() if line.startswith("\t") else "\n" + line
            if gap:
                later += more
            else:
                now[key] += more
        gap = gap or not line.strip()
        begins = not line.strip() or not found
    return found


SYSTEM: Any = PbsSystem
