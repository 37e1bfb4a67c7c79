"""Logs for which different readings of the chapter give different answers."""

from conformance.recipes.rocksdb_wal.compression import ZSTD, three_compressed_records
from conformance.recipes.rocksdb_wal.layout import (
    three_legacy_records,
    three_recyclable_records,
    three_synced_records,
)
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    CLEAN_CLOSE,
    COMPRESSION,
    FIRST,
    FULL,
    LAST,
    LEGACY,
    METADATA,
    NUMBER,
    OLDER,
    RECYCLABLE,
    TORN_TAIL,
    ZEROS,
    RocksLog,
    flipped,
    legacy,
    recyclable,
    wal_sync,
)
from conformance.recipes.rocksdb_wal.metadata import zeros_but
from conformance.recipes.zstd_frames import (
    COMPRESSED,
    MAGIC,
    RAW,
    block,
    frame,
    frame_of_one_byte,
    header,
)
from reference_impl.rocksdb_wal.layout import clean_close, pack

PREDECESSOR = bytes(range(24))
#: The clean close of the log with this number is also a valid empty FULL of the next log.
SOUND_CLOSE = 2020336647
LIMIT = 65536


@COMPRESSION.damaged(three_legacy_records, "RDB-032")
def frames_after_a_record_with_another_number(log: RocksLog) -> None:
    """A preceding log record with another number begins a legacy log. It does not show whether the
    log is compressed, so the first FULL decides."""
    log.truncate(0)
    parts = pack(RECYCLABLE, 131, PREDECESSOR, OLDER) + legacy(FULL, frame(b"alpha"))
    log.extend(parts)
    log.expect("damaged", "unknown-type", survivors=[b"alpha"])


@COMPRESSION.valid("RDB-032")
def frames_after_a_record_with_this_number(log: RocksLog) -> None:
    """A preceding log record with the number of the log begins a recyclable log. The log is not
    compressed."""
    log.data += pack(RECYCLABLE, 131, PREDECESSOR, NUMBER) + recyclable(FULL, frame(b"alpha"))
    log.expect("intact", survivors=[frame(b"alpha")])


@COMPRESSION.damaged(three_recyclable_records, "RDB-032", "RDB-047")
def record_of_another_dialect_before_frames(log: RocksLog) -> None:
    """The first block of a recyclable log is damaged. A legacy FULL before the first recyclable
    FULL does not decide whether the log is compressed."""
    log.flip("blocks[0].records[0].data", 0)
    log.fill_block()
    parts = pack(RECYCLABLE, 131, PREDECESSOR, NUMBER) + legacy(FULL, b"ghost")
    log.extend(parts + recyclable(FULL, frame(b"alpha")))
    log.expect("damaged", "checksum-mismatch", survivors=[b"alpha"])


@COMPRESSION.damaged(three_recyclable_records, "RDB-032")
def magic_number_in_two_fragments(log: RocksLog) -> None:
    """The first block is damaged. A FIRST holds only two bytes of the magic number of zstd, so the
    log is not compressed."""
    whole = frame(b"alpha")
    log.flip("blocks[0].records[0].data", 0)
    log.fill_block()
    parts = recyclable(FIRST, whole[:2]) + recyclable(LAST, whole[2:])
    log.extend(parts)
    log.expect("damaged", "checksum-mismatch", survivors=[whole])


