"""Numbers that no job can have, in tables of jobs and in files of the Standard Workload Format: refused by one line."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.throughput import job_programs, job_table, machine_file
from command_line import assay

KEYS = ("processors", "nodes", "per_node", "instances", "operations", "ports", "on")
WRONG = st.one_of(
    st.integers(max_value=-1).filter(lambda number: number >= -(2**200)),
    st.integers(2**31 + 1, 2**200).filter(lambda number: number > 10**12),
    st.sampled_from(["nan", "inf", "-inf", "1.5", "1e3", "-0.5", '"4"', "[[1]]", "true"]),
)
LONG = st.one_of(st.floats(max_value=-1e-9), st.floats(min_value=2.0**31), st.sampled_from([float("nan")]))


def table(folder: Path, line: str) -> Path:
    path = folder / "jobs.toml"
    base = {"processors": "processors = 4", "time": 'time = "1 s"'}
    base.pop(line.split(" = ")[0], None)
    program = ['program = "sieve"'] if line.startswith("operations") else []
    path.write_text("\n".join(["[a]", *base.values(), *program, line]) + "\n")
    return path


@given(st.sampled_from(KEYS), WRONG)
@example("on", 4294967296)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_number_that_no_job_has_is_refused_with_file_key_and_value(
    tmp_path: Path, key: str, number: int | str
) -> None:
    path = table(tmp_path, f"{key} = " + (f"[{number}, 4]" if key in ("ports", "on") else str(number)))
    with pytest.raises(InputError) as refused:
        job_table.load(path)
    said = str(refused.value)
    assert said.startswith(f"{path}:") and f"a.{key}" in said and "got " in said and "expected " in said
    assert len(said.splitlines()) == 1


LIMITS = ("max_processors", "max_running_jobs", "max_running_processors", "max_user_jobs", "max_user_processors")


@given(st.sampled_from([("batch", key) for key in LIMITS[3:]] + [("queue", key) for key in LIMITS]), WRONG)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_limit_that_no_queue_has_is_refused_with_file_key_and_value(
    tmp_path: Path, where: tuple[str, str], number: int | str
) -> None:
    part, key = where
    head = "[batch]" if part == "batch" else '[[queue]]\nname = "q"'
    path = tmp_path / "machine.toml"
    path.write_text(f"[machine]\nnodes = 4\n{head}\n{key} = {number}\n")
    with pytest.raises(InputError) as refused:
        machine_file.open_machine(str(path))
    said = str(refused.value)
    assert said.startswith(f"{path}:") and key in said and "got " in said and "expected " in said
    assert len(said.splitlines()) == 1


@given(st.sampled_from(["time", "limit", "wait", "compute", "communicate"]), LONG)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_time_that_no_job_takes_is_refused_with_file_key_and_value(tmp_path: Path, key: str, seconds: float) -> None:
    path = table(tmp_path, f'{key} = "{seconds!r} s"')
    with pytest.raises(InputError) as refused:
        job_table.load(path)
    said = str(refused.value)
    assert said.startswith(f"{path}:") and f"a.{key}" in said and repr(seconds) in said
    assert len(said.splitlines()) == 1


@given(st.sampled_from([1, 3, 4, 7, 8, 11, 14]), st.sampled_from(
    ["nan", "inf", "-inf", "1e400", "1.5.2", "0x10", "x", str(2**64), str(-(2**64)), str(2**200), "1e30", "-1e30"]
))  # fmt: skip
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_field_that_no_job_has_names_its_file_line_and_value(tmp_path: Path, field: int, text: str) -> None:
    """Fields 2, 4, 5, 8, 9, 12 and 15 are read; a negative one that says "not known" is none."""
    words = ["2", "0", "0", "10", "1", "-1", "-1", "1", "20", "-1", "1", "3", "-1", "-1", "1", "-1", "-1", "-1"]
    words[field] = text
    path = tmp_path / "jobs.swf"
    path.write_text("; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 20 -1 1 3 -1 -1 1 -1 -1 -1\n" + " ".join(words) + "\n")
    machine = tmp_path / "machine.toml"
    machine.write_text("[machine]\nnodes = 4\n")
    answer = assay("throughput", str(path), "--on", str(machine), "--policy", "conservative", "-q")
    assert answer.status == 2 or (answer.status == 0 and text.startswith("-"))
    if answer.status == 2:
        assert answer.err.startswith(f"assay: {path}:3:") and text in answer.err
        assert len(answer.err.strip().splitlines()) == 1


def test_the_longest_time_of_a_table_is_one_that_a_synthetic_job_takes(tmp_path: Path) -> None:
    """A job of 68 years is started, waits, and ends when it is asked to."""
    assert job_table.load(table(tmp_path, 'time = "2147483647 s"'))["a"].time == "2147483647 s"
    made = job_programs.compiled().synthetic
    job = subprocess.Popen([made, "--wait", "2147483647.000000"], stderr=subprocess.PIPE, process_group=0)
    with pytest.raises(subprocess.TimeoutExpired):
        job.wait(0.3)
    os.killpg(job.pid, signal.SIGTERM)
    assert job.wait(10) != 0
