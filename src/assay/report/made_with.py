"""The software that a benchmark's figures depend on: compiler and flags, libraries, the MPI.

Two runs of one machine can differ in it. What an earlier run reached is then a figure of another compiler, another
library or another MPI, and is said to be.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.params import Facts
from assay.document.run_document import Document
from assay.document.section import Section

NO_RANKS = "none"  # the transport of a program without ranks


def made_with(section: Section, document: Document) -> list[str]:
    """Give it in words, one for each component; empty where the run does not say, as of a described machine."""
    all_stated = (host.stated for host in document.provenance.values())
    stated = next((each for each in all_stated if section.benchmark in (each.get("programs") or {})), None)
    if stated is None:
        return []
    made: Facts = stated["programs"][section.benchmark]
    words = []
    if made.get("compiler"):
        words.append(" ".join([made["compiler"], *_options(made.get("flags") or "")]))
    words += [f"{name} from {origin}" for name, origin in sorted((made.get("libraries") or {}).items())]
    if stated.get("mpi") and set(section.transport) - {NO_RANKS}:
        known = (stated["mpi"].get(key) for key in ("implementation", "version"))
        words.append(" ".join(str(word) for word in known if word))
    return words


def differing(other: Sequence[str], own: Sequence[str]) -> list[str]:
    """What of an `other` run's software this one did not have; empty where one of the two does not say."""
    return [word for word in other if word not in own] if own else []


def _options(flags: str) -> list[str]:
    """Those that change code; not the folders and names that libraries are given by."""
    return [word for word in flags.split() if word.startswith(("-O", "-m", "-f"))]
