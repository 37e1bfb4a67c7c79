"""Recipes of the RocksDB write-ahead log. Each column of the matrix has one file."""

from conformance.recipes.rocksdb_wal import (
    appending,
    checksum,
    clean_close,
    compression,
    fragments,
    layout,
    lengths,
    limits,
    log_number,
    metadata,
    real_logs,
    resync,
    tails,
    types,
    write_batches,
    writing,
    zeros,
)
from conformance.recipes.rocksdb_wal.log import BOOK, RocksLog

NewLog = RocksLog
"""The function that begins a log of this format."""

SUFFIX = ".log"
"""The default extension of the name of a log."""

__all__ = [
    "BOOK",
    "SUFFIX",
    "NewLog",
    "appending",
    "checksum",
    "clean_close",
    "compression",
    "fragments",
    "layout",
    "lengths",
    "limits",
    "log_number",
    "metadata",
    "real_logs",
    "resync",
    "tails",
    "types",
    "write_batches",
    "writing",
    "zeros",
]
