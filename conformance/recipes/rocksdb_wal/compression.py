"""Compressed records, each in one zstd frame."""

from conformance.recipes.rocksdb_wal.layout import three_legacy_records, three_synced_records
from conformance.recipes.rocksdb_wal.log import (
    BLOCK_SIZE,
    COMPRESSION,
    FIRST,
    FULL,
    LAST,
    LEGACY,
    MIDDLE,
    OLDER,
    RECYCLABLE,
    WAL_SYNC,
    RocksLog,
    flipped,
    legacy,
    numbered,
    recyclable,
    wal_sync,
)
from conformance.recipes.zstd_frames import (
    MAGIC,
    RAW,
    block,
    compressed_block,
    frame,
    frame_of_one_byte,
    header,
)
from reference_impl.rocksdb_wal.layout import pack

COMPRESSION_TYPE = 9


def compression(kind: int) -> bytes:
    """Return a compression record with this compression type."""
    return pack(LEGACY, COMPRESSION_TYPE, kind.to_bytes(4, "little"))


def compression_of_five_bytes() -> bytes:
    """Return a compression record of an invalid length."""
    return pack(LEGACY, COMPRESSION_TYPE, b"\x04\0\0\0\0")


ZSTD = compression(7)


def framed_with_window(exponent: int, payload: bytes) -> bytes:
    """Return a frame that needs a window of 2^(10 + exponent) bytes."""
    size = len(payload)
    head = MAGIC + bytes([0xC0, exponent << 3]) + size.to_bytes(8, "little")
    return head + block(0, payload, size, is_last=True)


def framed(log: RocksLog, *payloads: bytes, headers: str = LEGACY) -> None:
    """Write records, each in its own frame."""
    for payload in payloads:
        log.data += pack(headers, FULL, frame(payload), 12)
        log.payloads.append(payload)


