"""Where the sources of the benchmark programs are."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError


def programs_root() -> Path:
    """Return the folder of the programs' sources: the checkout's, or what was installed with the package."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package.parent.parent / "programs", package / "_source" / "programs"):
        if candidate.is_dir():
            return candidate
    import assay

    for place in assay.__path__:  # an editable install spreads one package over several folders
        installed = Path(place) / "_source" / "programs"
        if installed.is_dir():
            return installed
    raise InputError("the programs' sources are missing from this installation", file=package)
