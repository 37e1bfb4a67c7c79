"""Every checksum of a format is declared in a grammar, and computed with the right algorithm."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from conformance import ROOT, VECTORS
from conformance.kaitai.checksums import PLAIN_ALGORITHMS, Checksum, algorithm_named
from conformance.kaitai.field_map import field_map
from conformance.kaitai.grammar_docs import grammar_docs
from conformance.kaitai.grammars import names_of
from conformance.vectors import load_all
from reference_impl.answer import NewRecord
from reference_impl.formats import FORMATS, named
from reference_impl.leveldb_log.layout import HEADER, masked_crc
from reference_impl.rocksdb_wal.layout import LEGACY, RECYCLABLE, WAL_SYNC, clean_close, pack
from reference_impl.rocksdb_wal.writer import Writer


def checksums(log: bytes, format_id: str) -> list[Checksum]:
    return [each.checksum for each in field_map(log, format_id) if each.checksum is not None]


def results(log: bytes, format_id: str) -> dict[str, bool | None]:
    fields = field_map(log, format_id)
    return {each.path: each.checksum.matches(log) for each in fields if each.checksum}


def test_every_algorithm_is_used() -> None:
    rules = [rule for name in _grammars() for rule in grammar_docs(name).checksums.values()]
    used = {rule.algorithm for rule in rules}
    assert set(PLAIN_ALGORITHMS) <= used
    assert all(callable(algorithm_named(name)) for name in used)
    with pytest.raises(KeyError):
        algorithm_named("sqlite-wal-page")


def _grammars() -> list[str]:
    return [name for format_id in FORMATS for name in names_of(format_id)]


# zmq-raft logs have no checksums.
@pytest.mark.parametrize("format_id", [each for each in FORMATS if each != "zmq-raft"])
def test_checksums_of_intact_logs_match_until_a_covered_bit_flips(format_id: str) -> None:
    vectors = [
        vector
        for vector in load_all().values()
        if vector.body["format"] == format_id
        and vector.operation == "read"
        and vector.input.is_file()
        and vector.input.stat().st_size < 10_000
        and vector.body["expect"].get("verdict") == "intact"
        and vector.body["kind"] == "valid"
        # In these vectors, the last bytes that a hash covers follow the compressed payload and have
        # no effect on it.
        and not vector.id.endswith(("-with-bytes-after-it", "-with-bytes-behind-it"))
        # The grammar finds the data of a record only behind its checksum.
        and vector.id != "etcd-wal/unusual-messages"
    ]
    checked = 0
    for vector in vectors[:: max(1, len(vectors) // 8)]:
        log = vector.input.read_bytes()
        for checksum in checksums(log, format_id):
            if checksum.matches(log) is None:
                continue
            checked += 1
            assert checksum.matches(log), (vector.id, checksum)
            assert all(log[start:end] == new for start, end, new in checksum.edits(log))
            for start, end in checksum.covered:
                if start < end:
                    damaged = log[: end - 1] + bytes([log[end - 1] ^ 1]) + log[end:]
                    assert not checksum.matches(damaged), (vector.id, checksum)
                    # The result is None if a compressed payload is so damaged that it has no hash.
                    if checksum.matches(damaged) is False:
                        assert any(damaged[a:b] != new for a, b, new in checksum.edits(damaged))
    assert checked > 5


def record(record_type: int, data: bytes, *, length: int | None = None, flip: int = 0) -> bytes:
    checksum = masked_crc(bytes([record_type]) + data) ^ flip
    return HEADER.pack(checksum, len(data) if length is None else length, record_type) + data


@pytest.mark.parametrize(
    ("log", "labels", "matches"),
    [
        (record(1, b"a"), ("full",), True),
        (record(1, b"a", flip=1), ("full",), False),
        (record(1, b"a", length=40_000), ("full", "crossing block", "truncated"), None),
        (record(1, b"a", length=9), ("full", "truncated"), None),
        (record(7, b"a"), ("type 7",), True),
        (bytes(9), ("zero",), None),
    ],
)
def test_units_of_leveldb(log: bytes, labels: tuple[str, ...], matches: bool | None) -> None:
    unit = next(each for each in field_map(log, "leveldb-log") if each.checksum)
    assert unit.checksum is not None
    assert (unit.labels, unit.checksum.matches(log)) == (labels, matches)


@pytest.mark.parametrize(
    ("log", "labels", "matches"),
    [
        (pack(RECYCLABLE, 1, b"alpha", 12), ("recyclable full",), True),
        (pack(RECYCLABLE, 1, b"alpha", 12)[:-1], ("recyclable full", "truncated"), None),
        (b"\0" + pack(RECYCLABLE, 1, b"alpha", 12)[1:], ("recyclable full",), False),
        (pack(WAL_SYNC, 4, b"alpha", 12, 44), ("sync last",), True),
        (pack(WAL_SYNC, 4, b"alpha", 12, 44)[:-1] + b"?", ("sync last",), False),
        (pack(LEGACY, 9, b"\7\0\0\0"), ("compression or sync full",), True),
        (pack(LEGACY, 130, bytes(24)), ("predecessor",), True),
        (pack(LEGACY, 200, b"x"), ("type 200",), True),
        (clean_close(12), ("recyclable full", "clean close"), None),
    ],
)
def test_units_of_rocksdb(log: bytes, labels: tuple[str, ...], matches: bool | None) -> None:
    unit = next(each for each in field_map(log, "rocksdb-wal") if each.checksum)
    assert unit.checksum is not None
    assert (unit.labels, unit.checksum.matches(log)) == (labels, matches)


@pytest.mark.parametrize("name", ["pebble-synced/000006.log", "pebble-recyclable.log"])
def test_checksums_of_real_logs_match(name: str) -> None:
    found = results((ROOT / "tests/data" / name).read_bytes(), "rocksdb-wal")
    assert True in found.values() and False not in found.values()


def test_a_whole_log_of_each_dialect() -> None:
    for dialect in (LEGACY, RECYCLABLE, WAL_SYNC):
        out = io.BytesIO()
        records = [NewRecord(b"x" * 40_000), NewRecord(b"y")]
        for piece in Writer(12, {"headers": dialect}).pieces(records):
            out.write(piece)
        found = results(out.getvalue(), "rocksdb-wal")
        assert len(found) >= 3 and set(found.values()) == {True}, dialect


@pytest.mark.parametrize(
    ("at", "new", "path", "matches"),
    [
        (0, "37", "header", True),
        (12, "01", "header", False),
        (0, "37", "frames[1]", True),
        (600, "00", "frames[1]", False),
        (600, "00", "frames[2]", True),
        # The salts of frame 1 now differ from those of the header.
        (576, "00", "frames[1]", None),
        (576, "00", "frames[2]", None),
        (584, "0000000000000000", "frames[2]", False),
        (568, "00" * 16, "frames[1]", None),
    ],
)
def test_checksums_of_sqlite_continue_the_frame_before(
    at: int, new: str, path: str, matches: bool | None
) -> None:
    log = bytearray((VECTORS / "sqlite-wal" / "five-transactions.db-wal").read_bytes())
    log[at : at + len(new) // 2] = bytes.fromhex(new)
    assert results(bytes(log), "sqlite-wal")[path] is matches


def test_a_batch_without_a_checksum_is_not_checked(tmp_path: Path) -> None:
    path = tmp_path / "db-1.log"
    named("kahadb-journal").write(path, [NewRecord(b"alpha")], {})
    log = bytearray(path.read_bytes())
    assert results(bytes(log), "kahadb-journal") == {"batches[0]": True}
    log[20:28] = bytes(8)
    assert results(bytes(log), "kahadb-journal") == {"batches[0]": None}
