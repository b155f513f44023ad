"""What a person uses every day: version and help everywhere, completion, one line at the end, how long it will take."""

from __future__ import annotations

import json
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import installed, verbs
from assay.benchmark.record import benchmark
from assay.execute import plan as planning
from assay.execute.duration import Duration, duration
from assay.execute.plan import Spending
from assay.store import Run
from assay.verbs.plan import _words as plan_words
from command_line import assay
from described_echo import MACHINE
from test_compare_gate import made
from test_document import launch

VERBS = sorted(module.name for module in pkgutil.iter_modules(verbs.__path__) if not module.name.startswith("_"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


def test_the_version() -> None:
    assert assay("--version").out == assay("version").out == f"assay {installed.version()}\n"


@pytest.mark.parametrize("verb", [None, *VERBS])
def test_h_is_help_everywhere(verb: str | None) -> None:
    words = [] if verb is None else [verb]
    short, long = assay(*words, "-h"), assay(*words, "--help")
    assert short.status == long.status == 0 and short.out == long.out
    assert short.out.startswith("Usage: ") and (verb is None or f" {verb} " in short.out.splitlines()[0])


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("assay ev", "evaluate"),
        ("assay run ec", "echo"),
        ("assay evaluate --on fat", "fat-tree-hdr"),
        ("assay compare x sgi-l", "sgi-l1200-cluster"),
        ("assay compare --fig", "--figures"),
    ],
)
def test_a_shell_is_offered_what_fits(words: str, offered: str, tmp_path: Path) -> None:
    env = {**os.environ, "_ASSAY_COMPLETE": "complete_bash", "COMP_WORDS": words}
    env |= {"COMP_CWORD": str(len(words.split()) - 1)}
    program = "import sys; sys.argv = ['assay']; from assay.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [offered], done.stderr


def test_completion_is_installed_for_the_shell_that_is_named(tmp_path: Path) -> None:
    """`assay --install-completion bash`: a script below the home folder, which the shell's own file reads."""
    program = "import sys; sys.argv = ['assay', '--install-completion', 'bash']; from assay.cli import main; main()"
    env = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (script,) = (tmp_path / ".bash_completions").iterdir()
    assert str(script) in (tmp_path / ".bashrc").read_text() and str(script) in done.stdout
    words = f"source {script}; COMP_WORDS=(assay run ech) COMP_CWORD=2; complete -p assay"
    shell = subprocess.run(["bash", "-c", words], env=env, capture_output=True, text=True, timeout=60)
    assert "-F" in shell.stdout and shell.stdout.split()[-1] == "assay", shell.stderr


def test_the_last_line_sums_a_run_up_and_quiet_prints_no_other(tmp_path: Path) -> None:
    machine = tmp_path / "constant.toml"
    machine.write_text(MACHINE)
    words = ("run", "echo", "--on", str(machine), "--set", "bytes=8,1024")
    whole = assay(*words, "--out", str(tmp_path / "a"))
    last = whole.out.splitlines()[-1]
    lines = assay("report", str(tmp_path / "a"), "--json").document["summary"]["lines"]
    said = ", ".join(f"{line['title']} {line['text']}" for line in lines)
    assert len(lines) == 2 and all(line["value"] > 0 for line in lines)
    assert last == f"constant: clean: {said}; 1 benchmark, 4 figures, 1 launch; {tmp_path / 'a'}"
    quiet = assay(*words, "--out", str(tmp_path / "b"), "-q")
    assert quiet.status == 0 and quiet.err == ""
    assert quiet.out.splitlines() == [last.replace(str(tmp_path / "a"), str(tmp_path / "b"))]


