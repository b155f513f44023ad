"""Scaling questions: programs on a described machine that is made larger, or otherwise than it is."""
