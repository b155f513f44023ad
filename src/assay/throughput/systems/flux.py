"""`--via flux[:OPTIONS]`: Flux by its own commands; OPTIONS go to flux batch (`flux:--queue=debug`).

A job is a script that is started once, on the first of its nodes: `flux batch` with as many slots of one core as it has
processors. What waits, runs and ended is seen by `flux jobs -a --json`. Jobs are marked by their name. Ids are shown in
base 58 (Flux RFC 19) and stored as decimal numbers. A job that the instance can never run does not wait: Flux ends it
with an exception (`alloc denied due to type="unsatisfiable"`), whose note is what is shown.

Forms: flux-resource(1) (`list`: up, down, allocated and free as the scheduler sees them), flux-jobs(1) (--json, the
fields of exception and annotations), RFC 27 (annotations.sched.reason_pending).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import InputError, MeasurementError
from assay.throughput.batch_system import ENDED, RUNNING, WAITING, Accounted, BatchQueue, NodeCommand, SystemFacts
from assay.throughput.command_system import PINGS_WITHIN, CommandSystem, document_in, expanded
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_rules import ALONE_MACHINE, ALONE_NODES, INSTANCES, NODES, PER_NODE
from assay.throughput.occupancy import Occupancy, hidden

DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
STAGES = {WAITING: ("NEW", "DEPEND", "PRIORITY", "SCHED"), RUNNING: ("RUN", "CLEANUP")}
QUEUE = ("queuem", "submission", "scheduling", "defaults.timelimit", "limits.timelimit", "limits.range.nnodes",
         "limits.range.ncores")  # fmt: skip


class FluxSystem(CommandSystem):
    """A Flux instance, seen by its commands."""

    name = "flux"
    title = "Flux"
    summary = "Flux by flux batch and flux jobs; flux:OPTIONS go to flux batch"
    needed: ClassVar = ("flux",)
    queue_option: ClassVar = ("--queue={}",)
    options_for, example = "flux batch", "--queue=debug"
    silent: ClassVar = ("Unable to connect to Flux", "ECONNREFUSED", "Connection refused", "No such file or directory")
    hidden: ClassVar = ("FLUX_JOBS_FORMAT", "FLUX_QUEUE_LIST_FORMAT")
    id_form: ClassVar = re.compile(rf"([fƒ][{DIGITS}]+|\d+)")
    rules = frozenset((PER_NODE, NODES, ALONE_NODES, ALONE_MACHINE, INSTANCES))
    _queue: Sequence[str] = ()
    _nodes_of, _cores_each = 0, 1
    on_each_node = NodeCommand(words=("flux", "exec", "--noinput", "-r", "all"))  # of the job's own instance

    def _greet(self) -> None:
        self._ask("flux", "getattr", "size", within=PINGS_WITHIN)

    def facts(self) -> SystemFacts:
        """Flux's version, its queue policy where it is configured, queues; cores and nodes that are up."""
        versions = [line for line in self._ask("flux", "version").splitlines() if line.startswith("libflux-core")]
        columns = "|".join(f"{{{key}}}" for key in QUEUE)
        queues = []
        for line in self._ask("flux", "queue", "list", "-n", "-o", columns).splitlines():
            name, *about = line.split("|")
            if len(about) != len(QUEUE) - 1:
                continue  # a notice
            facts = {key: text.strip() for key, text in zip(QUEUE[1:], about, strict=False) if text.strip()}
            facts |= {"default": "yes"} if name.strip().endswith("*") else {}
            queues.append(BatchQueue(name=name.strip().rstrip("*") or "(one, without a name)", facts=facts))
        chosen = self._named_option("-q", "--queue")
        if chosen is not None and chosen not in [queue.name for queue in queues]:
            accepted = ", ".join(queue.name for queue in queues)
            raise InputError("there is no such queue", key="--via flux", value=chosen, accepted=accepted)
        self._queue = ("-q", chosen) if chosen is not None else ()
        cores, nodes = self._resources("up")
        self._nodes_of, self._cores_each = len(nodes), max(cores // max(len(nodes), 1), 1)
        configured = self._ask_what_may_be_none("flux", "config", "get", "sched-fluxion-qmanager.queue-policy")
        policy = re.search(r'^"(.+)"$', configured, re.MULTILINE)
        return SystemFacts(
            name=self.name,
            version=versions[0].split()[-1] if versions else "unknown",
            policy=policy[1] if policy is not None else "Flux's default",
            processors=cores,
            nodes=tuple(nodes),
            queues=tuple(queues),
            defined=self._resources("all")[0],
        )

    def _resources(self, state: str) -> tuple[int, list[str]]:
        """Cores and nodes of the queue in a state of `flux resource list`."""
        cores = 0
        nodes: list[str] = []
        columns = "{ncores}|{nodelist}"
        answer = self._ask("flux", "resource", "list", "-n", "-s", state, *self._queue, "-o", columns)
        for line in answer.splitlines():
            count, there, listed = line.partition("|")
            if there:
                cores += int(count or 0)
                nodes += expanded(listed.strip())
        return cores, nodes

    def occupancy(self) -> Occupancy:
        """By what is up and allocated of all cores, and by the cores of all users' jobs that run."""
        total, up, in_use = (self._resources(state)[0] for state in ("all", "up", "allocated"))
        cores = {each["id"]: int(each.get("ncores") or 0) for each in self._jobs("-A", "--filter=running")}
        return Occupancy(
            total=total,
            others=sum(count for batch_id, count in cores.items() if batch_id not in self._own),
            hidden=hidden(sum(cores.values()), in_use, lambda: self._resources("allocated")[0]),
            down=max(total - up, 0),
        )

    def _name_of(self, job: LiveJob) -> str:
        return f"{self._work.mark}-{job.number:04d}"

    def _submission(self, job: LiveJob, folder: Path) -> Sequence[str]:
        nodes = -(-job.processors // job.per_node) if job.per_node else 0
        nodes = max(nodes, job.nodes, -(-job.processors // self._cores_each) if job.alone else 0)
        nodes = self._nodes_of if job.alone == "machine" else nodes
        before = self._after(job)
        return [
            *("flux", "batch", f"--job-name={self._name_of(job)}", f"--nslots={max(job.processors, nodes)}"),
            *((f"--nodes={nodes}",) if nodes else ()),
            *(("--exclusive",) if job.alone else ()),
            *((f"--dependency=afterany:{before}",) if before else ()),
            *("--cores-per-slot=1", f"--time-limit={int(self.time_limit(job))}s", f"--cwd={folder}"),
            *(f"--output={folder}/starter.log", *self._options),
        ]

    def _id_of(self, word: str) -> str:
        return str(number_of(word))

    def _jobs(self, *which: str) -> list[Mapping[str, Any]]:
        answer = self._ask("flux", "jobs", *(which or ("-a",)), "--count=0", "--json")
        try:
            found = document_in(answer or "{}").get("jobs", [])
            return [{**each, "id": str(each["id"])} for each in found]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise MeasurementError(f"flux jobs --json answers what is none: {error}") from None

    def _marked(self, job: LiveJob) -> str | None:
        name = self._name_of(job)
        return next((str(each["id"]) for each in self._jobs() if each.get("name") == name), None)

    def _look(self) -> Iterator[Accounted]:
        for each in self._jobs():
            state, result = str(each.get("state", "")), str(each.get("result", ""))
            stage = next((stage for stage, words in STAGES.items() if state in words), ENDED)
            code = each.get("returncode", 0)
            word = result or state
            why = _reason(each, stage)
            if stage == ENDED and code not in (0, ""):
                why = ", ".join(text for text in (f"return code {code}", why) if text)
            yield Accounted(
                batch_id=str(each["id"]),
                stage=stage,
                word=f"{word} ({why})" if why else word,
                well=result == "COMPLETED" if stage == ENDED else None,
                cancelled=result == "CANCELED" if stage == ENDED else None,
                nodes=expanded(str(each.get("nodelist", ""))),
            )

    def _account(self, ids: Sequence[str]) -> Iterator[Accounted]:
        """Nothing: what Flux no longer lists it has purged."""
        yield from ()

    def _cancellation(self, ids: Sequence[str]) -> Sequence[str]:
        return ["flux", "cancel", *ids]


def _reason(job: Mapping[str, Any], stage: str) -> str:
    """Why a job waits, by its scheduler's annotation, or why it ended, by its exception's note."""
    about: Any = job.get("annotations" if stage == WAITING else "exception") or {}
    if stage == WAITING:
        about = about.get("sched") or {}
    return str(about.get("reason_pending" if stage == WAITING else "note") or "")


def number_of(text: str) -> int:
    """A job's id as a number, from decimal or F58 (Flux RFC 19); ValueError where it is neither."""
    if text.isascii() and text.isdigit():
        return int(text)
    if not text.startswith(("ƒ", "f")) or len(text) < 2:
        raise ValueError(text)
    number = 0
    for digit in text[1:]:
        number = 58 * number + DIGITS.index(digit)
    return number


SYSTEM: Any = FluxSystem
