"""Imports between packages run one way: what each may import of Assay (CONTRIBUTING, Source layout)."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "assay"

# What each room of the front may import of Assay; `verbs` and `cli` may import everything.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "search_paths": set(),
    "stops": set(),
    "installed": set(),
    "trusted": {"errors"},
    "versions": {"errors"},
    "left_names": set(),
    "since_start": {"left_names"},
    "kinds": set(),
    "input_file": {"errors"},
    "output_file": {"errors"},
    "number_words": set(),
    "sanitised": set(),
    "progress": {"machine", "sanitised"},
    "trace_events": {"output_file"},
    "compact_svg": set(),
    "toml": {"errors", "versions", "input_file"},
    "machine": {"errors", "since_start", "stops", "toml"},
    "catalogue": {"errors"},
    "benchmark": {
        *("case", "errors", "former_names", "trusted", "left_names", "versions", "input_file", "toml", "machine"),
    },
    "case": set(),
    # The types of the lines that programs write, and that simulations write as well.
    "program_lines": {"case"},
    "remarks": {"case"},
    "former_names": {"errors"},
    "samples": {"case", "errors", "program_lines", "remarks"},
    "stored": {
        *("case", "errors", "former_names", "program_lines", "versions", "samples", "stored.lines", "stored.seal"),
    },
    # Checksums, and how lines are written: also of what is no run.
    "stored.lines": {"stored.seal", "left_names", "output_file"},
    "stored.seal": set(),
    "store": {"errors", "versions", "samples", "stored", "stored.lines", "stored.seal"},
    "analysis": {"case", "errors", "samples", "benchmark", "document.reported_figure"},
    "network": {
        *("errors", "search_paths", "versions", "input_file", "sanitised", "toml", "machine", "analysis", "kinds"),
        "number_words",
        *("stored.lines", "stored.seal", "trace_events", "compact_svg", "progress", "output_file", "_core"),
    },
    # A machine made of a run's own measurements, on which the report predicts.
    "described.two_laws": {"_core"},
    "described": {
        *(
            "errors",
            "program_lines",
            "versions",
            "input_file",
            "output_file",
            "toml",
            "machine",
            "network",
            "trace_events",
        ),
        "_core",
    },
    "api": {
        *(
            "errors",
            "versions",
            "toml",
            "cli",
            "verbs",
            "document",
            "report",
            "store",
            "execute",
            "network",
            "described",
        ),
        "output_file",
        "_core",
    },
    "decide": {
        *(
            "analysis",
            "benchmark",
            "case",
            "document",
            "errors",
            "execute",
            "exporters",
            "input_file",
            "installed",
            "kinds",
            "machine",
        ),
        *("report", "report.units", "samples", "sanitised", "store", "stored", "stored.lines", "toml"),
        "versions",
    },
    "exporters": {"document", "report", "sanitised", "store", "versions"},
    "schemas": {"versions", "machine", "document", "network", "execute", "throughput", "laboratory"},
    "execute": {
        *(
            "case",
            "errors",
            "program_lines",
            "trusted",
            "versions",
            "machine",
            "described",
            "benchmark",
            "samples",
            "store",
            "stored",
            "_core",
        ),
        *(
            "stops",
            "since_start",
            "number_words",
            "input_file",
            "output_file",
            "stored.lines",
            "stored.seal",
            "left_names",
            "network",
            "laboratory",
        ),
    },
    # Networks of hosts on this machine; its scripts holder.py and enter.py import nothing of Assay.
    "laboratory": {"errors", "toml", "machine", "described", "_core"},
    # Unmodified MPI programs on described machines.
    "mpi": {
        *("case", "errors", "program_lines", "trusted", "left_names", "benchmark", "execute", "described", "network"),
        *("stored.seal", "_core"),
    },
    "throughput": {
        "number_words",
        *(
            "errors",
            "trace_events",
            "former_names",
            "stops",
            "trusted",
            "input_file",
            "output_file",
            "sanitised",
            "analysis",
            "versions",
            "toml",
            "machine",
            "described",
            "document",
            "benchmark",
            "execute",
            "stored.lines",
            "stored.seal",
            "_core",
        ),
    },
    # The types of a run's document, which the report writes and which it and the papers read.
    "document": {"analysis", "case", "kinds", "remarks", "sanitised"},
    # What the analysis gives, and documents hold.
    "document.reported_figure": {"case", "document"},
    "report": {
        *("case", "errors", "trusted", "versions", "sanitised", "machine", "benchmark", "samples", "store", "stored"),
        *("former_names", "number_words", "program_lines", "remarks"),
        *("stored.lines", "analysis", "document", "report.units", "published.tables", "published.contrasts", "kinds"),
        "described.two_laws",
    },
    # What both the report and the papers' tables are written with.
    "report.units": set(),
    # Published tables with a run's own column stand below the report, which shows them; the rest of the room above it.
    "published.tables": {
        "case",
        "errors",
        "versions",
        "toml",
        "machine",
        "benchmark",
        "analysis",
        "document",
        "report.units",
    },
    "published.contrasts": {"machine", "benchmark", "document", "published.judge"},
    "published.judge": set(),
    "published.cells": {
        *("case", "errors", "versions", "toml", "machine", "described", "benchmark", "samples", "analysis", "execute"),
        *("document", "report.units", "published.tables", "kinds"),
    },
    "fitting": {
        *("errors", "versions", "toml", "machine", "described", "benchmark", "analysis", "document", "published.cells"),
        "laboratory",
    },
    "prediction": {
        *("case", "kinds", "errors", "versions", "described", "benchmark", "samples", "store", "analysis", "execute"),
        *("document", "report", "fitting"),
    },
    "sensitivity": {
        *("case", "errors", "machine", "toml", "network", "described", "benchmark", "document", "published.cells"),
        "compact_svg",
    },
    "tuning": {"document"},
    "scaling": {
        *("case", "errors", "versions", "toml", "described", "benchmark", "execute", "network", "document"),
        *("compact_svg", "published.cells", "prediction", "sensitivity"),
    },
    "validation.claims": {
        *("kinds", "machine", "described", "throughput", "report.units", "published.cells", "published.judge"),
    },
    "validation.pictures": {"compact_svg", "machine", "described", "document", "published.cells", "validation.claims"},
    "validation.machines": {
        *("machine", "described", "network", "document", "report.units"),
        *("published.cells", "validation.claims", "published.judge", "validation.pictures", "kinds"),
    },
    "validation.coverage": {
        *("machine", "toml", "document", "report.units", "published.cells", "validation.claims", "published.judge"),
    },
    "validation.ghosh": {
        *("machine", "toml", "document", "analysis", "network", "_core"),
        *("published.cells", "validation.claims", "published.judge"),
    },
}
NATIVE = {
    "programs/timing": ("core/", "mpi.h", "ranks/", "mpi/"),
    "programs/processor": ("core/", "mpi.h", "ranks/", "mpi/"),
    "programs/memory": ("core/", "mpi.h", "ranks/", "mpi/"),
    "programs/threads": ("core/", "mpi.h", "ranks/", "mpi/"),
    "programs/libraries": ("core/", "mpi.h", "ranks/", "mpi/", "threads/", "timing/"),
    "programs/files": ("core/", "mpi.h", "ranks/", "mpi/"),
    "programs/kernels": ("core/", "mpi.h", "ranks/", "mpi/"),
    "programs/historical": ("core/", "mpi.h", "ranks/", "mpi/"),
    "programs/ranks": ("mpi.h", "mpi/", "network/", "events/", "storage/", "node/"),
    "core/batch": ("network/", "ranks/", "storage/", "mpi.h"),
    "core/events": ("network/", "ranks/", "node/", "storage/", "mpi.h"),
    "core/network": ("ranks/", "node/", "storage/", "mpi.h"),
    "core/storage": ("ranks/", "mpi.h"),
    "core/ranks": ("mpi.h", "mpi/"),
    "core/mpi": ("mpi.h", "mpi_library/abi/mpi.h", "mpi_library/transport/", "mpi_library/calls/"),
    "programs/mpi_library/shared": ("mpi.h", "core/", "ranks/", "mpi_library/transport/", "mpi_library/calls/"),
}


def room_of(dotted: str) -> str:
    """The innermost room of a module that is named below `assay`: `report.units` is one of its own within `report`."""
    parts = dotted.split(".")
    found = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((room for room in found if room in MAY_IMPORT), parts[0])


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield room_of(".".join(path.relative_to(SOURCE).with_suffix("").parts)), path


def imported(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        rooms |= {room_of(name.removeprefix("assay.")) for name in names if name.startswith("assay.")}
    return rooms - {"__version__"}


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_rooms_import_only_what_they_may(room: str) -> None:
    """A room that may be imported includes its parts."""
    allowed = MAY_IMPORT[room] | {room}
    wrong = {
        str(path.relative_to(ROOT)): sorted(extra)
        for owner, path in modules()
        if owner == room
        and (extra := {name for name in imported(path) - allowed if name.partition(".")[0] not in allowed})
    }
    assert not wrong


@pytest.mark.parametrize("room", sorted(NATIVE))
def test_native_rooms_include_only_what_they_may(room: str) -> None:
    wrong = []
    for path in sorted((ROOT / room).rglob("*.[ch]pp")):
        for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE):
            if any(name.startswith(bad) for bad in NATIVE[room]):
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    assert not wrong


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions count as well."""
    names = {
        ".".join(("assay", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in SOURCE.rglob("*.py")
    }
    arrows: networkx.DiGraph[str] = networkx.DiGraph()
    for name, path in names.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                wanted = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
            elif isinstance(node, ast.Import):
                wanted = {alias.name for alias in node.names}
            else:
                continue
            arrows.add_edges_from((name, other) for other in wanted & set(names))
    assert arrows.number_of_edges() > 200
    assert [circle for circle in networkx.strongly_connected_components(arrows) if len(circle) > 1] == []


# What a run's document, and runs side by side, are made of: names of arguments that must have a type of `document`.
TYPED_ARGUMENTS = {*("document", "documents", "section", "figure", "row", "rows", "beside", "whole", "run", "fit")}


def untyped(path: Path) -> Iterator[str]:
    """Names that stand for a dict of anything: aliases of a module, and arguments that hold a part of a document."""
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and ast.unparse(node.value) == "dict[str, Any]":
            yield f"line {node.lineno}: {ast.unparse(node)}"
    for node in ast.walk(tree):
        said = ast.unparse(node.annotation) if isinstance(node, ast.arg) and node.annotation else ""
        if isinstance(node, ast.arg) and node.arg in TYPED_ARGUMENTS and "[str, Any]" in said:
            yield f"line {node.lineno}: {node.arg}: {said}"


def test_documents_have_types_in_the_rooms_that_read_them(tmp_path: Path) -> None:
    """What is free in a document has its alias in document/params.py, and only there."""
    wrong = {
        f"{path.relative_to(SOURCE)}, {found}"
        for room in ("report", "published", "fitting", "validation", "verbs")
        for path in sorted((SOURCE / room).rglob("*.py"))
        for found in untyped(path)
    }
    assert wrong == set()
    (tmp_path / "plain.py").write_text("Document = dict[str, Any]\ndef f(rows: Sequence[dict[str, Any]]): ...\n")
    assert len(list(untyped(tmp_path / "plain.py"))) == 2


def test_python_stays_in_the_binding_files() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "core").rglob("*.[ch]pp"))
        if path.stem != "bind" and re.search(r"#\s*include\s*[<\"](nanobind|Python\.h)", path.read_text())
    ]
    assert not wrong


