"""Vectors for combinations of open records, dialects and places in a block."""

from __future__ import annotations

from conformance.recipes.leveldb_log.log import forge_checksum
from conformance.recipes.recipe import Recipe
from conformance.recipes.rocksdb_wal.appending import append_to_three_legacy_records
from conformance.recipes.rocksdb_wal.bad_numbers import misnumbered
from conformance.recipes.rocksdb_wal.compression import ZSTD, three_compressed_records
from conformance.recipes.rocksdb_wal.layout import (
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    APPENDING,
    BLOCK_SIZE,
    CHECKSUM,
    CLEAN_CLOSE,
    FIRST,
    FULL,
    LAST,
    LAYOUT,
    LEGACY,
    LOG_NUMBER,
    METADATA,
    MIDDLE,
    NUMBER,
    OLDER,
    RECYCLABLE,
    TORN_TAIL,
    WAL_SYNC,
    WRITING,
    ZEROS,
    RocksLog,
    flipped,
    legacy,
    recyclable,
    wal_sync,
)
from conformance.recipes.rocksdb_wal.readings import SOUND_CLOSE
from conformance.recipes.zstd_frames import MAGIC, frame, header
from reference_impl.rocksdb_wal.layout import HEADER_SIZES, clean_close, pack

DELTA = b"delta"
CONTROLS: dict[str, Recipe[RocksLog]] = {
    LEGACY: three_legacy_records,
    RECYCLABLE: three_recyclable_records,
    WAL_SYNC: three_synced_records,
}
SIZES = pack(RECYCLABLE, 11, b"\1\0\0\0\x08\0", NUMBER)
PREDECESSOR = pack(RECYCLABLE, 131, bytes(range(24)), NUMBER)


def _named(dialect: str) -> str:
    return {LEGACY: "legacy", RECYCLABLE: "recyclable", WAL_SYNC: "synced"}[dialect]


def _packed(dialect: str, kind: int, data: bytes, sync_offset: int = 0) -> bytes:
    """Return a physical record of log 12."""
    return pack(dialect, kind, data, NUMBER, sync_offset)


def _filler(log: RocksLog, dialect: str, kind: int, left: int) -> bytes:
    """Write a fragment that leaves ``left`` bytes of the block, and return its data."""
    data = b"f" * (BLOCK_SIZE - len(log.data) - HEADER_SIZES[dialect] - left)
    log.extend(_packed(dialect, kind, data))
    return data


OPENED = {"data": b"go", "an_empty_first": b""}
ENDED_BY = {
    "full": (recyclable(FULL, DELTA), True),
    "first": (recyclable(FIRST, DELTA), True),
    "timestamp_sizes": (SIZES, False),
    "preceding_log": (PREDECESSOR, False),
}


#: Titles describe the records with these texts.
BY_TITLES = {
    "full": "FULL",
    "first": "FIRST",
    "timestamp_sizes": "timestamp size record",
    "preceding_log": "preceding log record",
}


def bad_number_after_an_open_record(opened: str, by: str) -> None:
    """Add a vector in which a physical record with a damaged log number ends an open record."""
    data = OPENED[opened]
    first_fault = (
        "The open record is the first lost range." if data else "The open record is framing."
    )

    @LOG_NUMBER.combination(
        f"number_of_a_{by}_flipped_after_{opened}",
        f"A {BY_TITLES[by]} with a damaged log number ends an open record with"
        f" {opened.replace('_', ' ')}. {first_fault}",
        three_recyclable_records,
        "RDB-049",
        "RDB-055",
        "RDB-062",
    )
    def build(log: RocksLog) -> None:
        record, is_fragment = ENDED_BY[by]
        log.extend(recyclable(FIRST, data) + misnumbered(record))
        if by == "first":
            log.extend(recyclable(LAST, b""))
        elif not is_fragment:
            log.extend(recyclable(FULL, DELTA))
        reason = "incomplete-record" if data else "bad-number"
        log.expect("damaged", reason, survivors=[0, 1, 2, DELTA])


for _opened in OPENED:
    for _by in ENDED_BY:
        bad_number_after_an_open_record(_opened, _by)


