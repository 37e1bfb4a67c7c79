"""The offsets in the expected listing of a log cover the file."""

from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.kaitai.field_map import iter_fields
from conformance.structure.listing import listing


@pytest.mark.parametrize(
    "log", sorted((VECTORS / "leveldb-log").glob("*.log"))[::8], ids=lambda p: p.stem
)
def test_leaves_tile_the_file(log: Path) -> None:
    data = log.read_bytes()
    end = 0
    for field in iter_fields(data, "leveldb-log"):
        if field.value is not None:
            assert field.start == end
            end = field.end
    assert end == len(data)
    offsets = {
        (line.split()[0], int(line.split()[1]))
        for line in listing(data, "leveldb_log")
        if line.split()[1] != "-" and line.split()[2] in "bi"
    }
    assert {(f.path, f.start) for f in iter_fields(data, "leveldb-log") if f.value is not None} == (
        offsets
    )
