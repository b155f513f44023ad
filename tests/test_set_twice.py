"""`--set` of one key twice: refused by every verb that has it, with both values, before anything is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import assay

RING = '[network]\ntopology = "ring"\nnodes = 8\n'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "run gemm --set size=64 --set size=128",
            "--set size: is given twice; got 'size=64 size=128', expected each key once, several values with "
            "commas: size=64,128",
        ),
        (
            "run gemm --set repetitions=2 --set size=64 --set repetitions=3",
            "--set repetitions: is given twice; got 'repetitions=2 repetitions=3', expected each key once",
        ),
        (
            "run file-rate --set folder=/tmp --set folder=/var/tmp",
            "--set folder: is given twice; got 'folder=/tmp folder=/var/tmp', expected each key once",
        ),
        (
            "run echo --on ipsc860 --set machine.nodes=4 --set machine.nodes=4",
            "--set machine.nodes: is given twice; got 'machine.nodes=4 machine.nodes=4', expected each key once",
        ),
        (
            "simulate ring.toml --set traffic.load=0.1 --set traffic.load=0.2",
            "--set traffic.load: is given twice; got 'traffic.load=0.1 traffic.load=0.2', expected each key once",
        ),
        (
            "simulate ring.toml --set traffic.load=0.1 --sweep traffic.load=0.2,0.3",
            "--set, --sweep traffic.load: is given twice; got 'traffic.load=0.1 traffic.load=0.2,0.3', expected "
            "each key once",
        ),
        (
            "replay ring.toml words.csv -o out.csv --set network.nodes=4 --set network.nodes=5",
            "--set network.nodes: is given twice; got 'network.nodes=4 network.nodes=5', expected each key once",
        ),
        (
            "throughput lublin --on machine.toml --set machine.nodes=4 --set machine.nodes=8",
            "--set machine.nodes: is given twice; got 'machine.nodes=4 machine.nodes=8', expected each key once, "
            "several values with commas: machine.nodes=4,8",
        ),
        (
            "throughput lublin --on machine.toml --policy easy --set policy=fcfs",
            "--policy, --set policy: is given twice; got 'policy=easy policy=fcfs', expected each key once, several "
            "values with commas: policy=easy,fcfs",
        ),
        (
            "throughput lublin --on machine.toml --set policy=fcfs,sjf --policy easy",
            "--policy, --set policy: is given twice; got 'policy=easy policy=fcfs,sjf', expected each key once, "
            "several values with commas: policy=easy,fcfs,sjf",
        ),
    ],
)
def test_a_key_that_is_given_twice_is_refused(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ring.toml").write_text(RING)
    ended = assay(*words.split())
    assert (ended.status, ended.out, ended.err) == (2, "", f"assay: {said}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["ring.toml"]
