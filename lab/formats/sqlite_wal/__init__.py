"""Experiments on spec/sqlite-wal.md."""
