"""Compressed records: one zstd frame each."""

from conformance.recipes.rocksdb_wal.layout import three_legacy_records
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    BOOK,
    FIRST,
    FULL,
    LAST,
    LEGACY,
    MIDDLE,
    RECYCLABLE,
    WAL_SYNC,
    RocksLog,
    legacy,
    numbered,
    recyclable,
)
from conformance.recipes.rocksdb_wal.zstd_frames import (
    MAGIC,
    block,
    frame,
    frame_of_one_byte,
    header,
)
from conformance.recipes.variation import Kept, vary
from reference_impl.rocksdb_wal.layout import pack

COMPRESSION_TYPE = 9


def compression(kind: int) -> bytes:
    """Return the physical record that announces a compression type."""
    return pack(LEGACY, COMPRESSION_TYPE, kind.to_bytes(4, "little"))


ZSTD = compression(7)


def framed_with_window(exponent: int, payload: bytes) -> bytes:
    """Return a frame that asks for a window of 2^(10 + exponent) bytes."""
    size = len(payload)
    head = MAGIC + bytes([0xC0, exponent << 3]) + size.to_bytes(8, "little")
    return head + block(0, payload, size, is_last=True)


def framed(log: RocksLog, *payloads: bytes, headers: str = LEGACY) -> None:
    """Write records, each in a frame of its own."""
    for payload in map(vary, payloads):
        log.data += pack(headers, FULL, frame(payload), 12)
        log.payloads.append(payload)


