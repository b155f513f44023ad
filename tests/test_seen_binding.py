"""The binding that is reported is the one that the ranks had; shared processors and missing ranks reach the reader."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from assay.execute.binding import describe_binding, observed_binding, sharing_warnings
from assay.store import Run
from command_line import assay
from made_documents import as_json as document
from mpis_here import MPI
from small_programs import script
from test_node_cases import quota, skip_unless_throttled  # noqa: F401  (a fixture)

# Two sockets of four cores of two threads: processors 0-7 and, their siblings, 8-15.
HOST = {"processors": 16, "cores": 8, "sockets": 2}


def rank(number: int, cpus: list[int], host: str = "a") -> dict[str, Any]:
    cores = {cpu % 8 for cpu in cpus}
    sockets = {core // 4 for core in cores}
    about = {"cores": len(cores), "sockets": len(sockets), "threads": 2 * len(cores)}
    return {"rank": number, "host": host, "cpus": cpus, **about}


@pytest.mark.parametrize(
    ("masks", "expected"),
    [
        ([[0, 8], [1, 9]], "core"),
        ([[0], [8]], "hardware thread"),
        ([list(range(16))] * 2, "none"),
        ([[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]], "socket"),
        ([[0, 1, 8, 9], [2, 3, 10, 11]], "2 cores"),
        ([[0, 8], [1, 9], [2]], "core, hardware thread"),
        ([[]], "unknown"),
    ],
)
def test_a_binding_is_read_from_masks(masks: list[list[int]], expected: str) -> None:
    assert observed_binding([rank(number, cpus) for number, cpus in enumerate(masks)], {"a": HOST}) == expected


def test_what_was_asked_is_stated_only_where_it_differs() -> None:
    assert (
        describe_binding("cores", "core") == "core"
        and describe_binding("hwthread", "hardware thread") == "hardware thread"
    )
    assert describe_binding("cores", "none") == "none (requested: core)"
    assert describe_binding("core", "core", shared=True) == "core shared by several ranks (requested: core)"
    assert describe_binding("core", "unknown") == "core"


def test_ranks_that_share_processors_are_counted_by_host() -> None:
    assert sharing_warnings([rank(0, [0]), rank(1, [1]), rank(2, [0], "b")]) == []
    (text,) = sharing_warnings([rank(0, [0]), rank(1, [0]), rank(2, [1])])
    assert text.startswith("2 ranks share one hardware thread of a (0; oversubscribed)")
    (text,) = sharing_warnings([rank(number, [0, 1, 2]) for number in range(4)])
    assert text.startswith("4 ranks share 3 hardware threads of a (0-2; oversubscribed)")
    (text,) = sharing_warnings([rank(0, [0]), rank(1, [0, 1]), rank(2, [0, 1])])
    assert text.startswith("3 ranks share 2 hardware threads")


@pytest.fixture
def starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a script in the place of the site's mpiexec; "$@" are the words behind it."""
    if MPI is None:
        pytest.skip("no MPI here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))

    def put(text: str) -> None:
        made = script(
            tmp_path / "bin",
            "starter",
            f'real={shlex.quote(MPI.mpiexec)}; [ "$1" = --version ] && exec "$real" --version\n{text}',
        )
        monkeypatch.setenv("MPICXX", MPI.mpicxx)
        monkeypatch.setenv("MPIEXEC", str(made))

    return put


WORDS = ("run", "echo", "--launches", "1", "--set", "bytes=8", "--json", "--out")
# Drops -bind-to X (MPICH) and --bind-to X (Open MPI), for a binding of the script's own.
UNBOUND = """n=$#
while [ $n -gt 0 ]; do
  w=$1; shift; n=$((n-1))
  case "$w" in -bind-to|--bind-to) shift; n=$((n-1));; *) set -- "$@" "$w";; esac
done"""
LEAVE = "--bind-to none" if MPI and MPI.implementation == "Open MPI" else ""  # by itself it binds two ranks to cores


@pytest.mark.mpi
def test_ranks_pinned_to_one_processor_are_not_called_bound_to_cores(tmp_path: Path, starter: Any) -> None:
    cpu = min(os.sched_getaffinity(0))
    starter(f'{UNBOUND}\nexec taskset -c {cpu} "$real" {LEAVE} "$@"')
    answer = assay(*WORDS, str(tmp_path / "run"), "-n", "2")
    assert answer.status in (0, 1) and answer.out, answer.err
    (section,) = document(Run.open(tmp_path / "run"))["benchmarks"]
    assert section["binding"] != ["core"] and "shared by several ranks (requested: core)" in section["binding"][0]
    shared = [text for text in section["warnings"] if "2 ranks share one hardware thread" in text]
    assert len(shared) == 1 and f"({cpu}; oversubscribed)" in shared[0]
    assert section["state"] != "clean"
    assay("report", str(tmp_path / "run"))
    page = (tmp_path / "run" / "report.html").read_text()
    assert "2 ranks share one hardware thread" in page and "shared by several ranks" in page


@pytest.mark.mpi
def test_unbound_ranks_are_called_unbound(tmp_path: Path, starter: Any) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two processors")
    starter(f'{UNBOUND}\nexec "$real" {LEAVE} "$@"')
    assay(*WORDS, str(tmp_path / "run"), "-n", "2")
    (entry,) = [e for e in Run.open(tmp_path / "run").entries() if e["event"] == "ended"]
    assert entry["binding"] == "none (requested: core)" and entry["warnings"] == []


@pytest.mark.mpi
def test_fewer_ranks_than_asked_give_no_number(tmp_path: Path, starter: Any) -> None:
    starter('exec "$real" "$1" 2 $(shift 2; for w; do printf "%s\\n" "$w"; done)')
    answer = assay(*WORDS, str(tmp_path / "run"), "-n", "4")
    assert answer.status == 1 and answer.document["state"] == "invalid" and not answer.document["valid"]
    (section,) = document(Run.open(tmp_path / "run"))["benchmarks"]
    assert all(figure["value"] is None for figure in section["figures"]), section["figures"]
    said = section["warnings"][0]
    assert re.search("^000-([a-z_]+) failed: on 4 ranks: requested 4 ranks, got 2", said) and said.count("000-") == 1
    counted = Run.open(tmp_path / "run").connect().execute("SELECT count(*) FILTER (complete) FROM launches")
    assert counted.fetchall() == [(0,)]
    assert list((tmp_path / "run" / "launches").glob("*.jsonl")), "what was written is kept"


@pytest.mark.mpi
def test_a_quota_that_stopped_ranks_is_named(tmp_path: Path, starter: Any, quota: list[str]) -> None:  # noqa: F811
    starter(f'exec {shlex.join(quota)} "$real" "$@"')
    answer = assay(*WORDS, str(tmp_path / "run"), "-n", "2")
    assert answer.status in (0, 1) and answer.out, answer.err
    (section,) = document(Run.open(tmp_path / "run"))["benchmarks"]
    stopped = [text for text in section["warnings"] if "a cgroup's quota of CPU time" in text]
    if not stopped:
        skip_unless_throttled(quota)
    assert len(stopped) == 1 and "(rank " in stopped[0] and "stopped the work" in stopped[0]
    assert section["state"] != "clean"
    (launch,) = [
        json.loads(line)
        for path in (tmp_path / "run" / "launches").glob("*.jsonl")
        for line in path.read_text().splitlines()
        if '"launch"' in line and json.loads(line)["event"] == "launch"
    ]
    assert launch["hosts"][0]["cpu_quota"] == pytest.approx(0.3)


@pytest.mark.mpi
def test_a_failed_launch_reaches_terminal_and_document_in_the_programs_words(tmp_path: Path, starter: Any) -> None:
    starter(
        'echo "echo: rank 1: no such luck" >&2\n'
        'echo "prterun detected that one or more processes exited with non-zero status," >&2; exit 1'
    )
    answer = assay(*WORDS, str(tmp_path / "run"), "-n", "2")
    log = tmp_path / "run" / "log" / "000-echo.txt"
    line = f"exit status 1: rank 1: no such luck; log: {log}"
    assert answer.status == 1 and f"echo: {line}" in answer.err and log.exists()
    (section,) = document(Run.open(tmp_path / "run"))["benchmarks"]
    assert section["state"] == "invalid" and any(line in text for text in section["warnings"])
