"""What papers state in words, judged: one judge (`verdict`), and the tests of each kind of claim."""
