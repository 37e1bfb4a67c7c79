"""Experiments on spec/prometheus-wal.md."""