@COMPRESSION.valid("RDB-030", "RDB-036")
def three_compressed_records(log: RocksLog) -> None:
    """A compressed legacy log with a compression record and three frames."""
    log.data += ZSTD
    framed(log, b"alpha", b"bravo", b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@COMPRESSION.valid("RDB-030", "RDB-036", "RDB-012")
def three_compressed_recyclable_records(log: RocksLog) -> None:
    """A compressed recyclable log. The compression record has a 7-byte header."""
    log.data += ZSTD
    framed(log, b"alpha", b"bravo", b"charlie", headers=RECYCLABLE)
    log.expect("intact", survivors=[0, 1, 2])


@COMPRESSION.valid("RDB-035")
def compressed_empty_record(log: RocksLog) -> None:
    """An empty record in a compressed log has no frame."""
    log.data += ZSTD
    framed(log, b"alpha")
    log.data += legacy(FULL, b"")
    log.payloads.append(b"")
    framed(log, b"charlie")
    log.expect("intact", survivors=[0, 1, 2])


@COMPRESSION.valid("RDB-030")
def nothing_but_the_compression_type(log: RocksLog) -> None:
    """A log with only a zstd compression record (compression type 7)."""
    log.data += ZSTD
    log.expect("intact", survivors=[], end=11)


@COMPRESSION.valid("RDB-030")
def nothing_but_compression_type_0(log: RocksLog) -> None:
    """A log with only a compression record that states no compression (compression type 0)."""
    log.data += compression(0)
    log.expect("intact", survivors=[], end=11)


@COMPRESSION.valid("RDB-031")
def no_compression_announced(log: RocksLog) -> None:
    """A compression record that states no compression (compression type 0), then an uncompressed
    record."""
    log.data += compression(0)
    log.write(b"alpha", headers=LEGACY)
    log.expect("intact", survivors=[0])


@COMPRESSION.valid("RDB-010", "RDB-036")
def compressed_fragments(log: RocksLog) -> None:
    """A frame is split into fragments in three blocks."""
    payload = numbered(70_000)
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


@COMPRESSION.valid("RDB-004", "RDB-036")
def trailer_inside_a_compressed_record(log: RocksLog) -> None:
    """A fragment of a frame ends eight bytes before the end of a block. A trailer follows, then the
    rest of the frame."""
    log.data += ZSTD
    framed(log, b"alpha", headers=RECYCLABLE)
    payload = numbered(40_000)
    data = frame(payload)
    first = BLOCK_SIZE - len(log.data) - 11 - 8
    log.data += recyclable(FIRST, data[:first]) + bytes(8) + recyclable(LAST, data[first:])
    log.payloads.append(payload)
    framed(log, b"charlie", headers=RECYCLABLE)
    log.expect("intact", survivors=[0, 1, 2])
    log.bug(
        "facebook/rocksdb#15007: RocksDB treats the trailer as a bad record, and drops the open"
        " record"
    )


@COMPRESSION.valid("RDB-013", "RDB-032", kind="limit")
def synced_records_that_look_compressed(log: RocksLog) -> None:
    """A WAL-sync record whose data is a zstd frame is returned unchanged, because WAL-sync logs are
    not compressed."""
    log.write(frame(b"alpha"), headers=WAL_SYNC)
    log.expect("intact", survivors=[0])


@COMPRESSION.valid("RDB-032", kind="limit")
def records_that_look_compressed(log: RocksLog) -> None:
    """Without a compression record, records whose data are zstd frames are returned unchanged."""
    log.write(frame(b"alpha"), frame(b"bravo"))
    log.expect("intact", survivors=[0, 1])


@COMPRESSION.valid("RDB-032", kind="limit")
def records_that_look_compressed_and_no_number(log: RocksLog) -> None:
    """Without a compression record, records whose data are zstd frames are returned unchanged, even
    if no log number is given."""
    log.write(frame(b"alpha"), frame(b"bravo"))
    log.number_is_unknown()
    log.expect("intact", survivors=[0, 1])


@COMPRESSION.damaged(three_compressed_records, "RDB-031")
def compressed_with_lz4(log: RocksLog) -> None:
    """A reader must refuse a log with compression type 4 (LZ4)."""
    log.splice("blocks[0].records[0]", compression(4))
    log.expect("refused", "unsupported-compression")
    log.bug("RocksDB returns the compressed bytes as records")


@COMPRESSION.damaged(three_compressed_records, "RDB-030")
def compression_type_in_the_middle(log: RocksLog) -> None:
    """A second compression record in a compressed log is invalid and does not change the
    compression."""
    log.splice("blocks[0].records[2]", compression(0))
    log.expect("damaged", "bad-metadata", survivors=[0, 2])
    log.bug("RocksDB reports the compression record, but does not decompress the records after it")


@COMPRESSION.damaged(three_legacy_records, "RDB-030")
def compression_type_after_records(log: RocksLog) -> None:
    """A compression record after the first record of an uncompressed log is invalid and does not
    change the compression."""
    log.splice("blocks[0].records[1]", ZSTD)
    log.expect("damaged", "bad-metadata", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-030", "RDB-032")
def compression_type_of_five_bytes(log: RocksLog) -> None:
    """The compression record has five bytes of data and is invalid. The first frame shows that the
    log is compressed."""
    log.splice(
        "blocks[0].records[0]",
        compression_of_five_bytes(),
    )
    log.expect("damaged", "bad-metadata", survivors=[0, 1, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-052")
def frame_cut(log: RocksLog) -> None:
    """A frame without its last byte is invalid. A reader must not return a part of the record."""
    log.splice("blocks[0].records[2]", legacy(FULL, frame(b"bravo")[:-1]))
    log.expect("damaged", "bad-compression", survivors=[0, 2])
    log.bug("RocksDB returns the decompressed part of the frame")


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-052")
def frame_cut_between_its_blocks(log: RocksLog) -> None:
    """A frame that ends after its first zstd block, which is not the last block, is invalid."""
    cut = header(5) + block(RAW, b"bra", 3, is_last=False)
    log.splice("blocks[0].records[2]", legacy(FULL, cut))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.valid("RDB-036")
def frame_of_two_raw_blocks(log: RocksLog) -> None:
    """A frame with two raw zstd blocks, whose data would be invalid as zstd block headers."""
    first, last = b"\xff" * 9, b"\xff" * 5
    blocks = block(RAW, first, 9, is_last=False) + block(RAW, last, 5, is_last=True)
    log.data += ZSTD + legacy(FULL, header(14) + blocks)
    log.payloads.append(first + last)
    log.expect("intact", survivors=[0])


@COMPRESSION.valid("RDB-036")
def frame_of_a_compressed_block(log: RocksLog) -> None:
    """A frame with a compressed zstd block of a few bytes that decompresses to 300 bytes."""
    log.data += ZSTD + legacy(FULL, header(300) + compressed_block(0x61, 300))
    log.payloads.append(b"a" * 300)
    log.expect("intact", survivors=[0])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_and_one_byte_more(log: RocksLog) -> None:
    """A frame with one extra byte after it is invalid."""
    log.splice("blocks[0].records[2]", legacy(FULL, frame(b"bravo") + b"!"))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def two_frames_in_a_record(log: RocksLog) -> None:
    """Two frames in one record are invalid."""
    log.splice("blocks[0].records[2]", legacy(FULL, frame(b"bra") + frame(b"vo")))
    log.expect("damaged", "bad-compression", survivors=[0, 2])
    log.bug("RocksDB returns the content of both frames as one record")


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_of_another_size(log: RocksLog) -> None:
    """A frame that states a content size one byte too large is invalid."""
    log.splice(
        "blocks[0].records[2]",
        legacy(FULL, frame(b"bravo", 6)),
    )
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_without_its_size(log: RocksLog) -> None:
    """A frame that does not state its content size is invalid."""
    unsized = MAGIC + bytes([0, 0]) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, unsized))
    log.expect("damaged", "bad-compression", survivors=[0, 2])
    log.note("RocksDB writes frames with a content size, but also reads frames without it.")


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_of_size_zero(log: RocksLog) -> None:
    """A frame that states a content size of 0 is invalid, because an empty record has no frame."""
    empty = header(0) + block(0, b"", 0, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, empty))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_with_a_dictionary(log: RocksLog) -> None:
    """A frame that needs a dictionary is invalid."""
    named = MAGIC + bytes([0x21, 9, 5]) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, named))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_with_a_large_window(log: RocksLog) -> None:
    """A frame that needs a window of 256 MiB is invalid."""
    large = legacy(FULL, framed_with_window(18, b"bravo"))
    log.splice("blocks[0].records[2]", large)
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_with_a_wrong_checksum(log: RocksLog) -> None:
    """A frame whose own checksum does not match is invalid."""
    summed = bytearray(frame(b"bravo"))
    summed[4] |= 4
    log.splice(
        "blocks[0].records[2]",
        legacy(FULL, bytes(summed) + b"\0\0\0\0"),
    )
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def record_without_a_frame(log: RocksLog) -> None:
    """An uncompressed record in a compressed log is invalid."""
    log.splice("blocks[0].records[2]", legacy(FULL, b"bravo"))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def skippable_frame(log: RocksLog) -> None:
    """A skippable frame in a compressed log is invalid."""
    skippable = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"bravo"
    log.splice("blocks[0].records[2]", legacy(FULL, skippable))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


