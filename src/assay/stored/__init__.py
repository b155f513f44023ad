"""What a run's folder is made of: its journal, circumstances, launch files and tables, validated when they are read."""
