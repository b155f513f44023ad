"""How often quiet runs are called disturbed, by benchmark: the rate of false alarms on this machine, every night.

With nothing else running each benchmark of one node is run several times; a primary figure that is not clean is a false
alarm, unless the kernel counted who took the processors: the hypervisor, or another process. Where the machine is not
quiet there is nothing to learn, and the study says so.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from assay.benchmark.record import benchmarks
from assay.machine.activity import activity
from command_line import assay

RUNS = 6
ALLOWED = 0.1  # of the figures of all benchmarks
PARTS = ("processor", "memory", "kernels", "threads", "messages")
BUSY = 0.15  # processors that others may keep busy
HOST = {"reference", "steal"}  # what the hypervisor did: true alarms, which a guest can neither cause nor prevent
OTHERS = {
    "others",
    "taken",
}  # processes that the kernel saw at work, a sixth of a hardware thread and more: true alarms


def is_quiet() -> bool:
    now = activity(seconds=2.0)
    return (now.others or 0.0) < BUSY and (now.steal or 0.0) < BUSY


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_quiet_runs_are_seldom_called_disturbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`./x test --nightly -s tests/test_quiet_study.py` prints the table."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    alarms, slowed, shared, figures = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    causes = dict[str, Counter[str]]()
    unquiet = 0
    for number in range(RUNS):
        if not is_quiet():
            unquiet += 1
            continue
        out = str(tmp_path / f"run{number}")
        answer = assay("evaluate", "--only", ",".join(PARTS), "--seed", str(number + 1), "--out", out, "--json")
        assert answer.status in (0, 1), answer.err
        for section in answer.document["benchmarks"]:
            for figure in section["figures"]:
                if figure["statistic"] == "median" or figure["state"] in ("bound", "invalid"):
                    figures[section["benchmark"]] += 1
                    if figure["state"] not in ("disturbed", "bound"):
                        continue
                    if HOST & set(figure["reasons"]):
                        slowed[section["benchmark"]] += 1
                    elif OTHERS & set(figure["reasons"]):
                        shared[section["benchmark"]] += 1
                    else:
                        alarms[section["benchmark"]] += 1
                        causes.setdefault(section["benchmark"], Counter()).update(figure["reasons"] or ["doubt"])
    if unquiet > RUNS // 2:
        pytest.skip(f"others worked on this machine before {unquiet} of {RUNS} runs: {os.getloadavg()[0]:.1f} load")
    print(f"\n{'benchmark':20} {'false alarms':>14} {'by the host':>11} {'by others':>9}  what for")
    for name in sorted(figures, key=lambda name: (-alarms[name] / figures[name], name)):
        why = ", ".join(f"{rule} {count}" for rule, count in causes.get(name, Counter()).most_common())
        print(f"{name:20} {alarms[name]:5} of {figures[name]:5} {slowed[name]:11} {shared[name]:9}  {why}")
    assert set(figures) <= set(benchmarks())
    assert alarms.total() <= ALLOWED * figures.total()
