"""Runs whose launches are made in turn by one command: all refused before any is made, all ended however it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.decide.live import LiveSide
from assay.errors import AssayError, InterruptError
from assay.execute import session
from assay.execute.plan import Plan
from assay.execute.run_request import RunRequest
from assay.store import Run
from assay.verbs._measuring import begun, prepare_run


@dataclass
class RunsInTurn:
    """What is to be measured, in the order of `admit`, and the runs that were begun."""

    request: list[RunRequest] = field(default_factory=list)
    places: list[tuple[Plan, session.Target]] = field(default_factory=list)
    sides: list[LiveSide] = field(default_factory=list)

    def admit(self, request: RunRequest, program_of: Run | None = None) -> None:
        """Plan one run, with the program of an earlier one, where it is given; nothing is made yet.

        InputError where it is refused.
        """
        plan, where = prepare_run(request)
        self.places.append((plan, where))
        if program_of is not None:
            from assay.execute.kept_programs import kept_programs
            from assay.execute.real import Real

            assert isinstance(where, Real)  # a described machine gives the same at every launch, and is refused
            where.kept = kept_programs(program_of, request)
        self.request.append(request)

    def begin(
        self,
        words: str,
        out: Path | None,
        *,
        label: str | None = None,
        about: Mapping[str, object] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Make the folder of the next run that was admitted; `words` name it in messages."""
        plan, where = self.places[len(self.sides)]
        run = begun(
            self.request[len(self.sides)], plan, where, out, label=label, about={"left_out": [], **(about or {})}
        )
        self.sides.append(LiveSide(words, run, plan, where, environment=environment or {}))

    def end(self, state: str) -> None:
        """End those that still run."""
        for side in self.sides:
            if side.run.about.get("state") == "running":
                with contextlib.suppress(AssayError):
                    side.run.finish(state)


@contextlib.contextmanager
def interleave_runs() -> Iterator[RunsInTurn]:
    """Give what the runs are begun with; they are done at its end, and interrupted where it is left by an error."""
    runs = RunsInTurn()
    try:
        yield runs
    except BaseException as error:
        runs.end("interrupted")
        if isinstance(error, KeyboardInterrupt):
            kept = ", ".join(str(side.run.folder) for side in runs.sides)
            raise InterruptError(f"interrupted; finished launches are stored in {kept}") from None
        raise
    finally:
        for _, where in runs.places:
            where.close()
    runs.end("done")
