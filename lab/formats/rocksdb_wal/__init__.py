"""Experiments on spec/rocksdb-wal.md."""
