"""Runs that were made elsewhere become known: their folders are entered into the index, and stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.errors import InputError
from assay.store import Run, enter, known_runs


def enter_runs(folders: Sequence[Path]) -> list[str]:
    """Enter the runs that folders are or have in them; the folders of runs that were not known, as text.

    A run whose id is known already, as of a copy, is not entered again. InputError where a folder has no run.
    """
    known = {run.about["id"] for run in known_runs()} if folders else set()
    found: list[Run] = []
    for folder in folders:
        inside = sorted(path.parent for path in folder.glob("*/run.json"))
        places = [folder] if (folder / "run.json").exists() else inside
        if not places:
            accepted = "a run's folder, or a folder of runs' folders"
            raise InputError("has no run in it", key="--import", value=str(folder), accepted=accepted)
        found += [Run.open(place.absolute()) for place in places]
    entered = []
    for run in found:
        if run.about["id"] not in known:
            known.add(run.about["id"])
            enter(run.folder)
            entered.append(str(run.folder))
    return entered
