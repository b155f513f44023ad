"""What disturbed a run: one entry per cause and host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params
from assay.document.reported_figure import Moved


@dataclass(frozen=True, kw_only=True)
class MovedFigure(Moved):
    """A figure that a cause touched, and how far it can have moved it (None where that is not known)."""

    benchmark: str
    figure: str
    params: Params
    state: str


@dataclass(frozen=True, kw_only=True)
class Bystander:
    """Processes of one name that worked during the launches: how many, and how many processors they used."""

    name: str
    count: Annotated[int | None, WRITTEN_IF_SET] = None
    share: float


@dataclass(frozen=True, kw_only=True)
class DisturbanceCause:
    """One cause on one host: the rule's name, from when to when (Unix s), the figures it touched, and what to do.

    `amount` is in the rule's unit (processors, switches per second, relative change); None where it was not measured.
    """

    cause: str
    host: str
    text: str
    begin: Annotated[float | None, Field(alias="from")]
    end: Annotated[float | None, Field(alias="to")]
    amount: float | None
    figures: list[MovedFigure]
    processes: list[Bystander]
    advice: str
