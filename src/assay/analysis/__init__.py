"""From samples to figures: one law a file.

numpy is imported here first, its BLAS set to no threads of its own: it would start one per hardware thread, which
spin for some hundredths of a second before they sleep, and nothing here is large enough to share. The environment is
put back at once, since the programs that Assay launches inherit it.
"""

import os

_stated = os.environ.get("OPENBLAS_NUM_THREADS")
os.environ["OPENBLAS_NUM_THREADS"] = _stated or "1"
import numpy  # noqa: E402, F401

if _stated is None:
    del os.environ["OPENBLAS_NUM_THREADS"]
