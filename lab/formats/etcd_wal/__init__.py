"""Experiments on spec/etcd-wal.md."""
