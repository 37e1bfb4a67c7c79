"""Read the directory of a RocksDB or Pebble database whose logs are not plain LevelDB logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from reference_impl.answer import Event
from walproof.formats.leveldb_log.system_folder import LevelDBFolder, is_in_foreign_dialect


class RocksDBFolder(LevelDBFolder):
    """See :class:`~walproof.systems.model.SystemFolder`."""

    format = "rocksdb-wal"

    def takes(self, logs: Sequence[Path]) -> bool:
        """Return whether any log is in a dialect of RocksDB or Pebble. Raises ``OSError``."""
        return any(map(is_in_foreign_dialect, logs))

    def foreign_dialect(self, log: Path) -> str | None:
        """See :class:`~walproof.systems.model.SystemFolder`. The reader supports all dialects."""
        return None

    def more_events(self, log: Path) -> Iterator[Event] | None:
        """See :class:`~walproof.systems.model.SystemFolder`. There is no second way to read."""
        return None


SYSTEM_FOLDER = RocksDBFolder()
