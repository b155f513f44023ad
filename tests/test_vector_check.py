"""The check of the vector kernels sees each place that is not as it must be, wherever its blocks of elements end."""

from __future__ import annotations

import subprocess
from pathlib import Path

from compiled import WARNINGS, compile_to

SOURCE = Path(__file__).parent / "native" / "vector_check.cpp"
LENGTHS = (1, 2, 5, 1023, 1024, 1025, 2049)


def test_every_damaged_place_is_counted_once(tmp_path: Path) -> None:
    program = compile_to(tmp_path / "check", SOURCE, "-O1", *WARNINGS)
    words = [program, *map(str, LENGTHS)]
    said = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    rows = [line.split() for line in said.splitlines()]
    assert len(rows) == 14 * 4 * len(LENGTHS)
    for kernel, access, n, right, places, seen, other, short in rows:
        case = (kernel, access, n)
        assert int(right) == 0, case
        assert int(seen) == int(places) > 8, case
        assert int(other) == (1 if kernel == "dot" else -1), case
        assert int(short) >= 1, case
