"""What tells two runs apart: `assay compare` names it, and the figures of one run alone; builds are no cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.report.judge.comparison import against
from assay.report.judge.machine_facts import facts
from assay.report.judge.run_differences import differences, lone, matched, why_nothing
from assay.report.render import comparison_tables
from command_line import assay
from made_documents import document, figure, section
from test_ranks_per_node import SGI, ran

KERNEL = {"compiler": "g++", "flags": "-O3"}
LAUNCHES = [[launch, 2.0 + launch / 1000] for launch in range(6)]


def built(run: str, isa: str, **case: Any) -> Any:
    """The document of a run of one kernel by one build variant."""
    of = figure("rate", 2.0, "flop/s", **case, **KERNEL, isa=isa) | {"benchmark": "vectors", "by_launch": LAUNCHES}
    about = {"label": isa, "by": "g++ 12", "version": None, "commands": []}
    builds = [about | KERNEL | {"isa": isa}]
    variants = {"builds": builds, "rows": [], "wrong": [], "vectorised": None}
    return document(section("vectors", [of]), run=run, folder=run, variants=variants)


def plain(run: str, flags: str) -> Any:
    """The document of such a run without variants, whose programs were all compiled by these flags."""
    programs = {"vectors": {"compiler": "g++ 12", "flags": flags}}
    of = figure("rate", 2.0, "flop/s", length=1000) | {"benchmark": "vectors", "by_launch": LAUNCHES}
    return document(section("vectors", [of]), run=run, folder=run, provenance={"k": {"programs": programs}})


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Simulated runs with one and with two ranks per node, of which only the second has two-level algorithms."""
    folder = tmp_path_factory.mktemp("placed")
    words = ("-n", "4", "--set", "operation=allreduce,broadcast", "--set", "bytes=1024")
    asked = {"one": (SGI, "1"), "two": (SGI, "2"), "slower": (f"{SGI}:ethernet", "2")}
    return {
        name: (folder / name, ran(folder / name, "collective", "--ppn", ppn, *words, on=on))
        for name, (on, ppn) in asked.items()
    }


def algorithms(made: dict[str, Any]) -> set[tuple[str, str]]:
    return {(each["params"]["operation"], each["params"]["algorithm"]) for each in made["figures"]}


def test_what_only_one_run_has_is_counted_and_named(placed: dict[str, Any]) -> None:
    """As many as the two runs' own documents differ in."""
    (one, of_one), (two, of_two) = placed["one"], placed["two"]
    missing = algorithms(of_two) - algorithms(of_one)
    assert missing and not algorithms(of_one) - algorithms(of_two)
    (entry,) = json.loads(assay("compare", str(one), str(two), "--json").out)["comparisons"]
    found = [(each["params"]["operation"], each["params"]["algorithm"]) for each in entry["only_in_b"]]
    assert set(found) == missing and len(found) == len(missing)
    assert entry["only_in_a"] == []
    assert len(entry["rows"]) + len(found) == len(of_two["figures"])
    shown = assay("compare", str(one), str(two)).out
    assert f"{len(missing)} figures only in B: collective time (algorithm two-level" in shown
    assert "only in A" not in shown
    quiet = assay("compare", str(two), str(one), "-q").out
    assert f"; {len(missing)} figures only in {of_two['run']}" in quiet and len(quiet.splitlines()) == 1


def test_the_heading_says_what_the_columns_differ_in(placed: dict[str, Any]) -> None:
    (one, of_one), (two, of_two), (slower, of_slower) = placed["one"], placed["two"], placed["slower"]
    (entry,) = json.loads(assay("compare", str(one), str(two), "--json").out)["comparisons"]
    assert entry["differences"] == [{"key": "ranks per node", "a": "1", "b": "2"}]
    shown = " ".join(assay("compare", str(one), str(two)).out.split())
    assert f"A: {of_one['run']} (ranks per node 1), B: {of_two['run']} (ranks per node 2)" in shown
    shown = " ".join(assay("compare", str(two), str(slower)).out.split())
    assert f"A: {of_two['run']} (machine {SGI}), B: {of_slower['run']} (machine {SGI}-ethernet)" in shown
    same = json.loads(assay("compare", str(one), str(one), "--json").out)["comparisons"][0]
    assert same["differences"] == same["only_in_a"] == same["only_in_b"] == []


