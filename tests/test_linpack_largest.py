"""LINPACK of all memory: in `full` only, once in a run, bytes and time said first, within its bounds, and checked."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.execute import plan
from assay.execute.preflight import resource_notices
from command_line import assay
from compiled import kept
from library_programs import checks, lines, needs

NAME = "linpack-largest"
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


def test_it_is_part_of_full_alone_and_of_one_launch() -> None:
    parts = {profile: {r.name for r in plan.select_benchmarks("kernels", profile=profile)} for profile in plan.LAUNCHES}
    assert {profile for profile, names in parts.items() if NAME in names} == {"full"}
    assert "linpack" in parts["standard"]
    made = plan.make([benchmark(NAME), benchmark("linpack")], profile="full", launches=4)
    launches = {name: [t.launch for t in made.tasks if t.benchmark == name] for name in (NAME, "linpack")}
    assert launches == {NAME: [0], "linpack": [0, 1, 2, 3]}
    alone = plan.make([benchmark("linpack")], profile="full", launches=4)
    assert {t.launch for t in alone.tasks} == {0, 1, 2, 3}


def test_what_it_takes_is_said_before() -> None:
    (line,) = resource_notices([benchmark("linpack"), benchmark(NAME)], "full")
    assert re.fullmatch(
        rf"{NAME}: takes 80% of the free memory, \S+ GB now, and about 60 min at most, once in a run", line
    )
    assert "GB" not in resource_notices([benchmark(NAME)], "full", here=False)[0]
    shown = assay("plan", "--profile", "full", "--only", "kernels")
    assert shown.status == 0 and f"{NAME}: takes 80% of the free memory" in shown.out
    assert NAME not in assay("plan", "--profile", "standard", "--only", "kernels").out


@needs("lapack")
@pytest.mark.parametrize(("given", "bound"), [(["share=0.000001"], "memory, of "), ([], "time")])
def test_it_is_as_large_as_memory_or_time_allow(given: list[str], bound: str) -> None:
    """In a slice of half a millisecond; the matrix holds no more than its share of what the kernel says is free."""
    free = 1024 * int(re.findall(r"MemAvailable: *(\d+)", Path("/proc/meminfo").read_text())[0])
    found = lines(NAME, kept(f"kernels/{NAME}"), *given)
    (said,) = (line["text"] for line in found if "equations on" in line.get("text", ""))
    assert f"bounded by {bound}" in said
    values = {line["metric"]: line for line in found if line["event"] == "block"}
    equations = values["time"]["case"]["equations"]
    assert values["memory"]["values"] == [8 * equations**2]
    if given:
        assert 8 * equations**2 <= 1.1 * 0.000001 * free
    (check,) = (line for line in found if line["event"] == "check")
    assert check["passed"] and f"{equations} equations" in check["detail"]


@needs("lapack")
def test_one_unknown_that_is_wrong_by_a_ten_millionth_of_the_largest_is_found() -> None:
    (found,) = checks(NAME, kept(f"kernels/{NAME}", "-DASSAY_BREAK=1"), status=1)
    assert not found["passed"]


@needs("lapack")
def test_a_run_of_it_gives_rate_bytes_and_what_was_expected(tmp_path: Path) -> None:
    done = assay("run", NAME, "--set", "share=0.0001", "--json", "--out", str(tmp_path / "run"))
    assert done.status == 0, done.err
    assert f"{NAME}: takes 0.01% of the free memory" in done.err
    best = {f["name"]: f for f in done.document["figures"] if f["statistic"] == "best"}
    n = best["time"]["params"]["equations"]
    assert best["rate"]["value"] == pytest.approx((2 / 3 * n**3 + 2 * n**2) / best["time"]["value"])
    assert best["memory"]["value"] == 8 * n**2
    assert any("expected to take" in note for note in done.document["notes"])
