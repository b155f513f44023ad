"""Launches that one figure is made from: what differs within a variant is said, what differs between two is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.case import Case
from assay.report.derive.homogeneity import pooled
from assay.samples import Launch
from assay.stored.provenance import differences

VARIED = {  # what tells variants of each kind from one another in launches and circumstances
    "mpi": [{"mpi": name, "transport": "default"} for name in ("a", "b", "c")],
    "flags": [{"compiler": "g++", "flags": f"-O{level}", "isa": "native"} for level in (1, 2, 3)],
    "ppn": [{"ppn": count} for count in (1, 2, 4)],
}


def launch(provenance: str, host: str, library: str, *, complete: bool = True) -> Launch:
    return Launch(
        run="r",
        benchmark="echo",
        part="messages",
        machine="m",
        allocation=0,
        launch=0,
        attempt=1,
        complete=complete,
        seed=1,
        t=None,
        ranks=2,
        host=host,
        placement="[]",
        transport="shm",
        compiler="g++",
        flags="-O2",
        library=library,
        clock="tsc",
        notes="[]",
        provenance=provenance,
    )


@given(
    kind=st.sampled_from(sorted(VARIED)),
    order=st.lists(st.integers(0, 2), min_size=2, max_size=9),
    odd=st.none() | st.integers(0, 8),
    what=st.sampled_from(["library", "cpu", "launcher"]),
)
def test_a_difference_is_said_only_within_what_a_figure_combines(
    kind: str, order: list[int], odd: int | None, what: str
) -> None:
    """`odd`: the launch that differs from those of its own variant, by what its program or its circumstances state."""
    provenance: dict[str, dict[str, Any]] = {}
    alike: dict[Case, list[Launch]] = {}
    for at, variant in enumerate(order):
        own = at == odd
        stated = {"host": "h", "cpu": "other" if own and what == "cpu" else f"processor {variant}"}
        stated["via"] = "other" if own and what == "launcher" else f"launcher {variant}"
        provenance[str(at)] = stated
        library = "other" if own and what == "library" else f"library {variant}"
        alike.setdefault(Case(VARIED[kind][variant]), []).append(launch(str(at), "h", library))
    found = pooled("echo", alike.values(), provenance)
    combined = odd is not None and odd < len(order) and order.count(order[odd]) > 1
    assert bool(found) == combined
    assert all("other" in text for text in found)


def test_launches_that_were_cut_short_count_for_nothing() -> None:
    launches = [launch("a", "h", "one"), launch("b", "h", "two", complete=False)]
    assert pooled("echo", [launches], {"a": {"cpu": "x"}, "b": {"cpu": "y"}}) == []


@pytest.mark.parametrize(("program", "said"), [("echo", 1), ("ring", 0)])
def test_what_other_programs_were_built_by_does_not_count(program: str, said: int) -> None:
    built = {"echo": {"compiler": "g++ 12"}, "ring": {"compiler": "g++ 12"}}
    later = built | {program: {"compiler": "g++ 13"}}
    launches = [launch("a", "h", "one"), launch("b", "h", "one")]
    assert len(pooled("echo", [launches], {"a": {"programs": built}, "b": {"programs": later}})) == said


def circumstances(launching: str, version: str = "5.0.1") -> dict[str, Any]:
    """As a run with two MPI variants keeps them; before, its launcher stated the MPI of the launch before."""
    return {
        "mpi": {"implementation": "MPICH", "version": "4.0.2"},
        "launchers": {"mpiexec": {"launcher": "mpiexec", "implementation": launching, "mpiexec": f"/{launching}"}},
        "mpi_variants": [
            {"mpi": "mpicxx.mpich", "transport": "shm", "by": "MPICH", "version": "4.0.2"},
            {"mpi": "/opt/open", "transport": "shm", "by": "Open MPI", "version": version},
        ],
    }


def test_what_a_launcher_said_of_the_launch_before_tells_no_launches_apart() -> None:
    assert differences([circumstances("MPICH")], circumstances("Open MPI")) == []


def test_a_variant_whose_mpi_has_changed_is_another() -> None:
    (found,) = differences([circumstances("MPICH")], circumstances("MPICH", "5.0.9"))
    assert str(found) == "mpi_variants./opt/open shm.version was 5.0.1 and is 5.0.9"


@pytest.mark.parametrize("kept", [None, [], "text", [1]])
def test_variants_of_a_damaged_file_are_compared_as_they_are(kept: Any) -> None:
    assert differences([{"mpi_variants": kept}], {"mpi_variants": kept}) == []