COMPRESSION.table("""
compression_type_flipped: compressed_fragments RDB-012 RDB-032
    One bit of the compression record is flipped. The first block is lost, and a later frame shows
    that the log is compressed.
    damage: flip bit 0 of blocks[0].records[0].data
    expect: damaged checksum-mismatch, survivors 2
compressed_middle_flipped: compressed_fragments RDB-044 RDB-051
    One bit of the data of a MIDDLE in a compressed log is flipped. A reader must not return a part
    of the record.
    damage: flip bit 3 of blocks[1].records[0].data
    expect: damaged checksum-mismatch, survivors 0 2
compressed_middle_dropped: compressed_fragments RDB-036 RDB-052
    The block with the MIDDLE of a compressed record is missing. The FIRST and the LAST together are
    not a valid frame.
    damage: drop blocks[1]
    expect: damaged bad-compression, survivors 0 2
""")


@COMPRESSION.valid("RDB-037", kind="limit")
def record_as_large_as_the_limit(log: RocksLog) -> None:
    """A decompressed record of 300 bytes, exactly the limit."""
    log.context["max_record_size"] = 300
    log.data += ZSTD
    framed(log, numbered(300), b"bravo")
    log.expect("intact", survivors=[0, 1])


@COMPRESSION.damaged(record_as_large_as_the_limit, "RDB-037", kind="limit")
def record_larger_than_the_limit(log: RocksLog) -> None:
    """A decompressed record one byte larger than the limit is lost. The next record is returned."""
    log.splice("blocks[0].records[1]", legacy(FULL, frame(numbered(301))))
    log.expect("damaged", "too-large", survivors=[1])


