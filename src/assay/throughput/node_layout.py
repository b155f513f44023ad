"""The nodes of a machine as jobs are placed on them: how a place is found, the network's shape, reserved times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator

from assay.toml.checking import Table, refuse

Allocation = Literal["anywhere", "scattered", "contiguous", "bestfit", "subcube", "submesh"]
ALLOCATIONS: tuple[Allocation, ...] = ("anywhere", "scattered", "contiguous", "bestfit", "subcube", "submesh")
BY_TOPOLOGY: dict[str, Allocation] = {"hypercube": "subcube", "mesh": "submesh", "torus": "submesh"}
MOST_EXTENTS = 3


@dataclass(frozen=True)
class NodeLayout:
    """So many nodes of so many processors; `extents` of a mesh, the fastest first. `whole_nodes`: jobs get no less."""

    nodes: int
    cpus: int = 1
    allocation: Allocation = "anywhere"
    whole_nodes: bool = False
    extents: tuple[int, ...] = ()

    @property
    def placing(self) -> str:
        """How a place is found where jobs need one: the lowest nodes with room by default."""
        return "scattered" if self.allocation == "anywhere" else self.allocation

    def problem(self) -> str:
        """Why jobs cannot be placed so; nothing where they can."""
        if self.allocation == "subcube" and self.nodes & (self.nodes - 1):
            return f"needs a power of two of nodes, and there are {self.nodes}"
        if self.allocation == "submesh" and math.prod(self.extents or (0,)) != self.nodes:
            return f"needs a mesh or torus of {self.nodes} nodes in [network]"
        return ""


class BatchNetwork(Table):
    """[network]: the shape in which nodes are allocated."""

    topology: Literal["hypercube", "mesh", "torus"] = Field(description="what jobs get a part of")
    dimension: int | None = Field(default=None, ge=0, le=23, description="of a hypercube")
    extents: list[int] | None = Field(default=None, description="of a mesh or torus: up to three, the fastest first")

    @model_validator(mode="after")
    def _has_its_size(self) -> BatchNetwork:
        mine, other = ("dimension", "extents") if self.topology == "hypercube" else ("extents", "dimension")
        if getattr(self, mine) is None:
            refuse((mine,), "is missing", f"the size of a {self.topology}")
        if getattr(self, other) is not None:
            refuse((other,), f"is not of a {self.topology}", mine)
        if self.extents is not None and not (1 <= len(self.extents) <= MOST_EXTENTS and min(self.extents) >= 1):
            refuse(("extents",), "is no shape", f"one to {MOST_EXTENTS} whole numbers from 1 on")
        return self

    @property
    def nodes(self) -> int:
        """How many nodes it connects."""
        return 2**self.dimension if self.dimension is not None else math.prod(self.extents or ())


@dataclass(frozen=True)
class NodeClosure:
    """Nodes that no job gets from one second to another; `known`: jobs that would run into it are not started."""

    nodes: tuple[int, ...]
    begins: int
    ends: int
    known: bool = True


class NodeReservation(Table):
    """[[reservation]]: nodes that the batch system reserves for others, the machine's last ones."""

    start: str = Field(description='from the first submission, such as "120 min"')
    length: str = Field(description='such as "30 min"')
    nodes: int = Field(ge=1, description="how many")
