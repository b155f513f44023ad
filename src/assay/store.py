"""Run directories: append-only while running, Parquet when done, queried with DuckDB. The files are the truth.

RUN/run.json             what was asked for: id, plan, machine, command
RUN/journal.jsonl        one line a task begun or ended, written by Assay, fsynced
RUN/provenance/KEY.json  circumstances of launches, by their digest
RUN/launches/*.jsonl     what the programs wrote themselves, line by line: kill -9 loses no finished line
RUN/log/                 standard error of launchers and programs
RUN/lock                 held by the process that writes, and let go by the kernel however that process ends
RUN/{samples,blocks,checks,launches}.parquet   when the run has ended
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

from assay.errors import InputError, MeasurementError
from assay.samples import (
    Block,
    Check,
    Circumstance,
    Launch,
    Measured,
    Row,
    Sample,
    columns,
    events,
    folded,
    rows,
    shared,
)

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TABLES: dict[str, type[Row]] = {"samples": Sample, "blocks": Block, "checks": Check, "launches": Launch}


def storage_failed(error: OSError, path: Path) -> NoReturn:
    """Turn an operating system's refusal to write into one clear error: what was measured so far stays readable."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        raise MeasurementError(
            f"{path}: the disk is full; what was finished is kept, free space and --resume"
        ) from None
    raise InputError(f"cannot be written ({error.strerror})", file=path) from None