@LOG_NUMBER.damaged(three_recyclable_records, "RDB-049", "RDB-062")
def number_of_an_incomplete_record_flipped(log: RocksLog) -> None:
    """The log number of a FIRST is damaged, and a FULL ends its record. Both faults share one lost
    range."""
    log.extend(misnumbered(recyclable(FIRST, b"go")) + recyclable(FULL, DELTA))
    log.expect("damaged", "incomplete-record", survivors=[0, 1, 2, DELTA])


INVALID_METADATA = {
    "legacy_sizes_of_zero": (LEGACY, pack(LEGACY, 10, b"\1\0\0\0\0\0")),
    "legacy_sizes_of_seven_bytes": (LEGACY, pack(LEGACY, 10, bytes(7))),
    "a_legacy_preceding_log_of_23_bytes": (LEGACY, pack(LEGACY, 130, bytes(23))),
    "recyclable_sizes_of_zero": (RECYCLABLE, pack(RECYCLABLE, 11, b"\1\0\0\0\0\0", NUMBER)),
    "recyclable_sizes_of_seven_bytes": (RECYCLABLE, pack(RECYCLABLE, 11, bytes(7), NUMBER)),
    "a_recyclable_preceding_log_of_23_bytes": (
        RECYCLABLE,
        pack(RECYCLABLE, 131, bytes(23), NUMBER),
    ),
}


def zeros_before_invalid_metadata(name: str) -> None:
    """Add a vector in which a block ends with zeros before invalid metadata."""
    dialect, metadata = INVALID_METADATA[name]

    @METADATA.combination(
        f"zeros_before_{name}",
        f"A block ends in zeros before {name.replace('_', ' ')}. The metadata is invalid, and the"
        " zeros are framing.",
        CONTROLS[dialect],
        "RDB-063",
        "RDB-033",
    )
    def build(log: RocksLog) -> None:
        filler = _filler(log, dialect, FULL, 12)
        log.extend(bytes(12))
        log.extend(metadata + _packed(dialect, FULL, DELTA))
        log.expect("damaged", "bad-metadata", survivors=[0, 1, 2, filler, DELTA])


for _name in INVALID_METADATA:
    zeros_before_invalid_metadata(_name)


@METADATA.damaged(three_recyclable_records, "RDB-062", "RDB-063")
def zeros_before_metadata_with_a_flipped_number(log: RocksLog) -> None:
    """A block ends in zeros before timestamp sizes with a damaged log number. The zeros are
    framing."""
    filler = _filler(log, RECYCLABLE, FULL, 12)
    log.extend(bytes(12) + misnumbered(SIZES) + recyclable(FULL, DELTA))
    log.expect("damaged", "bad-number", survivors=[0, 1, 2, filler, DELTA])


def trailer_of_other_bytes_within_a_record(dialect: str) -> None:
    """Add a vector with a non-zero trailer between two fragments of a record."""
    size = HEADER_SIZES[dialect] - 1

    @LAYOUT.combination(
        f"{_named(dialect)}_trailer_of_other_bytes_within_a_record",
        f"A trailer of {size} bytes 55 is between the FIRST and the LAST of a record.",
        CONTROLS[dialect],
        "RDB-004",
    )
    def build(log: RocksLog) -> None:
        filler = _filler(log, dialect, FIRST, size)
        log.extend(b"\x55" * size + _packed(dialect, LAST, b"al"))
        log.expect("intact", survivors=[0, 1, 2, filler + b"al"])


def last_byte_of_a_block_of_zeros(dialect: str) -> None:
    """Add a vector with a block in which all bytes after the records are zero, except for the last
    byte."""

    @ZEROS.combination(
        f"{_named(dialect)}_block_of_zeros_with_a_last_byte",
        "After a header of zeros, only the last byte of the block is not zero. The header is not"
        " part of a gap.",
        CONTROLS[dialect],
        "RDB-045",
    )
    def build(log: RocksLog) -> None:
        log.extend(bytes(BLOCK_SIZE - len(log.data) - 1) + b"\1")
        log.extend(_packed(dialect, FULL, DELTA, BLOCK_SIZE))
        log.expect("damaged", "zero-header", survivors=[0, 1, 2, DELTA])


