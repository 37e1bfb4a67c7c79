"""The executable specification of the Prometheus write-ahead log, see spec/prometheus-wal.md."""

from reference_impl.prometheus_wal.reader import read, recognise
from reference_impl.prometheus_wal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
