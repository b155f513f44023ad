"""What a document says of a run: the verdict, its grade, bounds, findings and comparisons."""
