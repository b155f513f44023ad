"""docs/coverage.md: every item of the reports, the command that answers it, and what comes of running that."""
