"""Extreme segments that could cost a reader much time or memory."""

from itertools import repeat

from conformance.recipes.prometheus_wal.compression import fragments
from conformance.recipes.prometheus_wal.layout import three_records
from conformance.recipes.prometheus_wal.log import (
    FIRST,
    FULL,
    LAST,
    LIMITS,
    PAGE_SIZE,
    SNAPPY,
    ZSTD,
    PrometheusLog,
    frame,
    numbered,
)
from conformance.recipes.zstd_frames import (
    MAGIC,
    RAW,
    block,
    compressed_block,
    frame_of_one_byte,
    header,
)

#: A frame that begins like this has no content size and a window of 128 MiB.
_STREAM = MAGIC + b"\x00" + bytes([17 << 3])


def _repeated(size: int, count: int) -> bytes:
    """Return a zstd frame of ``count`` blocks that each repeat a byte, without a content size."""
    blocks = b"".join(block(1, b"a", size, n == count) for n in range(1, count + 1))
    return _STREAM + blocks


@LIMITS.damaged(three_records, "PRW-027", "PRW-080", kind="limit")
def thousands_of_orphans(log: PrometheusLog) -> None:
    """The log ends with 2,000 LASTs of one byte. Each of them is a separate lost range."""
    log.extend(frame(LAST, 0, b"x") * 2000)
    log.expect("damaged", "orphan-fragment", survivors=range(3))


@LIMITS.damaged(three_records, "PRW-024", "PRW-080", kind="limit")
def bad_frames_in_every_page(log: PrometheusLog) -> None:
    """Four pages begin with a frame whose checksum is wrong. A reader computes 17 checksums for
    each frame."""
    log.extend(bytes(PAGE_SIZE - 38) + (b"\x01\x7f\xf9\0\0\0\0".ljust(PAGE_SIZE, b"x")) * 4)
    log.expect("damaged", "zero-page", survivors=range(3))


@LIMITS.damaged(three_records, "PRW-031", "PRW-080")
def snappy_that_claims_a_gigabyte(log: PrometheusLog) -> None:
    """A Snappy block of six bytes claims a size of 1 GiB. Prometheus allocates this memory."""
    log.extend(frame(FULL, SNAPPY, b"\x80\x80\x80\x80\x04\x00"))
    log.expect("damaged", "bad-compression", survivors=range(3), end=None)


@LIMITS.damaged(three_records, "PRW-033", "PRW-031", kind="limit")
def snappy_at_the_limit(log: PrometheusLog) -> None:
    """Three invalid blocks state 64 MiB and 64 bytes, 64 MiB, and more than they can hold."""
    most = (1 << 26) * 3 // 64  # the size of a block that may state 64 MiB
    for stated, size in ((b"\xc0\x80\x80\x20", most + 3), (b"\x80\x80\x80\x20", most),
                         (b"\x81\x80\x80\x20", most)):  # fmt: skip
        log.extend(fragments(stated.ljust(size, b"\0"), repeat(SNAPPY), len(log.data) % PAGE_SIZE))
    log.expect("damaged", "too-large", survivors=range(3), end=None)


@LIMITS.damaged(three_records, "PRW-033", kind="limit")
def zstd_above_the_limit(log: PrometheusLog) -> None:
    """A zstd frame states a size of 64 MiB plus one byte."""
    log.extend(frame(FULL, ZSTD, frame_of_one_byte(97, (1 << 26) + 1)))
    log.expect("damaged", "too-large", survivors=range(3), end=None)


@LIMITS.damaged(three_records, "PRW-033", "PRW-034", kind="limit")
def zstd_above_the_limit_without_a_size(log: PrometheusLog) -> None:
    """A zstd frame states no size, and its blocks exceed 64 MiB by one block."""
    log.extend(frame(FULL, ZSTD, _repeated(1 << 17, 513)))
    log.expect("damaged", "too-large", survivors=range(3), end=None)


@LIMITS.damaged(three_records, "PRW-034", kind="limit")
def zstd_above_the_budget(log: PrometheusLog) -> None:
    """Each of five invalid frames counts as 64 MiB. They use up the budget, so a valid frame is
    lost, and a frame that states no content is also too large."""
    bad = _repeated(1 << 17, 511) + b"x"
    log.extend(frame(FULL, ZSTD, bad) * 5 + frame(FULL, ZSTD, _repeated(1000, 1)))
    log.extend(frame(FULL, ZSTD, header(0) + block(RAW, b"", 0, is_last=True)))
    log.expect("damaged", "bad-compression", survivors=range(3), end=None)


@LIMITS.damaged(three_records, "PRW-033", "PRW-032", kind="limit")
def zstd_above_the_limit_with_both_flags(log: PrometheusLog) -> None:
    """A frame with both compression flags states a size of 64 MiB plus one byte."""
    log.extend(frame(FULL, ZSTD | SNAPPY, frame_of_one_byte(97, (1 << 26) + 1)))
    log.expect("damaged", "too-large", survivors=range(3), end=None)


