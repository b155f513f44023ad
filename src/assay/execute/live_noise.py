"""Watching a node live: short looks at its noise, by the program `noise`, and at who is active in between.

A look costs every hardware thread some tenths of a second of work, and so disturbs a little what is watched; the
activity of others is counted while the program does not run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import InputError, MeasurementError
from assay.execute.build import build
from assay.execute.stale_files import temporary_folder
from assay.machine.activity import Activity, activity
from assay.machine.noise_traces import Trace, read_traces

SLICE = 0.1  # s, of each of the two methods: spans for a spectrum down to 10 Hz
PATIENCE = 60.0  # s, for one look; a machine that takes longer is beyond watching


@dataclass
class Watch:
    """What has been seen so far; `traces` holds every look's, `notes` what could not be seen and why.

    `failed`: the program `noise` was started and failed, in one look or in several.
    """

    looks: int = 0
    seconds: float = 0.0
    activity: Activity = field(default_factory=Activity)
    last: list[Trace] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    history: list[dict[str, float | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: bool = False

    def fail(self, text: str) -> None:
        """Remember that the program failed, and why it did the first time: one note, however many looks follow."""
        if not self.failed:
            self.notes.append(text)
        self.failed = True


class Watcher:
    """Takes looks; without a compiler it reports activity alone, with a note."""

    def __init__(self, say: Callable[[str], None] = lambda text: None) -> None:
        """Compile the program where that was not done before."""
        self.watch = Watch()
        self._program: Path | None = None
        try:
            self._program = build([benchmark("noise")], mpi=None, progress=say)["noise"].path
        except MeasurementError as error:
            self.watch.notes.append(f"noise is not shown: {error}")

    def look(self, seconds: float) -> Watch:
        """Watch activity for `seconds`, then noise for some tenths of a second."""
        watch = self.watch
        watch.activity = activity(seconds=seconds)
        watch.last = self._noise() if self._program else []
        watch.traces += watch.last
        watch.looks += 1
        by_work = [trace for trace in watch.last if trace.method == "work"]
        watch.history.append(
            {
                "lost": sum(trace.lost for trace in by_work) / len(by_work) if by_work else None,
                "others": watch.activity.others,
                "steal": watch.activity.steal,
            }
        )
        return watch

    def _noise(self) -> list[Trace]:
        with temporary_folder("assay-watch-") as folder:
            out = Path(folder) / "noise.jsonl"
            own = ("--slice", str(SLICE), "--blocks", "1", "--seed", str(self.watch.looks + 1), "--out", str(out))
            words = program_words(benchmark("noise"), ("--profile", "quick", *own))
            environment = os.environ | {"ASSAY_PROCESS_TREE": str(os.getpid())}
            try:
                done = subprocess.run(
                    [str(self._program), *words], env=environment, capture_output=True, text=True, timeout=PATIENCE
                )
            except subprocess.TimeoutExpired:
                self.watch.fail(f"noise was not measured: the program takes longer than {PATIENCE:g} s")
                return []
            except OSError as error:
                self.watch.fail(f"noise was not measured: the program cannot be started ({error.strerror})")
                return []
            try:
                traces = list(read_traces(out)) if out.exists() else []
            except InputError as error:
                self.watch.fail(f"noise was not measured: {error}")
                return []
            if done.returncode != 0 or not traces:
                messages = done.stderr.strip().splitlines()
                why = messages[-1].removeprefix("noise: ") if messages else f"the program ended with {done.returncode}"
                self.watch.fail(f"noise {'is uncertain' if traces else 'was not measured'}: {why}")
            return traces
