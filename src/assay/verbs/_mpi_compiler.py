"""The verbs that compile MPI programs: all words but --help are the compiler's, options too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.mpi.wrappers import Language

# Without -h: it would be found in -shared and -pthread as well, letter by letter.
PASSED_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": ["--help"]}
Words = Annotated[list[str] | None, typer.Argument(metavar="WORDS…", help="the compiler's own words, all passed on")]


def add_compiler(app: typer.Typer, verb: str, language: Language, help_text: str) -> None:
    """Add the verb of a language's compiler."""

    @app.command(verb, context_settings=PASSED_ON, help=help_text)
    def compiler(context: typer.Context, words: Words = None) -> None:
        from assay.mpi import wrappers

        if words == ["-h"]:
            print(context.get_help())
            return
        if status := wrappers.run(language, words or []):
            raise typer.Exit(status)
