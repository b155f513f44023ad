"""Whether the machine of a run has a message-passing library whose choices can be judged, and what to say where not.

A description without `[mpi]` has no library's collectives: only a barrier, which is the machine's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.document.params import Facts

OWN = "the machine's own"  # what stands there for "the library's"


def has_library(provenance: Mapping[str, Facts]) -> bool:
    """Whether a run's launches had a library: by their circumstances; True where these hold no description."""
    found = [facts.get("description") for facts in provenance.values()]
    described = [each for each in found if isinstance(each, dict)]
    return not described or any(each.get("mpi") for each in described)


def without_library(words: str) -> str:
    """A record's words on a barrier, said of a machine that has no library."""
    return words.replace("the library's", OWN)
