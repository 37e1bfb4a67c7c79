"""Experiments on spec/systemd-journal.md."""
