"""Asking runs that are stored: any folder name is a name, SQL reaches no file, every stream may be what it is."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from assay import store
from assay.store import Run, connect, known_runs
from by_night import by_night
from command_line import assay
from unsealed import unsealed

pytestmark = pytest.mark.usefixtures("own_folder")


def run_named(echo_run: Path, folder: Path, identity: str, state: str = "done") -> Path:
    """Copy a run to a folder under an id of its own, which its rows say as well."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    shutil.copytree(echo_run, folder)
    journal = unsealed(folder) / "journal.jsonl"
    journal.write_text(journal.read_text().replace(json.loads((folder / "run.json").read_text())["id"], identity))
    about = json.loads((folder / "run.json").read_text()) | {"id": identity, "state": state}
    (folder / "run.json").write_text(json.dumps(about))
    for path in folder.glob("*.parquet"):
        table = pq.read_table(path)
        own = pa.array([identity] * table.num_rows, pa.string())
        pq.write_table(table.set_column(0, "run", own), path)
    return folder


# -- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["r[ab]", "run*", "r?n", "{ra,rb}", "it's", "a b", "**", "ümlaut", 'q"q', "%20", "$HOME"]
)
def test_a_folders_name_is_a_name_and_no_pattern(name: str, echo_run: Path, tmp_path: Path) -> None:
    for other in ("ra", "run1"):
        run_named(echo_run, tmp_path / other, other)
    folder = run_named(echo_run, tmp_path / name, "mine")
    asked = assay("query", "SELECT DISTINCT run FROM samples", "--run", str(folder), "--json")
    assert asked.status == 0 and asked.document["rows"] == [["mine"]], asked.err
    exported = assay("export", str(folder), "--json")
    assert {row["run"] for row in exported.document["rows"]} == {"mine"}


def test_a_run_named_twice_is_asked_once(echo_run: Path, tmp_path: Path) -> None:
    folder = run_named(echo_run, tmp_path / "one", "one")
    once, twice = (connect([Run.open(folder)] * times).execute("SELECT count(*) FROM samples") for times in (1, 2))
    assert once.fetchone() == twice.fetchone() != (0,)


def test_without_a_run_all_runs_in_whatever_folder_are_asked_and_help_says_so(
    echo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        store._remember(run_named(echo_run, tmp_path / name / "run", name))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    asked = assay("query", "SELECT DISTINCT run FROM samples ORDER BY run", "--json")
    assert asked.document["rows"] == [["one"], ["two"]]
    assert [each["id"] for each in assay("runs", "--json").document["runs"]] == ["one", "two"]
    for verb in ("query", "runs"):
        assert "all runs that you made and that are still there, in whatever folder" in " ".join(
            assay(verb, "--help").out.split()
        )


# -- SQL ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "COPY samples TO 'out.csv'",
        "COPY samples TO '/dev/stdout'",
        "EXPORT DATABASE 'out'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_parquet('one/samples.parquet')",
        "SELECT * FROM glob('/*')",
        "ATTACH 'out.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "RESET enable_external_access",
        "SET lock_configuration = false",
        "PRAGMA enable_profiling = 'json'",
    ],
)
def test_sql_reaches_no_file(sql: str, echo_run: Path, tmp_path: Path) -> None:
    folder = run_named(echo_run, tmp_path / "one", "one")
    before = sorted(tmp_path.rglob("*"))
    answer = assay("query", sql, "--run", str(folder))
    assert answer.status == 2 and answer.out == "" and len(answer.err.strip().splitlines()) == 1, answer
    assert sorted(tmp_path.rglob("*")) == before


def test_files_are_written_where_that_is_asked_for(echo_run: Path, tmp_path: Path) -> None:
    folder = run_named(echo_run, tmp_path / "one", "one")
    sql = "COPY (SELECT run, value FROM samples) TO 'out.csv'"
    refused = assay("query", sql, "--run", str(folder))
    assert refused.status == 2 and "--write" in refused.err and not Path("out.csv").exists()
    assert assay("query", sql, "--run", str(folder), "--write").status == 0
    assert Path("out.csv").read_text().startswith("run,value\none,")


