"""What a job needs besides its number of processors."""

from __future__ import annotations

from dataclasses import dataclass

ALONE = ("", "nodes", "machine")  # with whom it shares: with all, with none on its nodes, with none


@dataclass(frozen=True)
class JobNeeds:
    """Of one job: at most `per_node` of its processors on a node (0: any), at least `nodes` nodes.

    `ports`: of each of its nodes; two jobs never use one port of one node. `instances`: at most so many of its `name`
    run at once (0: any number). `uses`: shared resources by name, with what each of its processors
    demands and the part of its run alone that it spends there, None where not given. `on`: exactly these nodes,
    in this order.
    """

    per_node: int = 0
    nodes: int = 0
    alone: str = ""
    ports: tuple[int, ...] = ()
    instances: int = 0
    name: str = ""
    uses: tuple[tuple[str, float | None, float | None], ...] = ()
    on: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Whether it needs places, on whatever machine."""
        return bool(self.nodes or self.alone or self.ports or self.instances or self.on)