@BOOK.valid("compression", "RDB-030", "RDB-036")
def three_compressed_records(log: RocksLog) -> None:
    """The compression type, then three frames."""
    log.data += ZSTD
    framed(log, b"alpha", b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("compression", "RDB-030", "RDB-036", "RDB-012")
def three_compressed_recyclable_records(log: RocksLog) -> None:
    """The compression type has a 7-byte header also in a recyclable log."""
    log.data += ZSTD
    framed(log, b"alpha", b"bravo", b"charlie", headers=RECYCLABLE)
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("compression", "RDB-035")
def compressed_empty_record(log: RocksLog) -> None:
    """An empty record is not compressed: its data is empty."""
    log.data += ZSTD
    framed(log, b"alpha")
    log.data += legacy(FULL, b"")
    log.payloads.append(b"")
    framed(log, b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("compression", "RDB-030")
def nothing_but_the_compression_type(log: RocksLog) -> None:
    """A new log before its first record."""
    log.data += ZSTD
    log.expect("intact", survivors=[], end=11)


@BOOK.valid("compression", "RDB-031")
def no_compression_announced(log: RocksLog) -> None:
    """Compression type 0: the records are not compressed."""
    log.data += compression(0)
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@BOOK.valid("compression", "RDB-010", "RDB-036")
def compressed_fragments(log: RocksLog) -> None:
    """A frame across three blocks."""
    payload = vary(numbered(70_000))
    log.data += ZSTD
    framed(log, b"alpha")
    data, at = frame(payload), len(log.data)
    first = BLOCK_SIZE - at - 7
    log.data += legacy(FIRST, data[:first])
    log.data += legacy(MIDDLE, data[first : first + BLOCK_SIZE - 7])
    log.data += legacy(LAST, data[first + BLOCK_SIZE - 7 :])
    log.payloads.append(payload)
    framed(log, b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@BOOK.valid("compression", "RDB-004", "RDB-036")
def trailer_inside_a_compressed_record(log: RocksLog) -> None:
    """A piece of a frame ends eight bytes before the end of a block: a trailer, then the rest."""
    log.data += ZSTD
    framed(log, b"alpha", headers=RECYCLABLE)
    payload = vary(numbered(40_000))
    data = frame(payload)
    first = BLOCK_SIZE - len(log.data) - 11 - 8
    log.data += recyclable(FIRST, data[:first]) + bytes(8) + recyclable(LAST, data[first:])
    log.payloads.append(payload)
    framed(log, b"charlie", headers=RECYCLABLE)
    log.expect("intact", survivors=[0, 1, 2])
    log.bug(
        "facebook/rocksdb#15007: RocksDB takes the trailer for a bad record, and drops this one"
    )


@BOOK.valid("compression", "RDB-013", "RDB-032", kind="limit")
def synced_records_that_look_compressed(log: RocksLog) -> None:
    """WAL-sync logs are not compressed: data that begins like a frame is returned as it is."""
    log.write(frame(b"alpha"), headers=WAL_SYNC)
    log.expect("intact", survivors=[0])


@BOOK.valid("compression", "RDB-032", kind="limit")
def records_that_look_compressed(log: RocksLog) -> None:
    """Without a compression type, data that begins like a frame is returned as it is."""
    log.write(frame(b"alpha"), frame(b"bravo"))
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(three_compressed_records, "compression", "RDB-031")
def compressed_with_lz4(log: RocksLog) -> None:
    """Compression type 4: no reader can know how RocksDB would have used it."""
    log.splice("blocks[0].records[0]", compression(4), "compression type 4")
    log.expect("refused", "unsupported-compression")
    log.bug("RocksDB returns the compressed bytes as records")


@BOOK.damaged(three_compressed_records, "compression", "RDB-030")
def compression_type_in_the_middle(log: RocksLog) -> None:
    """A second compression type is bad, and changes nothing."""
    log.splice("blocks[0].records[2]", compression(0), "compression type 0")
    log.expect("damaged", "bad-metadata", survivors=[0, 2])
    log.bug("RocksDB reports it, and reads what follows without compression")


@BOOK.damaged(three_legacy_records, "compression", "RDB-030")
def compression_type_after_records(log: RocksLog) -> None:
    """A compression type after the first record is bad: the records are not compressed."""
    log.splice("blocks[0].records[1]", ZSTD, "compression type 7")
    log.expect("damaged", "bad-metadata", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-030", "RDB-032")
def compression_type_of_five_bytes(log: RocksLog) -> None:
    """A compression type of a wrong length is lost; the records show that they are compressed."""
    record = pack(LEGACY, COMPRESSION_TYPE, b"\x04\0\0\0\0")
    log.splice("blocks[0].records[0]", record, "a compression type of five bytes")
    log.expect("damaged", "bad-metadata", survivors=[0, 1, 2])


@BOOK.damaged(compressed_fragments, "compression", "RDB-012", "RDB-032")
def compression_type_flipped(log: RocksLog) -> None:
    """The compression type is damaged: the block is lost, and the next record is a frame."""
    log.flip("blocks[0].records[0].data", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036", "RDB-052")
def frame_cut(log: RocksLog) -> None:
    """A frame without its last byte, under a right checksum: no part of it is returned."""
    log.splice("blocks[0].records[2]", legacy(FULL, frame(b"bravo")[:-1]), "a cut frame")
    log.expect("damaged", "bad-compression", survivors=[0, 2])
    log.bug("RocksDB returns what it could decompress")


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_and_one_byte_more(log: RocksLog) -> None:
    """A byte after the end of a frame."""
    log.splice("blocks[0].records[2]", legacy(FULL, frame(b"bravo") + b"!"), "a frame and a byte")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def two_frames_in_a_record(log: RocksLog) -> None:
    """Two frames are not one."""
    log.splice("blocks[0].records[2]", legacy(FULL, frame(b"bra") + frame(b"vo")), "two frames")
    log.expect("damaged", "bad-compression", survivors=[0, 2])
    log.bug("RocksDB returns both, joined")


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_of_another_size(log: RocksLog) -> None:
    """A frame that states one byte more than it holds."""
    log.splice("blocks[0].records[2]", legacy(FULL, frame(b"bravo", 6)), "a frame of false size")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_without_its_size(log: RocksLog) -> None:
    """A frame that does not state its content size."""
    unsized = MAGIC + bytes([0, 0]) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, unsized), "a frame without a size")
    log.expect("damaged", "bad-compression", survivors=[0, 2])
    log.note("RocksDB's frames state their size; RocksDB reads others, too.")


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_of_size_zero(log: RocksLog) -> None:
    """A frame of nothing: an empty record has no frame."""
    empty = header(0) + block(0, b"", 0, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, empty), "a frame of size 0")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_with_a_dictionary(log: RocksLog) -> None:
    """A frame that names a dictionary."""
    named = MAGIC + bytes([0x21, 9, 5]) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, named), "a frame with a dictionary")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_with_a_large_window(log: RocksLog) -> None:
    """A frame that asks for a window of 256 MiB."""
    large = legacy(FULL, framed_with_window(18, b"bravo"))
    log.splice("blocks[0].records[2]", large, "a frame with a large window")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_with_a_wrong_checksum(log: RocksLog) -> None:
    """The checksum inside the frame is wrong."""
    summed = bytearray(frame(b"bravo"))
    summed[4] |= 4
    log.splice("blocks[0].records[2]", legacy(FULL, bytes(summed) + b"\0\0\0\0"), "a bad frame")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def record_without_a_frame(log: RocksLog) -> None:
    """Data that is not compressed in a compressed log."""
    log.splice("blocks[0].records[2]", legacy(FULL, b"bravo"), "plain data")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def skippable_frame(log: RocksLog) -> None:
    """A skippable frame holds no record."""
    skippable = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"bravo"
    log.splice("blocks[0].records[2]", legacy(FULL, skippable), "a skippable frame")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.damaged(compressed_fragments, "compression", "RDB-044", "RDB-051")
