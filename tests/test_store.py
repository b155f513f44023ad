"""Nothing that was measured is lost: what programs wrote is read back whole, torn lines and all."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError, MeasurementError
from assay.samples import ENERGY, PROCESSOR_TIME, REMARKS, WAITED, Circumstance, folded, unfolded
from assay.store import TABLES, Run, connect, known_runs, storage_failed
from assay.stored.launch_file import content
from assay.stored.tables import unreadable, write

ABOUT = Circumstance("r", "echo", "messages", "here", 0, 2, 1, "p")
numbers = st.floats(1e-9, 1e3, allow_nan=False)


def block(values: list[float], first: float | None = None) -> dict[str, object]:
    return {
        "event": "block",
        "case": {"bytes": 8},
        "metric": "t",
        "block": 0,
        "batch": 4,
        "values": values,
        "first": first,
        "t0": 1.0,
        "t1": 2.0,
        "ended": "slice spent",
        "accounting": {"steal": 0.5},
    }


def launch(host: str = "n1") -> dict[str, object]:
    return {"event": "launch", "seed": 7, "ranks": 1, "placement": [{"rank": 0, "host": host}], "t": 1.0}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return Run.create(tmp_path / "run", {"machine": "here"})


def begin(run: Run, lines: str, file: str = "000-echo.jsonl") -> None:
    run.journal({"event": "begun", "task": "000-echo", "file": file, "about": asdict(ABOUT)})
    (run.folder / "launches" / file).write_text(lines)


@given(st.lists(numbers, max_size=20), st.none() | numbers)
def test_a_block_unfolds_into_its_values_in_order(values: list[float], first: float | None) -> None:
    made = list(unfolded(folded([launch(), block(values, first)], ABOUT), ABOUT))
    samples = [row for row in made if type(row).__name__ == "Sample"]
    assert [s.value for s in samples if not s.first] == values
    assert [s.value for s in samples if s.first] == ([] if first is None else [first])
    assert all(s.batch == 4 and s.launch == 2 and s.seed == 7 and s.host == "n1" for s in samples if not s.first)


@settings(max_examples=30)
@given(cut=st.integers(0, 700))
def test_a_file_cut_anywhere_keeps_every_finished_line(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = "".join(json.dumps(block([float(i)])) + "\n" for i in range(3)).encode()
    path = tmp_path_factory.mktemp("cut") / "lines.jsonl"
    path.write_bytes(whole[:cut])
    read = content(path, ABOUT)
    assert (read.blocks, read.usable) == (whole[:cut].count(b"\n"),) * 2


def test_a_case_that_is_no_object_is_said_in_words() -> None:
    said: list[str] = []
    wrong = {**block([1e-6], 1e-6), "case": [8]}
    list(folded([launch(), wrong], ABOUT, complain=lambda place, text: said.append(text)))
    assert said == ["event 'block': case: got '[8]', expected an object"]


def test_lines_of_a_running_run_and_parquet_of_an_ended_one_give_the_same_rows(run: Run) -> None:
    begin(run, "".join(json.dumps(e) + "\n" for e in (launch(), block([1.0, 2.0], 9.0), {"event": "done"})))
    question = "SELECT metric, value, first, launch FROM samples ORDER BY value"
    before = run.connect().execute(question).fetchall()
    run.finish("done")
    assert (run.folder / "samples.parquet").exists()
    assert run.connect().execute(question).fetchall() == before
    assert before == [("t", 1.0, False, 2), ("t", 2.0, False, 2), ("t", 9.0, True, 2)]
    assert run.connect().execute("SELECT complete FROM launches").fetchall() == [(True,)]


@pytest.mark.parametrize("joules", [{}, {"energy_package": 2.5, "energy_source": "powercap"}])
@pytest.mark.parametrize("waited", [{}, {"waited": 0.25}])
@pytest.mark.parametrize("spent", [{}, {"user": 1.5, "system": 0.25}])
@pytest.mark.parametrize("said", [[], [{"event": "skip", "text": "too long", "case": {"bytes": 8}}]])
def test_the_tables_hold_every_column_of_every_row(
    run: Run,
    joules: dict[str, object],
    waited: dict[str, object],
    spent: dict[str, object],
    said: list[dict[str, object]],
) -> None:
    """Those of energy, waiting, processor time and remarks only where there are any."""
    blocks = [block([1.0, 2.0], 9.0), block([]), block([3.0]) | {"cache": "flushed", "order": 4, "block": 1}]
    blocks[0]["accounting"] = blocks[0]["accounting"] | joules | waited
    begin(run, "".join(json.dumps(e) + "\n" for e in (launch(), *blocks, *said, {"event": "done"} | spent)))
    left_out = {*(() if joules else ENERGY), *(() if waited else WAITED)}
    left_out |= {*(() if spent else PROCESSOR_TIME), *(() if said else REMARKS)}
    tables = run.tables()
    for name, kind in TABLES.items():
        rows = [asdict(row) for row in run.rows() if isinstance(row, kind)]
        wanted = [{key: of[key] for key in of if key not in left_out} for of in rows]
        wanted = [of | ({"case": of["case"].text} if "case" in of else {}) for of in wanted]
        assert tables[name].to_pylist() == wanted
    assert tables["samples"].num_rows == 4
    write(run.folder, tables)
    assert unreadable(run.folder) is None


def test_a_launch_that_was_cut_short_is_kept_and_says_so(run: Run) -> None:
    begin(run, json.dumps(launch()) + "\n" + json.dumps(block([1.0])) + "\n" + '{"event":"blo')
    assert run.connect().execute("SELECT count(*) FROM samples").fetchone() == (1,)
    assert run.connect().execute("SELECT complete FROM launches").fetchall() == [(False,)]


def test_a_launch_that_was_done_again_counts_once_and_keeps_its_samples(run: Run) -> None:
    lines = "".join(json.dumps(e) + "\n" for e in (launch(), block([1.0]), {"event": "done"}))
    begin(run, lines)  # killed after its program was done, before that was written down
    run.journal({"event": "begun", "task": "000-echo", "file": "000-echo-2.jsonl", "about": asdict(ABOUT)})
    (run.folder / "launches" / "000-echo-2.jsonl").write_text(lines)
    assert run.connect().execute("SELECT count(*) FROM samples").fetchone() == (2,)
    assert run.connect().execute("SELECT complete FROM launches ORDER BY 1").fetchall() == [(False,), (True,)]


def test_files_of_several_nodes_belong_to_one_launch(run: Run) -> None:
    begin(run, "")
    for node in ("n1", "n2"):
        lines = "".join(json.dumps(e) + "\n" for e in (launch(node), block([1.0]), {"event": "done"}))
        (run.folder / "launches" / f"000-echo@{node}.jsonl").write_text(lines)
    assert run.connect().execute("SELECT host FROM samples ORDER BY 1").fetchall() == [("n1",), ("n2",)]


def test_several_runs_are_asked_as_one_whether_they_have_ended_or_not(run: Run, tmp_path: Path) -> None:
    begin(run, json.dumps(launch()) + "\n" + json.dumps(block([1.0])) + "\n")
    other = Run.create(tmp_path / "other", {})
    begin(other, json.dumps(launch()) + "\n" + json.dumps(block([2.0, 3.0])) + "\n")
    other.finish("done")
    assert connect([run, other]).execute("SELECT sum(value) FROM samples").fetchone() == (6.0,)
    assert connect([]).execute("SELECT count(*) FROM samples").fetchone() == (0,)


def test_runs_open_by_folder_and_by_id_and_say_what_is_accepted(run: Run) -> None:
    assert Run.open(run.folder).about["id"] == Run.open(run.about["id"]).about["id"]
    assert [r.folder for r in known_runs()] == [run.folder]
    with pytest.raises(InputError, match=r"no such run.*nowhere.*expected"):
        Run.open("nowhere")
    with pytest.raises(InputError, match="holds a run already"):
        Run.create(run.folder, {})


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Run.create(tmp_path / "file" / "run", {})


def test_a_full_disk_says_that_what_was_finished_is_kept() -> None:
    with pytest.raises(
        MeasurementError, match=r"^run/log: the disk is full; finished launches are stored: .*--resume run` resumes$"
    ):
        storage_failed(OSError(28, "No space left on device"), Path("run/log"), Path("run"))


def test_a_full_disk_under_another_file_speaks_of_no_run() -> None:
    with pytest.raises(InputError, match="the disk is full") as caught:
        storage_failed(OSError(28, "No space left on device"), Path("samples.csv"))
    assert "resume" not in str(caught.value)


def test_a_full_disk_under_the_journal_is_that_error(run: Run) -> None:
    (run.folder / "journal.jsonl").symlink_to("/dev/full")
    with pytest.raises(MeasurementError, match="disk is full"):
        run.journal({"event": "begun"})


def test_provenance_is_kept_once_by_its_digest(run: Run) -> None:
    key = run.keep_provenance({"load": [0.5]})
    assert run.keep_provenance({"load": [0.5]}) == key != run.keep_provenance({"load": [0.6]})
    assert run.provenance()[key] == {"load": [0.5]}
