"""Semantic IDs: tracks as short codes, and a small model that writes the codes that a request's words mean."""
