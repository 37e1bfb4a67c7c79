"""A damaged descriptor is recognised."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.formats import detect
from reference_impl.zeebe_journal.writer import pack_descriptor


@pytest.mark.parametrize("at", range(57))
def test_one_damaged_byte_of_the_descriptor_does_not_hide_it(tmp_path: Path, at: int) -> None:
    path = tmp_path / "journal-1.log"
    data = bytearray(pack_descriptor(1, 1, 512).ljust(512, b"\0"))
    data[at] ^= 0xFF
    path.write_bytes(data)
    assert detect(path).id == "zeebe-journal"
