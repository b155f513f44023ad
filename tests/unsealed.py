"""Kept files as before there were checksums, for tests that plant in a run what no reader is to take for damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def _without(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in ("crc", "seq", "checksums")}


def unsealed(folder: Path) -> Path:
    """Take the checksums out of a run's or a throughput test's own files; returns the folder."""
    for path in folder.rglob("*.jsonl"):
        made = [_without(json.loads(line)) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in made))
    for path in (folder / "run.json", folder / "plan.json"):
        if path.is_file():
            path.write_text(json.dumps(_without(json.loads(path.read_text())), indent=1))
    for path in folder.glob("journal.jsonl"):  # the programs' files have other sizes now
        text = [json.loads(line) for line in path.read_text().splitlines()]
        sizes = {each.name: each.stat().st_size for each in (folder / "launches").glob("*.jsonl")}
        for line in text:
            if isinstance(line.get("files"), dict):
                line["files"] = {name: sizes.get(name, size) for name, size in line["files"].items()}
        path.write_text("".join(json.dumps(line) + "\n" for line in text))
    return folder
