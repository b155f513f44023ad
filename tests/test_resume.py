"""A run that ended early and is resumed: nothing that was finished is lost, nothing of another machine is pooled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import MeasurementError
from assay.store import Run
from assay.stored import lines
from assay.stored.provenance import differences, keep
from assay.verbs import _measuring
from by_night import by_night
from command_line import assay
from described_echo import MACHINE
from unsealed import unsealed

pytestmark = pytest.mark.usefixtures("own_folder")


def finished_blocks(folder: Path) -> int:
    """Count what programs wrote to the end of a line, without Assay's own reader."""
    return sum(
        line.endswith(b"\n") and line.startswith(b'{"event":"block"')
        for path in (folder / "launches").glob("*.jsonl")
        for line in path.read_bytes().splitlines(keepends=True)
    )


def killed(echo_run: Path, folder: Path) -> Path:
    """Copy a run as a kill would have left it: it says that it runs, and has no tables."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(echo_run, folder)
    for path in folder.glob("*.parquet"):
        path.unlink()
    about = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**about, "state": "running"}))
    return folder


def stored(folder: Path, table: str) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return pq.read_table(folder / f"{table}.parquet").to_pylist()  # type: ignore[no-any-return]


# -- the journal ----------------------------------------------------------------------------------------------------


def test_a_line_appended_after_a_torn_one_is_read_wherever_it_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    whole = "".join(json.dumps({"event": "begun", "task": f"täsk {i}"}) + "\n" for i in range(3)).encode()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        lines.append(path, '{"event": "ended"}')
        read = [event for _, event in lines.numbered(path) if isinstance(event, dict)]
        kept = whole[:cut].count(b"\n")  # a line without its end was passed over before, and stays so
        assert read[-1] == {"event": "ended"} and len(read) == kept + 1, cut


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1))
def test_a_journal_cut_anywhere_and_resumed_loses_nothing_that_was_finished(
    share: float, echo_run: Path, tmp_path: Path
) -> None:
    folder = killed(echo_run, tmp_path / "run")
    before = finished_blocks(folder)
    journal = (folder / "journal.jsonl").read_bytes()
    (folder / "journal.jsonl").write_bytes(journal[: round(share * len(journal))])
    assert _measuring.resume(Run.open(folder)) == []
    assert finished_blocks(folder) >= before > 0
    assert len(stored(folder, "blocks")) == finished_blocks(folder)
    complete = [row["launch"] for row in stored(folder, "launches") if row["complete"]]
    assert sorted(complete) == [0, 1, 2]
    assert json.loads((folder / "run.json").read_text())["state"] == "done"


def test_a_file_that_no_task_explains_leaves_the_run_not_done(echo_run: Path, tmp_path: Path) -> None:
    folder = killed(echo_run, tmp_path / "run")
    shutil.copy(folder / "launches" / "000-echo.jsonl", folder / "launches" / "stray.jsonl")
    answer = assay("evaluate", "--resume", str(folder), "--json")
    assert answer.status == 1 and "stray.jsonl: the journal does not name this file" in answer.err
    assert "is not done" in answer.err and json.loads((folder / "run.json").read_text())["state"] == "failed"


@pytest.mark.parametrize("harm", ["cut", "missing", "a text for a number", "NaN"])
def test_a_damaged_launch_of_a_task_that_had_ended_is_reported_and_done_again(
    harm: str, echo_run: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(echo_run, folder)
    path = folder / "launches" / "001-echo.jsonl"
    text = path.read_text()
    if harm == "cut":
        path.write_text(text[: len(text) // 2])
    elif harm == "missing":
        path.unlink()
    else:
        wrong = '"values":["much"]' if harm == "a text for a number" else '"values":[NaN]'
        path.write_text(
            text[: text.index('"values":[')] + wrong + text[text.index("]", text.index('"values":[')) + 1 :]
        )
    told = assay("report", str(folder), "--json")
    assert told.status == 0 and "launches/001-echo.jsonl" in told.err and "Traceback" not in told.err
    assert any("001-echo.jsonl" in text for text in told.document["damage"])
    answer = assay("evaluate", "--resume", str(folder), "--json")
    assert answer.status == 0, answer.err
    assert "001-echo.jsonl" in answer.err
    assert (folder / "launches" / "001-echo-2.jsonl").exists()
    assert sorted(row["launch"] for row in stored(folder, "launches") if row["complete"]) == [0, 1, 2]
    assert (folder / "tables-1" / "samples.parquet").exists()  # may hold what the lines no longer do
    assert assay("report", str(folder), "--json").document["damage"] == []


# -- a full disk ----------------------------------------------------------------------------------------------------

_FULL = """
mount -t tmpfs -o size=$SIZE tmpfs "$DISK" || exit 77
"$PYTHON" -m assay run $WORDS --out "$DISK/run" --json >/dev/null 2>"$KEPT/full.txt"; echo "full $?"
cat "$DISK"/run/launches/*.jsonl >"$KEPT/before.jsonl"
mount -o remount,size=64m "$DISK"
"$PYTHON" -m assay evaluate --resume "$DISK/run" --json >/dev/null 2>"$KEPT/resumed.txt"; echo "resumed $?"
cp -r "$DISK/run" "$KEPT/run"
"""


ECHO = "echo --on constant.toml --set bytes=8,64 --launches 30"


@pytest.mark.parametrize(
    ("size", "words"),
    [  # of the first some fill in the middle of a line of the journal, as some pages of it are full before others
        *by_night([(f"{size}k", ECHO) for size in (40, 44, 56, 68, 72)], [("56k", ECHO)]),
        pytest.param("96k", "sieve --launches 20", marks=pytest.mark.nightly),
    ],
)
def test_a_run_on_a_disk_that_fills_and_is_enlarged_has_every_finished_block_in_its_tables(
    size: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "constant.toml").write_text(MACHINE)
    for name in ("disk", "kept"):
        (tmp_path / name).mkdir()
    if "sieve" in words:
        assert assay("run", "sieve", "--launches", "1", "--out", str(tmp_path / "warm")).status in (0, 1)  # compiled
    places = {"DISK": str(tmp_path / "disk"), "KEPT": str(tmp_path / "kept"), "PYTHON": sys.executable}
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", _FULL],
        env={**os.environ, **places, "SIZE": size, "WORDS": words},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("needs user namespaces: unshare -rm")
    kept = tmp_path / "kept"
    assert "full 1" in done.stdout, done.stderr + (kept / "full.txt").read_text()
    assert "disk is full" in (kept / "full.txt").read_text() and "Traceback" not in (kept / "full.txt").read_text()
    resumed = (kept / "resumed.txt").read_text()
    assert "Traceback" not in resumed
    folder = kept / "run"
    about = json.loads((folder / "run.json").read_text())
    assert about["state"] == "done", resumed
    before = (kept / "before.jsonl").read_bytes().count(b'{"event":"block"')
    assert len(stored(folder, "blocks")) == finished_blocks(folder) >= before - 1 > 0  # one may have been torn
    launches = {row["launch"] for row in stored(folder, "launches") if row["complete"]}
    assert launches == set(range(len(about["plan"]["tasks"])))


def test_a_disk_that_fills_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    """A file's size limit cuts a write in the middle, as a full disk does."""
    path = tmp_path / "journal.jsonl"
    script = (
        "import resource, sys; from pathlib import Path; from assay.stored import lines\n"
        "path = Path(sys.argv[1]); lines.append(path, 'a' * 60)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try: lines.append(path, 'b' * 60)\n"
        "except OSError: print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "refused\n", done.stderr
    assert path.read_text() == "a" * 60 + "\n"


# -- another machine ------------------------------------------------------------------------------------------------


def altered(folder: Path, **changes: Any) -> None:
    """Have the run been measured under other circumstances than it was: its journal names them by their digest."""
    unsealed(folder)
    journal = folder / "journal.jsonl"
    for path in list((folder / "provenance").glob("*.json")):
        document = json.loads(path.read_text())
        for key, value in changes.items():
            inner = document
            *way, last = key.split("__")
            for step in way:
                inner = inner[step]
            inner[last] = value
        path.unlink()
        key, _ = keep(path.parent, document)
        journal.write_text(journal.read_text().replace(path.stem, key))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"description__messages__startup": 1e-6}, "description.messages.startup was 1e-06 and is 7e-05"),
        ({"assay": "0.0.1"}, "assay was 0.0.1 and is"),
    ],
)
def test_a_run_of_another_described_machine_is_not_resumed(
    changes: dict[str, Any], said: str, echo_run: Path, tmp_path: Path
) -> None:
    folder = killed(echo_run, tmp_path / "run")
    altered(folder, **changes)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    answer = assay("evaluate", "--resume", str(folder))
    assert answer.status == 2 and said in answer.err and "expected what it was begun with" in answer.err
    assert len(answer.err.strip().splitlines()) == 1
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert {**before, folder / "lock": b""} == after  # nothing of it was touched


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"host": "elsewhere"}, "host was elsewhere and is "),
        ({"cpu": "Other CPU"}, "cpu was Other CPU and is "),
        ({"cpu_quota": 0.5}, "cpu_quota was 0.5 and is "),
        ({"programs__sieve__flags": "-O0"}, "programs.sieve.flags was -O0 and is "),
        ({"programs__sieve__compiler": "clang++ 1"}, "programs.sieve.compiler was clang++ 1 and is "),
        ({"load": [99.0, 99.0, 99.0], "time": "earlier", "frequency": 1.0, "python": "3.1"}, None),
    ],
)
def test_a_measured_run_is_resumed_only_on_the_machine_that_began_it(
    changes: dict[str, Any], said: str | None, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    assert assay("run", "sieve", "--launches", "1", "--out", str(folder), "--set", "size=100").status in (0, 1)
    journal = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    begun = [line for line in journal if '"ended"' not in line]
    (folder / "journal.jsonl").write_text("".join(begun))  # the launch had not ended
    altered(folder, **changes)
    answer = assay("evaluate", "--resume", str(folder))
    if said is None:
        assert "other circumstances" not in answer.err and answer.status in (0, 1)
        assert len(Run.open(folder).entries()) > len(begun)
    else:
        assert answer.status == 2 and said in answer.err, answer.err
        assert len(Run.open(folder).entries()) == len(begun)


def test_another_mpi_is_another_machine_and_none_needed_is_not() -> None:
    openmpi = {
        "mpi": {"implementation": "Open MPI", "version": "4.1.4"},
        "launchers": {"mpiexec": {"version": "4.1.4"}},
    }
    mpich = {"mpi": {"implementation": "MPICH", "version": "4.0.2"}, "launchers": {"mpiexec": {"version": "4.0.2"}}}
    found = {each.key for each in differences([openmpi], mpich)}
    assert found == {"mpi.implementation", "mpi.version", "launchers.mpiexec.version"}
    assert differences([openmpi], {"mpi": None, "launchers": {"local": {"version": None}}}) == []
    assert differences([openmpi, mpich], mpich) == []


def test_behind_a_launcher_to_other_nodes_the_submitting_host_may_be_another() -> None:
    a = {"via": "slurm", "host": "login1", "launchers": {"slurm": {"version": "23", "allocation": "7"}}}
    b = {"via": "slurm", "host": "login2", "launchers": {"slurm": {"version": "23", "allocation": "8"}}}
    assert differences([a], b) == []
    assert [each.key for each in differences([a | {"via": "mpiexec"}], b | {"via": "mpiexec"})] == ["host"]


def test_launches_of_two_machines_in_one_run_are_no_clean_figure(echo_run: Path, tmp_path: Path) -> None:
    """As an earlier version left them, which resumed anywhere."""
    folder = tmp_path / "run"
    shutil.copytree(echo_run, folder)
    unsealed(folder)
    (first,) = (folder / "provenance").glob("*.json")
    other = json.loads(first.read_text())
    other["description"]["messages"]["startup"] = 1e-6
    (folder / "provenance" / "other.json").write_text(json.dumps(other))
    journal = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    changed = [line.replace(first.stem, "other") if "001-echo" in line else line for line in journal]
    before = assay("report", str(folder), "--json").document
    (folder / "journal.jsonl").write_text("".join(changed))
    after = assay("report", str(folder), "--json").document
    said = "one figure combines launches made under different circumstances: description.messages.startup was"
    assert before["state"] == "clean" and not before["warnings"]
    assert after["state"] == "disturbed" and any(said in text for text in after["warnings"])


@pytest.mark.parametrize("key", ["compiler", "flags", "library"])
def test_launches_of_two_compilers_or_libraries_are_no_clean_figure(key: str, echo_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(echo_run, folder)
    path = folder / "launches" / "001-echo.jsonl"
    events = path.read_text().splitlines(keepends=True)
    events[0] = json.dumps(json.loads(events[0]) | {key: "another"}) + "\n"
    path.write_text("".join(events))
    document = assay("report", str(folder), "--json").document
    assert document["state"] == "disturbed" and any(f"{key} was " in text for text in document["warnings"])


# -- circumstances --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_unreadable_circumstances_are_reported_and_made_again(content: bytes, echo_run: Path, tmp_path: Path) -> None:
    folder = killed(echo_run, tmp_path / "run")
    (path,) = (folder / "provenance").glob("*.json")
    whole = path.read_bytes()
    path.write_bytes(content)
    told = assay("report", str(folder), "--json")
    assert told.status == 0 and f"provenance/{path.name}" in told.err, told.err
    assert told.document["provenance"] == {} and told.document["benchmarks"]
    (folder / "launches" / "001-echo.jsonl").unlink()  # something to do
    answer = assay("evaluate", "--resume", str(folder), "--json")
    assert answer.status == 0 and f"provenance/{path.name}" in answer.err and "made again" in answer.err
    assert path.read_bytes() == whole
    assert list(answer.document["provenance"]) == [path.stem]


def test_circumstances_come_to_their_place_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.create(tmp_path / "run", {})

    def broken(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(MeasurementError, match="disk is full"):
        run.keep_provenance({"host": "n1"})
    assert list((run.folder / "provenance").iterdir()) == []


# -- folders that cannot be written ---------------------------------------------------------------------------------


def test_a_read_only_folder_is_not_resumed_and_says_so(echo_run: Path, tmp_path: Path) -> None:
    folder = killed(echo_run, tmp_path / "run")
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 77; "$2" -m assay evaluate --resume "$1"'
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", script, "bash", str(folder), sys.executable],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("needs user namespaces: unshare -rm")
    assert done.returncode == 2 and "cannot be written (Read-only file system)" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--on", "ipsc860"),
        ("--via", "mpiexec"),
        ("-N", "2"),
        ("--ppn", "2"),
        ("--profile", "quick"),
        ("--only", "memory"),
        ("--flags", "-O2"),
        ("--launches", "20"),
        ("--within", "1%"),
        ("--budget", "1min"),
        ("--seed", "1"),
        ("--out", "elsewhere"),
        ("--docs", "pages"),
        ("--beside", "other"),
    ],
)
def test_a_run_is_resumed_as_it_was_planned_and_other_wishes_are_refused(
    echo_run: Path, words: tuple[str, str]
) -> None:
    answer = assay("evaluate", "--resume", str(echo_run), *words)
    assert answer.status == 2 and answer.out == ""
    assert f"{words[0]}: has no effect with --resume; got '{words[1]}'" in answer.err