@COMPRESSION.damaged(three_compressed_records, "RDB-049", "RDB-051", "RDB-036")
def bad_frame_after_an_empty_first(log: RocksLog) -> None:
    """A FULL without a valid frame follows a FIRST without data. The FIRST is framing, and only the
    FULL is lost."""
    log.extend(legacy(FIRST, b"") + legacy(FULL, b"no frame"))
    log.expect("damaged", "bad-compression", survivors=[0, 1, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-035")
def empty_record_in_two_fragments(log: RocksLog) -> None:
    """A FIRST and a LAST without data are an empty record."""
    log.extend(legacy(FIRST, b"") + legacy(LAST, b""))
    log.expect("intact", survivors=[0, 1, 2, b""])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037")
def reserved_bit_and_more_than_the_limit(log: RocksLog) -> None:
    """The reserved bit of a frame header is set, and the frame states 64 GiB. The header is
    invalid, so the stated size does not count."""
    large = bytearray(header(64 << 30))
    large[4] |= 8
    log.splice("blocks[0].records[2]", legacy(FULL, bytes(large)))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037")
def frame_that_states_the_largest_number(log: RocksLog) -> None:
    """A frame states a content size of 2⁶⁴ − 1 bytes, and its window is small."""
    large = MAGIC + b"\xc0\0" + b"\xff" * 8 + block(RAW, b"alpha", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, large))
    log.expect("damaged", "too-large", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037")
def frame_that_states_one_less_than_the_largest_number(log: RocksLog) -> None:
    """A frame states a content size of 2⁶⁴ − 2 bytes, and its window is small."""
    large = MAGIC + b"\xc0\0\xfe" + b"\xff" * 7 + block(RAW, b"alpha", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, large))
    log.expect("damaged", "too-large", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037")
def single_segment_that_states_the_largest_number(log: RocksLog) -> None:
    """A single-segment frame states a content size of 2⁶⁴ − 1 bytes. Its window is equally large,
    so the header is invalid."""
    large = MAGIC + b"\xe0" + b"\xff" * 8 + block(RAW, b"alpha", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, large))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def empty_compressed_block(log: RocksLog) -> None:
    """A frame begins with a compressed block of size 0, which RFC 8878 does not allow."""
    bad = header(5) + block(COMPRESSED, b"", 0, is_last=False)
    bad += block(RAW, b"alpha", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, bad))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def empty_raw_block(log: RocksLog) -> None:
    """A frame begins with an empty raw block, which is valid."""
    good = header(5) + block(RAW, b"", 0, is_last=False) + block(RAW, b"delta", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, good))
    log.expect("intact", survivors=[0, b"delta", 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-038", kind="limit")
def incomplete_records_and_the_budget(log: RocksLog) -> None:
    """Frames of incomplete records do not count towards the budget."""
    log.context["max_record_size"] = LIMIT
    whole = frame_of_one_byte(0x61, LIMIT)
    log.truncate(0)
    parts = ZSTD + legacy(FIRST, whole) * 4 + legacy(FULL, whole) * 4
    log.extend(parts)
    log.expect("damaged", "incomplete-record", survivors=[b"a" * LIMIT] * 4)


@METADATA.damaged(three_legacy_records, "RDB-063")
def zeros_before_recyclable_metadata_in_a_legacy_log(log: RocksLog) -> None:
    """A block of a legacy log ends with eight zeros before recyclable metadata. The zeros are a
    gap, because a writer of a legacy log never moves such metadata to the next block."""
    zeros_but(log, 8)
    parts = pack(RECYCLABLE, 131, PREDECESSOR, NUMBER) + legacy(FULL, b"delta")
    log.extend(parts)
    filler = bytes(BLOCK_SIZE - 38 - 7 - 8)
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, filler, b"delta"])


@METADATA.damaged(three_recyclable_records, "RDB-063")
def zeros_before_legacy_metadata_in_a_recyclable_log(log: RocksLog) -> None:
    """A block of a recyclable log ends in twelve zeros before legacy metadata. The zeros are a
    gap."""
    filler = bytes(BLOCK_SIZE - 50 - 11 - 12)
    log.extend(recyclable(FULL, filler) + bytes(12))
    parts = pack(LEGACY, 130, PREDECESSOR) + recyclable(FULL, b"delta")
    log.extend(parts)
    log.expect("damaged", "zero-gap", survivors=[0, 1, 2, filler, b"delta"])


@METADATA.damaged(three_recyclable_records, "RDB-049", "RDB-050")
def metadata_after_an_open_record_at_the_end(log: RocksLog) -> None:
    """Valid metadata at the end of a recyclable log ends an open record. The metadata has the
    number of the log, so the open record is damage and not a torn tail."""
    parts = recyclable(FIRST, b"go") + pack(RECYCLABLE, 131, PREDECESSOR, NUMBER)
    log.extend(parts)
    log.expect("damaged", "incomplete-record", survivors=[0, 1, 2])


@CLEAN_CLOSE.valid("RDB-014", "RDB-026")
def clean_close_that_is_sound_and_no_number(log: RocksLog) -> None:
    """The bytes of a clean close are an empty FULL with a valid checksum. Without another number,
    they are this record."""
    log.number_is_unknown()
    log.data += clean_close(SOUND_CLOSE)
    log.payloads.append(b"")
    log.expect("intact", survivors=[0], end=11)


