"""The published machine that a description's file says it describes: `published`, an id of the catalogue."""

from __future__ import annotations

from assay.toml import checking
from assay.toml.source import Source


def check(stated: str | None, source: Source) -> None:
    """InputError at the key's line where the catalogue has no machine of the id that is `stated`; None: none is."""
    if stated is None:
        return
    from assay.machine import catalogue  # read for those files only that name one

    known = catalogue.load().machines
    if stated not in known:
        hint = checking.near(stated, known)
        raise source.error(
            ("published",), f"is the id of no published machine{hint}", value=stated, accepted=", ".join(known)
        )
