"""The Standard Workload Format as others write it: parts of jobs, large numbers, other names, damaged files; and, by
night, every public workload at hand against the policies' twins.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.throughput import simulated, swf
from assay.throughput.workload import Workload
from batch_twin import POLICIES, Twin, TwinJob
from command_line import assay

PUBLIC = Path(os.environ.get("ASSAY_PUBLIC_DATA", "/nonexistent")) / "swf"
FILES = sorted(path for path in PUBLIC.rglob("*") if swf.is_workload(path))
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
TWIN_JOBS = 60  # of a public workload: the twin goes second by second


def line(number: int, status: int, submit: int = 0, run: int = 10, wide: int = 1, more: str = "-1") -> str:
    return f"{number} {submit} -1 {run} {wide} {more} -1 {wide} 20 {more} {status} 7 -1 -1 -1 -1 -1 -1\n"


def columns(found: Workload) -> list[tuple[int, int, int, int]]:
    return [
        (int(number), int(submit), int(run), int(wide))
        for number, submit, run, wide in zip(found.number, found.submitted, found.runs, found.processors, strict=True)
    ]


def test_parts_of_a_checkpointed_job_are_no_further_jobs(tmp_path: Path) -> None:
    """Job 2 has a line of its own, and three of its parts; job 3 has parts only: 4 + 5 s make one job of 9 s."""
    path = tmp_path / "jobs.swf"
    path.write_text(
        line(1, 1) + line(2, 1, 5, 12) + line(2, 2, 5, 4) + line(2, 2, 9, 4) + line(2, 3, 14, 4)
        + line(3, 2, 6, 4) + line(3, 4, 30, 5)
    )  # fmt: skip
    found = swf.read(path)
    assert columns(found) == [(1, 0, 10, 1), (2, 5, 12, 1), (3, 6, 9, 1)]
    assert found.status is not None and found.status.tolist() == [1, 1, 0]
    assert found.ignored == {"a part of a job that has a line of its own (status 2, 3, 4)": 3}
    assert found.changed == {"one job made of its parts (status 2, 3, 4)": 1}


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from([-1, 0, 1, 5]), st.lists(st.integers(1, 4), max_size=3))))
def test_work_is_that_of_whole_jobs(tmp_path_factory: pytest.TempPathFactory, jobs: list[tuple]) -> None:
    """However a job is divided, and whether the file has a line for all of it: it is there once, with all its work."""
    path = tmp_path_factory.mktemp("swf") / "jobs.swf"
    text, expected = line(99, 1, run=1), {99: 1}
    for number, (wide, status, parts) in enumerate(jobs):
        alone = number % 2 == 0 and bool(parts)
        if not alone:
            text += line(number, status, number, 3, wide)
        for at, run in enumerate(parts):
            text += line(number, 3 if at + 1 == len(parts) else 2, number, run, wide)
        expected[number] = (sum(parts) if alone else 3) * wide
    path.write_text(text)
    found = swf.read(path)
    assert {number: run * wide for number, _, run, wide in columns(found)} == expected


def test_fields_that_are_not_read_may_hold_any_number(tmp_path: Path) -> None:
    path = tmp_path / "jobs.swf"
    path.write_text(line(3_000_000_000, 1, more="9e18") + line(2, 1, more=str(2**70)))
    assert sorted(columns(swf.read(path))) == [(2, 0, 10, 1), (3_000_000_000, 0, 10, 1)]
    wrong = {"field 6: is no number": line(1, 1, more="inf"), "field 2: is too large": line(1, 1, 2**31)}
    for words, text in wrong.items():
        path.write_text(text)
        with pytest.raises(InputError, match=words):
            swf.read(path)


def test_other_names_and_a_byte_order_mark(tmp_path: Path) -> None:
    """Compressed in each way that is read, names in capitals, a mark at the beginning: always the same two jobs."""
    data = ("\N{BYTE ORDER MARK}; MaxProcs: 3\r\n" + line(1, 1, wide=2) + line(2, 1, wide=4)).encode()
    forms = {
        "a.swf": data, "b.SWF": data, "c.swf.gz": gzip.compress(data), "d.swf.xz": lzma.compress(data),
        "e.swf.bz2": bz2.compress(data), "f.SWF.GZ": gzip.compress(data),
        "g.swf.zst": pyarrow.compress(data, codec="zstd", asbytes=True),
    }  # fmt: skip
    for name, content in forms.items():
        (tmp_path / name).write_bytes(content)
        assert swf.is_workload(tmp_path / name), name
        found = swf.read(tmp_path / name)
        assert columns(found) == [(1, 0, 10, 2), (2, 0, 10, 4)], name
        assert found.changed == {"more processors than the file's own MaxProcs (3), taken as they are": 1}
    assert not any(swf.is_workload(Path(name)) for name in ("swf", "a.gz", "a.swf.txt", "swf.gz"))
    for name, content in forms.items():
        if name.count(".") == 1:
            continue
        for damaged in (content[: len(content) // 2], content[:-9] + b"\0" * 9, data):
            (tmp_path / name).write_bytes(damaged)
            with pytest.raises(InputError, match="cannot be read"):
                swf.read(tmp_path / name)


def test_a_width_above_the_files_own_machine_is_said(tmp_path: Path) -> None:
    (tmp_path / "machine.toml").write_text("[machine]\nnodes = 8\n")
    (tmp_path / "jobs.swf").write_text("; MaxProcs: 2\n" + line(1, 1, wide=2) + line(2, 1, wide=4))
    answer = assay("throughput", str(tmp_path / "jobs.swf"), "--on", str(tmp_path / "machine.toml"))
    assert "  1 record: more processors than the file's own MaxProcs (2), taken as they are" in answer.out


@pytest.mark.nightly
@pytest.mark.skipif(not FILES, reason="no public workloads: ASSAY_PUBLIC_DATA names no folder with swf/")
@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_public_workloads_are_read_and_simulated(path: Path) -> None:
    """Each is read, or refused in one line; FCFS and EASY start all jobs as their twins do."""
    try:
        found = swf.read(path)
    except InputError as error:
        words = [each for row in path.read_text().splitlines() for each in row.partition(";")[0].split()]
        assert not all(map(NUMBER.fullmatch, words)) if words else "holds no job" in str(error)
        assert str(path) in str(error) and "\n" not in str(error)
        return
    processors = int(found.processors.max())
    for policy in ("fcfs", "easy"):
        whole = simulated.schedule(found, processors, policy)
        ends = np.sort(whole.ended)
        assert len(ends) == len(found) and (whole.started >= found.submitted).all()
    few = found.only(np.arange(len(found)) < TWIN_JOBS)
    width = int(few.processors.max())
    scale = max(1, int(few.runs.max()) // 500)  # the twin counts seconds: fewer of them, in the same proportions
    jobs = [
        TwinJob(at, int(few.submitted[at]) // scale, int(few.runs[at]) // scale,
                max(1, -(-int(few.requested[at]) // scale)), int(few.processors[at]))
        for at in range(len(few))
    ]  # fmt: skip
    gap = max((job.submitted for job in jobs), default=0)
    if gap > 100_000:
        pytest.skip("a twin second by second would take too long")
    for policy in ("fcfs", "easy"):
        twin = Twin(width, [TwinJob(**{**vars(job), "started": None}) for job in jobs])
        small = Workload(
            number=few.number,
            submitted=np.array([job.submitted for job in jobs]),
            runs=np.array([job.runs for job in jobs]),
            requested=np.array([job.requested for job in jobs]),
            processors=few.processors,
            user=few.user,
            priority=few.priority,
        )
        assert twin.run(POLICIES[policy]()) == simulated.schedule(small, width, policy).started.tolist(), policy
