"""The labelled sets: entity, longtail and regular, their frozen splits, and the checker."""
