"""Names of runs: an id, the beginning of one, a label, `latest`; NAME~N is the N-th run before.

A label is a name that a person gives (`--label`, `assay runs RUN --label`). Several runs may have the same label, such
as those of a nightly job: it names the newest of them, LABEL~1 the one before. `latest` is the newest run that has
ended.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import InputError

LATEST = "latest"
ACCEPTED = "a run's folder, or of `assay runs` an id, the beginning of one, a label or latest; NAME~1 is the one before"
MOST_NAMED = 4  # ids in a message
_LABEL = re.compile(r"[^\W\d_][\w.+-]{0,63}")
_BEFORE = re.compile(r"(.+)~(\d{1,9})", re.DOTALL)
_PREFIX = re.compile(r"[0-9][0-9a-f-]{3,}")


@dataclass(frozen=True)
class RunName:
    """What a run can be named by; `ended`: no process writes into it."""

    id: str
    label: str | None
    ended: bool


def checked_label(text: str) -> str:
    """Return a label, or raise InputError where it cannot name a run."""
    if not _LABEL.fullmatch(text) or text == LATEST or text.endswith(".toml"):
        accepted = "a letter, then up to 63 letters, digits, _ . + or -; not `latest`, not a .toml file"
        raise InputError("is not a label", key="--label", value=text, accepted=accepted)
    return text


def chosen(name: str, runs: Sequence[RunName]) -> int:
    """Return the place of the named run in `runs`, which lists the newest last; InputError where there is none."""
    for place, run in enumerate(runs):
        if run.id == name:
            return place
    split = _BEFORE.fullmatch(name)
    base, before = (split[1], int(split[2])) if split else (name, 0)
    found = _named(base, runs)
    if before < len(found):
        return found[-1 - before]
    if found:
        count = f"{len(found)} run{'s' * (len(found) != 1)}"
        raise InputError(f"goes back further than the {count} of that name", key="RUN", value=name, accepted=ACCEPTED)
    raise InputError("no such run", key="RUN", value=name, accepted=ACCEPTED)


def _named(base: str, runs: Sequence[RunName]) -> list[int]:
    """List the places of the runs that a name without ~N means, the newest last; the base of an id: of all up to it."""
    if base == LATEST:
        return [place for place, run in enumerate(runs) if run.ended]
    if labelled := [place for place, run in enumerate(runs) if run.label == base]:
        return labelled
    alike = [place for place, run in enumerate(runs) if _PREFIX.fullmatch(base) and run.id.startswith(base)]
    if len(alike) > 1:
        ids = ", ".join(runs[place].id for place in alike[-MOST_NAMED:])
        more = f" and {len(alike) - MOST_NAMED} more" if len(alike) > MOST_NAMED else ""
        raise InputError(f"is the beginning of several ids: {ids}{more}", key="RUN", value=base, accepted=ACCEPTED)
    return list(range(alike[0] + 1)) if alike else []
