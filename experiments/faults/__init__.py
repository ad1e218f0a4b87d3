"""Faults put into what the nodes make, to see what the breaker makes of them."""
