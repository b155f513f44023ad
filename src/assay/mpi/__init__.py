"""Unmodified MPI programs on described machines: the library that they are linked with, and their ranks."""
