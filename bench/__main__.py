"""`./x bench [PART …]`: run the named parts, or say which there are. A part is a file here with `main(arguments)`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import bench
from assay.errors import AssayError

PARTS = sorted(m.name for m in pkgutil.iter_modules(bench.__path__) if not m.name.startswith("_"))


def main() -> int:
    """Run one part with the arguments that follow its name."""
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        print(f"usage: ./x bench PART [ARGUMENT …]; parts: {', '.join(PARTS) or 'none yet'}", file=sys.stderr)
        return 2
    try:
        return int(importlib.import_module(f"bench.{sys.argv[1]}").main(sys.argv[2:]) or 0)
    except AssayError as error:
        print(error, file=sys.stderr)
        return error.status


sys.exit(main())
