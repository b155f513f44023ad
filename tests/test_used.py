"""Everything in src/assay is used by the product: a module or a public name that only tests import is found here."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from assay.execute.job import launchers

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "assay"
PRODUCT = (SOURCE, ROOT / "docs", ROOT / "bench")  # what is written from the code, and what measures it, use it too

# Names that nothing imports because they are found by what they are, each with its reason.
FOUND = {
    "assay.__main__": "python -m assay",
    "assay.catalogue.jobs.real_codes.job": "started by the templates of real codes",
}

REGISTERED = {
    "picture",
    "quantity",
    "rule",
}  # decorators of their modules, which keep what they are put on in a registry
CHECKS = {"field_validator", "model_validator"}  # pydantic calls what they stand over


def name_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT if SOURCE not in path.parents else SOURCE.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    paths = [path for folder in PRODUCT for path in sorted(folder.rglob("*.py"))]
    return {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def public() -> Iterator[tuple[str, ast.AST]]:
    """Functions, classes and methods of the product without an underscore, by their dotted names."""
    for module, tree in trees().items():
        if not module.startswith("assay."):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                yield f"{module}.{node.name}", node


def methods() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Public methods and properties; of a protocol's only the implementations count, of pydantic's checks none."""
    for dotted, node in public():
        if not isinstance(node, ast.ClassDef) or "Protocol" in {_decorator(base) for base in node.bases}:
            continue
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_") and not decorated(inner, CHECKS):
                yield f"{dotted}.{inner.name}", inner


def decorated(node: ast.AST, names: set[str]) -> bool:
    """Whether one of these decorators stands over a definition."""
    return bool(names & {_decorator(each) for each in getattr(node, "decorator_list", [])})


def _decorator(node: ast.AST) -> str:
    of = node.func if isinstance(node, ast.Call) else node
    return of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""


@cache
def uses() -> tuple[dict[str, set[str]], set[str]]:
    """Dotted names that the product uses, by the module that does, and all modules that any of it imports."""
    used: dict[str, set[str]] = defaultdict(set)
    modules: set[str] = set()
    for module, tree in trees().items():
        known: dict[str, str] = {}  # what a local name stands for
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    known[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
                    modules.add(alias.name)
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module)
                for alias in node.names:
                    known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                    used[module].add(f"{node.module}.{alias.name}")
                    modules.add(f"{node.module}.{alias.name}")
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                dotted = _dotted(node, known)
                if dotted:
                    used[module].add(dotted)
    return used, modules


def _dotted(node: ast.AST, known: dict[str, str]) -> str | None:
    """`shares.plot` as assay.report.sections.shares.plot, where `shares` is an imported module."""
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, known)
        return f"{before}.{node.attr}" if before else None
    return known.get(node.id) if isinstance(node, ast.Name) else None


def used_within(module: str, name: str, definition: ast.AST) -> bool:
    """Whether a module itself uses one of its names outside that name's definition."""
    inside = {id(node) for node in ast.walk(definition)}
    return any(
        isinstance(node, ast.Name) and node.id == name and id(node) not in inside for node in ast.walk(trees()[module])
    )


def reasons() -> dict[str, str]:
    """What is found by its folder or by a name that a file gives: verbs, launchers, systems, exporters, sections."""
    verbs = {f"assay.verbs.{p.stem}": "a verb, found by its file" for p in (SOURCE / "verbs").glob("[!_]*.py")}
    ways = {f"assay.execute.{name}": "a launcher, found by LAUNCHER in its file" for name in launchers()}
    systems = {
        f"assay.throughput.systems.{p.stem}": "a batch system, found by its file"
        for p in (SOURCE / "throughput" / "systems").glob("[!_]*.py")
    }
    forms = {
        f"assay.exporters.{p.stem}": "a form of export, found by its file"
        for p in (SOURCE / "exporters").glob("[!_]*.py")
    }
    shown = {
        f"assay.{folder.replace('/', '.')}.{p.stem}": "a section of a report, or published tables, found by its file"
        for folder in ("report/sections", "published/tables")
        for p in (SOURCE / folder).glob("[!_]*")
    }
    found = FOUND | systems | verbs | ways | forms | shown
    return found | {f"{verb}.register": "a verb, found by its file" for verb in verbs}


def test_no_public_name_is_used_by_tests_alone() -> None:
    used, _ = uses()
    every = set().union(*used.values())
    allowed = reasons()
    alone = [
        dotted
        for dotted, node in public()
        if dotted not in every
        and not decorated(node, REGISTERED)
        and dotted not in allowed
        and not used_within(dotted.rpartition(".")[0], dotted.rpartition(".")[2], node)
    ]
    assert alone == []


def test_no_module_is_imported_by_tests_alone() -> None:
    _, modules = uses()
    allowed = reasons()
    packages = {name_of(path) for path in SOURCE.rglob("__init__.py")}
    alone = [
        module
        for module in trees()
        if module.startswith("assay.") and module not in modules | packages and module not in allowed
    ]
    assert alone == []


def test_no_method_is_used_by_tests_alone() -> None:
    """By its bare name, since types are not known here: a method that shares its name with another is not found."""
    used = {node.attr for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    pages = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.html"))
    written = pages + (ROOT / "docs" / "python.md").read_text(encoding="utf-8")  # what a person's own code calls
    alone = [dotted for dotted, node in methods() if node.name not in used and f".{node.name}" not in written]
    assert alone == []


def test_what_is_allowed_is_there() -> None:
    """A reason outlives its name unnoticed otherwise."""
    there = set(trees()) | {dotted for dotted, _ in public()}
    assert set(FOUND) <= there and len(reasons()) > len(FOUND)