def damage_in_a_block_without_its_trailer(dialect: str) -> None:
    """Add a vector with damage in a last block that lacks only its trailer."""
    left = HEADER_SIZES[dialect] - 1

    @CHECKSUM.combination(
        f"damage_in_a_{_named(dialect)}_block_without_its_trailer",
        f"A record of a block is damaged, and the log ends {left} bytes before the end of the"
        " block. No block boundary follows, so `end` is null.",
        CONTROLS[dialect],
        "RDB-056",
    )
    def build(log: RocksLog) -> None:
        log.extend(flipped(_packed(dialect, FULL, b"ghost")))
        at = BLOCK_SIZE - len(log.data) - HEADER_SIZES[dialect] - left
        log.extend(_packed(dialect, FULL, b"f" * at))
        survivors: list[int | bytes] = [0, 1, 2]
        if dialect == WAL_SYNC:  # only a later sync offset proves the damage
            at = HEADER_SIZES[dialect] * 4 + len(b"alphabravocharlie") + len(b"ghost")
            log.set("blocks[0].records[2].header.ofs_synced", at)
            log.reseal("blocks[0].records[2]")
        log.expect("damaged", "checksum-mismatch", survivors=survivors, end=None)


for _dialect in CONTROLS:
    trailer_of_other_bytes_within_a_record(_dialect)
    last_byte_of_a_block_of_zeros(_dialect)
    damage_in_a_block_without_its_trailer(_dialect)


KINDS = {"full": FULL, "first": FIRST, "middle": MIDDLE, "last": LAST}


def empty_fragment_after_a_fault(name: str) -> None:
    """Add a vector in which only an empty fragment of this log follows a fault."""

    @TORN_TAIL.combination(
        f"empty_{name}_after_a_fault",
        f"An empty {name.upper()} of this log follows a fault. The log did not end at the fault.",
        three_recyclable_records,
        "RDB-050",
    )
    def build(log: RocksLog) -> None:
        parts = flipped(recyclable(FULL, b"ghost")) + recyclable(KINDS[name], b"")
        log.extend(parts)
        log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


for _name in KINDS:
    empty_fragment_after_a_fault(_name)


def older_log_after_lost_blocks(blocks: int) -> None:
    """Add a vector with blocks out of step between the end of a log and an older log."""

    @TORN_TAIL.combination(
        f"torn_tail_and_an_older_log_in_block_{blocks}",
        f"A fault ends the log, and the older log begins in step in block {blocks}. The torn tail"
        " ends there.",
        three_recyclable_records,
        "RDB-050",
    )
    def build(log: RocksLog) -> None:
        log.extend(b"\x55" * (blocks * BLOCK_SIZE - len(log.data)))
        filler = b"g" * (BLOCK_SIZE - 11)
        log.extend(recyclable(FULL, filler, OLDER) * 2)
        log.expect("torn", "torn-tail", survivors=[0, 1, 2], end=50)


for _blocks in (1, 2, 4):
    older_log_after_lost_blocks(_blocks)


def metadata_after_an_older_record(name: str) -> None:
    """Add a vector in which metadata of this log follows a record of another log."""
    metadata = {"timestamp_sizes": SIZES, "preceding_log": PREDECESSOR}[name]

    @LOG_NUMBER.combination(
        f"{name}_after_an_older_record",
        "Metadata of this log follows a record of another log. A reader continues at the metadata.",
        three_recyclable_records,
        "RDB-046",
    )
    def build(log: RocksLog) -> None:
        parts = recyclable(FULL, b"ghost", OLDER) + metadata + recyclable(FULL, DELTA)
        log.extend(parts)
        log.expect("damaged", "other-log", survivors=[0, 1, 2, DELTA])


metadata_after_an_older_record("timestamp_sizes")
metadata_after_an_older_record("preceding_log")


@TORN_TAIL.damaged(three_legacy_records, "RDB-050")
def older_record_within_a_later_block(log: RocksLog) -> None:
    """The first block of a log without a dialect is damaged. A record of another log is in a later
    block, but not at its start. The fault is damage."""
    log.truncate(0)
    log.extend(b"\x55" * BLOCK_SIZE + ZSTD)
    log.extend(recyclable(FULL, b"ghost", OLDER))
    log.expect("damaged", "checksum-mismatch", survivors=[], end=BLOCK_SIZE + 11)