def compressed_middle_flipped(log: RocksLog) -> None:
    """A fragment of a frame is damaged: no part of the record is returned."""
    log.flip("blocks[1].records[0].data", 3)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(compressed_fragments, "compression", "RDB-036", "RDB-052")
def compressed_middle_dropped(log: RocksLog) -> None:
    """FIRST meets LAST without what was between them: the frame shows it."""
    log.drop("blocks[1]")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.valid("compression", "RDB-037", kind="limit")
def record_as_large_as_the_limit(log: RocksLog) -> None:
    """A record of exactly the limit is returned."""
    log.context["max_record_size"] = 300
    log.data += ZSTD
    framed(log, numbered(300), b"bravo")
    log.expect("intact", survivors=[0, 1])


@BOOK.damaged(record_as_large_as_the_limit, "compression", "RDB-037", kind="limit")
def record_larger_than_the_limit(log: RocksLog) -> None:
    """One byte more than the limit: the record is lost, and no other."""
    log.splice("blocks[0].records[1]", legacy(FULL, frame(numbered(301))), "a frame of 301 bytes")
    log.expect("damaged", "too-large", survivors=[1])


@BOOK.valid("compression", "RDB-037", kind="limit")
def uncompressed_record_larger_than_the_limit(log: RocksLog) -> None:
    """The limit is for what is decompressed."""
    log.context["max_record_size"] = 3
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@BOOK.valid("compression", "RDB-038", kind="limit")
def records_within_the_budget(log: RocksLog) -> None:
    """Twenty frames of 5000 equal bytes: 20 times the limit, and less than the budget."""
    log.context["max_record_size"] = 5000
    log.data += ZSTD
    for _ in range(20):
        log.data += legacy(FULL, frame_of_one_byte(0x61, 5000))
        log.payloads.append(b"a" * 5000)
    log.expect("intact", survivors=list(range(20)))


@BOOK.damaged(records_within_the_budget, "compression", "RDB-038", kind="limit")
def records_beyond_the_budget(log: RocksLog) -> None:
    """Twenty frames of 64 KiB from 23 bytes each: the budget is used up before the last."""
    log.context["max_record_size"] = 65536
    large = legacy(FULL, frame_of_one_byte(0x62, 65536))
    log.extend(large * 20, "twenty frames of 64 KiB from 19 bytes each")
    spent, at, kept = 20 * 5000, len(log.data) - 20 * len(large), 0
    for number in range(1, 21):
        if spent + 65536 <= 1024 * (at + number * len(large)) + 4 * 65536:
            spent, kept = spent + 65536, kept + 1
    log.expect("damaged", "too-large", survivors=[*range(20), *[Kept(b"b" * 65536)] * kept])


