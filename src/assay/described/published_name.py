"""The published machine that a description's file names: `published`, an id of the catalogue."""

from __future__ import annotations

from pathlib import Path

from assay.toml import checking
from assay.toml.source import Source

SHIPPED = Path(__file__).resolve().parent.parent / "catalogue" / "machines"  # whose ids the tests have compared


def check(stated: str | None, source: Source) -> None:
    """InputError at the key's line where the catalogue has no machine of the id that is `stated`; None: none is."""
    given = any(keys == ("published",) for keys, _ in source.overrides)
    if stated is None or (source.path.parent == SHIPPED and not given):
        return
    from assay.machine import catalogue  # read for a person's own files only, and those only that name one

    known = catalogue.load().machines
    if stated not in known:
        hint = checking.near(stated, known)
        raise source.error(
            ("published",), f"is the id of no published machine{hint}", value=stated, accepted=", ".join(known)
        )