LIMITS.table("""
budget_used_up_exactly: three_records PRW-034 limit
    Invalid frames leave a budget of 60,000 bytes, so the first of two records of 60,000 bytes
    survives.
    nearly_used_up: 60000
    expect: damaged too-large, survivors 0-2 payload_a(60000)
budget_one_byte_short: three_records PRW-034 limit
    Invalid frames leave a budget of 59,999 bytes, one byte too few for the first of two records of
    60,000 bytes.
    nearly_used_up: 59999
    expect: damaged too-large, survivors 0-2
budget_over_two_segments: segments_of_restarts PRW-034 limit
    The frames that use up the budget are in one segment, and the two records in the next.
    nearly_used_up: 60000, unstated, 0, 1
    expect: damaged too-large, survivors 0-1 payload_a(60000) 2
budget_of_no_byte: three_records PRW-034 limit
    Invalid frames leave no budget for the first of two records of one byte.
    nearly_used_up: 0, short
    expect: damaged too-large, survivors 0-2 payload_a(1)
budget_used_up_by_a_stated_size: three_records PRW-034 PRW-033 limit
    A record states exactly the budget that is left. Its block could hold more.
    nearly_used_up: 4095, stated
    expect: damaged too-large, survivors 0-2 payload_a(4095) payload_a(4095)
budget_used_up_by_a_compressed_block: three_records PRW-034 PRW-033 limit
    A record that states no size has exactly the budget that is left. Its block could hold more.
    nearly_used_up: 4095, compressed
    expect: damaged too-large, survivors 0-2 payload_a(4095) payload_a(4095)
budget_used_up_by_an_invalid_frame: three_records PRW-034 PRW-031 limit
    The first of two invalid records can hold exactly the budget that is left.
    nearly_used_up: 60000, invalid
    expect: damaged too-large, survivors 0-2
""")


_RECORDS = {
    "unstated": _repeated(60_000, 1),
    "stated": MAGIC + b"\x40\x58\xff\x0e" + compressed_block(97, 4095),
    "compressed": _STREAM + compressed_block(97, 4095),
    "invalid": _repeated(60_000, 1) + b"x",
    "short": _repeated(1, 1),
}


def _nearly_used_up(log: PrometheusLog, left: int, kind: str = "unstated", *segments: int) -> None:
    """Let invalid frames use up the budget except some bytes, then add two equal records.

    Each of four frames that can hold more than 64 MiB counts as 64 MiB. The fifth frame counts with
    its own size. A frame with a dictionary and one with a large window do not count. In a folder,
    the records go into the second of two segments.
    """
    first, second = (f"{number:08d}" for number in segments) if segments else ("", "")
    block_of_100 = block(1, b"a", 100, is_last=True)
    record = frame(FULL, ZSTD, _RECORDS[kind])
    frames = frame(FULL, ZSTD, _repeated(1 << 17, 600) + b"x") * 4
    frames += frame(FULL, ZSTD, MAGIC + b"\x21\x07\x64" + block_of_100)
    frames += frame(FULL, ZSTD, MAGIC + b"\x00\x90" + block_of_100)
    fifth = b""
    for _ in range(3):  # The budget depends on the length of the frame that uses it up.
        end = len(log.files[first]) + len(frames) + len(fifth) + len(record)
        fifth = frame(FULL, ZSTD, _of_size((end << 10) - left) + b"x")
    log.extend(frames + fifth, first)
    log.extend(record * 2, second)


def _of_size(size: int) -> bytes:
    """Return a zstd frame with ``size`` bytes of content, in blocks that repeat a byte."""
    count, rest = divmod(size, 1 << 17)
    blocks = b"".join(block(1, b"a", 1 << 17, False) for _ in range(count))
    return _STREAM + blocks + block(1, b"a", rest, True)


def _invalid_frames() -> None:
    """Add vectors with five invalid zstd frames and a valid one, which is lost if they count."""
    stated = MAGIC + b"\xa0" + (1 << 26).to_bytes(4, "little") + block(1, b"a", 1000, True)
    unchecked = MAGIC + b"\x04" + _repeated(1 << 17, 511)[5:]
    for name, title, bad, counts in (
        ("size_above_the_blocks", "state 64 MiB, but their blocks hold less. They do not count",
         stated, False),
        ("cut_last_block", "lack the last byte of their last block. They do not count",
         _repeated(1 << 17, 511)[:-1], False),
        ("missing_checksum", "lack their checksum. They count", unchecked, True),
    ):  # fmt: skip

        @LIMITS.combination(
            f"budget_and_{name}", f"Five zstd frames {title}.", three_records, "PRW-034",
            "PRW-031", kind="limit",
        )  # fmt: skip
        def recipe(log: PrometheusLog, bad: bytes = bad, counts: bool = counts) -> None:
            log.extend(frame(FULL, ZSTD, bad) * 5 + frame(FULL, ZSTD, _repeated(1000, 1)))
            valid = [] if counts else [b"a" * 1000]
            log.expect("damaged", "bad-compression", [0, 1, 2, *valid], end=None)


_invalid_frames()


@LIMITS.damaged(three_records, "PRW-032", "PRW-033", kind="limit")
def mixed_flags_of_a_frame_above_the_limit(log: PrometheusLog) -> None:
    """A FIRST has the zstd flag, but its LAST has no flag. Decompressed with zstd, the content is
    too large."""
    content = frame_of_one_byte(97, (1 << 26) + 1)
    fills = numbered(PAGE_SIZE - 38 - 7 - 107)
    log.extend(frame(FULL, 0, fills) + frame(FIRST, ZSTD, content[:100]))
    log.extend(frame(LAST, 0, content[100:]))
    log.expect("damaged", "mixed-flags", survivors=[0, 1, 2, fills, content], end=None)
