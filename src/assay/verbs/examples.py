"""`assay examples`: the example files that README and docs name, written into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._options import Json, Quiet, named_path


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def examples(
        folder: Annotated[Path, typer.Argument(parser=named_path, help="a new folder")] = Path("examples"),
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Write the example files (networks, machines, jobs, a program) into a new folder."""
        import contextlib
        import shutil

        from assay.benchmark.record import programs_root
        from assay.cli import emit
        from assay.errors import InputError

        shipped = programs_root().with_name("examples")
        # An installer that compiles has put bytecode among them.
        files = [path for path in shipped.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
        names = sorted(str(path.relative_to(shipped)) for path in files)
        if not names:
            raise InputError("the examples are missing from this installation", file=shipped)
        made: list[Path] = []  # files and folders, in this order
        try:
            folder.mkdir(parents=True)
            made.append(folder)
            for name in names:
                to = folder / name
                if not to.parent.exists():
                    to.parent.mkdir()
                    made.append(to.parent)
                made.append(to)
                shutil.copyfile(shipped / name, to)
        except OSError as error:
            for each in reversed(made):
                with contextlib.suppress(OSError):
                    each.rmdir() if each.is_dir() else each.unlink()
            problem = error.strerror or "cannot be written"
            raise InputError(problem, key="FOLDER", value=str(folder), accepted="a folder that is not there") from None
        if json:
            emit({"folder": str(folder), "files": names})
            return
        if not quiet:
            print("\n".join(str(folder / name) for name in names))
        print(f"{len(names)} files in {folder}")
