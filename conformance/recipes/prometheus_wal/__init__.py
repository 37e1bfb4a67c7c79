"""Recipes of the Prometheus write-ahead log."""
