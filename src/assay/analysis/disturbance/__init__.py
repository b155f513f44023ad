"""Was the machine ours while it was measured? `clean`, `disturbed` or `invalid`, with reasons (METHOD rules 11 and 14).

Two witnesses. The accounting of each block (accounts.py), gathered over windows long enough for the kernel's ticks, and
the samples themselves (steps.py, shapes.py). No sample is deleted: blocks are marked, and the verdict (verdict.py)
names the estimator that still stands. The marking rules are fixed before the data; they are the constants beside them.
"""

from assay.analysis.disturbance.block import Block
from assay.analysis.disturbance.verdict import Disturbance, State, judge

__all__ = ["Block", "Disturbance", "State", "judge"]
