"""A run through a launcher is about the hosts that measured, not about the one that submitted."""

from __future__ import annotations

import json

import pytest

from assay.document.host_facts import HostFacts
from assay.report.derive.hosts import hosts, measuring_host
from assay.store import Run
from command_line import assay
from made_documents import as_json as document
from test_hosts import fake_ssh  # noqa: F401  (a fixture)


@pytest.fixture
def run(tmp_path, fake_ssh, monkeypatch) -> Run:  # noqa: F811
    """A node benchmark on two hosts that are not this one by name, of which one states other facts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    answer = assay(
        "run", "clock", "--via", fake_ssh("alpha", "beta"), "--launches", "1", "--out", str(tmp_path / "run")
    )
    assert answer.status in (0, 1), answer.err
    (beta,) = (tmp_path / "run" / "launches").glob("*@beta.jsonl")
    lines = beta.read_text().splitlines(keepends=True)
    launch = json.loads(lines[0])
    launch["hosts"][0] |= {"cpu": "Another Processor", "usable_cpus": 64, "processors": 64, "kernel": "9.9"}
    launch["flags"] = "-O2"
    beta.write_text("".join([json.dumps(launch) + "\n", *lines[1:]]))
    return Run.open(tmp_path / "run")


def test_each_hosts_own_facts_are_in_the_document(run: Run) -> None:
    whole = document(run)
    assert set(whole["hosts"]) == {"alpha", "beta"}
    beta = whole["hosts"]["beta"]
    assert (beta["cpu"], beta["kernel"], beta["flags"]) == ("Another Processor", "9.9", ["-O2"])
    assert whole["hosts"]["alpha"]["cpu"] == run.about["host"]["cpu"] and whole["hosts"]["alpha"]["memory"] > 0
    assert whole["hosts"]["alpha"]["clock"] == ["steady"]


def test_the_machine_is_one_that_measured(run: Run) -> None:
    whole = document(run)
    assert whole["host"]["host"] == "alpha" and whole["host"]["hosts"] == ["alpha", "beta"]
    assert whole["host"]["submitted_from"] == run.about["host"]["host"]
    run.about["host"]["host"] = "alpha"  # submitted from a host that measures too
    assert measuring_host(run, hosts(run)) == HostFacts(run.about["host"])


def test_each_host_is_judged_by_its_own_processors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    from assay.analysis import disturbance

    real = disturbance.judge

    def judge(blocks, processors, *others):
        seen.append(processors)
        return real(blocks, processors, *others)

    monkeypatch.setattr(disturbance, "judge", judge)
    document(run)
    assert seen == [{"alpha": int(run.about["host"]["usable_cpus"]), "beta": 64}]


def test_a_run_that_one_other_host_measured_is_named_after_it(tmp_path, fake_ssh, monkeypatch) -> None:  # noqa: F811
    """Earlier runs, comparisons and lists go by that name; two hosts keep that of the one that submitted."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    for name, nodes in (("one", ("gamma",)), ("two", ("alpha", "beta"))):
        words = ("run", "clock", "--via", fake_ssh(*nodes), "--launches", "1", "--out", str(tmp_path / name), "--json")
        answer = assay(*words)
        assert answer.status in (0, 1), answer.err
        made = Run.open(tmp_path / name)
        expected = "gamma" if name == "one" else made.about["host"]["host"]
        assert made.about["machine"] == expected and document(made)["machine"] == expected