@BOOK.damaged(three_compressed_records, "compression", "RDB-037", kind="limit")
def bomb(log: RocksLog) -> None:
    """A frame of two kilobytes that states 64 GiB: it is not decompressed."""
    large = header(64 << 30) + block(1, b"a", 1 << 17, is_last=False) * 500
    log.splice("blocks[0].records[2]", legacy(FULL, large), "a frame of 64 GiB")
    log.expect("damaged", "too-large", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036")
def frame_that_ends_in_its_header(log: RocksLog) -> None:
    """The magic number, and too few bytes for what follows it."""
    log.splice("blocks[0].records[2]", legacy(FULL, MAGIC + b"\x60"), "five bytes of a frame")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@BOOK.valid("compression", "RDB-036", kind="limit")
def frame_with_the_largest_window(log: RocksLog) -> None:
    """A frame that needs a window of 128 MiB, which is allowed."""
    log.data += ZSTD + legacy(FULL, framed_with_window(17, b"alpha"))
    log.payloads.append(Kept(b"alpha"))
    log.expect("intact", survivors=[0])


@BOOK.damaged(record_as_large_as_the_limit, "compression", "RDB-036", "RDB-037", kind="limit")
def dictionary_and_more_than_the_limit(log: RocksLog) -> None:
    """A frame that needs a dictionary is bad, whatever size it states."""
    named = MAGIC + bytes([0x61, 9]) + (301 - 256).to_bytes(2, "little")
    named += block(0, numbered(301), 301, is_last=True)
    log.splice("blocks[0].records[1]", legacy(FULL, named), "301 bytes with a dictionary")
    log.expect("damaged", "bad-compression", survivors=[1])


@BOOK.damaged(record_as_large_as_the_limit, "compression", "RDB-036", "RDB-037", kind="limit")
def skippable_frame_larger_than_the_limit(log: RocksLog) -> None:
    """The size of a skippable frame is not that of a record."""
    skippable = b"\x50\x2a\x4d\x18" + (301).to_bytes(4, "little") + numbered(301)
    log.splice("blocks[0].records[1]", legacy(FULL, skippable), "a skippable frame of 301 bytes")
    log.expect("damaged", "bad-compression", survivors=[1])


@BOOK.damaged(three_compressed_records, "compression", "RDB-037", kind="limit")
def one_byte_more_than_64_mebibytes(log: RocksLog) -> None:
    """A frame that states one byte more than the limit without a context."""
    large = header((64 << 20) + 1) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, large), "a frame that states 64 MiB + 1")
    log.expect("damaged", "too-large", survivors=[0, 2])


@BOOK.damaged(three_compressed_records, "compression", "RDB-036", "RDB-037", kind="limit")
def short_frame_that_states_33_mebibytes(log: RocksLog) -> None:
    """The size is within the limit, but the frame holds five bytes."""
    short = header(33 << 20) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, short), "a frame that states 33 MiB")
    log.expect("damaged", "bad-compression", survivors=[0, 2])


def large_and_last(last: int) -> bytes:
    """Return five frames of 64 KiB, and one of ``last`` bytes, each from 18 bytes."""
    large = legacy(FULL, frame_of_one_byte(0x62, 65536)) * 5
    return large + legacy(FULL, frame_of_one_byte(0x63, last))


#: Bytes that the budget leaves to the last record, which ends at 11 + 6 * 18.
LAST_IN_THE_BUDGET = 1024 * (11 + 6 * 18) + 4 * 65536 - 5 * 65536


@BOOK.valid("compression", "RDB-038", kind="limit")
def budget_used_up(log: RocksLog) -> None:
    """The last record brings the sum to exactly 1024 times its end plus four times the limit."""
    log.context["max_record_size"] = 65536
    log.data += ZSTD + large_and_last(LAST_IN_THE_BUDGET)
    log.payloads += [b"b" * 65536] * 5 + [b"c" * LAST_IN_THE_BUDGET]
    log.expect("intact", survivors=list(range(6)))


@BOOK.damaged(budget_used_up, "compression", "RDB-038", kind="limit")
def budget_exceeded_by_one_byte(log: RocksLog) -> None:
    """The last record states one byte more."""
    last = legacy(FULL, frame_of_one_byte(0x63, LAST_IN_THE_BUDGET + 1))
    log.splice("blocks[0].records[6]", last, "a frame of one byte more")
    log.expect("damaged", "too-large", survivors=list(range(5)))
