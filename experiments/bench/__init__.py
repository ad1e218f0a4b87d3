"""`python -m experiments.bench`: how long Melo takes and how much memory, against the targets."""
