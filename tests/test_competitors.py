"""Real competitors beside a run, each with a run without it just before: what is disturbed by one is not called clean.

On a machine that is busy anyway the run without it is no quiet one. Then nothing here could tell the competitor from
the rest: what must hold in any case is tested, and the test says that it was skipped there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from command_line import assay
from mpis_here import MPI
from test_node_cases import quota  # noqa: F401  (a fixture)

pytestmark = pytest.mark.measures

NAME = "assay-competitor"  # fifteen letters are what the kernel keeps of a name
WORKS = {
    "a hog": "while True: pass",
    "a nice'd hog": "import os; os.nice(19)\nwhile True: pass",
    "a memory hog": "a = bytearray(128 << 20)\nwhile True: b = bytes(a)",
    "bursts of 100 ms every 2 s": "import time\nwhile True:\n  end = time.monotonic() + .1\n"
    "  while time.monotonic() < end: pass\n  time.sleep(1.9)",
}
RIGHT = 0.05  # a clean figure may be off by so much, or by as much as launches differ


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@contextmanager
def competitor(folder: Path, work: str) -> Iterator[None]:
    """Another process at this work, by a name of its own."""
    program = folder / NAME
    if not program.exists():
        program.symlink_to(sys.executable)
    # started by a shell that ends, so that it is no child of this process: those count as its own
    words = ["sh", "-c", '"$@" >/dev/null 2>&1 & echo $!', "sh", str(program), "-S", "-c", work]
    environment = {**os.environ, "PYTHONHOME": sys.base_prefix}
    pid = int(subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)
    try:
        time.sleep(0.3)
        assert NAME[:15] in Path(f"/proc/{pid}/comm").read_text()
        yield
    finally:
        os.kill(pid, signal.SIGKILL)


def measured(benchmark: str, out: str, *words: str) -> dict[str, Any]:
    answer = assay("run", benchmark, "--launches", "3", *words, "--out", out, "--json")
    assert answer.status in (0, 1), answer.err
    return dict(answer.document)


def main(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The figures by the estimator that stands."""
    return {
        (figure["name"], str(figure["params"])): figure
        for figure in document["figures"]
        if figure["statistic"] == "median" or figure["state"] in ("bound", "invalid")
    }


def wrong(control: dict[str, Any], beside: dict[str, Any]) -> list[str]:
    """The figures called clean in both runs that are further apart than a clean one may be."""
    found = []
    quiet, other = main(control), main(beside)
    for key, figure in other.items():
        twin = quiet.get(key)
        if twin is None or {figure["state"], twin["state"]} != {"clean"}:
            continue
        ends = [*(figure["range"] or []), *(twin["range"] or [])]
        spread = (max(ends) - min(ends)) / twin["value"] if ends else 0.0
        if abs(figure["value"] / twin["value"] - 1) > max(RIGHT, spread):
            found.append(f"{key}: {twin['value']} alone, {figure['value']} beside a competitor")
    return found


def names(document: dict[str, Any]) -> set[str]:
    return {each["name"] for cause in document["causes"] for each in cause["processes"]}


def is_quiet(document: dict[str, Any]) -> bool:
    return {figure["state"] for figure in main(document).values()} == {"clean"}


@pytest.mark.parametrize("kind", WORKS)
@pytest.mark.parametrize("benchmark", ["sieve", "stream"])
def test_beside_a_competitor_what_is_called_clean_is_right_and_the_cause_has_its_name(
    tmp_path: Path, kind: str, benchmark: str
) -> None:
    words = ["--set", "size=33554432", "--set", "kernel=copy"] if benchmark == "stream" else []
    control = measured(benchmark, "control", *words)
    with competitor(tmp_path, WORKS[kind]):
        beside = measured(benchmark, "beside", *words)
    assert wrong(control, beside) == []
    assert NAME[:15] not in names(control)
    if not is_quiet(control):
        pytest.skip("this machine is busy: the run without the competitor is disturbed as well")
    if not kind.startswith("bursts"):  # which may fall between launches
        # stream's launches may be so far apart beside a competitor that half their range holds what it can have moved
        excused = benchmark == "stream" and beside["state"] == "clean"
        assert excused or beside["state"] != "clean"
        assert excused or NAME[:15] in names(beside), f"{beside['state']}: {beside['causes']}"


def test_a_quota_of_processors_time_is_a_cause_and_nothing_beside_it_is_clean(
    tmp_path: Path,
    quota: list[str],  # noqa: F811
) -> None:
    words = ["run", "sieve", "--set", "repetitions=2000", "--launches", "2", "--json"]
    for wrapped, clean in (([], True), (quota, False)):
        command = [*wrapped, str(Path(sys.executable).parent / "assay"), *words, "--out", str(tmp_path / f"r{clean}")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
        assert done.returncode in (0, 1), done.stderr
        document = json.loads(done.stdout)
        assert ("quota" in {cause["cause"] for cause in document["causes"]}) is not clean
        if not clean:
            assert {figure["state"] for figure in main(document).values()} <= {"disturbed", "bound", "invalid"}


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None or len(os.sched_getaffinity(0)) < 2, reason="needs MPI and two processors")
def test_two_ranks_on_one_processor_are_a_cause_and_two_on_two_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def echo(out: str) -> dict[str, Any]:
        return measured("echo", out, "-n", "2", "--set", "bytes=8", "--via", "mpiexec")

    control = echo("control")
    assert "shared processors" not in {cause["cause"] for cause in control["causes"]}
    mine = os.sched_getaffinity(0)
    monkeypatch.setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
    os.sched_setaffinity(0, {min(mine)})
    try:
        crowded = echo("crowded")
    finally:
        os.sched_setaffinity(0, mine)
    assert "shared processors" in {cause["cause"] for cause in crowded["causes"]}
    assert "clean" not in {figure["state"] for figure in main(crowded).values()}