@LOG_NUMBER.damaged(three_synced_records, "RDB-013")
def checksum_that_fits_two_headers(log: RocksLog) -> None:
    """The checksum of the only record matches with a 19-byte header and with a 7-byte header. A
    reader uses the longer header, so the record is not a compression record."""
    short = pack(LEGACY, 9, NUMBER.to_bytes(4, "little"))
    fields = NUMBER.to_bytes(4, "little") + bytes(8)
    forged = forge_checksum(9, fields, int.from_bytes(short[:4], "little"))
    log.truncate(0)
    log.extend(wal_sync(FULL, forged[12:], 0))
    log.expect("intact", survivors=[forged[12:]])


@CLEAN_CLOSE.damaged(three_synced_records, "RDB-026", "RDB-046")
def clean_close_that_is_sound_before_the_proven_offset(log: RocksLog) -> None:
    """A clean close whose checksum is valid by chance begins before the proven offset. The bytes up
    to the next record of this log are lost."""
    log.context["log_number"] = SOUND_CLOSE
    log.truncate(0)
    parts = wal_sync(FULL, b"alpha", 0, SOUND_CLOSE) + clean_close(SOUND_CLOSE)
    log.extend(parts + wal_sync(FULL, DELTA, 35, SOUND_CLOSE))
    log.expect("damaged", "other-log", survivors=[b"alpha", DELTA])


@LOG_NUMBER.damaged(three_synced_records, "RDB-013", "RDB-062")
def damaged_number_that_fits_two_headers(log: RocksLog) -> None:
    """The log number of the only record is damaged. With the number of the log, the checksum
    matches with a 19-byte header, and it also matches with a 7-byte header. A reader uses the
    longer header."""
    other = (NUMBER ^ 0x100).to_bytes(4, "little")
    short = pack(LEGACY, 9, other)
    fields = NUMBER.to_bytes(4, "little") + bytes(8)
    forged = forge_checksum(9, fields, int.from_bytes(short[:4], "little"))
    whole = wal_sync(FULL, forged[12:], 0)
    log.truncate(0)
    log.extend(whole[:7] + other + whole[11:])
    log.expect("damaged", "bad-number", survivors=[forged[12:]])


def few_zeros_after_a_first(dialect: str) -> None:
    """Add a vector in which an open record is followed only by fewer zeros than a header has
    bytes."""

    @ZEROS.combination(
        f"three_zeros_after_a_{_named(dialect)}_first",
        "Three zeros follow a FIRST at the end of the log. The zeros are not a cut header, and only"
        " the record is torn.",
        CONTROLS[dialect],
        "RDB-019",
        "RDB-042",
    )
    def build(log: RocksLog) -> None:
        size = len(log.data)
        log.extend(_packed(dialect, FIRST, b"go") + bytes(3))
        log.expect("torn", "torn-record", survivors=[0, 1, 2], end=size)


for _dialect in CONTROLS:
    few_zeros_after_a_first(_dialect)


@ZEROS.damaged(three_legacy_records, "RDB-045", "RDB-044")
def type_0_with_data_and_a_checksum_of_zero(log: RocksLog) -> None:
    """A physical record with the checksum 0, the type 0 and five bytes of data is not a header of
    zeros."""
    log.extend(b"\0\0\0\0\5\0\0ghost")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


LOST_RECORDS = {
    "a_too_large_record": (legacy(FULL, header(64 << 30)), "too-large"),
    "an_orphan": (legacy(LAST, b"al"), "orphan-fragment"),
    "an_incomplete_record": (legacy(FIRST, b"go"), "incomplete-record"),
    "an_unknown_type": (legacy(103, b"ghost"), "unknown-type"),
}


def lost_record_after_metadata(name: str) -> None:
    """Add a vector with a lost record after metadata, which then applies to the next record."""
    lost, reason = LOST_RECORDS[name]

    @METADATA.combination(
        f"{name}_after_metadata",
        f"Timestamp sizes precede {name.replace('_', ' ')}. They apply to the next record that is"
        " returned.",
        three_compressed_records,
        "RDB-009",
    )
    def build(log: RocksLog) -> None:
        sizes = pack(LEGACY, 10, b"\1\0\0\0\x08\0")
        log.extend(sizes + lost + legacy(FULL, frame(DELTA)))
        log.expect("damaged", reason, survivors=[0, 1, 2, DELTA])


for _name in LOST_RECORDS:
    lost_record_after_metadata(_name)


