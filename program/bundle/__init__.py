"""A compiled program as a directory that is checked before it is believed."""