@pytest.mark.parametrize("sql", ["", ";", " ", "/* nothing */", "SELECT", "\0", "SELECT 1; nonsense"])
def test_a_question_that_asks_nothing_is_one_line(sql: str) -> None:
    answer = assay("query", sql)
    assert answer.status == 2 and answer.out == "" and len(answer.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("", "is empty; got ''"),
        ("SELEC", "syntax error at or near"),
        ("SELECT valu FROM samples", 'Referenced column "valu" not found'),
        ("SELECT * FROM sample", "Table with name sample does not exist!"),
        ("SELECT 1; nonsense", "syntax error at or near"),
    ],
)
def test_what_is_misspelt_is_refused_before_any_run_is_opened(
    sql: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To open hundreds of runs takes many seconds."""

    def opened(*_: object) -> None:
        raise AssertionError("runs were opened")

    monkeypatch.setattr(store, "known_runs", opened)
    monkeypatch.setattr(Run, "load", opened)
    answer = assay("query", sql)
    assert (answer.status, answer.out) == (2, "") and said in answer.err, answer
    with pytest.raises(AssertionError, match="runs were opened"):  # by what is right
        assay("query", "SELECT 1")


@pytest.mark.parametrize(
    "sql",
    [
        "SUMMARIZE blocks",
        "DESCRIBE samples",
        "FROM launches",
        "TABLE checks",
        "EXPLAIN SELECT 1",
        "PIVOT blocks ON metric USING count(*)",
        "WITH x AS (SELECT 1 AS y) SELECT y FROM x",
        "CREATE TABLE t AS SELECT 1 AS x; SELECT x FROM t",
        "SELECT 1; SELECT 2",
        "SHOW TABLES",
        "SELECT energy_package FROM blocks",
    ],
)
def test_every_kind_of_statement_that_duckdb_answers_is_answered(sql: str, echo_run: Path) -> None:
    found = duckdb_answer(echo_run, sql)
    answer = assay("query", sql, "--run", str(echo_run), "--json")
    assert (answer.status == 0) == found, answer.err


def duckdb_answer(folder: Path, sql: str) -> bool:
    """Whether DuckDB itself answers, over the run's own tables."""
    connection = Run.open(folder).connect()
    try:
        return connection.execute(sql).description is not None
    except duckdb.Error:
        return False


def test_no_progress_bar_gets_among_the_rows() -> None:
    """DuckDB draws one on standard output after two seconds, also where that is a file."""
    assert assay("query", "SELECT current_setting('enable_progress_bar')", "--json").document["rows"] == [[False]]


def test_rows_that_do_not_fit_are_lists_with_every_value_whole(echo_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's example on 80 columns; a table that fits stays one, and no rows still name their columns."""
    monkeypatch.setenv("COLUMNS", "80")
    words = ("query", "SELECT * FROM blocks LIMIT 5", "--run", str(echo_run))
    document, shown = assay(*words, "--json").document, assay(*words).out
    assert "…" not in shown and max(map(len, shown.splitlines())) <= 80
    assert [line for line in shown.splitlines() if line.startswith("row ")] == [f"row {n} of 5" for n in range(1, 6)]
    whole = "".join(shown.split())
    for name, value in zip(document["columns"], document["rows"][0], strict=True):
        assert re.search(rf"^{name}\b", shown, re.MULTILINE)
        if isinstance(value, str):
            assert "".join(value.split()) in whole, name
    assert assay("query", "SELECT 1 AS one, 'x y' AS two", "--run", str(echo_run)).out.split() == [
        *("one", "two"),
        *("1", "x", "y"),
    ]
    none = assay("query", "SELECT * FROM blocks WHERE false", "--run", str(echo_run)).out
    assert "…" not in none and none.startswith("no rows; columns: run, ")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT '[/x]' AS \"[/y]\"",
        "SELECT map([[1]], [2])",
        "SELECT {'a': 'nan'::FLOAT}, ['inf'::DOUBLE]",
        "SELECT DATE '290000-01-01', TIMESTAMP 'infinity', INTERVAL 1 MONTH",
        "SELECT 'a\\x00b'::BLOB, 1::HUGEINT << 100, 1.5::DECIMAL",
    ],
)
def test_values_of_every_kind_are_printed_and_written(sql: str) -> None:
    assert assay("query", sql).status == 0
    json.dumps(assay("query", sql, "--json").document, allow_nan=False)


