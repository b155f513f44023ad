"""The described machines in `assay catalogue`: the shipped ones, and a file's keys in its own units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay import sanitised, versions
from assay.described.published_name import SHIPPED
from assay.described.shipped import shipped
from assay.toml.source import read


def described() -> list[dict[str, str]]:
    """Every shipped description: its name, title and topology."""
    made = []
    for name, path in shipped().items():
        file = _read(path)
        title, topology = str(file.get("title", name)), str((file.get("network") or {}).get("topology", ""))
        made.append({"name": name, "title": title, "topology": topology})
    return made


def description(name: str) -> dict[str, Any] | None:
    """The keys and values of a described machine's file, each with its origin; None where none ships."""
    if name not in shipped():
        return None
    path = shipped()[name]
    file = _read(path)
    origins = file.pop("origin", {})
    head = " ".join(
        line.removeprefix("#").strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")
    )
    keys = [
        {"key": key, "value": value, "origin": origins.get(key)}
        for key, value in _flat(file)
        if key not in ("name", "title")
    ]
    return {"name": name, "title": file.get("title", name), "about": head, "file": path.name, "keys": keys}


def _read(path: Path) -> dict[str, Any]:
    return read(path, versions.MACHINE)[0]


def _flat(table: Any, before: str = "") -> list[tuple[str, Any]]:
    items = table.items() if isinstance(table, dict) else enumerate(table)
    found: list[tuple[str, Any]] = []
    for key, value in items:
        path = f"{before}.{key}" if before else str(key)
        nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))
        found += _flat(value, path) if nested else [(path, value)]
    return found


def show_list() -> None:
    """Print which machines are described."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("described (--on)", "machine", "topology"):
        table.add_column(heading, no_wrap=heading.startswith("described"), overflow="fold")
    for each in described():
        table.add_row(each["name"], each["title"], each["topology"])
    console = sanitised.console()
    console.print()
    console.print(table)


def show(found: dict[str, Any]) -> None:
    """Print one description: its source, and each key with what it rests on."""
    from rich.table import Table
    from rich.text import Text

    console = sanitised.console()
    console.print(Text.assemble((found["title"], "bold"), (f"  (described: {SHIPPED.name}/{found['file']})", "dim")))
    console.print(Text(found["about"]))
    table = Table(box=None, header_style="cyan", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("key", "value", "rests on"):
        table.add_column(heading, overflow="fold")
    for each in found["keys"]:
        value = each["value"]
        text = ("true" if value else "false") if isinstance(value, bool) else str(value)
        table.add_row(each["key"], text, each["origin"] or "")
    console.print(table)
