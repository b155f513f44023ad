"""How programs are built, launched and their samples gathered: one file a way of running."""
