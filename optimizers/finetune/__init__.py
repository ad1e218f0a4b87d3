"""Training a LoRA adapter of an embedded backbone that drafts the names of a request."""
