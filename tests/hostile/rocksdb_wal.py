"""Hostile RocksDB and Pebble logs."""

from __future__ import annotations

from conformance.recipes.zstd_frames import RAW, RLE, block, frame_of_one_byte, header
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.layout import TIMESTAMP_SIZE, pack

NAME = "000003.log"
NUMBER, OLDER = 3, 2
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
ALPHA = pack("recyclable", FULL, b"alpha", NUMBER)
COMPRESSED = pack("legacy", 9, (7).to_bytes(4, "little"))


def _blocks(size: int, record: bytes, first: bytes = b"") -> bytes:
    """Return ``first``, followed by copies of a physical record that fill the blocks."""
    log = bytearray(first)
    while len(log) < size:
        left = BLOCK_SIZE - len(log) % BLOCK_SIZE
        log += (record * (left // len(record))).ljust(left, b"\0")
    return bytes(log)


def empty_numbered_records(size: int) -> bytes:
    """Return a log with a record for every eleven bytes."""
    return _blocks(size, pack("recyclable", FULL, b"", NUMBER))


def orphans(size: int) -> bytes:
    """Return a log with a lost range for every nineteen bytes."""
    return _blocks(size, pack("wal-sync", MIDDLE, b"", NUMBER))


def unknown_types_before_log_numbers(size: int) -> bytes:
    """Return blocks of unknown types, copies of the log number, and a record behind damage."""
    numbers = b"\xff" * 9 + (b"\x05" + NUMBER.to_bytes(4, "little")) * 3000
    first = pack("recyclable", FULL, bytes(10), NUMBER)  # as long as three unknown types
    room = BLOCK_SIZE - len(numbers) - len(ALPHA)
    block = pack("legacy", 20, b"") * (room // 7) + numbers + ALPHA
    return first + (block.ljust(BLOCK_SIZE, b"\xff") * (size // BLOCK_SIZE))[len(first) :]


def metadata_without_end(size: int) -> bytes:
    """Return timestamp sizes for many column families, which all apply to the same record."""
    count = (BLOCK_SIZE - 11) // TIMESTAMP_SIZE.size
    log, family = bytearray(), 0
    while len(log) < size:
        pairs = (TIMESTAMP_SIZE.pack(family + number, 8) for number in range(count))
        log += pack("recyclable", 11, b"".join(pairs), NUMBER)
        log += bytes(-len(log) % BLOCK_SIZE)
        family += count
    return bytes(log) + ALPHA


def frames_within_the_budget(size: int) -> bytes:
    """Return compressed 18-byte records that inflate to 16 KiB, which soon exceeds the budget."""
    frame = frame_of_one_byte(0x61, 16384)
    return _blocks(size, pack("legacy", FULL, frame), COMPRESSED)


def frames_that_fail(size: int) -> bytes:
    """Return 128 KiB frames that lack their last byte. Their partial output counts, too."""
    frame = frame_of_one_byte(0x61, 1 << 17)[:-1]
    return _blocks(size, pack("legacy", FULL, frame), COMPRESSED)


def other_logs_in_turn(size: int) -> bytes:
    """Return alternating blocks of this log and an older log."""
    own = _blocks(BLOCK_SIZE, ALPHA)
    other = _blocks(BLOCK_SIZE, pack("recyclable", FULL, b"alpha", OLDER))
    return (own + other) * (size // (2 * BLOCK_SIZE)) + own[: BLOCK_SIZE // 2 + 1000]


def ignorable_in_every_other_block(size: int) -> bytes:
    """Return blocks that the scanner's kernel can and cannot read, in turn."""
    sizes = pack("legacy", 10, TIMESTAMP_SIZE.pack(1, 8))
    plain = pack("legacy", FULL, b"x" * (BLOCK_SIZE - 7))
    unusual = pack("legacy", 200, b"") + pack("legacy", FULL, b"x" * (BLOCK_SIZE - 14))
    first = sizes + pack("legacy", FULL, b"x" * (BLOCK_SIZE - 7 - len(sizes)))
    return first + (plain + unusual) * (size // (2 * BLOCK_SIZE))


def record_of_empty_fragments(size: int) -> bytes:
    """Return a record that consists of a FIRST, many empty MIDDLE fragments, and a LAST."""
    log = _blocks(size, pack("recyclable", MIDDLE, b"", NUMBER),
                  pack("recyclable", FIRST, b"alpha", NUMBER))  # fmt: skip
    return log + pack("recyclable", LAST, b"bravo", NUMBER)


def log_numbers_without_end(size: int) -> bytes:
    """Return records that all have different log numbers, and then a record of this log."""
    log, number = bytearray(), NUMBER
    while len(log) < size:
        number += 1
        log += pack("recyclable", FULL, b"", number)
        if (left := -len(log) % BLOCK_SIZE) < 11:
            log += bytes(left)
    return bytes(log).ljust(-(-len(log) // BLOCK_SIZE) * BLOCK_SIZE, b"\0") + ALPHA


def sync_offsets_beyond_the_log(size: int) -> bytes:
    """Return records that claim a sync of the whole log, in blocks that end with 0xFF bytes."""
    record = pack("wal-sync", FULL, b"", NUMBER, 2**64 - 1)
    return (record * (BLOCK_SIZE // len(record) - 1)).ljust(BLOCK_SIZE, b"\xff") * (
        size // BLOCK_SIZE
    )


def frames_that_claim_much(size: int) -> bytes:
    """Return compressed records that claim 64 GiB each but contain one byte."""
    frame = header(64 << 30) + block(RAW, b"a", 1, is_last=True)
    return _blocks(size, pack("legacy", FULL, frame), COMPRESSED)


def frame_of_empty_blocks(size: int) -> bytes:
    """Return a compressed one-byte record with an empty zstd block for every three bytes."""
    empty = block(RAW, b"", 0, is_last=False)
    return _compressed(header(1) + empty * (size // 3) + block(RAW, b"a", 1, is_last=True))


def compressed_batch_of_marks(size: int) -> bytes:
    """Return a compressed write batch with sixteen operations for every byte of the log."""
    count = 16 * size // 4096 * 4096
    blocks = b"".join(block(RLE, b"\x12", 4096, is_last=False) for _ in range(count // 4096))
    filler = bytes(size - len(blocks))
    pieces = [filler[at : at + 65536] for at in range(0, len(filler), 65536)]
    raw = b"".join(block(RAW, piece, len(piece), is_last=False) for piece in pieces)
    head = block(RAW, bytes(8) + count.to_bytes(4, "little"), 12, is_last=False)
    end = block(RAW, b"", 0, is_last=True)
    return _compressed(header(12 + count + len(filler)) + head + blocks + raw + end)


def _compressed(frame: bytes) -> bytes:
    """Return a compressed log with one record, which consists of this zstd frame."""
    log, begin = bytearray(COMPRESSED), True
    while True:
        left = BLOCK_SIZE - len(log) % BLOCK_SIZE - 7
        piece, frame = frame[:left], frame[left:]
        kind = (FIRST if frame else FULL) if begin else (MIDDLE if frame else LAST)
        log += pack("legacy", kind, piece)
        if not frame:
            return bytes(log)
        begin = False


LOGS = (
    empty_numbered_records,
    orphans,
    unknown_types_before_log_numbers,
    metadata_without_end,
    frames_within_the_budget,
    frames_that_fail,
    other_logs_in_turn,
    ignorable_in_every_other_block,
    record_of_empty_fragments,
    log_numbers_without_end,
    sync_offsets_beyond_the_log,
    frames_that_claim_much,
    frame_of_empty_blocks,
    compressed_batch_of_marks,
)
