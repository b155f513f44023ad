"""Was the machine ours while it was measured, and how far can what was not have moved each figure (method.md, rule 14)?

Two witnesses. The accounting of each block (accounts.py), gathered over windows long enough for the kernel's ticks, and
the samples themselves (steps.py, shapes.py). No sample is deleted: blocks are marked (findings.py), each launch's level
gets the reach that this leaves it (levels.py), and for each case it is decided which estimator is used and how far its
value can have been moved (verdict.py). The marking rules are fixed before the data, as constants.
"""

from assay.analysis.disturbance.block import AccountedBlock
from assay.analysis.disturbance.findings import Reason
from assay.analysis.disturbance.judge import Disturbance, judge
from assay.analysis.disturbance.verdict import BETWEEN, Displacement, Estimator, State, Verdict, invalid

__all__ = [
    "BETWEEN",
    "AccountedBlock",
    "Displacement",
    "Disturbance",
    "Estimator",
    "Reason",
    "State",
    "Verdict",
    "invalid",
    "judge",
]
