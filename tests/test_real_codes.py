"""Commands of job tables by themselves, and the templates of real codes: their checks see what is planted."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.throughput import job_table
from command_line import assay

ROOT = Path(__file__).resolve().parent.parent
JOBS = ROOT / "src" / "assay" / "catalogue" / "jobs"
CODE = runpy.run_path(str(JOBS / "real_codes" / "job.py"))

SCRIPT = """import sys, time
if sys.argv[1] == "slow":
    time.sleep(30)
print("ranks", sys.argv[2])
print("rate: 12.5 steps/s")
sys.exit(3 if sys.argv[1] == "fails" else 0)
"""


@pytest.fixture
def table(own_folder: None) -> str:
    """A site's own table: a script that is right, one with a wrong answer, one that fails, one that takes too long."""
    Path("codes").mkdir()
    Path("codes/code.py").write_text(SCRIPT)
    text = ""
    for name, answer in (("right", "ranks 2"), ("wrong", "ranks 3"), ("fails", "ranks 2"), ("slow", "ranks 2")):
        text += f'[{name}]\nprocessors = 2\ntime = "1 s"\nlimit = "{2 if name == "slow" else 60} s"\n'
        text += f'command = ["python3", "{{folder}}/code.py", "{name}", "{{processors}}"]\nanswer = "{answer}"\n'
        text += 'merit = "rate: ([0-9.]+)"\nmerit_unit = "steps/s"\n'
    Path("codes/table.toml").write_text(text)
    return "codes/table.toml"


def test_a_sites_command_has_times_and_its_figure_of_merit(table: str) -> None:
    answer = assay("run", "--command", f"{table}:right", "--launches", "2", "--out", "made", "--json")
    assert answer.status == 0, answer.err
    figures = {each["name"]: each for each in answer.document["figures"]}
    assert figures["merit"]["value"] == 12.5 and figures["merit"]["unit"] == "steps/s"
    assert figures["time"]["launches"] == 2 and figures["time"]["value"] > 0 and figures["user"]["value"] >= 0
    assert [each["state"] for each in answer.document["launches"]] == ["completed"] * 2
    assert [path.read_text().splitlines()[0] for path in sorted(Path("made/jobs").glob("*/output"))] == ["ranks 2"] * 2
    shown = assay("run", "--command", f"{table}:right", "--launches", "1", "--out", "other")
    assert "12.5 steps/s" in shown.out and "completed" in shown.out


@pytest.mark.parametrize(
    ("name", "state"), [("wrong", "wrong answer"), ("fails", "failed: status 3"), ("slow", "time limit")]
)
def test_what_is_not_right_is_named_and_has_no_figure(name: str, state: str, table: str) -> None:
    answer = assay("run", "--command", f"{table}:{name}", "--launches", "1", "--out", "made", "--json")
    assert answer.status == 1
    assert [each["state"] for each in answer.document["launches"]] == [state]
    assert answer.document["figures"] == [] and not answer.document["valid"]


def test_the_same_table_is_a_throughput_tests(table: str) -> None:
    Path("schedule").write_text("0: 2 * right\n0: 1 * wrong\n")
    words = ("schedule", "--jobs", table, "--via", "local", "--slots", "4", "--out", "test", "--json")
    found = assay("throughput", *words).document
    assert (found["lost"], found["failed"], found["completed"]) == (0, 1, 2), found["findings"]
    assert [(each["job"], each["kind"]) for each in found["findings"]] == [("wrong.1", "wrong answer")]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--command", "nothing"), "no such job in the table"),
        (("--command", "codes/table.toml"), "no such job in the table"),
        (("--command", "codes/table.toml:right", "--seed", "3"), "--seed"),
        (("--command", "codes/table.toml:right", "-n", "1,2"), "is one number with --command"),
        (("echo", "--command", "codes/table.toml:right"), "has no effect with --command"),
        ((), "which benchmark is missing"),
    ],
)
def test_what_cannot_be_started_is_refused(words: tuple[str, ...], problem: str, table: str) -> None:
    answer = assay("run", *words)
    assert answer.status == 2 and problem in answer.err, answer.err
    assert not Path("runs").exists()


def test_a_figure_of_merit_has_one_group(table: str) -> None:
    Path("bad.toml").write_text(Path(table).read_text().replace("rate: ([0-9.]+)", "rate: [0-9.]+"))
    answer = assay("run", "--command", "bad.toml:right")
    assert answer.status == 2 and "is no regular expression with one group" in answer.err and "bad.toml" in answer.err


