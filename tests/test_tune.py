"""Open MPI's rules by judged collectives: the file read as the library reads it, and accepted by a real one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.case import Case
from assay.document.choice import Choice
from assay.document.tuning import TunedRule
from assay.execute.mpi import launch_environment
from assay.tuning import rules as tuning
from assay.tuning.rules import COLLECTIVES, rules, text
from command_line import assay
from described_echo import described_echo
from mpis_here import CROWD, WHEEL

SIZES = (8, 64, 1024, 65536)


def choice(operation: str, size: int, best: str, *, slower: bool = True, ranks: int = 4, **more: Any) -> Choice:
    params = Case({"operation": operation, "bytes": size, "ranks": ranks, "call": "blocking", "skew": 0.0, **more})
    return Choice(
        params=params, best=best, value=2e-6, best_value=1e-6, unit="s", ratio=2.0, ci95=[1.5, 2.5], level=0.99,
        slower=slower, launches=12, comparisons=9, reason="",
    )  # fmt: skip


def numbers(written: str) -> Iterator[int]:
    for line in written.splitlines():
        yield from map(int, line.partition("#")[0].split())


def read(written: str) -> dict[int, list[tuple[int, list[tuple[int, int]]]]]:
    """As the library reads it: collectives, numbers of ranks, lengths; fan-out and segments are passed over."""
    found = numbers(written)
    made: dict[int, list[tuple[int, list[tuple[int, int]]]]] = {}
    for _ in range(next(found)):
        own = made[next(found)] = []
        for _ in range(next(found)):
            ranks, entries = next(found), []
            for _ in range(next(found)):
                length, algorithm, fan, segment = (next(found) for _ in range(4))
                assert (fan, segment) == (0, 0)
                entries.append((length, algorithm))
            own.append((ranks, entries))
    assert next(found, None) is None
    return made


def chosen(table: dict[int, list[tuple[int, list[tuple[int, int]]]]], number: int, ranks: int, length: int) -> int:
    """The algorithm: of the last entry that is not larger, at first by ranks, then by length; 0: its own decision."""
    best = table[number][0]
    for each in table[number]:
        if each[0] <= ranks:
            best = each
    algorithm = best[1][0][1]
    for least, of in best[1]:
        if least <= length:
            algorithm = of
    return algorithm


@given(st.data())
def test_a_rule_holds_for_its_ranks_from_its_length_to_the_next_measured(data: st.DataObject) -> None:
    cells = {
        (operation, ranks, size): data.draw(st.none() | st.sampled_from(sorted(COLLECTIVES[operation].algorithms)))
        for operation in data.draw(st.lists(st.sampled_from(sorted(COLLECTIVES)), min_size=1, max_size=3, unique=True))
        for ranks in data.draw(st.lists(st.integers(2, 9), min_size=1, max_size=2, unique=True))
        for size in ([0] if operation == "barrier" else SIZES)
    }
    made, left = rules(
        [choice(op, size, best or "linear", slower=best is not None, ranks=n) for (op, n, size), best in cells.items()]
    )
    assert left == [] and len(made) == sum(best is not None for best in cells.values())
    table = read(text(made, "made"))
    for (operation, ranks, size), best in cells.items():
        known = COLLECTIVES[operation]
        factor = ranks if known.all_blocks else 1
        expected = known.algorithms[best] if best is not None else 0
        if known.number not in table:
            assert all(of is None for (each, *_), of in cells.items() if each == operation)
            continue
        above = next((each for each in SIZES if each > size), size * 4 or 4)
        for length in (size, (size + above) // 2, above - 1) if size else (0, 1000):
            assert chosen(table, known.number, ranks, length * factor) == expected
        for others in {1, ranks - 1, ranks + 1} - {n for op, n, _ in cells if op == operation}:
            assert chosen(table, known.number, others, size * factor) == 0
    if any(size for *_, size in cells):
        operation, ranks, _ = next(each for each in cells if each[2])
        number = COLLECTIVES[operation].number
        assert number not in table or chosen(table, number, ranks, 0) == 0  # shorter than any that was measured


def test_what_has_no_rule_says_why() -> None:
    made, left = rules(
        [
            choice("broadcast", 8, "two-level"),
            choice("alltoallv", 8, "pairwise"),
            choice("allreduce", 8, "ring", call="non-blocking"),
            choice("allreduce", 64, "ring", slower=False),
            choice("gather", 64, "binomial", root=0),
            choice("gather", 64, "linear", root=1),
        ]
    )
    assert [(each.operation, each.message) for each in made] == [("gather", 256)]
    assert len(left) == 3
    assert "no algorithm like two-level" in left[0] and "without regard" in left[1] and "blocking" in left[2]


PROGRAM = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char *in = calloc(1 << 16, 1), *out = calloc(1 << 20, 1);
  for (int i = 0; i < 20; ++i) MPI_Alltoall(in, 8, MPI_CHAR, out, 8, MPI_CHAR, MPI_COMM_WORLD);
  for (int i = 0; i < 10; ++i) MPI_Alltoall(in, 64, MPI_CHAR, out, 64, MPI_CHAR, MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""


def sent(folder: Path, variables: dict[str, str]) -> dict[int, int]:
    """Messages of rank 0 to each other of four, by the library's own report."""
    assert WHEEL is not None
    watched = {"pml_monitoring_enable": "1", "pml_monitoring_enable_output": "3"}
    watched |= {"pml_monitoring_filename": str(folder / "sent"), "mpi_yield_when_idle": "1"}
    given = {f"OMPI_MCA_{key}": value for key, value in (watched | variables).items()}
    command = [WHEEL.mpiexec, "-n", "4", str(folder / "program")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=100, env=launch_environment(os.environ) | CROWD | given
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in (folder / "sent.0.prof").read_text().splitlines() if line.startswith("E\t0")]
    return {int(row[2]): int(row[4].split()[0]) for row in rows}


