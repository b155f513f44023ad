"""What is wrong with the files of a run's launches: read line by line and compared with the journal."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.stored.journal import circumstance, last_attempts
from assay.stored.journal_entries import BegunEntry, JournalEntry
from assay.stored.launch_file import LaunchFiles
from assay.stored.lines import ALTERED, numbered


@dataclass
class Damage:
    """`texts`: one line for each thing that is wrong; `again`: tasks that ended well, and whose files do not show it.

    `unlisted`: files in launches/ that the journal does not name; `blocks`: finished ones, each of which belongs
    in the tables (of an attempt that was done again only those that can be used).
    """

    texts: list[str] = field(default_factory=list)
    again: set[str] = field(default_factory=set)
    unlisted: list[Path] = field(default_factory=list)
    blocks: int = 0

    def lost(self, entries: list[JournalEntry], known: Collection[str], faults: list[str]) -> None:
        """Add the tasks that ended well under circumstances that are not `known`, by key; `faults`: of those there."""
        last = last_attempts(entries)
        well = {entry["task"] for entry in entries if entry["event"] == "ended" and entry["status"] == 0}
        missing: dict[str, None] = {}
        for entry in entries:
            if entry["event"] != "begun":
                continue
            key = circumstance(entry["about"]).provenance
            if not key or key in known:
                continue
            if entry["task"] in well and entry["file"] == last[entry["task"]]:
                self.again.add(entry["task"])
            if not any(fault.startswith(f"provenance/{key}.json") for fault in faults):
                missing[key] = None
        self.texts += [f"provenance/{key}.json: is missing: circumstances of its launches are not known"
                       for key in missing]  # fmt: skip


def damage(folder: Path, entries: list[JournalEntry], read: LaunchFiles) -> Damage:
    """Compare the files in `folder` (launches/) with the journal's entries; OSError and InputError as of any file."""
    found = Damage()
    last = last_attempts(entries)
    ended = {entry["task"]: entry for entry in entries if entry["event"] == "ended"}
    listed: set[str] = set()
    for entry in entries:
        if entry["event"] != "begun":
            continue
        task, stem = entry["task"], Path(entry["file"]).stem
        files = sorted({entry["file"], *(path.name for path in folder.glob("*@*.jsonl") if _stem(path) == stem)})
        listed.update(files)
        if entry["file"] != last[task]:
            for name in files:  # done again meanwhile: its samples stay, and its launch does not count
                found.blocks += read.content(folder / name, circumstance(entry["about"])).usable
            continue
        well = task in ended and ended[task]["status"] == 0
        stated = ended.get(task)
        sizes = (stated.get("files") or {}) if well and stated is not None else {}
        wrong = _of_attempt(folder, entry, files, sizes, well, found, read)
        if stated is not None and stated.get("file") == entry["file"]:
            wrong += _altered(folder, entry, stated.get("checksums") or {}, wrong, read)
        if well and wrong:
            found.again.add(task)
        found.texts += [f"launches/{text}" for text in wrong]
    for path in sorted(folder.glob("*.jsonl")):
        if path.name not in listed:
            found.unlisted.append(path)
            found.blocks += sum(isinstance(of, dict) and of.get("event") == "block" for _, of in numbered(path))
            found.texts.append(f"launches/{path.name}: the journal does not name this file: its samples are not used")
    return found


def _stem(path: Path) -> str:
    return path.name.partition("@")[0]


def _altered(
    folder: Path, entry: BegunEntry, checksums: Mapping[str, str], known: list[str], read: LaunchFiles
) -> list[str]:
    """Name the files that are not what they were when their launch had ended, except those with `known` faults."""
    texts = []
    for name, checksum in sorted(checksums.items()):
        known_already = any(text.startswith(f"{name}:") for text in known)
        if known_already or not (folder / name).is_file():
            continue
        if read.content(folder / name, circumstance(entry["about"])).checksum != checksum:
            texts.append(f"{name}: {ALTERED}")
    return texts


def _of_attempt(
    folder: Path,
    entry: BegunEntry,
    files: list[str],
    sizes: Mapping[str, int],
    well: bool,
    found: Damage,
    read: LaunchFiles,
) -> list[str]:
    """The faults of the files of a task's last attempt, which ended well or has not ended at all."""
    texts, there = [], 0
    for name in sorted({*files, *sizes}):
        path = folder / name
        if not path.is_file():
            if name in sizes:
                texts.append(f"{name}: is missing")
            continue
        there += 1
        content = read.content(path, circumstance(entry["about"]))
        found.blocks += content.blocks
        texts += [f"{name}:{text}" for text in content.faults]
        size = sizes.get(name)
        if well and (not content.done or (isinstance(size, int) and content.size < size)):
            texts.append(f"{name}: was cut short after its launch had ended")
    if well and not there and not texts:
        texts.append(f"{entry['file']}: is missing")
    return texts
