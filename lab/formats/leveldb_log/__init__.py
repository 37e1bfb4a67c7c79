"""Experiments on spec/leveldb-log.md."""
