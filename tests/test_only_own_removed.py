"""Whatever is refused, and however: a person's files are there afterwards as they were, and nothing new."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.execute import process_tree
from assay.store import Run
from assay.stored import lines, tables
from assay.stored.made_folder import MadeFolder
from command_line import assay

pytestmark = pytest.mark.usefixtures("own_folder")

# Every name that a run, a throughput test, or a file that is written whole uses in a folder.
NAMES = (
    *("run.json", "journal.jsonl", "lock", "report.html", "report.md", "summary.md", "summary.json"),
    *("launches/mine.jsonl", "launches/000-fft.jsonl", "launches/000-echo.jsonl", "log/mine", "log/000-fft.txt"),
    *("provenance/0123456789abcdef.json", "tables-1/samples.parquet", "samples.parquet", "blocks.parquet"),
    *("run.json.new", "samples.parquet.new", "plan.json", "plan.new", "log.jsonl", "submitting"),
    *("alone/fft/plan.json", "jobs/1/record.jsonl", "jobs/1/job.sh", "mine"),
)
REFUSALS = {
    "program": ("run", "fft", "--set", "size=1000", "--out"),
    "simulation": ("run", "echo", "--on", "ipsc860", "-n", "3", "--set", "bytes=-1", "--out"),
    "parameter": ("run", "fft", "--set", "nosuch=1", "--out"),
    "benchmark": ("run", "nosuch", "--out"),
    "part": ("evaluate", "--only", "nosuch", "--out"),
    "machine": ("evaluate", "--on", "nosuch", "--out"),
    "policy": ("throughput", "eurobench2000", "--via", "local", "--policy", "nosuch", "--out"),
    "nothing to resume": ("throughput", "eurobench2000", "--via", "local", "--slots", "64", "--only-resume", "--out"),
}


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder, with the content of files."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(how=st.sampled_from(sorted(REFUSALS)), names=st.sets(st.sampled_from(NAMES)), below=st.booleans())
def test_a_refused_command_leaves_a_folder_as_it_was(how: str, names: set[str], below: bool, tmp_path: Path) -> None:
    """`names` lie in the folder that is given; where `below`, in the one above it, and it is not there itself."""
    work = Path(tempfile.mkdtemp(dir=tmp_path))
    planted = work / "out"
    for name in names:
        (planted / name).parent.mkdir(parents=True, exist_ok=True)
        (planted / name).write_text(name)
    before = tree(work)
    answer = assay(*REFUSALS[how], str(planted / "new" / "run" if below else planted))
    assert answer.status == 2, answer.err
    assert tree(work) == before
    shutil.rmtree(work)


def test_an_empty_folder_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert assay(*REFUSALS["program"], str(tmp_path / "out")).status == 2
    assert tree(tmp_path / "out") == {} and (tmp_path / "out").is_dir()


def test_a_file_put_into_a_run_meanwhile_stays_and_only_it(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "made" / "run", {"machine": "here"})
    run.keep_provenance({"host": "n1"})
    run.finish("failed")
    (run.folder / "log" / "mine").write_text("x")
    run.discard()
    assert tree(tmp_path / "made") == {"run": None, "run/log": None, "run/log/mine": b"x"}


def test_a_folder_that_took_the_place_of_a_run_is_not_touched(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"machine": "here"})
    run.folder.rename(tmp_path / "moved")
    for inner in ("log", "launches"):
        (run.folder / inner).mkdir(parents=True)
    (run.folder / "run.json").write_text("mine")
    before = tree(run.folder)
    run.discard()
    assert tree(run.folder) == before


def test_an_inner_folder_replaced_by_a_link_is_not_followed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", {"machine": "here"})
    key = run.keep_provenance({"host": "n1"})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / f"{key}.json").write_text("mine")
    (run.folder / "provenance").rename(tmp_path / "elsewhere")
    (run.folder / "provenance").symlink_to(tmp_path / "mine")
    run.discard()
    assert tree(tmp_path / "mine") == {f"{key}.json": b"mine"}


def test_a_run_that_was_opened_is_never_discarded(tmp_path: Path) -> None:
    made = Run.create(tmp_path / "run", {"machine": "here"})
    made.finish("interrupted")
    before = tree(tmp_path / "run")
    Run.open(tmp_path / "run").discard()
    assert tree(tmp_path / "run") == before


def test_of_two_that_make_one_folder_at_once_the_loser_takes_nothing_away(tmp_path: Path) -> None:
    first = MadeFolder(tmp_path / "out", ("launches",))
    with pytest.raises(InputError, match="not empty"):
        MadeFolder(tmp_path / "out", ("launches",))
    assert tree(tmp_path / "out") == {"launches": None}
    first.remove()
    assert not (tmp_path / "out").exists()


def test_what_is_written_whole_uses_no_name_that_a_person_may_have(tmp_path: Path) -> None:
    for name in ("page.html", "samples.parquet"):
        (tmp_path / f"{name}.new").write_text("mine")
        (tmp_path / f".{name}.new").write_text("mine")
    lines.write_whole(tmp_path / "page.html", "page")
    tables.write(tmp_path, {"samples": tables.schema(tables.TABLES["samples"]).empty_table()})
    assert {name for name, content in tree(tmp_path).items() if content != b"mine"} == {"page.html", "samples.parquet"}


def test_a_supervisor_removes_no_folder_that_was_there_before(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").write_text("x")
    ended = process_tree.run([process_tree.Command(("true",))], scratch=[tmp_path / "ours", tmp_path / "theirs"])
    assert ended.missing == "File exists"
    assert tree(tmp_path) == {"theirs": None, "theirs/file": b"x"}
