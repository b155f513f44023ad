"""What MPI programs load, or are linked with, of Assay: compiled on this machine, in the cache of programs."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assay import left_names
from assay.benchmark.own import is_ours
from assay.benchmark.record import programs_root
from assay.execute import cache_content
from assay.execute.compiler import find_compiler
from assay.execute.units import digest_of, includes, objects_of

COMPILE_WITHIN = 300.0  # s
Progress = Callable[[str], None]


@dataclass(frozen=True)
class OwnLibrary:
    """A shared library: `kind` begins the name of its folder, `title` is what people call it.

    `sources`: gives its sources from the programs' folder, below which they lie. `linked`: a second name for it.
    """

    file: str
    kind: str
    title: str
    sources: Callable[[Path], list[str]]
    flags: str
    linking: tuple[str, ...]
    linked: str = ""

    def compiled(self, progress: Progress) -> Path:
        """Compile it where it is not there yet; returns its folder.

        MeasurementError names the compiler's first errors, or what cannot be written.
        """
        root, cache = programs_root(), cache_content.binaries(self.title)
        compiler = replace(find_compiler(), flags=self.flags, libraries=())
        sources = [root / each for each in self.sources(root)]

        def link(folder: Path) -> None:
            progress(f"compiling {self.title} for described machines ({compiler.identity})")
            objects = objects_of(sources, root, cache / "units", compiler, compiler, COMPILE_WITHIN)
            made = folder / self.file
            flags = ("-shared", *shlex.split(compiler.flags), *self.linking)
            compiler.make(
                self.file, (*compiler.words, *flags, *map(str, objects), "-o", str(made)), made, COMPILE_WITHIN
            )
            if self.linked:
                (folder / self.linked).symlink_to(self.file)

        return made_once(
            cache / f"{self.kind}-{digest_of(compiler, includes(sources, root), root=root)}", self.file, link
        )


def made_once(folder: Path, file: str, make: Callable[[Path], None]) -> Path:
    """`folder`, which `make` fills where its `file` is not there yet; it appears whole, or not at all."""
    if is_ours(folder / file):
        return folder
    with tempfile.TemporaryDirectory(prefix=left_names.marked(".mpi-"), dir=folder.parent) as scratch:
        fresh = Path(scratch) / "made"
        fresh.mkdir()
        make(fresh)
        try:
            fresh.rename(folder)
        except OSError:  # another process made it meanwhile
            if not is_ours(folder / file):
                raise
    return folder