def test_a_statement_that_is_no_utf_8_is_refused_in_one_line(echo_run: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "query", b"select '\xff'", "--run", str(echo_run)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: SQL: is no UTF-8; got ") and len(done.stderr.splitlines()) == 1


def test_what_json_cannot_hold_is_a_text_and_null_is_null() -> None:
    sql = (
        "SELECT 1.0/0 a, -1.0/0 b, 'nan'::DOUBLE c, NULL d, 1.5 e, 'x\\x00\\xFF'::BLOB f, ['inf'::DOUBLE, NULL] g,"
        " {'k': 'z'::BLOB} h"
    )
    (row,) = assay("query", sql, "--json").document["rows"]
    assert row[:4] == ["inf", "-inf", "nan", None] and float(row[4]) == 1.5
    assert row[5:] == ["7800ff", ["inf", None], {"k": b"z".hex()}]
    assert "7800ff" in assay("query", sql).out and "7800ff" in assay("query", sql, "-q").out


# -- which runs there are -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120, 200])
def test_ids_and_folders_stand_whole_at_any_width_and_the_newest_can_be_asked_for(
    columns: int, echo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    folders = []
    for number, name in enumerate(("one", "a-folder-with-a-longer-name", "last")):
        folder = run_named(echo_run, tmp_path / name, f"2026010{number}-000000-abcdef")
        about = json.loads((folder / "run.json").read_text()) | {"created": 1767225600.0 + 86400 * number}
        (folder / "run.json").write_text(json.dumps(about))
        store._remember(folder)
        folders.append(folder)
    shown = assay("runs").out.splitlines()
    for number, folder in enumerate(folders):
        (place,) = (at for at, line in enumerate(shown) if line.split()[-1] == str(folder))
        own = shown[place] if f"2026010{number}-000000-abcdef" in shown[place] else shown[place - 1]
        assert own.split()[0] == f"2026010{number}-000000-abcdef" and "done" in own.split()
        assert f"2026-01-0{number + 1} 00:00" in own or columns < 200
        assert len(own) <= columns or own.split() == [own.split()[0], "done"]
    assert "made (UTC)" in shown[0] or columns < 200
    assert [line.split()[0] for line in assay("runs", "--last", "2").out.splitlines() if "2026010" in line] == [
        "20260101-000000-abcdef",
        "20260102-000000-abcdef",
    ]
    assert len(assay("runs", "--last", "2", "--json").document["runs"]) == 2
    assert assay("runs", "--last", "0").status == 2


def test_a_run_without_its_run_json_is_named_as_that(echo_run: Path, tmp_path: Path) -> None:
    folder = run_named(echo_run, tmp_path / "cut", "cut")
    (folder / "run.json").unlink()
    answer = assay("report", str(folder))
    assert answer.status == 2 and answer.err == f"assay: {folder}: has no run.json; expected a run's folder, whole\n"
    (tmp_path / "empty").mkdir()
    assert "no such run" in assay("report", str(tmp_path / "empty")).err


def test_a_killed_run_is_interrupted_and_one_that_is_written_runs(echo_run: Path) -> None:
    folder = run_named(echo_run, Path("runs") / "a", "20260101-000000-abcdef", state="running")
    assert [each["state"] for each in assay("runs", "--json").document["runs"]] == ["interrupted"]
    assert "interrupted" in assay("runs").out
    held = Run.open(folder)
    held.hold()
    assert [each["state"] for each in assay("runs", "--json").document["runs"]] == ["running"]


def test_a_list_that_is_piped_has_a_line_a_run_with_its_folder(
    echo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`assay runs | grep loaded-latency` found nothing: the name was broken after "loaded_latenc"."""
    monkeypatch.delenv("COLUMNS", raising=False)
    run_named(echo_run, Path("runs") / "a", "20260101-000000-abcdef")
    elsewhere = run_named(echo_run, tmp_path / ("deep" * 20) / "b", "20260101-000001-abcdef")
    about = json.loads((elsewhere / "run.json").read_text())
    about["wishes"]["names"] = [f"loaded_latency_of_a_long_name_{i}" for i in range(3)]
    (elsewhere / "run.json").write_text(json.dumps(about))
    (tmp_path / "state" / "assay").mkdir(parents=True, exist_ok=True)
    (tmp_path / "state" / "assay" / "runs").write_text(f"{elsewhere}\n")
    outside = tmp_path / "work"
    (outside / "runs").mkdir(parents=True)
    _, *rows = assay("runs").out.splitlines()
    far, near = sorted(rows)[::-1]  # by id
    assert len(rows) == 2 and near.rstrip().endswith(" runs/a")
    assert "loaded_latency_of_a_long_name_2" in far and far.rstrip().endswith(f" {'deep' * 20}/b")
    monkeypatch.chdir(outside)
    (row,) = assay("runs").out.splitlines()[1:]
    assert row.rstrip().endswith(f" {elsewhere}")


def test_ids_are_whole_at_80_columns(echo_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    identity, machine = "20260101-000000-abcdef", "a-node-with-a-very-long-name.of-a-cluster.example.org"
    folder = run_named(echo_run, Path("runs") / "a", identity)
    about = json.loads((folder / "run.json").read_text())
    request = about["wishes"] | {"names": [f"benchmark-{i}-with-a-long-name" for i in range(5)]}
    (folder / "run.json").write_text(json.dumps(about | {"machine": machine, "wishes": request}))
    monkeypatch.setenv("COLUMNS", "80")
    printed = assay("runs").out
    assert identity in printed and max(map(len, printed.splitlines())) <= 80


@pytest.mark.parametrize("content", [b"[]", b"{}", b"", b'{"id": 3}', b"\xff", b"{", b"[" * 100_000, b"null"])
def test_a_broken_neighbour_breaks_no_lookup(content: bytes, echo_run: Path) -> None:
    run_named(echo_run, Path("runs") / "good", "good-one")
    bad = run_named(echo_run, Path("runs") / "bad", "bad-one")
    (bad / "run.json").write_bytes(content)
    listed = assay("runs", "--json")
    assert [each["id"] for each in listed.document["runs"]] == ["good-one"]
    assert str(bad) in listed.err and "skipped" in listed.err
    assert assay("report", "good-one", "--json").document["run"] == "good-one"
    direct = assay("report", str(bad))
    assert direct.status == 2 and "run.json: cannot be read as a run" in direct.err
    assert len(direct.err.strip().splitlines()) == 1


def test_an_index_that_is_no_text_breaks_no_lookup(echo_run: Path, tmp_path: Path) -> None:
    run_named(echo_run, Path("runs") / "good", "good-one")
    index = tmp_path / "state" / "assay" / "runs"
    index.parent.mkdir(parents=True)
    index.write_bytes(b"\xff\xfe\n\0\n" + bytes(tmp_path / "runs" / "good") + b"\n")
    assert [each["id"] for each in assay("runs", "--json").document["runs"]] == ["good-one"]


# -- Parquet --------------------------------------------------------------------------------------------------------


def files_of(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    """Every file and folder below a folder, with the time of its last change and what it holds."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("harm", ["cut", "missing", "empty", "changed", "a folder"])
def test_tables_that_cannot_be_read_are_made_again_from_the_lines(harm: str, echo_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(echo_run, folder)
    whole = assay("export", str(folder)).out
    path = folder / "samples.parquet"
    bytes_ = path.read_bytes()
    path.unlink()
    if harm == "cut":
        path.write_bytes(bytes_[: len(bytes_) // 2])
    elif harm == "empty":
        path.touch()
    elif harm == "changed":
        path.write_bytes(bytes_[:40] + bytes(byte ^ 0x55 for byte in bytes_[40:60]) + bytes_[60:])
    elif harm == "a folder":
        path.mkdir()
    for words in (("report", "--json"), ("export",), ("compare",), ("query",)):
        again = tmp_path / f"{words[0]}"
        shutil.copytree(folder, again)
        asked = {"compare": (str(echo_run),), "query": ()}.get(words[0], ())
        verb = (
            ("query", "SELECT count(*) FROM samples", "--run", str(again))
            if words[0] == "query"
            else (words[0], str(again), *asked, *words[1:])
        )
        before = files_of(again)
        answer = assay(*verb)
        assert answer.status == 0 and "Traceback" not in answer.err
        assert words[0] == "report" or files_of(again) == before  # reading changes nothing; a report writes its page
        if words[0] in ("report", "compare"):  # which read the lines
            continue
        assert "samples.parquet" in answer.err and "made again" in answer.err, answer
        if words[0] == "export":
            assert answer.out == whole
        if harm != "a folder":
            assert assay("evaluate", "--resume", str(again), "--quiet").status == 0
            assert assay(*verb).err == ""  # it stands again


# -- streams --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    by_night(
        ["runs", "runs --json", "report RUN --json", "export RUN", "query 'SELECT 1'", "compare RUN RUN"],
        ["runs", "report RUN --json", "export RUN"],
    ),
)
def test_a_full_device_under_standard_output_is_one_line(words: str, echo_run: Path, tmp_path: Path) -> None:
    folder = run_named(echo_run, tmp_path / "runs" / "one", "one")
    command = f"'{sys.executable}' -m assay {words.replace('RUN', str(folder))} >/dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr == "assay: standard output: No space left on device\n"


@pytest.mark.parametrize("words", ["runs", "report RUN", "export RUN", "query 'SELECT 1'", "runs --json"])
def test_a_pipe_that_is_closed_is_no_failed_measurement(words: str, echo_run: Path, tmp_path: Path) -> None:
    """141 is what a shell gives of a program that SIGPIPE ended, such as `yes | true`."""
    folder = run_named(echo_run, tmp_path / "runs" / "one", "one")
    reading, writing = os.pipe()
    os.close(reading)  # before anything is written, however little that is
    command = [
        sys.executable,
        "-c",
        "from assay.cli import main; main()",
        *shlex.split(words.replace("RUN", str(folder))),
    ]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=120)
    os.close(writing)
    shell = subprocess.run(["bash", "-c", "yes | true; exit ${PIPESTATUS[0]}"], timeout=60)
    assert (done.returncode, done.stderr) == (shell.returncode, "") and shell.returncode == 141


@pytest.mark.parametrize("redirected", ["PYTHONIOENCODING=ascii", "PYTHONIOENCODING=latin-1", "LC_ALL=C", "CLOSED"])
def test_any_encoding_of_the_terminal_takes_a_report(redirected: str, echo_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ümlaut\udcff"
    shutil.copytree(echo_run, folder)
    closed = redirected == "CLOSED"
    command = ["bash", "-c", f"{'' if closed else redirected} exec '{sys.executable}' -m assay report \"$0\""]
    command[2] += " >&-" if closed else ""
    done = subprocess.run([*command, bytes(folder)], capture_output=True, timeout=120)
    assert done.returncode == (2 if closed else 0) and b"Traceback" not in done.stderr, done.stderr.decode(
        errors="replace"
    )
    assert closed or b"73.2" in done.stdout


@pytest.mark.parametrize("verb", ["report", "export"])
def test_a_disk_that_fills_leaves_each_file_as_it_was(verb: str, echo_run: Path, tmp_path: Path) -> None:
    """A limit on the length of a file fails in the middle of it as a full disk does."""
    folder = run_named(echo_run, tmp_path / "one", "one")
    place = tmp_path / ("page.html" if verb == "report" else "samples.csv")
    words = (verb, folder, "-o", place)
    place.write_text("earlier")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); "
    code = f"{limit}import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from assay.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 2 and f"{place}: cannot be written (File too large)" in done.stderr, done.stderr
    assert place.read_text() == "earlier" and not list(tmp_path.rglob("*.new"))


def test_what_is_no_file_of_its_own_is_written_in_place(echo_run: Path, tmp_path: Path) -> None:
    folder = run_named(echo_run, tmp_path / "one", "one")
    (tmp_path / "kept.csv").write_text("")
    (tmp_path / "link.csv").symlink_to("kept.csv")
    assert assay("export", str(folder), "-o", str(tmp_path / "link.csv")).status == 0
    whole = assay("export", str(folder)).out
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "kept.csv").read_bytes().decode() == whole
    piped = subprocess.run(
        [sys.executable, "-m", "assay", "export", str(folder), "-o", "/dev/stdout"], capture_output=True, timeout=120
    )
    assert piped.returncode == 0 and piped.stdout.decode().startswith(whole)


def test_an_index_whose_last_line_has_no_end_keeps_that_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    first = Run.create(tmp_path / "first", {"machine": "here"})
    index = tmp_path / "state" / "assay" / "runs"
    index.write_text(index.read_text().rstrip("\n"))
    second = Run.create(tmp_path / "second", {"machine": "here"})
    assert [run.about["id"] for run in known_runs()][-2:] == [first.about["id"], second.about["id"]]


def test_a_report_that_is_printed_needs_no_folder_that_can_be_written(echo_run: Path, tmp_path: Path) -> None:
    folders = [run_named(echo_run, tmp_path / "runs" / name, name) for name in ("one", "other")]
    for folder in folders:
        (folder / "report.html").mkdir()  # as good as a read-only folder, also for root
        (folder / "beside.html").mkdir()
    one, both = [str(folders[0])], list(map(str, folders))
    for runs, said in ((one, 1), (both, 3)):
        for way in ("--markdown", "--json"):
            answer = assay("report", *runs, way)
            assert answer.status == 0 and len(answer.out) > 100
            warned = answer.err.splitlines()
            assert len(warned) == said
            assert all("cannot be written (Is a directory): printed only; `-o FILE` writes" in line for line in warned)
        elsewhere = tmp_path / f"{said}.html"
        assert assay("report", one[0], "--out", str(elsewhere)).status == 0 and elsewhere.is_file()
        refused = assay("report", *runs)  # the page is what was asked for
        assert refused.status == 2 and refused.out == "" and "report.html: cannot be written" in refused.err
