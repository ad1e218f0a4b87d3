"""Answers that a person should look at, what was said of them, and what follows from it."""
