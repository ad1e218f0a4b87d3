"""Catalog importers: one file a format, one mapper from loose rows to checked records."""

from data.catalog.importers.base import FORMATS, Rejects, detect_format, read_catalog

__all__ = ["FORMATS", "Rejects", "detect_format", "read_catalog"]
