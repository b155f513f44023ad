"""The papers' tables with a column of a run's own figures, and what was published of a machine, quoted."""