@COMPRESSION.valid("RDB-037", kind="limit")
def uncompressed_record_larger_than_the_limit(log: RocksLog) -> None:
    """The limit does not apply to uncompressed records."""
    log.context["max_record_size"] = 3
    log.write(b"alpha", b"bravo")
    log.expect("intact", survivors=[0, 1])


@COMPRESSION.valid("RDB-038", kind="limit")
def records_within_the_budget(log: RocksLog) -> None:
    """Twenty frames, each as large as the limit of 5,000 bytes, are within the budget."""
    log.context["max_record_size"] = 5000
    log.data += ZSTD
    for _ in range(20):
        log.data += legacy(FULL, frame_of_one_byte(0x61, 5000))
        log.payloads.append(b"a" * 5000)
    log.expect("intact", survivors=list(range(20)))


@COMPRESSION.damaged(records_within_the_budget, "RDB-038", kind="limit")
def records_beyond_the_budget(log: RocksLog) -> None:
    """Twenty frames of 64 KiB, each stored in 18 bytes, exceed the budget. Seven of the frames are
    lost."""
    log.context["max_record_size"] = 65536
    large = legacy(FULL, frame_of_one_byte(0x62, 65536))
    log.extend(large * 20)
    spent, at, kept = 20 * 5000, len(log.data) - 20 * len(large), 0
    for number in range(1, 21):
        if spent + 65536 <= 1024 * (at + number * len(large)) + 4 * 65536:
            spent, kept = spent + 65536, kept + 1
    log.expect("damaged", "too-large", survivors=[*range(20), *[b"b" * 65536] * kept])


@COMPRESSION.damaged(three_compressed_records, "RDB-037", kind="limit")
def bomb(log: RocksLog) -> None:
    """A frame of two kilobytes states a content size of 64 GiB. A reader does not decompress the
    frame."""
    large = header(64 << 30) + block(1, b"a", 1 << 17, is_last=False) * 500
    log.splice("blocks[0].records[2]", legacy(FULL, large))
    log.expect("damaged", "too-large", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036")
def frame_that_ends_in_its_header(log: RocksLog) -> None:
    """A frame that ends one byte after its magic number is invalid."""
    log.splice("blocks[0].records[2]", legacy(FULL, MAGIC + b"\x60"))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.valid("RDB-036", kind="limit")
def frame_with_the_largest_window(log: RocksLog) -> None:
    """A frame with a window of 128 MiB, the highest valid size."""
    log.data += ZSTD + legacy(FULL, framed_with_window(17, b"alpha"))
    log.payloads.append(b"alpha")
    log.expect("intact", survivors=[0])


@COMPRESSION.damaged(record_as_large_as_the_limit, "RDB-036", "RDB-037", kind="limit")
def dictionary_and_more_than_the_limit(log: RocksLog) -> None:
    """A frame that needs a dictionary is `bad-compression`, even if the stated size exceeds the
    limit."""
    named = MAGIC + bytes([0x61, 9]) + (301 - 256).to_bytes(2, "little")
    named += block(0, numbered(301), 301, is_last=True)
    log.splice("blocks[0].records[1]", legacy(FULL, named))
    log.expect("damaged", "bad-compression", survivors=[1])


@COMPRESSION.damaged(record_as_large_as_the_limit, "RDB-036", "RDB-037", kind="limit")
def skippable_frame_larger_than_the_limit(log: RocksLog) -> None:
    """A skippable frame is `bad-compression`, even if its size exceeds the limit."""
    skippable = b"\x50\x2a\x4d\x18" + (301).to_bytes(4, "little") + numbered(301)
    log.splice("blocks[0].records[1]", legacy(FULL, skippable))
    log.expect("damaged", "bad-compression", survivors=[1])


@COMPRESSION.damaged(three_compressed_records, "RDB-037", kind="limit")
def one_byte_more_than_64_mebibytes(log: RocksLog) -> None:
    """A frame states a content size of 64 MiB plus one byte, above the default limit."""
    large = header((64 << 20) + 1) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, large))
    log.expect("damaged", "too-large", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037", kind="limit")
def short_frame_that_states_33_mebibytes(log: RocksLog) -> None:
    """A frame with five bytes of content states a content size of 33 MiB. The frame is invalid,
    although the size is within the limit."""
    short = header(33 << 20) + block(0, b"bravo", 5, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, short))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


