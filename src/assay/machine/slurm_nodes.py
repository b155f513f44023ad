"""Slurm's data of its nodes: the state of each with its suffix in words, its reason, and the use of its processors.

States and suffixes are those of `sinfo` (Slurm 22.05 to 24.05, "NODE STATE CODES"); reasons of jobs those of
`job_state_reason.c` (24.11), and of jobs that were requeued what slurmctld writes in their place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FORMAT = "%N|%T|%C|%E"  # of `sinfo -h -N -o`: a node, its state, processors allocated/idle/other/total, reason
UP, DOWN, ASLEEP, DRAINED, RESERVED, FUTURE = "up", "down", "asleep", "drained", "reserved", "future"
SUFFIXES = {
    "*": (DOWN, "not responding"),
    "~": (ASLEEP, "powered down"),
    "#": (ASLEEP, "powering up"),
    "%": (ASLEEP, "powering down"),
    "!": (ASLEEP, "to be powered down"),
    "^": (ASLEEP, "rebooting"),
    "@": (UP, "to be rebooted"),
    "$": (RESERVED, "reserved for maintenance"),
    "-": (UP, "planned by the backfill scheduler"),
    "+": (UP, ""),
}
KINDS = {
    FUTURE: ("futur", "futr"),
    DOWN: ("down", "error", "fail", "not_resp", "no_resp", "noresp", "unk", "inval"),
    DRAINED: ("drain", "drng"),
    RESERVED: ("maint", "resv", "reserved"),
    ASLEEP: ("pow", "reboot"),
}  # of several the first: a drained node that is powered down is drained
# Reasons of `squeue` for which a job never starts unless it or a limit is changed.
NEVER_STARTS = re.compile(
    r"Partition(NodeLimit|TimeLimit|Down|Inactive|Config)|BadConstraints|Invalid(Account|QOS)|JobHeldAdmin"
    r"|(Account|QOS)NotAllowed|DependencyNeverSatisfied|(Assoc|QOS)Max\w+(Per(Job|Node)\b|PerJobLimit)|QOSMin\w+"
    r"|Reservation(Deleted|Invalid)|MaxMemPerLimit|JobHoldMaxRequeue|requeued"
)


@dataclass(frozen=True)
class SlurmNode:
    """One node: `kind` of its state (UP to FUTURE), which jobs may use only if it is up or asleep; `state` in words.

    `processors` and those `allocated` to jobs, 0 where Slurm does not report them.
    """

    name: str
    kind: str
    state: str
    reason: str = ""
    processors: int = 0
    allocated: int = 0

    @property
    def usable(self) -> bool:
        """Whether jobs may be started there: nodes that are powered down are powered up for them."""
        return self.kind in (UP, ASLEEP)

    @property
    def full(self) -> bool:
        """Whether jobs have all its processors, so that nothing else can be started there."""
        return 0 < self.processors <= self.allocated

    @property
    def reported(self) -> str:
        """The state and its reason, in a sentence."""
        return f"Slurm reports it as {self.state}" + (f": {self.reason}" if self.reason else "")


def slurm_nodes(answer: str) -> dict[str, SlurmNode]:
    """The nodes in an answer of `sinfo -h -N -o FORMAT`, by name; other lines are left out."""
    found = {}
    for line in answer.splitlines():
        words = line.split("|", 3)
        if len(words) < 4 or not words[0].strip():
            continue
        name, state, use, reason = (word.strip() for word in words)
        counts = [int(count) if count.isdecimal() else 0 for count in use.split("/")]
        allocated, total = (counts[0], counts[3]) if len(counts) == 4 else (0, 0)
        kind, text = _state(state.lower())
        found[name] = SlurmNode(name, kind, text, "" if reason.lower() in ("none", "n/a") else reason, total, allocated)
    return found


def _state(word: str) -> tuple[str, str]:
    """Kind and text of a state as sinfo writes it: idle~, drained*, mixed-."""
    base = word.rstrip("".join(SUFFIXES))
    kinds = [kind for kind, heads in KINDS.items() if base.startswith(heads)]
    more = [SUFFIXES[each] for each in word[len(base) :]]
    kinds += [kind for kind, _ in more if kind != UP]
    texts = [base.replace("_", " "), *(text for _, text in more if text)]
    return next((kind for kind in KINDS if kind in kinds), UP), ", ".join(texts)
