"""Confidence and circuit breaker: what a node made is judged by somebody else before the next node gets it."""