@WRITING.writing("RDB-014", "RDB-020", kind="limit")
def write_with_the_number_0(log: RocksLog) -> None:
    """A writer writes the log number 0."""
    log.written(b"alpha", log_number=0)


@WRITING.writing("RDB-030", kind="limit")
def write_no_compressed_records(log: RocksLog) -> None:
    """A writer writes a compressed log without records. The log has a compression record."""
    log.written(headers=LEGACY, compression="zstd")


@WRITING.writing("RDB-010", "RDB-023", kind="limit")
def write_where_just_a_synced_header_fits(log: RocksLog) -> None:
    """The first record leaves 19 bytes of the block. The next record begins with an empty FIRST."""
    size = BLOCK_SIZE - 2 * HEADER_SIZES[WAL_SYNC]
    log.written(b"f" * size, b"bravo", headers=WAL_SYNC, log_number=9)


@LAYOUT.damaged(three_synced_records, "RDB-004")
def synced_log_without_its_trailer(log: RocksLog) -> None:
    """A WAL-sync log ends 18 bytes before the end of a block, where its trailer is missing."""
    filler = _filler(log, WAL_SYNC, FULL, 18)
    log.expect("intact", survivors=[0, 1, 2, filler])


@APPENDING.appending(synced_log_without_its_trailer, "RDB-022", "RDB-023")
def append_where_a_synced_trailer_is_due(log: RocksLog) -> None:
    """A writer appends to a WAL-sync log that lacks its trailer. The default sync offset is that of
    the first header, after the trailer."""
    filler = b"f" * (BLOCK_SIZE - len(b"alphabravocharlie") - 4 * 19 - 18)
    log.append(DELTA)
    log.expect("intact", survivors=[0, 1, 2, filler, DELTA])


def append_after_a_lost_block(name: str) -> None:
    """Add a vector in which only a torn record shows whether the log is compressed."""
    data = {"compressed": frame(b"go"), "plain": b"go"}[name]

    def build(log: RocksLog) -> None:
        log.flip("blocks[0].records[0].data", 0)
        log.fill_block()
        log.extend(legacy(FIRST, data))
        if name == "compressed":
            log.context["compression"] = "zstd"
        log.append(MAGIC + b"rest" if name == "plain" else DELTA)
        log.expect_refusal("damaged", "checksum-mismatch")

    build.__name__ = f"append_after_a_torn_{name}_record"
    build.__doc__ = (
        f"The first block is lost, and only a torn record shows that the log is {name}. A writer"
        " must refuse a record that a reader would misread without the torn record."
    )
    APPENDING.appending(
        three_legacy_records,
        "RDB-032",
        "RDB-058",
        control=append_to_three_legacy_records,
        kind="corrupt",
    )(build)


append_after_a_lost_block("compressed")
append_after_a_lost_block("plain")


def older_record_at_a_sync_offset(offset: int) -> None:
    """Add a vector whose last record states a sync offset near the end of this record."""
    is_synced = offset > 74

    @LOG_NUMBER.combination(
        f"older_record_at_74_and_sync_offset_{offset}",
        f"An older record begins at 74, and the last record states that {offset} bytes were synced."
        f" The older record is {'damage' if is_synced else 'the end of the log'}.",
        three_synced_records,
        "RDB-017",
        "RDB-025",
        "RDB-046",
    )
    def build(log: RocksLog) -> None:
        log.set("blocks[0].records[2].header.ofs_synced", offset)
        log.reseal("blocks[0].records[2]")
        log.extend(wal_sync(FULL, b"ghost", 0, OLDER))
        if is_synced:
            log.expect("damaged", "other-log", survivors=[0, 1, 2], end=None)
        else:
            log.expect("intact", survivors=[0, 1, 2], end=74)


older_record_at_a_sync_offset(74)
older_record_at_a_sync_offset(75)


@TORN_TAIL.damaged(three_recyclable_records, "RDB-050", kind="limit")
def record_within_a_torn_payload(log: RocksLog) -> None:
    """The end of the last record was not written, and its payload contains a record of this log.
    The log seems to continue after the torn record."""
    payload = b"p" * 20 + recyclable(FULL, b"ghost") + b"q" * 40
    torn = recyclable(FULL, payload)[:-20] + b"\x55" * 20
    log.extend(torn)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)