class Run:
    """One run's folder."""

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        self.folder = folder
        self.about = about
        self._lock: IO[bytes] | None = None

    # -- making and finding ------------------------------------------------------------------------------------------

    @staticmethod
    def create(out: Path | None, about: dict[str, Any]) -> Run:
        """Make a run's folder at `out` (default: runs/ID here). InputError when it is taken or not writable."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        identity = f"{stamp}-{hashlib.sha256(os.urandom(8)).hexdigest()[:6]}"
        folder = (out or Path("runs") / identity).absolute()
        if (folder / "run.json").exists():
            raise InputError(
                "holds a run already", file=folder, accepted="another folder, or --resume to go on with this one"
            )
        about = {"id": identity, "created": time.time(), "state": "running", **about}
        run = Run(folder, about)
        try:
            for inner in ("launches", "log", "provenance"):
                (folder / inner).mkdir(parents=True, exist_ok=True)
            run.hold()
            if (folder / "run.json").exists():  # two began at once, and the other has ended meanwhile
                raise InputError("holds a run already", file=folder, accepted="another folder")
            run.save()
        except OSError as error:
            storage_failed(error, folder)
        _remember(folder)
        return run

    @staticmethod
    def open(name: str | Path) -> Run:
        """Open a run by its folder or its id. InputError with what is accepted otherwise."""
        folder = Path(name)
        if not (folder / "run.json").exists():
            known = {run.about["id"]: run for run in known_runs()}
            if str(name) in known:
                return known[str(name)]
            raise InputError(
                "no such run", key="RUN", value=str(name), accepted="a run's folder, or an id of `assay runs`"
            )
        try:
            about = json.loads((folder / "run.json").read_text())
        except (OSError, ValueError) as error:
            raise InputError(f"cannot be read as a run ({error})", file=folder / "run.json") from None
        return Run(folder.absolute(), about)

    def hold(self) -> None:
        """Keep other processes from writing into this run while this one does; InputError where one does already."""
        if self._lock is not None:
            return
        lock = (self.folder / "lock").open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise InputError(
                "another process writes into this run", file=self.folder, accepted="another folder, or wait for its end"
            ) from None
        except OSError:
            pass  # a file system without locks: as before there were any
        self._lock = lock

    def reopen(self) -> None:
        """Take a run up again: its tables are of what had been measured before, so they go; the lines are the truth."""
        try:
            self.hold()
            for name in TABLES:
                (self.folder / f"{name}.parquet").unlink(missing_ok=True)
            self.about["state"] = "running"
            self.save()
        except OSError as error:
            storage_failed(error, self.folder)

    def save(self) -> None:
        """Write run.json anew, whole or not at all."""
        path = self.folder / "run.json"
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(self.about, indent=1, default=str))
        fresh.replace(path)

    # -- while running -----------------------------------------------------------------------------------------------

    def journal(self, entry: dict[str, Any]) -> None:
        """Append one line to the journal and see it on the disk before going on."""
        line = json.dumps({"t": time.time(), **entry}, default=str) + "\n"
        try:
            with (self.folder / "journal.jsonl").open("a") as out:
                out.write(line)
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            storage_failed(error, self.folder)

    def entries(self) -> list[dict[str, Any]]:
        """Return the journal."""
        return list(events(self.folder / "journal.jsonl"))

    def keep_provenance(self, document: dict[str, Any]) -> str:
        """Store the circumstances of a launch; returns the key that its rows carry."""
        text = json.dumps(document, sort_keys=True, default=str, indent=1)
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = self.folder / "provenance" / f"{key}.json"
        try:
            if not path.exists():
                path.write_text(text)
        except OSError as error:
            storage_failed(error, path)
        return key

    def provenance(self) -> dict[str, dict[str, Any]]:
        """Return all circumstances by key."""
        return {p.stem: json.loads(p.read_text()) for p in sorted((self.folder / "provenance").glob("*.json"))}

    # -- reading -----------------------------------------------------------------------------------------------------

    def tasks(self) -> Iterator[tuple[Circumstance, Path]]:
        """Each task that was begun: what its rows have in common, and each file written (one a node)."""
        entries = self.entries()
        begun = [entry for entry in entries if entry.get("event") == "begun"]
        rejected = {e.get("file") for e in entries if e.get("event") == "ended" and e.get("rejected")}
        last = {entry["task"]: entry["file"] for entry in begun}
        of_nodes: dict[str, list[Path]] = {}
        for of_one_node in sorted((self.folder / "launches").glob("*@*.jsonl")):
            of_nodes.setdefault(of_one_node.name.partition("@")[0], []).append(of_one_node)
        for entry in begun:
            superseded = entry["file"] != last[entry["task"]] or entry["file"] in rejected
            about = Circumstance(**{**entry["about"], "superseded": superseded})
            path = self.folder / "launches" / entry["file"]
            yield about, path
            for of_one_node in of_nodes.get(path.stem, ()):
                yield about, of_one_node

    def rows(self) -> Iterator[Row]:
        """All rows, unfolded from the programs' own lines."""
        for about, path in self.tasks():
            yield from rows(events(path), about)

    def finish(self, state: str) -> None:
        """Write the Parquet tables beside the lines (which stay: they are the truth) and say how the run ended."""
        import pyarrow.parquet as pq

        try:
            for name, table in self.tables().items():
                fresh = self.folder / f"{name}.parquet.new"
                pq.write_table(table, fresh, compression="zstd")
                fresh.replace(self.folder / f"{name}.parquet")
            self.about.update(state=state, ended=time.time())
            self.save()
            if self._lock is not None:
                self._lock.close()
                self._lock = None
        except OSError as error:
            storage_failed(error, self.folder)

    def tables(self) -> dict[str, pa.Table]:
        """Return the four tables as Arrow, from the lines."""
        import pyarrow as pa

        kept: dict[type[Row], list[Row]] = {kind: [] for kind in TABLES.values()}
        measured: list[tuple[Measured, Circumstance]] = []
        for about, path in self.tasks():
            for each in folded(events(path), about):
                if isinstance(each, Measured):
                    measured.append((each, about))
                    kept[Block].append(each.block)
                else:
                    kept[type(each)].append(each)
        made = {"samples": _sample_table(measured)}
        for name, kind in TABLES.items():
            if kind is not Sample:
                by_column = [[getattr(row, column) for row in kept[kind]] for column in columns(kind)]
                made[name] = pa.table(by_column, schema=schema(kind))
        return made

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Open a DuckDB connection with the views samples, blocks, checks and launches."""
        return connect([self])


def _sample_table(measured: list[tuple[Measured, Circumstance]]) -> pa.Table:
    """Give the table of samples column by column: what those of a block share is repeated, not read for each."""
    import numpy as np
    import pyarrow as pa

    series: list[tuple[dict[str, Any], list[float], int]] = []  # what is shared, values, the first one's repetition
    for each, about in measured:
        if each.first is not None:
            series.append((shared(each, about, True), [each.first], -1))
        series.append((shared(each, about, False), each.values, 0))
    whole = schema(Sample)
    counted = np.array([len(values) for _, values, _ in series], dtype=np.int64)
    starts = np.array([start for _, _, start in series], dtype=np.int64)
    within = np.arange(counted.sum()) - np.repeat(np.cumsum(counted) - counted, counted)
    own = {
        "value": pa.array([value for _, values, _ in series for value in values], pa.float64()),
        "repetition": pa.array(within + np.repeat(starts, counted), pa.int64()),
    }
    alike = pa.schema([column for column in whole if column.name not in own])
    common = pa.Table.from_pylist([of for of, _, _ in series], schema=alike)
    repeated = common.take(pa.array(np.repeat(np.arange(len(series)), counted), pa.int64()))
    return pa.table([own[name] if name in own else repeated[name] for name in whole.names], schema=whole)


def connect(runs: list[Run]) -> duckdb.DuckDBPyConnection:
    """Open one connection over several runs: Parquet where a run has ended, its lines where it has not."""
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    unfolded = {run.folder: run.tables() for run in runs if not (run.folder / "samples.parquet").exists()}
    for name in TABLES:
        sources = [run.folder / f"{name}.parquet" for run in runs if run.folder not in unfolded]
        selects = []
        if sources:
            listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in sources)
            selects.append(f"SELECT * FROM read_parquet([{listed}])")
        if unfolded:
            connection.register(f"{name}_lines", pa.concat_tables([tables[name] for tables in unfolded.values()]))
            selects.append(f"SELECT * FROM {name}_lines")
        if not selects:
            connection.register(f"{name}_none", schema(TABLES[name]).empty_table())
            selects.append(f"SELECT * FROM {name}_none")
        connection.execute(f"CREATE VIEW {name} AS {' UNION ALL '.join(selects)}")
    return connection


def schema(kind: type[Row]) -> pa.Schema:
    """Return the Arrow schema of a table, from its row's own annotations."""
    import pyarrow as pa

    types = {"str": pa.string(), "float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
    return pa.schema([(f.name, types[str(f.type).removesuffix(" | None")]) for f in fields(kind)])


# -- which runs there are: an index of folders, one a line; a folder that is gone is passed over ----------------------


def _index() -> Path:
    home = os.environ.get("ASSAY_RUNS") or os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "assay" / "runs"


def _remember(folder: Path) -> None:
    try:
        _index().parent.mkdir(parents=True, exist_ok=True)
        with _index().open("a") as out:
            out.write(f"{folder}\n")
    except OSError:
        return  # a home that cannot be written costs only the short name: the folder itself still opens


def known_runs() -> list[Run]:
    """All runs that this person made and that are still there, the newest last."""
    folders = dict.fromkeys(Path(line) for line in _index().read_text().splitlines()) if _index().exists() else {}
    for here in sorted(Path("runs").glob("*/run.json")):
        folders.setdefault(here.parent.absolute(), None)
    found = []
    for folder in folders:
        try:
            found.append(Run(folder, json.loads((folder / "run.json").read_text())))
        except (OSError, ValueError):
            continue
    return sorted(found, key=lambda run: run.about.get("created", 0.0))