# What each code prints, and one number that is not as physics has it.
RIGHT: dict[str, tuple[str, str, str]] = {
    "lammps": (
        "0 1.44 -4.1733 -5.0\n50 0.74 -4.1734 0.3\n100 0.75 -4.1733 0.25\n150 0.76 -4.1734 0.2\n",
        "150 0.76 -4.1734", "150 0.76 -4.1834",
    ),
    "gromacs": (
        "  Conserved energy drift: -1.5e-05 kJ/mol/ps per atom\n"
        "    Temperature Pressure (bar)\n    1.6e+02   -4.0e+02\n"
        "    Temperature Pressure (bar)\n    1.47796e+02    1.62187e+03\n",
        "-1.5e-05", "-1.5e-02",
    ),
    "espresso": (
        "!    total energy              =     -15.85103 Ry\n     estimated scf accuracy    <       1.2E-11 Ry\n"
        "     Total force =     0.000000     Total SCF correction =     0.0\n     total   stress  P=       -0.48\n",
        "-15.85103", "-15.55103",
    ),
    "cp2k": (
        " *** SCF run converged in 13 steps ***\n SUM OF ATOMIC FORCES  0.00001 0.00002 0.0 0.00003\n"
        " ENERGY| Total FORCE_EVAL ( QS ) energy [a.u.]:              -17.164166566\n",
        "SCF run converged", "SCF run NOT converged",
    ),
    "hpl": ("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0072 ...... PASSED\n", "PASSED", "FAILED"),
}  # fmt: skip


@pytest.mark.parametrize("code", sorted(RIGHT))
def test_each_check_sees_a_planted_fault(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, right, wrong = RIGHT[code]
    assert text.count(right) == 1
    for written, status in ((text, 0), (text.replace(right, wrong), 1), ("", 1)):
        Path("output").write_text(written)
        assert CODE["main"](["check", code]) == status


def test_every_template_is_in_the_shipped_table() -> None:
    table = job_table.load(JOBS / "real-codes.toml")
    assert set(table) == set(CODE["CODES"]) == set(RIGHT)
    assert all(entry.check and entry.merit and entry.limit for entry in table.values())


PROGRAMS = {"lammps": "lmp", "gromacs": "gmx", "espresso": "pw.x", "cp2k": "cp2k.popt", "hpl": "hpcc"}


def needs(code: str) -> None:
    if shutil.which(PROGRAMS[code]) is None:
        pytest.skip(f"needs {PROGRAMS[code]}: the Debian package of {code}")


@pytest.mark.nightly
@pytest.mark.parametrize("code", PROGRAMS)
def test_real_codes_are_right_on_one_processor(code: str, own_folder: None) -> None:
    needs(code)
    answer: Any = assay("run", "--command", code, "-n", "1", "--launches", "1", "--out", "made", "--json")
    assert answer.status == 0, answer.err
    assert {each["name"] for each in answer.document["figures"]} == {"time", "user", "system", "merit"}


# An input by which a code itself gives a wrong answer, and ends with status 0: a time step too long by far, cycles that
# end too soon, a displaced atom, a threshold that no residual meets.
PLANTED = {
    "lammps": ("lammps.in", "timestep        0.002", "timestep        0.012"),
    "gromacs": ("gromacs.mdp", "dt               = 0.002", "dt               = 0.04"),
    "espresso": ("espresso.in", "Si 0.25 0.25 0.25", "Si 0.26 0.25 0.25"),
    "cp2k": ("cp2k.inp", "CUTOFF 400", "CUTOFF 40"),
    "hpl": ("job.py", '"16.0"]', '"1e-9"]'),
}


@pytest.mark.nightly
@pytest.mark.parametrize("code", PROGRAMS)
def test_a_wrong_answer_of_a_real_code_is_seen(code: str, own_folder: None) -> None:
    needs(code)
    shutil.copy(JOBS / "real-codes.toml", "own.toml")
    shutil.copytree(JOBS / "real_codes", "real_codes")
    name, right, wrong = PLANTED[code]
    file = Path("real_codes", name)
    assert file.read_text().count(right) == 1
    file.write_text(file.read_text().replace(right, wrong))
    answer = assay("run", "--command", f"own.toml:{code}", "-n", "1", "--launches", "1", "--out", "made", "--json")
    assert [each["state"] for each in answer.document["launches"]] == ["wrong answer"], answer.err
    assert answer.status == 1 and not answer.document["valid"]


@pytest.mark.nightly
def test_real_codes_run_beside_one_another_in_a_throughput_test(own_folder: None) -> None:
    codes = [code for code in ("lammps", "gromacs") if shutil.which(PROGRAMS[code])]
    if not codes:
        pytest.skip("needs lmp or gmx: the Debian packages lammps and gromacs")
    Path("schedule").write_text("".join(f"0: 1 * {code}\n" for code in codes))
    words = ("schedule", "--jobs", "real-codes", "--via", "local", "--slots", "4", "--out", "test", "--json")
    found = assay("throughput", *words).document
    assert (found["lost"], found["failed"], found["completed"]) == (0, 0, len(codes)), found["findings"]
