"""The simulator of a checkout: `./x` compiles it when it is first imported, so that no measurement waits for it.

An installed package has the compiled module under this name, and not this file.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_COMPILED = "ASSAY_CORE"  # the module's file, for child processes: they need not look again


def __getattr__(name: str) -> Any:
    """Serve type checkers only: the compiled module takes this one's place before anything can ask."""
    raise AttributeError(name)


def _compiled() -> str:
    """Return the compiled module's file, made or brought up to date where needed; ImportError where it cannot be."""
    known = os.environ.get(_COMPILED)
    if known and Path(known).is_file():
        return known
    script = Path(__file__).resolve().parents[2] / "x"
    if not script.is_file():
        raise ImportError("assay._core, the simulator, was not compiled into this installation: install it again")
    made = subprocess.run([script, "core"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    if made.returncode != 0:
        raise SystemExit(made.returncode)  # the script has reported the error
    os.environ[_COMPILED] = made.stdout.strip()
    return os.environ[_COMPILED]


def _load() -> None:
    spec = importlib.util.spec_from_file_location(__name__, _compiled())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[__name__] = module
    spec.loader.exec_module(module)


_load()