def large_and_last(last: int) -> bytes:
    """Return five frames of 64 KiB and one frame of ``last`` bytes, each stored in 18 bytes."""
    large = legacy(FULL, frame_of_one_byte(0x62, 65536)) * 5
    return large + legacy(FULL, frame_of_one_byte(0x63, last))


#: The number of bytes that the budget leaves for the last record, which ends at offset 11 + 6 * 18.
LAST_IN_THE_BUDGET = 1024 * (11 + 6 * 18) + 4 * 65536 - 5 * 65536


@COMPRESSION.valid("RDB-038", kind="limit")
def budget_used_up(log: RocksLog) -> None:
    """Six frames use up the budget exactly."""
    log.context["max_record_size"] = 65536
    log.data += ZSTD + large_and_last(LAST_IN_THE_BUDGET)
    log.payloads += [b"b" * 65536] * 5 + [b"c" * LAST_IN_THE_BUDGET]
    log.expect("intact", survivors=list(range(6)))


@COMPRESSION.damaged(budget_used_up, "RDB-038", kind="limit")
def budget_exceeded_by_one_byte(log: RocksLog) -> None:
    """The last of six frames exceeds the budget by one byte."""
    last = legacy(FULL, frame_of_one_byte(0x63, LAST_IN_THE_BUDGET + 1))
    log.splice("blocks[0].records[6]", last)
    log.expect("damaged", "too-large", survivors=list(range(5)))


@COMPRESSION.damaged(three_compressed_records, "RDB-031")
def compression_type_4_and_nothing_else(log: RocksLog) -> None:
    """A reader must refuse a log with only an LZ4 compression record (compression type 4)."""
    log.splice("blocks[0]", compression(4))
    log.expect("refused", "unsupported-compression")


@COMPRESSION.damaged(three_compressed_records, "RDB-030", "RDB-031")
def compression_type_of_two_bytes(log: RocksLog) -> None:
    """A reader must refuse a log with compression type 0x107. All four bytes of the type count."""
    log.splice("blocks[0].records[0]", compression(0x107))
    log.expect("refused", "unsupported-compression")


@COMPRESSION.damaged(three_synced_records, "RDB-006", "RDB-030", "RDB-044")
def compression_type_4_in_a_synced_log(log: RocksLog) -> None:
    """A WAL-sync log that begins with an LZ4 compression record (compression type 4) is damaged,
    not refused, because type 9 has a 19-byte header there."""
    log.data[:0] = compression(4)
    log.expect("damaged", "checksum-mismatch", survivors=[], end=None)


