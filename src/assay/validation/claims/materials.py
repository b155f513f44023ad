"""The Paragon MP report's claims about its materials code, judged on our program of that kind."""

from __future__ import annotations

from assay.published.cells import materials_twins
from assay.published.cells.answers import Answers
from assay.validation.claims.quantities import Params, quantity


@quantity("user.material-science", "speedup")
def speedup(answers: Answers, machine: str, params: Params) -> float | None:
    """Of a node with two processors that compute over one with one."""
    return materials_twins.speedup(answers, machine)
