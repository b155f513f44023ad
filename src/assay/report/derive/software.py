"""The software that a benchmark's figures depend on: compiler and flags, libraries, the MPI.

Two runs of one machine can differ in it. What an earlier run reached is then a figure of another compiler, another
library or another MPI, and is said to be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.benchmark.variants import MpiVariant
from assay.document.params import Facts
from assay.document.run_document import Document
from assay.document.section import Section
from assay.stored.journal_entries import StatedCircumstance

NO_RANKS = "none"  # the transport of a program without ranks


def made_with(section: Section, document: Document) -> list[str]:
    """Give it in words, one for each component; empty where the run does not say, as of a described machine."""
    hosts = document.provenance.values()
    host = next((each for each in hosts if section.benchmark in (each.stated.get("programs") or {})), None)
    if host is None:
        return []
    made: Facts = host.stated["programs"][section.benchmark]
    words = []
    if made.get("compiler"):
        words.append(" ".join([made["compiler"], *_options(made.get("flags") or "")]))
    words += [f"{name} from {origin}" for name, origin in sorted((made.get("libraries") or {}).items())]
    if host.mpi and set(section.transport) - {NO_RANKS}:
        words.append(mpi_words(host.mpi))
    return words


def mpi_words(mpi: Facts) -> str:
    """An MPI's implementation and version, as far as they are known."""
    return " ".join(str(mpi[key]) for key in ("implementation", "version") if mpi.get(key))


def started_by(about: StatedCircumstance, command: Sequence[str], provenance: Mapping[str, Facts]) -> str:
    """Which MPI a launch's ranks used, and what started them; empty where its circumstances name none.

    `about`: of the launch, as journaled; of a run with MPI variants its own is meant.
    """
    stated = provenance.get(str(about.get("provenance"))) or {}
    variant, mpi = MpiVariant.of(about.get("factors") or {}), stated.get("mpi")
    for each in stated.get("mpi_variants") or () if variant else ():
        if isinstance(each, dict) and MpiVariant.of(each) == variant:
            mpi = {"implementation": each.get("by"), "version": each.get("version")}
    words = mpi_words(mpi) if isinstance(mpi, dict) else ""
    return f"{words}, started by {command[0]}" if words and command else words


def differing(other: Sequence[str], own: Sequence[str]) -> list[str]:
    """What of an `other` run's software this one did not have; empty where one of the two does not say."""
    return [word for word in other if word not in own] if own else []


def _options(flags: str) -> list[str]:
    """Those that change code; not the folders and names that libraries are given by."""
    return [word for word in flags.split() if word.startswith(("-O", "-m", "-f"))]
