"""Prompt optimization and promotion; the recipes come with the labelled sets."""
