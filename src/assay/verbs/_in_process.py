"""Commands that Assay runs itself: in this process, as a shell would run them, in a folder that is removed.

docs/coverage.md is written from their answers. What measures this machine is started once (`--launches 1`): that the
figure comes out is enough.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Mapping

from assay.validation.coverage.asking import CommandAnswer

STATE = "ASSAY_RUNS"  # whose folder has the index of runs: these are in none


@contextlib.contextmanager
def asked_here(files: Mapping[str, str]) -> Iterator[Asker]:
    """Give a function that runs commands while its folder exists, with these files (texts by name)."""
    from assay.execute.stale_files import temporary_folder

    before = os.environ.get(STATE)
    with temporary_folder("assay-command-") as folder, contextlib.chdir(folder):
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        os.environ[STATE] = str(folder)
        try:
            yield Asker()
        finally:
            os.environ.pop(STATE)
            if before is not None:
                os.environ[STATE] = before


class Asker:
    """The result of a command line, run in this process; one launch for what measures this machine."""

    def __call__(self, words: tuple[str, ...]) -> CommandAnswer:
        """Run `assay WORDS`."""
        from typer.exceptions import TyperException

        from assay.cli import application
        from assay.errors import AssayError

        out, err = io.StringIO(), io.StringIO()
        status, refused = 0, True
        given = [*words, *(("--launches", "1") if measures(words) else ())]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = application(words[0])(given, standalone_mode=False) or 0
                refused = False
            except AssayError as error:
                status = error.status
                err.write(f"{error}\n")
            except TyperException as error:
                status = error.exit_code
                err.write(f"{error.format_message()}\n")
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1
        return CommandAnswer(int(status), out.getvalue(), err.getvalue(), refused)


def measures(words: tuple[str, ...]) -> bool:
    """Whether a command measures this machine."""
    return words[0] == "run" and "--on" not in words and "--launches" not in words
