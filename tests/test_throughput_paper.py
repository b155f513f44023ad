"""The paper's activity graphs drawn again: what stands in them is what the verb simulates and the catalogue quotes."""

from __future__ import annotations

import re
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from assay.described.published_name import SHIPPED
from assay.machine import catalogue
from assay.throughput.activity_svg import LEFT, RIGHT, WIDTH
from assay.throughput.paper_figures import FIGURES, PaperFigure, paper_activity, paper_picture, printed
from test_throughput_verb import PRINTED, SGI, paper_makespan

SVG = "{http://www.w3.org/2000/svg}"
SHARE = 0.84  # docs/throughput.md: of the time until the last start, 16 of the Compaq's 18 processors are in use
KNOWN = {"6.2": PRINTED["compaq"], "6.4": PRINTED["ibm"], "6.7": SGI}  # by hand from sections 6.1.3, 6.2.4, 6.3.4


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.number)
def test_a_figure_is_the_verbs_simulation_beside_what_is_printed(figure: PaperFigure, tmp_path: Path) -> None:
    makespan, processors, absent = KNOWN[figure.number]
    assert (printed(figure), figure.processors, set(figure.absent)) == (makespan, processors, absent)
    activity = paper_activity(figure)
    simulated = max(job.ended or 0.0 for job in activity.jobs)
    assert simulated == paper_makespan(figure.table, processors, absent, tmp_path)
    assert len(activity.jobs) == 33 - len(absent)
    root = ET.fromstring(paper_picture(figure))
    (mark,) = [each for each in root.iter(f"{SVG}line") if each.get("class") == "mark"]
    end = max(simulated, makespan)
    at = LEFT + (WIDTH - LEFT - RIGHT) * makespan / end
    assert float(mark.get("x1")) == pytest.approx(at, abs=0.01)
    assert f"printed: {makespan:,.0f} s" in [each.text for each in root.iter(f"{SVG}text")]


def test_the_share_of_time_with_sixteen_processors_in_use() -> None:
    """Counted at every second from the jobs themselves."""
    jobs = paper_activity(FIGURES[0]).jobs
    last = int(max(job.started or 0.0 for job in jobs))
    full = 0
    for second in range(last):
        used = sum(job.processors for job in jobs if (job.started or 0.0) <= second < (job.ended or 0.0))
        full += used >= 16
        assert used >= 14 or used == 0
    assert full / last == pytest.approx(SHARE, abs=0.005)


@pytest.mark.parametrize("path", sorted((SHIPPED.parent / "jobs").glob("eurobench2000-*.toml")), ids=lambda p: p.stem)
def test_the_times_of_a_job_table_are_those_of_the_paper_s_table(path: Path) -> None:
    """One was taken from another number of processors, as if the paper printed none."""
    table = tomllib.loads(path.read_text())
    checked = 0
    for name, job in table.items():
        if not isinstance(job, dict) or not (of := re.match(r"Table [\d.]+\d", job.get("source", ""))):
            continue
        cpus = 6 if "of 6 processors" in job["source"] else int(job["processors"])
        cells = [
            cell.value
            for cell in catalogue.load().cells
            if cell.benchmark == f"user.{name.removesuffix('_run')}"
            and cell.source.startswith(of[0])
            and cell.params.get("cpus") == cpus
        ]
        assert float(job["time"].split()[0]) in cells, (name, job["time"], cells)
        checked += 1
    assert checked >= 4