def planned(*words: str) -> dict[str, Any]:
    answer = assay("plan", *words, "--json")
    assert answer.status == 0, answer.err
    return dict(answer.document)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--profile", "full"),
        ("--only", "messages", "--profile", "standard"),
        ("--on", "ipsc860", "--only", "messages"),
        ("--on", "ksr1"),
        ("-N", "1", "--ppn", "1,2"),
    ],
)
def test_plan_says_what_evaluate_does(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate is stopped where it would begin: with the plan that it made, or with nothing to run."""
    asked: list[dict[str, Any]] = []

    def begin(request: Any, out: Path | None, **others: Any) -> None:
        asked.append(request.plan().to_dict())
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.verbs._measuring.measure", begin)
    found = planned(*words)
    began = assay("evaluate", *words, "--json")
    assert began.status in (0, 130), began.err
    if asked:
        assert found["tasks"] == json.loads(json.dumps(asked[0]))["tasks"] and found["tasks"]
    else:
        assert found == {"version": 4, "tasks": [], "quoted": True}


def test_what_was_run_on_other_machines_meanwhile_erases_no_durations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty-five runs of a described machine came after one here; of that one only the last twenty are opened."""
    of = planning.make([benchmark("sieve")], profile="quick", launches=1)
    opened: list[str] = []
    entries = Run.entries
    monkeypatch.setattr(Run, "entries", lambda run: opened.append(run.folder.name) or entries(run))

    def made(name: str, machine: str, seconds: float) -> Run:
        about = {"machine": machine, "described": machine != "here", "profile": "quick", "plan": of.to_dict()}
        run = Run.create(tmp_path / name, about | {"wishes": {}})
        launch(run, 0, [], benchmark="sieve", seconds=seconds)
        return run

    runs = [made(f"here{i}", "here", 7.0 if i < 2 else 3.0) for i in range(22)]
    runs += [made(f"other{i}", "ipsc860", 1.0) for i in range(25)]
    opened.clear()
    found = duration(of, {"sieve": benchmark("sieve")}, "here", runs)
    assert (found.known, found.launches, found.seconds) == (1, 1, 3.0)
    assert sorted(opened) == sorted(f"here{i}" for i in range(2, 22))


def test_plan_says_how_long_it_takes(tmp_path: Path) -> None:
    first = assay("plan", "-q").out
    assert len(assay("plan", "-q", "--profile", "standard", "--only", "memory").out.splitlines()) == 1
    assert first.endswith(" (estimated: nothing like it was run here before); programs are compiled first, once\n")
    of = planning.make([benchmark("sieve"), benchmark("echo")], profile="standard", spending=Spending((10, 20), 0.02))
    records = {name: benchmark(name) for name in ("sieve", "echo")}
    run = Run.create(
        tmp_path / "before", {"machine": "here", "profile": "standard", "plan": of.to_dict(), "wishes": {}}
    )
    for number in range(3):
        launch(run, number, [], benchmark="sieve", seconds=2.0 + number)
        launch(run, number, [], benchmark="echo", seconds=900.0, status=1)
    slices = duration(of, records, "elsewhere", [run])
    known = duration(of, records, "here", [run])
    assert (slices.known, known.known, known.launches) == (0, 10, 20)
    run.about |= {"machine": "node7", "host": {"host": "here"}}  # begun here, measured on a node
    assert duration(of, records, "here", [run]) == known
    sieve = 2.0 + 9 * 3.5  # the first launch's, and the median of the others' 3 and 4 seconds
    echo = 10 * (0.5 + 81 * 6 * 0.03)  # its standard profile: lengths, blocks and slice, as its record has them
    assert len(records["echo"].parameters["bytes"].default) == 81
    assert known.seconds == pytest.approx(sieve + echo) and known.most == pytest.approx(2 * known.seconds)


def test_plans_are_said_with_numbers_and_nouns_that_agree() -> None:
    shown = assay("plan", "--only", "messages", "--profile", "standard").out
    hosts = [line for line in shown.splitlines() if line.split()[2:3] == ["host"]]
    assert hosts and all(line.split()[3:5] == ["1", "rank"] for line in hosts)
    assert re.search(r" 2 ranks ", shown) and not re.search(r"\b1 (ranks|launches)\b", shown)
    some = plan_words(Duration(seconds=100.0, most=100.0, launches=20, known=7), several=False)
    assert some == (
        "20 launches, about 2 min (estimated: for 7 of the 20 launches from earlier runs here); "
        "programs are compiled first, once"
    )
    assert plan_words(Duration(1.0, 1.0, 1, 1), several=False) == "1 launch, about 1 s (as in earlier runs here)"


def test_machines_that_are_only_described_are_in_the_catalogue() -> None:
    listed = assay("catalogue")
    assert all(name in listed.out for name in ("fat-tree-hdr", "dragonfly-slingshot", "torus-tofud"))
    assert {each["name"] for each in assay("catalogue", "--json").document["described"]} >= {"ipsc860", "torus-tofud"}
    one = assay("catalogue", "torus-tofud")
    assert one.status == 0 and "Ajima" in one.out and "0.5 us" in one.out  # in the units that people write
    keys = {k["key"]: k for k in assay("catalogue", "torus-tofud", "--json").document["described"]["keys"]}
    assert keys["protocol.0.startup"]["value"] == "0.5 us" and keys["network.cycle"]["origin"].startswith("assumed")
    both = assay("catalogue", "ipsc860", "--json").document
    assert both["machine"] and both["described"]["name"] == "ipsc860" and both["cells"]


def test_a_run_is_offered_by_its_id(tmp_path: Path) -> None:
    from assay.verbs._completion import run_names

    made(tmp_path / "a", 1)
    (known,) = (run.about["id"] for run in [Run.open(tmp_path / "a")])
    assert run_names(known[:4]) == [known] and run_names("x") == []
