"""What is said of a machine is said of the nodes that measured, not of the host that submitted the run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from assay.report.derive.usable_processors import usable_processors
from assay.report.judge import bounds
from assay.samples import Circumstance, Launch, folded
from assay.store import Run
from command_line import assay
from made_documents import document as made_document

ABOUT = Circumstance("r", "echo", "messages", "here", 0, 0, 1, "p")
LAPTOP = {"host": "laptop", "usable_cpus": 2, "frequency": 4e9, "flags": ["avx2", "fma"]}
NODE = {"host": "n1", "cpu": "Big", "usable_cpus": 64, "frequency": 2e9}


def launch(*placement: dict[str, Any]) -> Launch:
    event = {"event": "launch", "placement": list(placement), "ranks": len(placement)}
    (found,) = (line for line in folded([event, {"event": "done"}], ABOUT) if isinstance(line, Launch))
    return found


def test_a_node_s_own_processors_count_and_of_several_all_together() -> None:
    measured = {"n1": NODE, "n2": NODE | {"host": "n2"}}
    one = launch({"rank": 0, "host": "n1", "cpus": [0]})
    both = launch(*({"rank": rank, "host": f"n{rank + 1}", "cpus": [0]} for rank in range(2)))
    assert usable_processors([one], measured, LAPTOP) == {"n1": 64}
    assert usable_processors([both], measured, LAPTOP) == {"n1": 128}
    few = {"n1": NODE | {"usable_cpus": 0.5, "threads": 8}}
    assert usable_processors([one], few, LAPTOP) == {"n1": 1}
    assert usable_processors([one], few, LAPTOP, key="threads") == {"n1": 8}


def test_a_host_that_stated_nothing_is_the_submitting_one_only_if_it_is_the_same() -> None:
    assert usable_processors([launch({"rank": 0, "host": "laptop", "cpus": [3]})], {}, LAPTOP) == {"laptop": 2}
    elsewhere = launch(*({"rank": rank, "host": "n1", "cpus": [0, 1, 2, 3]} for rank in range(2)))
    assert usable_processors([elsewhere], {}, LAPTOP) == {"n1": 4}


def test_a_node_s_bound_comes_from_its_own_clock_and_vectors_never_from_the_submitting_host_s() -> None:
    node = {**NODE, "flags": ["-O3"], "vectors": ["avx2", "fma", "avx512f"], "submitted_from": "laptop"}
    peak = bounds.peak_float64(made_document(host=node))
    assert peak is not None and peak[0] == 2e9 * 8 * 2 * 2
    node.pop("vectors")
    assert bounds.peak_float64(made_document(host=node)) is None


@pytest.mark.parametrize(("usable", "state"), [(2, "disturbed"), (64, "clean")])
def test_a_run_is_judged_by_the_processors_of_the_node(tmp_path: Path, usable: int, state: str) -> None:
    """A sixth of a processor is much beside two, and no more than the daemons of sixty-four."""
    run = Run.create(tmp_path / "run", {"machine": "cluster", "host": LAPTOP, "wishes": {}})
    accounting = {"steal": 0.0, "others": 0.05, "own": 0.3, "wall": 0.3, "involuntary": 1, "major_faults": 0}
    for number in range(3):
        task = f"{number:03d}-sieve"
        about = Circumstance(run.about["id"], "sieve", "processor", "cluster", 0, number, 1, "p")
        run.journal({"event": "begun", "task": task, "file": f"{task}.jsonl", "about": asdict(about)})
        lines = [
            {"event": "launch", "ranks": 1, "placement": [{"host": "n1"}], "hosts": [NODE | {"usable_cpus": usable}]},
            *(
                {"event": "block", "case": {"size": 8190}, "metric": "time", "block": i, "batch": 1, "first": None}
                | {"values": [1e-2] * 30, "t0": 1.0 + i, "t1": 1.3 + i, "accounting": accounting}
                for i in range(4)
            ),
            {"event": "done"},
        ]
        (run.folder / "launches" / f"{task}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        run.journal({"event": "ended", "task": task, "status": 0, "reason": None, "binding": None, "warnings": []})
    run.finish("done")
    whole = assay("report", str(run.folder), "--json").document
    assert whole["state"] == state and whole["host"]["host"] == "n1" and list(whole["hosts"]) == ["n1"]