@CLEAN_CLOSE.damaged(clean_close_that_is_sound_and_no_number, "RDB-014", "RDB-026")
def clean_close_that_is_sound(log: RocksLog) -> None:
    """The bytes of a clean close are an empty FULL of the next log with a valid checksum. With the
    number from the context, they are a clean close."""
    log.context["log_number"] = SOUND_CLOSE
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.damaged(clean_close_that_is_sound_and_no_number, "RDB-014", "RDB-026", "RDB-062")
def number_flipped_to_a_clean_close(log: RocksLog) -> None:
    """One bit of a log number is flipped, which makes the bytes of an empty FULL a clean close.
    Only this clean close gives the number of the log, so this number proves no record."""
    log.flip("blocks[0].records[0].header.log_number", 0)
    log.expect("intact", survivors=[], end=0)


@CLEAN_CLOSE.damaged(
    clean_close_that_is_sound_and_no_number, "RDB-026", "RDB-046", "RDB-062", kind="corrupt"
)
def known_number_flipped_to_a_clean_close(log: RocksLog) -> None:
    """One bit of a log number is flipped, which makes the bytes of an empty FULL a clean close.
    The number of the log proves this record, so the clean close begins before the proven offset,
    and no record of this log follows it."""
    log.context["log_number"] = SOUND_CLOSE + 1
    log.flip("blocks[0].records[0].header.log_number", 0)
    log.expect("damaged", "other-log", survivors=[], end=None)


@CLEAN_CLOSE.damaged(three_synced_records, "RDB-014", "RDB-026", "RDB-025", kind="corrupt")
def clean_close_that_is_sound_in_a_trailer(log: RocksLog) -> None:
    """A WAL-sync log is closed in a trailer of 11 bytes, with a clean close whose checksum is valid
    by chance."""
    log.context["log_number"] = SOUND_CLOSE
    filler = bytes(BLOCK_SIZE - 19 - 11)
    parts = wal_sync(FULL, filler, 0, SOUND_CLOSE) + clean_close(SOUND_CLOSE)
    log.truncate(0)
    log.extend(parts + wal_sync(FULL, b"ghost", 0, SOUND_CLOSE))
    log.expect("torn", "torn-tail", survivors=[filler], end=BLOCK_SIZE - 11)


@ZEROS.damaged(three_legacy_records, "RDB-063", "RDB-045")
def zero_gap_of_one_block_and_a_half(log: RocksLog) -> None:
    """A gap of zeros ends at the next block with a non-zero byte, two blocks later."""
    log.fill_block()
    log.extend(bytes(BLOCK_SIZE) + legacy(FULL, b"delta"))
    survivors: list[int | bytes] = [0, 1, 2, b"delta"]
    log.expect("damaged", "zero-gap", survivors=survivors, end=2 * BLOCK_SIZE + 12)


@TORN_TAIL.damaged(three_legacy_records, "RDB-044", "RDB-050")
def damaged_end_of_a_legacy_log(log: RocksLog) -> None:
    """A damaged record at the end of a legacy log is damage, because no legacy log is recycled."""
    log.extend(flipped(legacy(FULL, b"ghost")))
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037")
def checksum_flag_without_a_size(log: RocksLog) -> None:
    """A frame has a content checksum and does not state its content size."""
    bad = MAGIC + b"\x04\x58" + block(RAW, b"alpha", 5, is_last=True) + bytes(4)
    log.splice("blocks[0].records[2]", legacy(FULL, bad))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037")
def dictionary_of_zero_without_a_size(log: RocksLog) -> None:
    """A frame has the dictionary ID 0, which means that it needs no dictionary, and does not state
    its content size."""
    bad = MAGIC + b"\x01\x58\0" + block(RAW, b"alpha", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, bad))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_with_a_window_and_two_bytes_of_size(log: RocksLog) -> None:
    """A frame states its window, and its content size of 256 bytes in two bytes."""
    payload = b"d" * 256
    good = MAGIC + b"\x40\x58\0\0" + block(RAW, payload, 256, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, good))
    log.expect("intact", survivors=[0, payload, 2])