@COMPRESSION.damaged(three_synced_records, "RDB-006", "RDB-030", "RDB-044")
def compression_type_in_a_synced_log(log: RocksLog) -> None:
    """A WAL-sync log that begins with a zstd compression record (compression type 7) is damaged. A
    record in the next block is returned without decompression."""
    log.data[:0] = ZSTD
    log.fill_block()
    log.extend(wal_sync(FULL, b"delta", 49))
    log.expect("damaged", "checksum-mismatch", survivors=[b"delta"])


@COMPRESSION.damaged(three_compressed_recyclable_records, "RDB-032", "RDB-046")
def older_block_before_frames(log: RocksLog) -> None:
    """The first block belongs to an older log. The first frame after the block shows that the log
    is compressed."""
    log.data[:11] = recyclable(FULL, numbered(BLOCK_SIZE - 11), OLDER)
    log.expect("damaged", "other-log", survivors=[0, 1, 2])


def after_a_damaged_compression_type(log: RocksLog, *records: bytes) -> None:
    """Replace the log by a block with a damaged compression record and a block with these
    records."""
    log.data[:] = flipped(ZSTD)
    log.fill_block()
    log.extend(b"".join(records))


@COMPRESSION.damaged(three_compressed_recyclable_records, "RDB-032")
def frame_of_an_older_log_first(log: RocksLog) -> None:
    """The compression record is damaged, and a frame of another log follows. This frame does not
    show whether the log is compressed."""
    older = recyclable(FULL, frame(b"ghost"), OLDER)
    after_a_damaged_compression_type(log, older, bytes(BLOCK_SIZE - len(older)))
    log.extend(recyclable(FULL, b"plain"))
    log.expect("damaged", "checksum-mismatch", survivors=[b"plain"])


@COMPRESSION.damaged(three_compressed_recyclable_records, "RDB-032", kind="limit")
def empty_first_before_a_frame(log: RocksLog) -> None:
    """The compression record is damaged, and the first fragment is empty. The log counts as
    uncompressed, although frames follow."""
    alpha, bravo = frame(b"alpha"), frame(b"bravo")
    records = recyclable(FIRST, b""), recyclable(LAST, alpha), recyclable(FULL, bravo)
    after_a_damaged_compression_type(log, *records)
    log.expect("damaged", "checksum-mismatch", survivors=[alpha, bravo])


@COMPRESSION.damaged(three_compressed_recyclable_records, "RDB-032", kind="limit")
def first_with_the_start_of_a_frame(log: RocksLog) -> None:
    """The compression record is damaged, and the FIRST holds only the zstd magic number. The log is
    compressed."""
    data = frame(b"delta")
    after_a_damaged_compression_type(log, recyclable(FIRST, data[:4]), recyclable(LAST, data[4:]))
    log.expect("damaged", "checksum-mismatch", survivors=[b"delta"])


@COMPRESSION.damaged(three_compressed_recyclable_records, "RDB-032", "RDB-036")
def magic_number_without_a_frame(log: RocksLog) -> None:
    """The compression record is damaged. The first record begins with the zstd magic number, so the
    log is compressed, although no record is a frame."""
    rubbish = recyclable(FULL, MAGIC + b"rubbish")
    after_a_damaged_compression_type(log, rubbish, recyclable(FULL, b"plain"))
    log.expect("damaged", "checksum-mismatch", survivors=[])


def large_window(size: int) -> bytes:
    """Return a frame of equal bytes that needs a window of 3.75 TiB."""
    head = MAGIC + b"\x80\xff" + size.to_bytes(4, "little")
    return head + frame_of_one_byte(0x61, size)[len(header(size)) :]


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-037", kind="limit")
def single_segment_of_200_mebibytes(log: RocksLog) -> None:
    """A single-segment frame of 200 MiB is `bad-compression` and not `too-large`, because its
    window exceeds 128 MiB."""
    head = MAGIC + b"\xa0" + (200 << 20).to_bytes(4, "little")
    data = head + block(1, b"a", 1 << 17, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, data))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.valid("RDB-036", kind="limit")
