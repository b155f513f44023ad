"""What a benchmark is: records, read from the programs' own files, and the figures they promise."""
