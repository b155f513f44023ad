"""`assay watch`: a round's run, metrics, summary and status; files for systemd, cron and Slurm; a loop that ends."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.decide.watch_files import files
from assay.errors import InputError
from assay.report.judge.verdict import judged
from assay.store import Run
from assay.verbs import _watch_round
from assay.verbs._compared_document import whole
from command_line import assay
from made_history import made

pytestmark = pytest.mark.usefixtures("own_folder")
EARLIER = 19
ATTEMPTS = 4  # of a real round, which compiles its programs first, and which others may make invalid


def watched(monkeypatch: pytest.MonkeyPatch, folder: Path, last: float, failures: int = 0) -> list[str]:
    """Earlier runs, and a round whose run is the newest of them: made here in place of measuring; the runs' ids."""
    noise = np.exp(0.003 * np.random.default_rng(1).normal(size=EARLIER + 1))
    values = [1e-5 * float(each) * (last if number >= EARLIER - 4 else 1) for number, each in enumerate(noise)]
    ids = made(folder / "runs", values)

    def measured(options: dict[str, Any], quiet: bool) -> Any:
        run = Run.open(ids[-1])
        return run, judged(run, whole(run)), failures

    monkeypatch.setattr(_watch_round, "measure_round", measured)
    return ids


@pytest.mark.parametrize(("last", "failures", "status"), [(1.0, 0, 0), (1.2, 0, 3), (0.8, 0, 0), (1.0, 1, 1)])
def test_a_round_has_the_status_of_its_history(
    last: float, failures: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(monkeypatch, tmp_path, last, failures)
    words = ("watch", "--once", "--metrics", "assay.prom", "--fail-on-regression", "8%")
    answer = assay(*words)
    assert answer.status == status, answer.out + answer.err
    assert ("worse than its best level by" in answer.out) == (status == 3)
    assert len(answer.out.splitlines()) <= 8
    assert len(assay(*words, "-q").out.splitlines()) == 1
    document = assay(*words, "--json").document
    assert (document["failures"], document["metrics"]) == (failures, "assay.prom")


def test_the_metrics_are_openmetrics_and_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from prometheus_client.openmetrics import parser

    watched(monkeypatch, tmp_path, 1.0)
    Path("assay.prom").write_text("old\n")
    assert assay("watch", "--once", "--metrics", "assay.prom").status in (0, 4)
    families = list(parser.text_string_to_metric_families(Path("assay.prom").read_text()))
    assert {"assay_echo_rate_bytes_per_second", "assay_figures"} <= {each.name for each in families}
    assert not [each for each in Path().iterdir() if "assay.prom" in each.name and each.name != "assay.prom"]
    answer = assay("watch", "--once", "--metrics", "nowhere/assay.prom")
    assert answer.status == 2 and "nowhere/assay.prom" in answer.err


@pytest.mark.measures
def test_a_real_round_is_a_run_of_the_history_and_its_metrics_are_the_figures() -> None:
    from prometheus_client.openmetrics import parser

    for _ in range(ATTEMPTS):
        answer = assay("watch", "--once", "--only", "memory", "--budget", "30s", "--metrics", "assay.prom", "--json")
        if answer.status == 4:  # so few runs exclude no regression
            break
    assert answer.status == 4, answer.err
    round_ = answer.document
    assert round_["failures"] == 0
    run = Run.open(round_["run"])
    assert run.about["label"] == "watch" and run.state == "done"
    read = {
        (sample.name, sample.labels.get("kernel"), sample.labels.get("threads"), sample.labels.get("statistic")): sample
        for family in parser.text_string_to_metric_families(Path("assay.prom").read_text())
        for sample in family.samples
    }
    figures = [
        each
        for each in assay("report", round_["run"], "--json").document["figures"]
        if each["benchmark"] == "stream" and each["name"] == "rate" and each["statistic"] == "median"
    ]
    assert figures
    for each in figures:
        case = each["params"]
        if each["state"] in ("clean", "disturbed"):
            name = "assay_stream_rate_bytes_per_second"
            assert read[name, case["kernel"], str(case["threads"]), "median"].value == each["value"]
        states = ("clean", "disturbed", "bound", "invalid")
        state = read["assay_stream_rate_state", case["kernel"], str(case["threads"]), None]
        assert states[int(state.value)] == each["state"]
    history = assay("history", "--json").document
    assert history["runs"][-1]["id"] == round_["run"] and history["series"]
    assert history["series"] == round_["history"]["series"]


def test_a_change_that_this_run_showed_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = watched(monkeypatch, tmp_path, 1.2)
    shown = assay("history", "--machine", "here", "--json").document["changes"]
    document = assay("watch", "--once", "--json").document
    assert document["run"] == ids[-1] and document["history"]["changes"] == shown
    assert document["new"] == [each for each in shown if each["found_by"] == ids[-1]]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
@pytest.mark.parametrize("name", ["plain", "a b", "100%", 'q"q', "$HOME", "it's"])
def test_systemd_takes_the_units(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, units = tmp_path / name, tmp_path / "units"
    folder.mkdir()
    units.mkdir()
    monkeypatch.chdir(folder)
    words = ("--every", "90min", "--only", "memory", "--budget", "2min", "--metrics", f"{name}.prom")
    found = assay("watch", "--install", "systemd", *words, "--json")
    assert found.status == 0, found.err
    for each in found.document["files"]:
        (units / each["name"]).write_text(each["text"])
    verified = subprocess.run(
        ["systemd-analyze", "verify", *sorted(map(str, units.iterdir()))], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0 and str(units) not in verified.stderr, verified.stderr
    assert "OnUnitActiveSec=5400s" in (units / "assay-watch.timer").read_text()


def test_a_crontab_line_is_what_a_shell_runs(tmp_path: Path) -> None:
    folder = tmp_path / "100% it's"
    folder.mkdir()
    (line,) = files("cron", ["--metrics", "50%.prom"], 6 * 3600, folder, None)
    assert line.text.startswith("0 */6 * * * ") and line.text.count("\n") == 1
    command = line.text[len("0 */6 * * * ") :].replace("\\%", "%")
    there, _, started = command.partition(" && ")
    assert shlex.split(there) == ["cd", str(folder)]
    ends = [sys.executable, "-P", "-m", "assay", "watch", "--once", "--metrics", "50%.prom"]
    assert shlex.split(started)[-len(ends) :] == ends
    assert f"ASSAY_RUNS={os.environ['ASSAY_RUNS']}" in shlex.split(started)


def test_a_batch_script_submits_the_next_round_first(tmp_path: Path) -> None:
    (script,) = files("slurm", [], 3600, tmp_path, 120.0)
    lines = script.text.splitlines()
    assert lines[0] == "#!/bin/sh" and "#SBATCH --time=14" in lines
    assert lines[-2] == "sbatch --begin=now+3600 ./assay-watch.sbatch" and lines[-1].endswith("assay watch --once")
    assert subprocess.run(["sh", "-n"], input=script.text, text=True, check=False).returncode == 0


@pytest.mark.parametrize(("way", "every"), [("cron", 7 * 3600), ("cron", 420), ("systemd", 30), ("upstart", 3600)])
def test_what_cannot_be_said_is_refused(way: str, every: float, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected "):
        files(way, [], every, tmp_path, None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--every", "often"), "--every: is no time"),
        (("--once", "--install", "cron"), "--install: has no effect with --once"),
        (("--once", "--every", "1h"), "--every: has no effect with --once"),
        (("--json",), "--json: is one document"),
        (("--install", "cron", "--only", "nothing"), "--only"),
        (("--install", "cron", "--profile", "slow"), "slow"),
        (("--install", "cron", "--fail-on-regression", "x"), "--fail-on-regression: is no share"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str) -> None:
    answer = assay("watch", *words)
    assert answer.status == 2 and said in answer.err and len(answer.err.splitlines()) == 1, answer.err


@pytest.mark.measures
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_loop_between_rounds(number: int, tmp_path: Path) -> None:
    """Rounds that are over at once, as they measure nothing, so that the loop sleeps."""
    script = (
        "import sys; from assay.verbs import _watch_rounds as each; each._round = lambda words: 0\n"
        "sys.argv = ['assay', 'watch', '--every', '1h']; from assay.start import main; main()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "round 1 ended with status 0; the next one in 60 min" in process.stderr.readline()
        began = time.monotonic()
        process.send_signal(number)
        said = process.stderr.read()
        assert process.wait(30) == 128 + number and "interrupted after 1 round" in said
        assert time.monotonic() - began < 10
