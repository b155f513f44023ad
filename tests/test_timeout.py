"""`--timeout`: it bounds every launch of the plan, and is refused where it means nothing."""

from __future__ import annotations

import pytest

from assay.execute.run_request import RunRequest
from command_line import assay


@pytest.mark.parametrize("timeout", [20.0, 900.0])
def test_a_timeout_bounds_every_launch(timeout: float) -> None:
    tasks = RunRequest(names=("echo", "linpack-largest"), profile="full", launches=2, timeout=timeout).plan().tasks
    assert tasks and {task.timeout for task in tasks} == {timeout}


def test_without_it_a_record_may_allow_more() -> None:
    tasks = RunRequest(names=("linpack-largest",), profile="full", launches=1).plan().tasks
    assert min(task.timeout for task in tasks) >= 300


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--timeout", "soon"), "is no time"),
        (("--timeout", "0.1s"), "is too short to start a program"),
        (("--timeout", "20s", "--on", "ipsc860"), "ends launches of real programs"),
    ],
)
def test_a_timeout_that_means_nothing_is_refused(words: tuple[str, ...], says: str) -> None:
    found = assay("run", "echo", *words)
    assert found.status == 2 and "--timeout" in found.err and says in found.err and len(found.err.splitlines()) == 1
