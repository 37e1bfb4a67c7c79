"""A SQLite log without its start is recognised by its name and two linked frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.formats import UnknownFormat
from walproof.formats.sqlite_wal.discovery import LOOKED_AT_BYTES
from walproof.lake.recognition import recognise_log


@pytest.mark.parametrize("size", [512, 600])
def test_a_log_without_its_start_is_recognised_by_linked_frames(tmp_path: Path, size: int) -> None:
    log = (VECTORS / "sqlite-wal" / "five-transactions.db-wal").read_bytes()
    path = tmp_path / "database-wal"
    path.write_bytes(b"\xa5" * size + log[size:])
    assert recognise_log(path) == "sqlite-wal"
    for name, data in (
        ("database.bin", path.read_bytes()),
        ("other-wal", b"\xa5" * len(log)),
        ("long-wal", b"\xa5" * LOOKED_AT_BYTES + log),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UnknownFormat):
            recognise_log(tmp_path / name)
