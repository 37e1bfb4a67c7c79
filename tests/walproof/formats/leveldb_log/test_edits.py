"""Compare the version edit kernel with the decoder: same MANIFEST, same state."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from reference_impl.answer import NewRecord
from reference_impl.leveldb_log import write
from walproof import scan
from walproof.formats import plugin_for
from walproof.formats.leveldb_log.decoder import version_edit
from walproof.formats.leveldb_log.system_folder import manifest
from walproof.formats.leveldb_log.system_folder.manifest import Manifest, read_manifest

pytestmark = pytest.mark.skipif(
    not plugin_for("leveldb-log").has_scanner, reason="unavailable, because numba is not installed"
)


def varint(value: int) -> bytes:
    data = b""
    while value >= 0x80:
        data, value = data + bytes([value & 0x7F | 0x80]), value >> 7
    return data + bytes([value])


def sized(data: bytes) -> bytes:
    return varint(len(data)) + data


def key(number: int) -> bytes:
    return sized(b"key%d" % number + struct.pack("<Q", number << 8 | 1))


class Edits:
    """Random edits as written by LevelDB, RocksDB and Pebble."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.number = 5

    def edit(self) -> bytes:
        pick = self.chance.random
        parts = [self._counter(tag) for tag in (2, 9, 3, 4, 10) if pick() < 0.5]
        parts += [b"\x06" + self._table() for _ in range(self.chance.randrange(4))]
        parts += [self._new_file() for _ in range(self.chance.randrange(4))]
        if pick() < 0.3:
            parts.append(b"\xc8\x01" + varint(self.chance.randrange(3)))  # a column family
        if pick() < 0.2:
            parts.append(b"\x05\x01" + key(7))
        if pick() < 0.1:
            parts.append(self._other())
        self.chance.shuffle(parts)
        return b"".join(parts)

    def _counter(self, tag: int) -> bytes:
        return bytes([tag]) + varint(self.chance.choice([0, 1, self.number, 1 << 40, 1 << 63]))

    def _table(self) -> bytes:
        return varint(self.chance.randrange(2)) + varint(self.chance.randrange(1, 40))

    def _new_file(self) -> bytes:
        self.number = self.chance.randrange(1, 40)
        head = varint(self.chance.randrange(2)) + varint(self.number)
        size, bounds = varint(self.chance.randrange(1 << 20)), key(1) + key(2)
        layout = self.chance.choice((7, 100, 103, 103, 103, 104))
        if layout == 104:  # keys and range keys
            bounds = b"\x00" + bounds
        result = varint(layout) + head + size + bounds
        result += b"" if layout == 7 else varint(5) + varint(9)
        return result + (self._fields() if layout >= 103 else b"")

    def _fields(self) -> bytes:
        fields = (b"\x02\x01\x01", b"\x03\x08" + bytes(8), b"\x05" + sized(varint(1 << 33)),
                  b"\x07\x03abc", b"\x31\x02??", b"\x41\x01\x01", b"\x42\x09",
                  b"\x03\x01?")  # fmt: skip
        weights = (4, 4, 4, 4, 2, 1, 1, 1)
        chosen = self.chance.choices(fields, weights, k=self.chance.randrange(3))
        return b"".join(chosen) + b"\x01"

    def _other(self) -> bytes:
        blob = varint(400) + varint(9) + varint(3) + varint(100) + sized(b"") + sized(b"") + b"\0"
        return self.chance.choice(
            [
                b"\x01" + sized(b"leveldb.BytewiseComparator"),
                b"\xca\x01",  # the column family is dropped
                b"\xac\x02\x01",  # the first of a group of two
                b"\xac\x02\x00",
                blob,
                varint(105) + varint(7) + varint(8),
                varint(8193) + sized(b"the id"),
                b"\x0b\x01\x01",
                b"\x7f",  # no tag
                b"\x06\x01",  # cut
            ]
        )


def states(path: Path, is_pebble: bool, monkeypatch: pytest.MonkeyPatch) -> list[Manifest]:
    results = []
    for least in (1 << 62, 0):
        monkeypatch.setattr(scan, "WORTH_A_KERNEL", least)
        results.append(read_manifest(path, is_pebble))
    return results


@pytest.mark.parametrize("rows", [0, 1 << 62], ids=["merged", "plain"])
@pytest.mark.parametrize("is_pebble", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_same_state(
    seed: int, is_pebble: bool, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "_MIN_MERGED_ROWS", rows)
    edits = Edits(seed)
    path = tmp_path / "MANIFEST-000001"
    write(path, [NewRecord(edits.edit(), {}) for _ in range(200)], {})
    decoded, by_kernel = states(path, is_pebble, monkeypatch)
    assert decoded == by_kernel
    assert decoded.edits > 50


@pytest.mark.parametrize("seed", range(15))
def test_damaged_edits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte of an edit was changed before it was written, so the checksum matches."""
    edits, chance = Edits(seed), random.Random(seed)
    records = []
    for _ in range(100):
        data = bytearray(edits.edit() or b"\x02\x01")
        data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        records.append(NewRecord(bytes(data[: chance.randrange(1, len(data) + 1)]), {}))
    path = tmp_path / "MANIFEST-000001"
    write(path, records, {})
    decoded, by_kernel = states(path, False, monkeypatch)
    assert decoded == by_kernel


def test_the_kernel_reads_the_edits_of_tables_and_counters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decoder receives only the first edit, which has the comparator."""
    table = b"\x00\x09\x05" + key(1) + key(2)
    edits = [
        b"\x01" + sized(b"leveldb.BytewiseComparator") + b"\x02\x03\x09\x00\x03\x04\x04\x00",
        b"\x02\x05\x03\x07\x04\x09\x07" + table,
        b"\x06\x00\x07\xc8\x01\x02\x67" + table + b"\x05\x09\x05" + sized(varint(7)) + b"\x01",
    ]
    path = tmp_path / "MANIFEST-000001"
    write(path, [NewRecord(edit, {}) for edit in edits], {})
    decode, taken = version_edit.decode, []
    monkeypatch.setattr(
        version_edit, "decode", lambda *given: taken.append(given[0]) or decode(*given)
    )
    monkeypatch.setattr(scan, "WORTH_A_KERNEL", 0)
    result = read_manifest(path, False)
    assert taken == edits[:1] and result.edits == 3 and not result.faults
    assert (result.tables, result.next_file, result.has_families) == ({9: 5}, 7, True)


def test_more_tables_than_the_kernel_has_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "_MAX_ROWS", 8)
    table = b"\x07\x00%b\x05" + key(1) + key(2)
    edits = [b"".join(table.replace(b"%b", varint(n + 100 * m)) for n in range(1, 1 + m))
             for m in range(12)]  # fmt: skip
    path = tmp_path / "MANIFEST-000001"
    write(path, [NewRecord(edit, {}) for edit in edits], {})
    decoded, by_kernel = states(path, False, monkeypatch)
    assert decoded == by_kernel and len(decoded.tables) == sum(range(12))
