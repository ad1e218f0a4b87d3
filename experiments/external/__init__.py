"""Data sets of others, read from where the user has them, and how Melo does on them."""
