"""Which documents each verb can give under `--json`: types from which their schema is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.network import documents
from assay.schemas import catalogue, described, listed


@dataclass(frozen=True)
class WithFigures:
    """A type whose document has the list of figures beside its own keys."""

    kind: Any


def forms() -> dict[str, tuple[Any, ...]]:
    """Give the types of each verb's documents, by the verb's name."""
    from assay.document.acceptance import Acceptance
    from assay.document.history import MachineHistory, WatchFiles, WatchRound
    from assay.document.quoted import Quoted
    from assay.document.run_document import Document
    from assay.document.scaling import ScalingAnswers
    from assay.document.sensitivity import Sensitivity
    from assay.document.tuning import Tuning
    from assay.document.validation import Validations
    from assay.execute.goal_schedule import GoalReplay
    from assay.machine.node_inventory import ClusterInventory
    from assay.throughput.dry_run import DryRun
    from assay.throughput.live_results import LiveThroughput
    from assay.throughput.repeated import RepeatedThroughput
    from assay.throughput.results import ThroughputResult
    from assay.throughput.what_if import WhatIf

    return {
        "accept": (Acceptance, listed.ContractText, listed.ContractPlan),
        "build": (listed.ProgramsBuilt, listed.OwnPrograms),
        "cache": (listed.CacheListed,),
        "catalogue": (
            catalogue.WholeCatalogue,
            catalogue.ChosenOfCatalogue,
            catalogue.MachineDescribed,
            catalogue.OwnBenchmarks,
            catalogue.ListOfTables,
        ),
        "compare": (listed.ComparisonAnswer, listed.LiveComparison),
        "doctor": (listed.HostFound, listed.NoiseWatched, ClusterInventory),
        "evaluate": (WithFigures(Document), WithFigures(Quoted), WithFigures(Validations)),
        "examples": (listed.WrittenExamples,),
        "export": (listed.ExportedRows, listed.ExportedFile),
        "fit": (listed.Refitted, listed.FittedToRun),
        "history": (MachineHistory,),
        "lab": (listed.LaboratoriesListed,),
        "mpirun": (listed.RunOfProgram, listed.FunctionsNeeded),
        "plan": (listed.PlannedRun, listed.QuotedPlan),
        "predict": (listed.PredictionAnswer,),
        "query": (listed.QueryAnswer,),
        "replay": (documents.Replay, GoalReplay),
        "report": (WithFigures(Document), listed.SeveralReports),
        "run": (listed.RunOfOne, listed.QuotedOfOne, listed.CommandOfTable),
        "runs": (listed.KnownRuns,),
        "sensitivity": (Sensitivity,),
        "simulate": (documents.Simulation, documents.SaturationSearch, documents.Sweep, described.NetworkKeys),
        "study": (
            documents.StudyAnswer,
            documents.AllStudies,
            described.ShippedStudies,
            WithFigures(ScalingAnswers),
        ),
        "throughput": (ThroughputResult, WhatIf, LiveThroughput, RepeatedThroughput, DryRun),
        "tune": (Tuning,),
        "version": (listed.Version,),
        "watch": (WatchRound, WatchFiles),
    }
