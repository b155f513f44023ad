"""Run directories: append-only while running, Parquet when done, queried with DuckDB. The files are the truth.

RUN/run.json             the request: id, plan, machine, command
RUN/journal.jsonl        one line per task begun or ended, written by Assay, fsynced
RUN/provenance/KEY.json  circumstances of launches, by their digest
RUN/tables-N/            earlier tables, set aside by a resumption that found launch files missing or cut short
RUN/launches/*.jsonl     what the programs wrote themselves, line by line: kill -9 loses no finished line
RUN/log/                 standard error of launchers and programs
RUN/lock                 locked by the process that writes, released by the kernel however that process ends
RUN/{samples,blocks,checks,launches}.parquet   when the run is done or has failed
RUN/figures.json         its judged figures, when a history first needs them (decide/run_figures.py)

Reports, comparisons, histories and fits read the lines, of a finished run too; SQL (`query`, `export`) reads the
tables. Only the lines hold notes, time accounts, looks at nodes, slots of time, pairs and noise traces. CPU time to
give a report its readings and to check all files, medians of five (`./x bench stored_forms RUN`): of a quick
evaluation (191,670 samples, 3.3 MB of lines) 0.09 s from the lines and 0.91 s from the tables, read by column; of
3,000,000 samples in three files (41 MB) 0.47 s and 1.05 s, with 156 MB and 284 MB of memory. An SQL median over the
3,000,000 takes 2.7 s and 0.4 GB from the tables, and 4.0 s and 1.0 GB where they are made again from the lines.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn, cast

from assay import versions
from assay.errors import InputError, StorageError, warn
from assay.samples import Circumstance, Row, unfolded
from assay.stored import journal, lines, provenance, run_names, seal, tables
from assay.stored.circumstances import usable
from assay.stored.damage import Damage, damage
from assay.stored.journal import circumstance
from assay.stored.journal_entries import JournalEntry
from assay.stored.launch_file import Content, LaunchFile, LaunchFiles
from assay.stored.made_folder import MadeFolder
from assay.stored.run_names import RunName
from assay.stored.run_record import RunRecord
from assay.stored.state import state_folder
from assay.stored.tables import TABLES, schema

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

__all__ = ["TABLES", "Run", "connect", "enter", "known_runs", "schema", "storage_failed"]
INNER = ("launches", "log", "provenance")
INTERRUPTED = "interrupted"
MOST_WARNINGS = 8  # of one run's damage
INDEX_HEAD = "# assay: runs, one folder a line; version "
MOST_HELD = 64 * 2**20  # bytes of launch files that are cached while a run measures: memory belongs to the machine
HOLD_WITHIN = 1.0  # s; a process that checks whether a run is being written holds its lock for an instant


def storage_failed(error: OSError, path: Path, run: Path | None = None) -> NoReturn:
    """Turn an operating system's refusal to write into one clear error.

    `run`: the folder of a run that was being measured, whose finished parts stay readable: StorageError then.
    """
    if run is not None:
        raise StorageError(f"{path}: {_lost(error, run)}") from None
    if error.errno in lines.FULL:
        raise InputError("cannot be written: the disk is full", file=path, accepted="a place with room") from None
    raise InputError(f"cannot be written ({error.strerror})", file=path) from None


def _lost(error: OSError, run: Path) -> str:
    """What happened to a run's files, what remains of it, and how to resume."""
    kept, go_on = "finished launches are stored", f"`assay evaluate --resume {run}` resumes"
    if error.errno in lines.FULL:
        return f"the disk is full; {kept}: free space, then {go_on}"
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ESTALE):
        if not (run / "run.json").exists():
            return f"the run's folder is gone ({error.strerror}); nothing of it is left here"
        return f"was removed while the run needed it; other finished launches are stored: {go_on}"
    if error.errno == errno.EROFS:
        return f"the file system became read-only; {kept}: mount it for writing, then {go_on}"
    return f"cannot be read or written ({error.strerror}); {kept}: check the storage, then {go_on}"