def test_every_room_of_the_front_has_its_rule() -> None:
    rooms = {p.stem if p.suffix == ".py" else p.name for p in SOURCE.iterdir() if not p.name.startswith("__")}
    rooms -= {"cli", "start", "verbs", "py.typed", "_source"}
    split = {"published", "validation"}
    assert {room for room in rooms if not room.startswith("_core")} - split <= set(MAY_IMPORT)
    for room in split:
        parts = {p.stem for p in (SOURCE / room).iterdir() if not p.name.startswith("__")}
        assert {f"{room}.{part}" for part in parts} <= set(MAY_IMPORT)


def test_files_that_a_person_asks_for_are_written_in_one_place() -> None:
    """Else a full disk is taken for a full standard output. Not so what is written to folders of Assay's own."""
    own = {"verbs/_in_process.py", "throughput/submission_log.py", "api/simulating.py", "output_file.py"}
    rooms = ("verbs", "api", "throughput", "network", "described", "tuning", "fitting", "sensitivity", "scaling")
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in [*SOURCE.glob("*.py"), *(each for room in rooms for each in (SOURCE / room).rglob("*.py"))]
        if path.relative_to(SOURCE).as_posix() not in own
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("write_text", "write_bytes")
        and ast.unparse(node.value) not in ("output_file", "lines")
    ]
    assert not wrong


def test_nothing_but_verbs_imports_the_validation() -> None:
    """What judges claims, draws pages and states coverage is no part of what a person's run needs."""
    foreign = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "assay.validation" in path.read_text(encoding="utf-8")
        and path.relative_to(SOURCE).parts[0] not in {"validation", "verbs"}
    ]
    assert foreign == []


def test_a_public_class_name_occurs_once() -> None:
    """One name for one thing: two classes of one name say by their names how they differ."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert len(places) > 100
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_schema_and_noise_are_one_module_at_most() -> None:
    """A file name that does not say whose schema or which noise it is occurs once at most."""
    counts = Counter(path.name for path in SOURCE.rglob("*.py"))
    assert {name for name in ("schema.py", "noise.py") if counts[name] > 1} == set()


def test_no_file_is_longer_than_600_lines() -> None:
    paths = [p for pattern in ("*.py", "*.cpp", "*.hpp") for p in ROOT.rglob(pattern)]
    long = {
        str(p.relative_to(ROOT)): count
        for p in paths
        if not {".venv", "build"} & set(p.relative_to(ROOT).parts)
        and (count := len(p.read_text(errors="replace").splitlines())) > 600
    }
    assert not long
