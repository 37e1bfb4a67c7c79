"""The executable specification of Prometheus's write-ahead log (spec/prometheus-wal.md)."""

from reference_impl.prometheus_wal.reader import read, recognise
from reference_impl.prometheus_wal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
