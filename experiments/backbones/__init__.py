"""Backbones beside each other: the same requests, seeds and budget on each."""
