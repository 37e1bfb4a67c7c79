"""Experiments on spec/kahadb-journal.md."""
