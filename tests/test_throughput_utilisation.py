"""More processor time than there was is refused: on one host exactly, else beyond what clocks of hosts differ by."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.throughput.batch_system import ENDED, Accounted, SystemFacts
from assay.throughput.experiment import Followed, FollowedJob
from assay.throughput.job_record import JobRecord
from assay.throughput.live_jobs import LiveJob
from assay.throughput.live_results import CLOCKS_DIFFER, LiveThroughput, live_result
from assay.throughput.submission_log import LoggedJob

BEGUN = 1e9


def ran(number: int, processors: int, started: float, ended: float) -> FollowedJob:
    job = LiveJob(id=f"{number:04d}-a.{number}", number=number, name=f"a.{number}", due=0.0, processors=processors,
                  per_node=None, expected=0.5, requested=100.0, limit=200.0, user="", priority=0.0)  # fmt: skip
    record = JobRecord(starts=1, started=BEGUN + started, ended=BEGUN + ended, host="n1", status=0, signal=0)
    logged = LoggedJob(began=BEGUN, submitted=BEGUN, batch_ids=(str(number),))
    known = Accounted(batch_id=str(number), stage=ENDED, word="C", well=True, cancelled=False)
    return FollowedJob(job=job, logged=logged, accounted=known, record=record)


def result(system: str, processors: int, jobs: list[FollowedJob], folder: Path) -> LiveThroughput:
    facts = SystemFacts(name=system, version="1", policy="none", processors=processors, nodes=("n1",), queues=())
    followed = Followed(
        jobs=tuple(jobs), begun=BEGUN, resumed=(), cancelled=False, submissions=(), decisions=None,
        time_limits={each.job.id: 100.0 for each in jobs}, folder=folder,
    )  # fmt: skip
    return live_result(followed, facts, "mix", 1.0, str(folder))


@given(st.integers(1, 4), st.integers(1_000, 50_000), st.integers(2, 3_000), st.booleans())
@settings(max_examples=30, deadline=None)
def test_a_utilisation_above_one_is_refused_by_the_clocks_that_it_is_from(
    processors: int, length: int, more: int, local: bool
) -> None:
    """Jobs fill the machine from the first second to the last; another one runs beside them, so many ms."""
    seconds, beyond = length / 1000, min(more, length) / 1000
    full = [ran(number, 1, 0.0, seconds) for number in range(1, processors + 1)]
    system = "local" if local else "slurm"
    assert result(system, processors, full, Path("x")).utilisation == pytest.approx(1.0)
    allowed = 0.0 if local else processors * CLOCKS_DIFFER
    assume(abs(beyond - allowed) > 0.001)
    jobs = [*full, ran(processors + 1, 1, 0.0, beyond)]
    if beyond < allowed:
        assert result(system, processors, jobs, Path("x")).utilisation > 1
        return
    with pytest.raises(InputError, match="which is impossible"):
        result(system, processors, jobs, Path("x"))
