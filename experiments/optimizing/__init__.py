"""`melo optimize` from its options to the compiled state: names, budget, record of runs, report."""
