"""What was published, next to a run: printed tables with its own column, cells compared, and how a claim is judged."""