@pytest.mark.mpi
@pytest.mark.skipif(WHEEL is None, reason="no Open MPI in this environment")
def test_the_library_takes_the_file_and_another_algorithm(tmp_path: Path) -> None:
    """Bruck's exchange of all with all sends to ranks 1 and 2 only, and not of longer blocks, which have no rule."""
    assert WHEEL is not None
    (tmp_path / "program.c").write_text(PROGRAM)
    compiler = WHEEL.mpicxx.replace("mpicxx", "mpicc")
    subprocess.run([compiler, "-o", str(tmp_path / "program"), str(tmp_path / "program.c")], check=True)
    made, _ = rules([choice("alltoall", 8, "bruck"), choice("alltoall", 64, "linear", slower=False)])
    (tmp_path / "rules.conf").write_text(text(made, "made"))
    (tmp_path / "none.conf").write_text(text([], "made"))
    before = sent(tmp_path, {})
    use = {"coll_tuned_use_dynamic_rules": "true", "coll_tuned_dynamic_rules_filename": str(tmp_path / "rules.conf")}
    after = sent(tmp_path, use)
    without = sent(tmp_path, use | {"coll_tuned_dynamic_rules_filename": str(tmp_path / "none.conf")})
    assert before == {1: 30, 2: 30, 3: 30}
    assert after == {1: 30, 2: 30, 3: 10}
    assert without == before


def test_nothing_to_tune_gives_a_file_without_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = str(described_echo(tmp_path))
    answer = assay("tune", run, "-o", "tuned.conf")
    assert answer.status == 0 and "nothing is measured again (10 launches)" in answer.out
    assert "measured no collective, as `assay run collective` does" in answer.out
    assert read(Path("tuned.conf").read_text()) == {}
    document = assay("tune", run, "-o", "tuned.conf", "--json").document
    assert (document["rules"], document["file"], document["remeasured"]) == ([], "tuned.conf", None)
    missing = assay("tune", run)
    assert missing.status == 2 and "--out: is missing" in missing.err


def test_a_library_that_has_no_such_rules_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A described machine with MPICH's collectives: its choices are judged, and are not Open MPI's."""
    monkeypatch.chdir(tmp_path)
    words = ("--set", "operation=allreduce", "--set", "bytes=65536", "--out", "run", "-q")
    assert assay("run", "collective", "--on", "sgi-l1200-cluster", "-n", "8", *words).status == 0
    answer = assay("tune", "run", "-o", "tuned.conf")
    assert answer.status == 2 and "is no run of Open MPI" in answer.err and not Path("tuned.conf").exists()


@pytest.mark.nightly
@pytest.mark.measures
@pytest.mark.mpi
@pytest.mark.skipif(WHEEL is None, reason="no Open MPI in this environment")
def test_what_is_tuned_is_measured_without_and_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert WHEEL is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.setenv("MPICXX", WHEEL.mpicxx)
    words = ("--set", "operation=broadcast", "--set", "bytes=8", "--launches", "1", "--out", "run", "-q")
    assert assay("run", "collective", "-n", "2", *words).status in (0, 1)
    rule = TunedRule(operation="broadcast", ranks=2, bytes=8, message=8, below=None, algorithm="linear", number=1,
                     ratio=1.5, ci95=[1.2, 1.8])  # fmt: skip
    monkeypatch.setattr(tuning, "rules", lambda choices: ([rule], []))
    answer = assay("tune", "run", "-o", "tuned.conf", "--launches", "2", "--json")
    assert answer.status == 0, answer.err
    rows = answer.document["rows"]
    assert len(rows) <= 1  # none where others' processes leave no estimate
    assert all(row["a"]["value"] > 0 and row["b"]["value"] > 0 and row["ratio"] > 0 for row in rows)
    assert read(Path("tuned.conf").read_text())[7][1][1] == [(0, 0), (8, 1)]
    assert len(list((Path(answer.document["remeasured"]) / "launches").glob("*.jsonl"))) == 4  # two of each
    stored = (Path(answer.document["remeasured"]) / "run.json").read_text()
    assert f"coll_tuned_dynamic_rules_filename={tmp_path / 'tuned.conf'}" in stored
