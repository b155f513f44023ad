"""Whether the machine of a run has a message-passing library whose choices can be judged, and what to say where not.

A description without `[mpi]` has no library's collectives: only a barrier, which is the machine's own where `[barrier]`
describes one, and else made of messages.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.document.params import Facts

OWN = "the machine's own"  # what stands there for "the library's", before "barrier" or alone
OF_MESSAGES = "the machine's message-based"  # before "barrier"
ALONE = {OF_MESSAGES: "of messages"}


def instead_of_library(provenance: Mapping[str, Facts]) -> str | None:
    """Whose barrier it is that a run's launches call, for "the library's", by their circumstances.

    None where they had a library, or where these hold no description.
    """
    found = [facts.get("description") for facts in provenance.values()]
    described = [each for each in found if isinstance(each, dict)]
    if not described or any(each.get("mpi") for each in described):
        return None
    own = [each["barrier"] for each in described if isinstance(each.get("barrier"), dict)]  # else damaged, or none
    return OWN if any(each.get("algorithm") != "messages" and each.get("step") for each in own) else OF_MESSAGES


def alone(whose: str) -> str:
    """The words on a barrier without the noun behind them, as a heading or in brackets."""
    return ALONE.get(whose, whose)


def without_library(words: str, whose: str) -> str:
    """A record's words on a barrier, said of a machine that has no library."""
    return words.replace("the library's", alone(whose))
