"""Published machines and results, and shipped descriptions, as data."""
