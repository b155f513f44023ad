"""A folder that this process makes for its files, and removes again where what it was for is refused.

Nothing is removed but what was made: the folders by their descriptors, the files by names that the caller gives. What
others put there, before or meanwhile, stays, and so do the folders around it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.errors import InputError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class MadeFolder:
    """A folder `path` with folders `inner` in it; `path` itself, and those above it, where they were not there."""

    def __init__(self, path: Path, inner: Iterable[str] = (), *, accepted: str = "an empty or a new folder") -> None:
        """Make it. InputError where something lies in it already; OSError where it cannot be made.

        Either way nothing of it is left.
        """
        self.path = path
        self._made: list[Path] = []  # `path` and those above it, as far as they were not there; the deepest last
        self._inner: dict[str, int] = {}  # by name, the descriptor
        self._own = -1
        try:
            self._make_path()
            self._own = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            if os.listdir(self._own):  # noqa: PTH208 - of what is open
                raise InputError("is not empty", file=path, accepted=accepted)
            for name in inner:
                os.mkdir(name, dir_fd=self._own)
                self._inner[name] = os.open(name, _FOLDER, dir_fd=self._own)
        except FileExistsError:  # another process began here at once
            self.remove()
            raise InputError("is not empty", file=path, accepted=accepted) from None
        except BaseException:
            self.remove()
            raise

    def _make_path(self) -> None:
        missing = [self.path] if not self.path.exists() else []
        while missing and not missing[-1].parent.exists():
            missing.append(missing[-1].parent)
        for each in reversed(missing):
            with contextlib.suppress(FileExistsError):  # made by another process meanwhile: it is not ours
                each.mkdir()
                self._made.append(each)

    def remove(self, files: Iterable[str] = (), of_inner: Iterable[tuple[str, str]] = ()) -> None:
        """Remove `files` and, as (inner folder, name), those in the inner folders; then each made folder that is empty.

        What cannot be removed is left.
        """
        if self._own >= 0:
            for folder, name in of_inner:
                with contextlib.suppress(OSError, KeyError):
                    os.unlink(name, dir_fd=self._inner[folder])
            for name in files:
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=self._own)
            for name, held in self._inner.items():
                with contextlib.suppress(OSError):
                    if os.path.samestat(os.stat(name, dir_fd=self._own, follow_symlinks=False), os.fstat(held)):
                        os.rmdir(name, dir_fd=self._own)  # only an empty one
            if self._made and self._made[-1] == self.path and not self._is_here():
                self._made = []  # moved away: what has its name now is another's
        for each in reversed(self._made):
            with contextlib.suppress(OSError):
                each.rmdir()
        self.close()

    def _is_here(self) -> bool:
        try:
            return os.path.samestat(self.path.lstat(), os.fstat(self._own))
        except OSError:
            return False

    def names(self, inner: str) -> Iterator[str]:
        """Names in one of the inner folders as it was made, wherever it is now."""
        with contextlib.suppress(OSError, KeyError):
            yield from os.listdir(self._inner[inner])  # noqa: PTH208 - of what is open

    def close(self) -> None:
        """Keep the folder: nothing of it is removed any more."""
        for held in (self._own, *self._inner.values()):
            if held >= 0:
                os.close(held)
        self._own, self._inner, self._made = -1, {}, []

    def __del__(self) -> None:
        """Let go of the descriptors."""
        self.close()
