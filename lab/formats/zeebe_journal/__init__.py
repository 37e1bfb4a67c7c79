"""Experiments on spec/zeebe-journal.md."""