class Run:
    """One run's folder."""

    def __init__(self, folder: Path, about: RunRecord) -> None:
        self.folder = folder
        self.about = about
        self.altered = False  # run.json is not what was written
        self._lock: IO[bytes] | None = None
        self._damage: Damage | None = None
        self._tables: dict[str, pa.Table] | bool = False  # True: Parquet that can be read
        self._warned: set[str] = set()
        self._provenance: tuple[dict[str, dict[str, object]], list[str]] | None = None
        self._journal = journal.Journal(folder / "journal.jsonl")
        self._files = LaunchFiles()
        self._made: MadeFolder | None = None
        self._kept: set[str] = set()  # files in provenance/ that this process wrote

    # -- making and finding ------------------------------------------------------------------------------------------

    @staticmethod
    def create(out: Path | None, about: Mapping[str, object]) -> Run:
        """Make a run's folder at `out` (default: runs/ID here). InputError where it is not empty or not writable."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        identity = f"{stamp}-{hashlib.sha256(os.urandom(8)).hexdigest()[:6]}"
        folder = (out or Path("runs") / identity).absolute()
        if (folder / "run.json").exists():
            raise InputError(
                "holds a run already",
                file=folder,
                accepted="another folder, or `assay evaluate --resume` to go on with this one",
            )
        about = {"id": identity, "created": time.time(), "state": "running", **about}
        run = Run(folder, cast(RunRecord, about))
        try:
            run._made = MadeFolder(folder, INNER)
            try:
                run.hold()
                run.save()
            except BaseException:
                run.discard()
                raise
        except OSError as error:
            storage_failed(error, folder)
        _remember(folder)
        return run

    @staticmethod
    def open(name: str | Path) -> Run:
        """Open a run by its folder or by a name of it (stored/run_names.py). InputError where there is none."""
        folder = Path(name)
        if not (folder / "run.json").exists():
            if any((folder / name).exists() for name in ("journal.jsonl", "launches")):
                raise InputError("has no run.json", file=folder, accepted="a run's folder, whole")
            known = known_runs()
            names = [RunName(run.about["id"], run.about.get("label"), run.state != "running") for run in known]
            return known[run_names.chosen(str(name), names)]
        try:
            return Run.load(folder.absolute())
        except OSError as error:
            raise InputError(f"cannot be read as a run ({error.strerror})", file=folder / "run.json") from None
        except ValueError as error:
            raise InputError(f"cannot be read as a run ({error})", file=folder / "run.json") from None

    @staticmethod
    def load(folder: Path) -> Run:
        """Read a run's run.json; a key of a wrong kind is left out.

        OSError, ValueError where it is not one, InputError where it is of a newer version.
        """
        path = folder / "run.json"
        wrong: list[str] = []
        about = lines.read_document(path, wrong.append)
        about = versions.current(versions.RUN, about, versions.in_file(path))
        if not isinstance(about.get("id"), str):
            raise ValueError(f"id: got {about.get('id')!r}, expected text")
        kept = {key: value for key, value in about.items() if isinstance(value, _KINDS.get(key, object))}
        wishes = kept.get("wishes")
        names = wishes.get("names") if isinstance(wishes, dict) else None
        if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise ValueError(f"wishes.names: got {names!r}, expected a list of names")
        if isinstance(host := kept.get("host"), dict):
            kept["host"], _ = usable(host)
        run = Run(folder, cast(RunRecord, kept))
        run.altered = bool(wrong)
        for text in wrong:
            run.warn(f"{path}: {text}")
        return run

    # -- the lock ---------------------------------------------------------------------------------------------------

    def hold(self) -> None:
        """Keep other processes from writing into this run while this one does; InputError where one does already."""
        if self._lock is not None:
            return
        try:
            lock = (self.folder / "lock").open("ab")
        except OSError as error:
            storage_failed(error, self.folder)
        until = time.monotonic() + HOLD_WITHIN
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() < until:
                    time.sleep(0.05)
                    continue
                lock.close()
                raise InputError(
                    "another process writes into this run",
                    file=self.folder,
                    accepted="another folder, or wait for its end",
                ) from None
            except OSError:
                pass  # a file system without locks: as before there were any
            break
        self._lock = lock

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def state(self) -> str:
        """running, done, failed or interrupted; of a run in state running that no process has locked: interrupted."""
        stated = str(self.about.get("state", INTERRUPTED))
        return INTERRUPTED if stated == "running" and not self._is_held() else stated

    def _is_held(self) -> bool:
        """Whether a process writes; True also where the file system does not support locks."""
        if self._lock is not None:
            return True
        try:
            with (self.folder / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def reopen(self) -> None:
        """Resume a run. Tables stay until new ones replace them; while it runs its lines are read.

        Where launch files are missing or cut short, the tables may have more than the lines: they are set aside.
        """
        if self.altered:
            raise InputError(
                f"{lines.ALTERED}: its plan is ignored",
                file=self.folder / "run.json",
                accepted="a whole one; or a new run: `assay report` still reads this one",
            )
        try:
            self.hold()
            for inner in INNER:  # where one was lost, the launches that need it are made again
                (self.folder / inner).mkdir(exist_ok=True)
            there = [path for name in TABLES if (path := tables.parquet(self.folder, name)).exists()]
            if there and self.damage().again:
                number = 1 + len(list(self.folder.glob("tables-*")))
                aside = self.folder / f"tables-{number}"
                aside.mkdir()
                for path in there:
                    path.rename(aside / path.name)
                self.warn(f"{self.folder}: the earlier tables are in {aside.name}")
            self.about["state"] = "running"
            self.about.pop("checksums", None)
            self.save()
        except OSError as error:
            storage_failed(error, self.folder, self.folder if error.errno in lines.FULL else None)
        self.forget()

    def give_label(self, label: str) -> None:
        """Name this run. InputError where the label is none, or the run is being written or is not what was written."""
        run_names.checked_label(label)
        if self.altered:
            raise InputError(lines.ALTERED, file=self.folder / "run.json", accepted="a run's record as it was written")
        self.hold()
        try:
            self.about["label"] = label
            self.save()
        except OSError as error:
            storage_failed(error, self.folder / "run.json")
        finally:
            self._release()

    def save(self) -> None:
        """Write run.json anew, whole or not at all."""
        about = versions.marked(versions.RUN, self.about)
        lines.write_whole(self.folder / "run.json", seal.sealed(json.dumps(about, indent=1, default=str)) + "\n")

    def warn(self, text: str) -> None:
        """Print a warning about this run on standard error, once."""
        if text not in self._warned:
            self._warned.add(text)
            warn(text)

    # -- while running -----------------------------------------------------------------------------------------------

    def journal(self, entry: Mapping[str, object]) -> None:
        """Append one line to the journal and sync it to disk before going on."""
        try:
            self._journal.append({"t": time.time(), **entry})
        except OSError as error:
            storage_failed(error, self.folder, self.folder)

    def entries(self) -> list[JournalEntry]:
        """Return the journal's entries: what cannot be used of it is in `damage`. InputError where it is unreadable."""
        return self._entries()[0]

    def _entries(self) -> tuple[list[JournalEntry], list[str]]:
        try:
            return self._journal.read()
        except OSError as error:
            self._read_failed(error, self._journal.path)

    def _read_failed(self, error: OSError, path: Path) -> NoReturn:
        """StorageError of a run that this process writes, else InputError."""
        if self._lock is not None:
            storage_failed(error, path, self.folder)
        raise InputError(f"cannot be read ({error.strerror})", file=path) from None

    def keep_provenance(self, document: Mapping[str, object]) -> str:
        """Store the circumstances of a launch; returns the key that its rows carry."""
        self._provenance = None
        try:
            key, wrong = provenance.keep(self.folder / "provenance", document)
        except OSError as error:
            storage_failed(error, self.folder / "provenance", self.folder)
        self._kept.add(f"{key}.json")
        if wrong:
            self.warn(f"{self.folder}: {wrong}")
        return key

    def provenance(self) -> dict[str, dict[str, object]]:
        """Return all circumstances by key; those that cannot be read are in `damage`."""
        return self._circumstances()[0]

    def _circumstances(self) -> tuple[dict[str, dict[str, object]], list[str]]:
        if self._provenance is None:
            self._provenance = provenance.read_all(self.folder / "provenance")
        return self._provenance

    # -- reading -----------------------------------------------------------------------------------------------------

    def tasks(self) -> Iterator[tuple[Circumstance, LaunchFile]]:
        """Each task that was begun: what its rows have in common, and each file written (one per node).

        A file is opened when its content is first needed, and not again as long as it stays what it was.
        """
        entries = self.entries()
        rejected = {e.get("file") for e in entries if e["event"] == "ended" and e.get("rejected")}
        last = journal.last_attempts(entries)
        of_nodes: dict[str, list[Path]] = {}
        for of_one_node in sorted((self.folder / "launches").glob("*@*.jsonl")):
            of_nodes.setdefault(of_one_node.name.partition("@")[0], []).append(of_one_node)
        for entry in entries:
            if entry["event"] == "begun":
                superseded = entry["file"] != last[entry["task"]] or entry["file"] in rejected
                about = replace(circumstance(entry["about"]), superseded=superseded)
                path = self.folder / "launches" / entry["file"]
                for each in (path, *of_nodes.get(path.stem, ())):
                    yield about, LaunchFile(about, each, self._files)

    def content(self, path: Path, about: Circumstance) -> Content:
        """The content of one file of a launch; that of earlier launches is released where it is large."""
        self._files.trim(MOST_HELD)
        return self._files.content(path, about)

    def rows(self) -> Iterator[Row]:
        """All rows, unfolded from the programs' own lines."""
        for about, file in self.tasks():
            yield from unfolded(file.rows, about)

    def damage(self) -> Damage:
        """What is wrong with this run's files; the first call prints it as warnings."""
        if self._damage is None:
            entries, faults = self._entries()
            try:
                self._damage = damage(self.folder / "launches", entries, self._files)
                known, unread = self._circumstances()
                self._damage.lost(entries, known, unread)
            except OSError as error:
                self._read_failed(error, Path(error.filename or self.folder))
            self._damage.texts[:0] = faults + self._lost() + unread
            for text in self._damage.texts[:MOST_WARNINGS]:
                self.warn(f"{self.folder}: {text}")
            if len(self._damage.texts) > MOST_WARNINGS:
                self.warn(f"{self.folder}: and {len(self._damage.texts) - MOST_WARNINGS} more faults")
        return self._damage

    def _lost(self) -> list[str]:
        """What the run's own record shows of its journal: that it is another run's, or not what was written."""
        runs = {e["about"]["run"] for e in self.entries() if e["event"] == "begun"} - {self.about.get("id")}
        if runs or not self._differs("journal.jsonl"):
            return [f"journal.jsonl: is of run {run}, and run.json of {self.about.get('id')}" for run in sorted(runs)]
        return [f"journal.jsonl: {lines.ALTERED}"]

    def _differs(self, name: str) -> bool:
        """Whether a file is not what it was when this run ended; False where its record has no entry."""
        known = self.about.get("checksums", {}).get(name)
        path = self.folder / name
        return known is not None and not (path.is_file() and seal.of_file(path) == known)

    def forget(self) -> None:
        """Read the files again when damage or tables are next needed."""
        self._damage, self._tables, self._provenance = None, False, None

    def finish(self, state: str) -> list[str]:
        """Write the Parquet tables next to the lines (which stay: they are the source) and record how the run ended.

        A run is done when every finished block in launches/ is in the tables and every launch's file is whole; else it
        has failed, and what is wrong is returned. An interrupted run has no tables: its end does not wait for them.
        """
        self.forget()
        wrong: list[str] = []
        if state == INTERRUPTED:
            self._record_end(state, ["journal.jsonl"])
            return wrong
        found = self.damage()
        made = self.tables()
        missing = found.blocks - made["blocks"].num_rows
        if state == "done" and (missing or found.again):
            state = "failed"
            wrong = found.texts or [f"{missing} finished blocks in launches/ are not in the tables"]
        try:
            tables.write(self.folder, made)
        except OSError as error:
            storage_failed(error, self.folder, self.folder)
        self._record_end(state, ["journal.jsonl", *(tables.parquet(self.folder, name).name for name in TABLES)])
        return wrong

    def _record_end(self, state: str, kept: Sequence[str]) -> None:
        """Record the run's state, with the checksums of the files `kept`."""
        try:
            sums = {name: seal.of_file(self.folder / name) for name in kept if (self.folder / name).is_file()}
            self.about["state"] = state
            self.about["ended"] = time.time()
            self.about["checksums"] = sums
            self.save()
        except OSError as error:
            storage_failed(error, self.folder, self.folder)
        self._tables = False
        self._release()

    def discard(self) -> None:
        """Remove what this process wrote into a run that it created, and its folder; what others put there stays."""
        self._release()
        made, self._made = self._made, None
        if made is None:
            return
        stems = set()
        with contextlib.suppress(InputError):
            stems = {Path(entry["file"]).stem for entry in self.entries() if entry["event"] == "begun"}
        of_launches = [(inner, name) for inner in ("launches", "log") for name in made.names(inner)
                       if Path(name).stem.partition("@")[0] in stems]  # fmt: skip
        own = ("run.json", "journal.jsonl", "lock", *(tables.parquet(self.folder, name).name for name in TABLES))
        made.remove(own, [*of_launches, *(("provenance", name) for name in self._kept)])

    def tables(self) -> dict[str, pa.Table]:
        """Return the four tables as Arrow, from the lines."""
        try:
            return tables.unfolded(self.tasks())
        except OSError as error:
            self._read_failed(error, Path(error.filename or self.folder))

    def stored(self) -> dict[str, pa.Table] | None:
        """Return the tables from the lines where Parquet cannot be used, and None where it can.

        A run that was interrupted or that runs has none, or those of an earlier end. Parquet of another run that is
        missing or cannot be read is made again from the lines, in memory: reading changes no folder.
        """
        if self._tables is True:
            return None
        if isinstance(self._tables, dict):
            return self._tables
        ended = self.about.get("state") not in ("running", INTERRUPTED)
        wrong = self._unusable() if ended else None
        if ended and wrong is None:
            self._tables = True
            return None
        self.damage()
        self._tables = self.tables()
        if wrong is not None:
            self.warn(f"{self.folder}: {wrong}: made again from launches/ in memory")
        return self._tables

    def _unusable(self) -> str | None:
        """Why the Parquet tables cannot be used, or None."""
        wrong = tables.unreadable(self.folder)
        names = (tables.parquet(self.folder, name).name for name in TABLES)
        return wrong or next((f"{name} {lines.ALTERED}" for name in names if self._differs(name)), None)

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Open a DuckDB connection with the views samples, blocks, checks and launches."""
        return connect([self])


def connect(runs: Sequence[Run], *, write: bool = False, figures: pa.Table | None = None) -> duckdb.DuckDBPyConnection:
    """Open one connection over several runs: Parquet where a run has ended, its lines where it has not.

    Its SQL sees nothing but the views samples, blocks, checks and launches, and `figures` where a table of them is
    given: no file, no network, no extension. With `write` it may read and write files.
    """
    import duckdb

    connection = duckdb.connect()
    unfolded = {run.folder: made for run in runs if (made := run.stored()) is not None}
    stored = list(dict.fromkeys(run.folder for run in runs if run.folder not in unfolded))
    for name, kind in TABLES.items():
        files = [tables.parquet(folder, name) for folder in stored]
        sources: list[object] = [tables.dataset(alike) for alike in tables.of_one_form(files)]
        sources += [held[name] for held in unfolded.values()] or ([] if stored else [schema(kind).empty_table()])
        for number, source in enumerate(sources):
            connection.register(f"{name}_{number}", source)
        selects = (f"SELECT * FROM {name}_{number}" for number in range(len(sources)))
        connection.execute(f"CREATE VIEW {name} AS {' UNION ALL BY NAME '.join(selects)}")
    if figures is not None:
        connection.register("figures", figures)
    connection.execute("SET enable_progress_bar = false")  # which goes to standard output, also where that is a file
    if not write:
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    return connection


# -- which runs there are: an index of folders, one a line; a folder that is gone is passed over ----------------------


def _index() -> Path:
    return state_folder() / "runs"


def _remember(folder: Path) -> None:
    try:
        _index().parent.mkdir(parents=True, exist_ok=True)
        if not _index().exists():
            lines.append(_index(), f"{INDEX_HEAD}{versions.INDEX.version}", closing="\n")
        else:
            _folders(_index().read_bytes())
        lines.append(_index(), str(folder), closing="\n")  # a whole path stays one
    except OSError:
        return  # a home that cannot be written costs only the short name: the folder itself still opens
    except InputError as error:
        warn(f"{error}; this run is not entered: it opens by its folder")


def enter(folder: Path) -> None:
    """Make a run known that lies in `folder` (whole path), made elsewhere."""
    _remember(folder)


def _folders(index: bytes) -> dict[Path, None]:
    """Read the index: folders in order. InputError where it is of a newer version."""
    folders: dict[Path, None] = {}
    for number, line in enumerate(index.decode("utf-8", "surrogateescape").split("\n"), 1):
        if line.startswith(INDEX_HEAD):
            version = versions.written(line.removeprefix(INDEX_HEAD))
            versions.checked(versions.INDEX, version, versions.in_file(_index(), number))
        elif line and "\0" not in line:
            folders[Path(line)] = None
    return folders


def known_runs() -> list[Run]:
    """All runs that this person made and that are still there, the newest last; one that is broken costs a warning."""
    folders: dict[Path, None] = {}
    with contextlib.suppress(OSError):  # none yet, or a home that cannot be read
        folders = _folders(_index().read_bytes())
    for here in sorted(Path("runs").glob("*/run.json")):
        folders.setdefault(here.parent.absolute(), None)
    found = []
    for folder in folders:
        try:
            found.append(Run.load(folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            warn(f"{folder}: cannot be read as a run and is skipped (run.json: {error})")
        except InputError as error:
            warn(f"{error}; this run is skipped")
    return sorted(found, key=lambda run: float(run.about.get("created", 0.0)))


# what run.json holds, by key, as far as anything reads it
_KINDS: dict[str, type | tuple[type, ...]] = {
    "created": (int, float),
    "state": str,
    "machine": str,
    "profile": str,
    "label": str,
    "wishes": dict,
    "plan": dict,
    "host": dict,
    "allocation": int,
    "checksums": dict,
}
