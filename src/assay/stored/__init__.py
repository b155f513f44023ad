"""What a run's folder is made of: its journal, circumstances, programs' lines and tables, each read with suspicion."""