def test_a_report_says_the_ranks_per_node_that_were_asked_for(placed: dict[str, Any]) -> None:
    for name, words in (("one", "4 ranks on 4 nodes, 1 each"), ("two", "4 ranks on 2 nodes, 2 each")):
        assert words in " ".join(assay("report", str(placed[name][0])).out.split())
    tasks = [{"ranks": 4, "ppn": 1}, {"ranks": 4, "ppn": 2}]
    measured = {line.name: line.text for line in facts(document(), {"plan": {"tasks": tasks}})}
    assert measured["ranks"] == "1 or 2 per node"
    assert "ranks" not in {line.name for line in facts(document(), {"plan": {"tasks": [{"ranks": 4, "ppn": None}]}})}


def test_a_run_s_one_build_is_no_part_of_its_cases() -> None:
    """Two builds, or a build and a run without variants, have their cases in common."""
    native, portable = built("a", "native", length=1000), built("b", "default", length=1000)
    usual = plain("c", "-O3 -march=native")
    for pair in ((native, portable), (native, usual), (usual, native)):
        one, other = matched(pair)
        (row,) = against(one, other)
        assert row.params == {"length": 1000} and row.ratio == 1
    told = differences((native, {}), (portable, {}))
    assert [(each.key, each.a, each.b) for each in told] == [("flags", "-march=native -O3", "-O3")]
    assert differences((native, {}), (usual, {})) == []  # compiled alike, however it was asked for
    request = {"wishes": {"seed": 1, "ppn": [], "settings": {"length": "1000"}}}
    told = differences((usual, request), (usual, {"wishes": {"seed": 2, "ppn": [], "settings": {}}}))
    assert [(each.key, each.a, each.b) for each in told] == [("seed", "1", "2"), ("length", "1000", None)]
    assert comparison_tables.heading("c", "d", told) == ("A: c (seed 1, length 1000), B: d (seed 2, length by default)")


def test_several_builds_stay_cases_and_match_the_run_of_one_of_them() -> None:
    both = [figure("rate", 2.0, "flop/s", **KERNEL, isa=isa) for isa in ("native", "default")]
    both = [each | {"benchmark": "vectors"} for each in both]
    about = {"by": None, "version": None, "commands": []} | KERNEL
    builds = [{"label": isa, "isa": isa} | about for isa in ("native", "default")]
    variants = {"builds": builds, "rows": [], "wrong": [], "vectorised": None}
    several, one = matched([document(section("vectors", both), variants=variants), built("b", "default")])
    rows = against(several, one)
    assert [row.params["isa"] for row in rows] == ["default"]
    assert [each.params["isa"] for each in lone(several, rows, "a")] == ["native"]


def test_why_nothing_is_in_common_is_said_by_the_keys() -> None:
    def of(benchmark: str, name: str, **case: Any) -> Any:
        return document(section(benchmark, [figure(name, 1.0, "s", **case)]), run=benchmark)

    unlike = of("echo", "time", bytes=8, ranks=2), of("echo", "time", bytes=64, ranks=2)
    assert why_nothing(*unlike) == "their cases differ in bytes (8 and 64)"
    assert why_nothing(of("echo", "time", bytes=8), of("echo", "time")) == "their cases differ in bytes (8 and none)"
    assert why_nothing(of("echo", "time"), of("ring", "time")) == (
        "they have no benchmark in common: echo in one, ring in the other"
    )
    assert "no figure in common: echo.time in one, echo.rate in the other" in why_nothing(
        of("echo", "time"), of("echo", "rate")
    )


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (("measured", "measured"), "of 1 measured quantity"),
        (("simulated", "simulated"), "of 1 simulated quantity"),
        (("measured", "simulated"), "of 1 quantity"),
    ],
)
def test_quantities_are_called_what_they_are(kinds: tuple[str, str], words: str) -> None:
    """A simulated run beside a simulated machine has no measured quantities."""
    pair = [
        document(
            section(
                "echo",
                [figure(name, 1.0, "s") | {"benchmark": "echo", "kind": kind} for name in ("half", "round_trip")],
            ),
            run=kind,
        )
        for kind in kinds
    ]
    rows = [row.__class__(**vars(row) | {"metric": "time"}) for row in against(*pair)]
    assert words in comparison_tables.summary(rows, "a", "b", 0.03)
