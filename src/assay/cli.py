"""The command line: each file in `verbs/` adds one verb. Heavy imports happen inside the verbs."""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import importlib
import io
import json
import os
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer
from typer.exceptions import TyperException

from assay import sanitised, search_paths, stops, trusted, verbs, versions
from assay.errors import AssayError, InputError, InterruptError
from assay.verbs import _first_words

COMPLETION = "_ASSAY_COMPLETE"  # set by a shell to request completions of a command line
CLOSED_PIPE = 141  # exit status after SIGPIPE: the reader closed the pipe, which is no error


def application(verb: str | None = None) -> typer.Typer:
    """Make the command line: with the one verb that `verb` names, or else with all of them."""
    app = typer.Typer(
        name="assay",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="Evaluate a parallel machine: one that you have, or one that is only described.",
    )
    app.callback()(root)
    names = sorted(module.name for module in pkgutil.iter_modules(verbs.__path__) if not module.name.startswith("_"))
    for name in [verb] if verb in names else names:  # names with an underscore: what verbs share
        importlib.import_module(f"assay.verbs.{name}").register(app)
    for command in app.registered_commands:  # the first sentence whole, where typer would cut it
        command.short_help = _first_sentence(command.help or command.callback.__doc__ or "")
    return app


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.])\s", " ".join(text.split()))[0]


def _version(wanted: bool) -> None:
    if wanted:
        from assay import installed

        print(f"assay {installed.version()}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Evaluate a parallel machine: one that you have, or one that is only described."""
    gc.set_threshold(100_000, 50, 100)  # modules stay: collecting them again and again took a tenth of a start
    atexit.register(_leave)
    _clear_folders()


def _clear_folders() -> None:
    """Remove folders that killed runs left; a file system that does not answer is not waited for."""
    from assay.stored.state import state_folder

    folders = state_folder() / "folders"
    if any(folders.glob("*.json")) and trusted.fault(folders) is None:
        from assay.execute import ledger
        from assay.execute.folders import call_with_patience

        done = call_with_patience(ledger.clear)
        for path in done[0] if done is not None and isinstance(done[0], list) else ():
            sys.stderr.write(f"assay: removed {path}, which a run that was killed had left\n")
    if _any_temporary():
        from assay.execute import stale_files
        from assay.execute.folders import call_with_patience

        call_with_patience(stale_files.clear)  # in /tmp and /dev/shm, silently: the user did not choose these places


def _any_temporary() -> bool:
    """Whether there may be folders that left_behind.py looks at, which alone takes longer to import."""
    for place in {os.environ.get("TMPDIR") or "/tmp", "/tmp", "/dev/shm"}:
        with contextlib.suppress(OSError), os.scandir(place) as found:
            if any(each.name.startswith(("assay-", "sem.assay-")) for each in found):
                return True
    return False


def _leave() -> None:
    """Skip Python's clean-up of modules at exit, which takes longer than the system's; DuckDB needs it."""
    if "duckdb" not in sys.modules:
        gc.freeze()


_COLLECTED: ContextVar[list[Any] | None] = ContextVar("documents requested by Python", default=None)


@contextlib.contextmanager
def answered() -> Iterator[list[Any]]:
    """Collect the documents of commands from Python (assay.api), which print none then."""
    documents: list[Any] = []
    token = _COLLECTED.set(documents)
    try:
        yield documents
    finally:
        _COLLECTED.reset(token)


def emit(document: Any) -> None:
    """Print the one JSON document of a verb under --json to standard output, with the version of its form."""
    if isinstance(document, dict):
        document = versions.marked(versions.DOCUMENT, document)
    text = json.dumps(document, allow_nan=False, indent=2, default=plain_value)
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(json.loads(text))
        return
    sys.stdout.write(text.replace("\x7f", "\\u007f") + "\n")  # the one control character that json leaves


def plain_value(value: object) -> object:
    """What JSON has no word for: a mapping, such as a case, is an object; else its text."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def main() -> None:
    """Run the command line; an AssayError becomes one line on standard error and its exit status."""
    search_paths.leave_out_current_folder()
    os.umask(os.umask(0o022) | 0o022)  # what is made here is executed and resumed later: no other user may write it
    _streams()
    with stops.answered() as stop:
        _run(stop)


def _run(stop: stops.Stop) -> None:
    try:
        try:
            words = _first_words.meant(sys.argv[1:])
            if not words and COMPLETION not in os.environ:
                sys.stdout.write(_first_words.COMMANDS)
                return
            status = application(next(iter(words), None))(words, standalone_mode=False)
            sys.exit(status or 0)  # 0 but for a verb that ended by typer.Exit
        finally:
            stop.answered = True
            sys.stdout.flush()  # here, where a device that is full can still be reported
    except AssayError as error:
        if stop.number is None:
            sys.stderr.write(f"assay: {error}\n")
            sys.exit(error.status)
        by_signal = isinstance(error, InterruptError)  # else what something else made of it
        sys.stderr.write(f"assay: {'' if by_signal else 'interrupted: '}{error}\n")
        sys.exit(stop.status)
    except TyperException as error:
        from assay.verbs._usage import usage

        sys.stderr.write(usage(error))
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == InterruptError.status:  # a signal without a verb's own message: typer prints nothing
            sys.stderr.write("assay: interrupted\n")
            sys.exit(stop.status)
        if isinstance(end.__context__, BrokenPipeError):  # which rich and typer make an exit of status 1
            sys.exit(CLOSED_PIPE)
        raise
    except BrokenPipeError:
        _discard()
        sys.exit(CLOSED_PIPE)
    except OSError as error:  # not caught where it happened: mostly a full standard output
        _discard()
        sys.stderr.write(f"assay: {error.filename or 'standard output'}: {error.strerror or error}\n")
        sys.exit(InputError.status)
    except Exception:  # what a library made of a signal
        if stop.number is None:
            raise
        sys.stderr.write("assay: interrupted\n")
        sys.exit(stop.status)


def _streams() -> None:
    """Escape what a stream's encoding lacks and what a terminal would obey; an answer to a closed output is refused."""
    nothing = Path(os.devnull)
    sys.stdout = sys.stdout or cast(TextIO, _Closed())
    sys.stderr = sys.stderr or nothing.open("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = sanitised.terminal(sys.stdout), sanitised.terminal(sys.stderr)


class _Closed(io.StringIO):
    """A standard output that is closed: nothing of it is lost in silence."""

    def write(self, text: str) -> int:
        """Fail as the system does; nothing is lost where nothing is written."""
        if not text:
            return 0
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def _discard() -> None:
    """Discard what standard output still buffers: writing it at exit would fail again, with a traceback."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