def frame_with_a_window_of_72_mebibytes(log: RocksLog) -> None:
    """A frame with a window of 72 MiB, which is valid."""
    log.data += ZSTD + legacy(FULL, MAGIC + b"\xc0\x81" + framed_with_window(0, b"alpha")[6:])
    log.payloads.append(b"alpha")
    log.expect("intact", survivors=[0])


@COMPRESSION.valid("RDB-036", kind="limit")
def frame_with_dictionary_zero(log: RocksLog) -> None:
    """A frame with the dictionary ID 0 is valid, because it needs no dictionary."""
    data = MAGIC + b"\x21\x00\x05" + block(0, b"alpha", 5, is_last=True)
    log.data += ZSTD + legacy(FULL, data)
    log.payloads.append(b"alpha")
    log.expect("intact", survivors=[0])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", kind="limit")
def zstd_block_above_128_kibibytes(log: RocksLog) -> None:
    """A frame with a zstd block of 200,000 bytes is invalid. RFC 8878 allows 131,072 bytes."""
    data = header(200_000) + block(1, b"a", 200_000, is_last=True)
    log.splice("blocks[0].records[2]", legacy(FULL, data))
    log.expect("damaged", "bad-compression", survivors=[0, 2])
    log.note(
        "The one-call function of zstd accepts such a block. The streaming function, which RocksDB"
        " uses, does not."
    )


@COMPRESSION.damaged(three_compressed_records, "RDB-036", kind="limit")
def zstd_block_larger_than_its_window(log: RocksLog) -> None:
    """A frame with a zstd block of 2,000 bytes and a window of 1,024 bytes is invalid."""
    data = framed_with_window(0, bytes(2000))
    log.splice("blocks[0].records[2]", legacy(FULL, data))
    log.expect("damaged", "bad-compression", survivors=[0, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-036", "RDB-060", kind="limit")
def frames_that_state_2_62_bytes(log: RocksLog) -> None:
    """Three small frames state a content size of 2^62 bytes, below the limit. A reader must not
    allocate that much memory."""
    log.context["max_record_size"] = 2**63 - 1
    huge = legacy(FULL, header(1 << 62) + block(1, b"a", 5, is_last=True))
    log.extend(huge * 3)
    log.expect("damaged", "bad-compression", survivors=[0, 1, 2])


@COMPRESSION.damaged(three_compressed_records, "RDB-037", kind="limit")
def limit_of_zero(log: RocksLog) -> None:
    """With a limit of 0 bytes, all records except an empty record are too large."""
    log.context["max_record_size"] = 0
    log.extend(legacy(FULL, b""))
    log.expect("damaged", "too-large", survivors=[b""])


def one_mebibyte(log: RocksLog, *before: bytes) -> bytes:
    """Set the limit to 1 MiB, append these frames as records, and return a valid frame of 1 MiB."""
    log.context["max_record_size"] = 1 << 20
    for data in before:
        log.extend(legacy(FULL, data))
    return frame_of_one_byte(0x61, 1 << 20)


@COMPRESSION.damaged(three_compressed_records, "RDB-038", kind="limit")
def frames_of_a_large_window_and_the_budget(log: RocksLog) -> None:
    """Five frames of 1 MiB with an invalid window do not count towards the budget. The valid frame
    after them is returned."""
    whole = one_mebibyte(log, *[large_window(1 << 20)] * 5)
    log.extend(legacy(FULL, whole))
    survivors: list[int | bytes] = [0, 1, 2, b"a" * (1 << 20)]
    log.expect("damaged", "bad-compression", survivors=survivors)


@COMPRESSION.damaged(three_compressed_records, "RDB-038", kind="limit")
def frames_with_wrong_checksums_and_the_budget(log: RocksLog) -> None:
    """Four frames of 1 MiB whose own checksums do not match use up the budget. The valid frame
    after them is lost."""
    wrong = bytearray(frame_of_one_byte(0x61, 1 << 20) + bytes(4))
    wrong[4] |= 4
    whole = one_mebibyte(log, *[bytes(wrong)] * 4)
    log.extend(legacy(FULL, whole))
    log.expect("damaged", "bad-compression", survivors=[0, 1, 2])
