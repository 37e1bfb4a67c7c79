"""Compressed payloads: invalid streams, wrong sizes, and contents above the limit."""

import lzma
import struct

import zstandard

from conformance.recipes.systemd_journal.combinations import (
    regular_jenkins_lz4,
    regular_jenkins_xz,
    regular_jenkins_zstd,
)
from conformance.recipes.systemd_journal.layouts import LONG
from conformance.recipes.systemd_journal.log import COMPRESSION, SystemdLog, body
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.builder import Options, Writer
from reference_impl.systemd_journal.export_format import field_to_json
from reference_impl.systemd_journal.objects import View


def _cut_payload(log: SystemdLog, count: int) -> None:
    """Replace the last bytes of the long field's payload with zeros."""
    at = log.offset_of(LONG)
    end = at + log.view.object_size(at)
    log.data[end - count : end] = bytes(count)
    log.set(f"{log.of(LONG)}.len_object", end - count - at)


def _loses_the_long_field(log: SystemdLog, reason: str = "bad-compression") -> None:
    log.expect("damaged", reason, survivors=[0, 1, log.without(2, "MESSAGE"), 3])


@COMPRESSION.damaged(regular_jenkins_xz, "SDJ-028")
def xz_stream_flipped(log: SystemdLog) -> None:
    """One bit of an XZ stream is flipped."""
    log.flip(f"{log.of(LONG)}.body.payload", 8 * 30)
    _loses_the_long_field(log)


@COMPRESSION.damaged(regular_jenkins_xz, "SDJ-028")
def xz_stream_of_another_size(log: SystemdLog) -> None:
    """An XZ stream lacks its last four bytes, which are 0 and padding."""
    _cut_payload(log, 4)
    _loses_the_long_field(log)


@COMPRESSION.damaged(regular_jenkins_lz4, "SDJ-029")
def lz4_size_too_large(log: SystemdLog) -> None:
    """The size before an LZ4 block is one byte too large."""
    log.flip(f"{log.of(LONG)}.body.payload", 0)
    _loses_the_long_field(log)


@COMPRESSION.damaged(regular_jenkins_lz4, "SDJ-029", "SDJ-031")
def lz4_size_of_all_ones(log: SystemdLog) -> None:
    """The size before an LZ4 block is 2^64 - 1. A reader does not allocate this many bytes."""
    at = log.offset_of(LONG) + log.header.data_fixed
    log.data[at : at + 8] = b"\xff" * 8
    _loses_the_long_field(log)


@COMPRESSION.damaged(regular_jenkins_lz4, "SDJ-029")
def lz4_block_flipped(log: SystemdLog) -> None:
    """An LZ4 payload is filled with F0 bytes, so it states an impossible size."""
    log.fill(f"{log.of(LONG)}.body.payload", 0xF0)
    _loses_the_long_field(log)


@COMPRESSION.damaged(regular_jenkins_zstd, "SDJ-030")
def zstd_frame_truncated(log: SystemdLog) -> None:
    """A ZSTD frame lacks its last eight bytes, which are 0."""
    _cut_payload(log, 8)
    _loses_the_long_field(log)
    log.bug("systemd up to 257 aborts: Assertion 'output.pos >= size' failed (PR 41713)")


@COMPRESSION.damaged(regular_jenkins_zstd, "SDJ-030")
def zstd_magic_flipped(log: SystemdLog) -> None:
    """One bit of the magic number of a ZSTD frame is flipped."""
    log.flip(f"{log.of(LONG)}.body.payload", 0)
    _loses_the_long_field(log)


@COMPRESSION.damaged(regular_jenkins_zstd, "SDJ-030")
def zstd_flag_on_an_lz4_file(log: SystemdLog) -> None:
    """A DATA with a ZSTD frame has the XZ flag."""
    log.set(f"{log.of(LONG)}.flags", layout.OBJECT_XZ)
    _loses_the_long_field(log)
    log.note("journalctl stops with ENOMEM, the error that it reports for every failure of XZ.")


@COMPRESSION.damaged(regular_jenkins_zstd, "SDJ-026")
def two_compression_flags(log: SystemdLog) -> None:
    """A DATA has both the XZ flag and the ZSTD flag."""
    log.set(f"{log.of(LONG)}.flags", layout.OBJECT_XZ | layout.OBJECT_ZSTD)
    _loses_the_long_field(log)
    log.note("journalctl stops with 'Protocol not supported'.")


COMPRESSION.table("""
stored_payload_called_compressed: regular_jenkins_none SDJ-026
    A DATA with an uncompressed payload has the XZ flag.
    damage: set of(PRIORITY=3).flags to 1
    expect: damaged bad-compression, survivors 0 without(1, PRIORITY) 2 3
compression_that_the_header_hides: regular_jenkins_zstd SDJ-027
    A payload is compressed, but the header announces no compression. A reader still returns the
    field.
    damage: set header.incompatible_flags to 0
    expect: damaged bad-header, survivors 0-3
    note: systemd checks these header flags only in --verify, not when it reads.
""")


def with_payload(log: SystemdLog, plain: bytes, stored: bytes, flag: int, header_flag: int) -> None:
    """Write a file of one entry whose BIG field is stored as these bytes."""
    made = Writer(Options(264, False, False, data_buckets=8, field_buckets=4))
    made.header.incompatible_flags |= header_flag
    # The writer looks up a payload by its uncompressed bytes, so replace it only in the stored
    # object.
    real, made_object = made._object, made._object

    def put(object_type: int, body: bytes, flags: int = 0) -> int:
        if object_type == layout.DATA and body[48:] == plain:
            return real(object_type, body[:48] + stored, flag)
        return made_object(object_type, body, flags)

    made._object = put  # type: ignore[method-assign]
    boot = bytes.fromhex("0123456789abcdef0123456789abcdef")
    made.append(
        [b"_BOOT_ID=" + boot.hex().encode(), b"MESSAGE=bomb", plain], 1700000000000000, 1, boot
    )
    log.made = made
    log.close()


def expect_big_field(log: SystemdLog, reason: str | None, plain: bytes) -> None:
    """Expect the BIG field as given, or a loss of the field for this reason."""
    view = View(bytes(log.data), log.header)
    assert view.header.n_entries == 1
    if reason:
        log.expect("damaged", reason, survivors=[b"MESSAGE=bomb\n"])
    else:
        log.payloads = [body(plain, "MESSAGE=bomb")]
        log.expect("intact", survivors=[0])


BOMB = b"BIG=" + b"A" * (1 << 20)


@COMPRESSION.valid("SDJ-031", kind="limit")
def bomb_within_the_limit(log: SystemdLog) -> None:
    """A field of 1 MiB that ZSTD compresses to a few dozen bytes is within the default limit."""
    stored = zstandard.ZstdCompressor(level=3, write_checksum=False).compress(BOMB)
    with_payload(log, BOMB, stored, layout.OBJECT_ZSTD, layout.ZSTD)
    expect_big_field(log, None, BOMB)


@COMPRESSION.damaged(bomb_within_the_limit, "SDJ-031", kind="limit")
def zstd_bomb_beyond_the_limit(log: SystemdLog) -> None:
    """A ZSTD frame states a size above `max_field_size`. The field is lost, and a reader allocates
    no memory for it."""
    log.context["max_field_size"] = 65536
    expect_big_field(log, "too-large", BOMB)


@COMPRESSION.valid("SDJ-031", kind="limit")
def xz_bomb_within_the_limit(log: SystemdLog) -> None:
    """A field of 1 MiB that XZ compresses to less than 400 bytes is within the default limit."""
    stored = lzma.compress(BOMB, lzma.FORMAT_XZ, lzma.CHECK_NONE)
    with_payload(log, BOMB, stored, layout.OBJECT_XZ, layout.XZ)
    expect_big_field(log, None, BOMB)


@COMPRESSION.damaged(xz_bomb_within_the_limit, "SDJ-031", kind="limit")
def xz_bomb_beyond_the_limit(log: SystemdLog) -> None:
    """A field compressed with XZ exceeds `max_field_size`. Its payload does not begin with a size,
    so a reader decompresses up to the limit."""
    log.context["max_field_size"] = 65536
    expect_big_field(log, "too-large", BOMB)


@COMPRESSION.valid("SDJ-030")
def zstd_frame_with_bytes_behind_it(log: SystemdLog) -> None:
    """A reader ignores bytes after a ZSTD frame."""
    plain = b"BIG=" + b"A" * 600
    stored = zstandard.ZstdCompressor().compress(plain) + b"behind"
    with_payload(log, plain, stored, layout.OBJECT_ZSTD, layout.ZSTD)
    expect_big_field(log, None, plain)
    no_frame = bytes(log.data).replace(stored, bytes(4) + stored[4:])
    why = "systemd 262 takes a payload only if the frame fills it"
    log.also_accept_as_of(no_frame, why)


@COMPRESSION.damaged(zstd_frame_with_bytes_behind_it, "SDJ-030", kind="limit")
def zstd_frame_without_its_size(log: SystemdLog) -> None:
    """A ZSTD frame does not state its content size. The field is lost."""
    plain = b"BIG=" + b"A" * 600
    stored = zstandard.ZstdCompressor(write_content_size=False).compress(plain)
    with_payload(log, plain, stored, layout.OBJECT_ZSTD, layout.ZSTD)
    expect_big_field(log, "bad-compression", plain)
    whole = log.answer_to(bytes(log.data))
    whole |= {"verdict": "intact", "reason": None, "lost": [], "end": len(log.data)}
    (record,) = whole["records"]
    del record["missing"]
    record["fields"].append(field_to_json(plain))
    record["payload"] = body(plain, "MESSAGE=bomb").hex()
    log.also_accept(whole, "systemd 262 decompresses it piece by piece, within its limit")


@COMPRESSION.valid("SDJ-029", kind="limit")
def lz4_block_of_literals(log: SystemdLog) -> None:
    """An LZ4 block consists of literals only, without a match."""
    plain = b"BIG=" + b"walproof"
    stored = struct.pack("<Q", 12) + bytes([12 << 4]) + plain
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, None, plain)


@COMPRESSION.valid("SDJ-029")
def lz4_block_with_a_match_length_at_its_end(log: SystemdLog) -> None:
    """The last sequence of an LZ4 block has no match. A reader ignores the match length in its
    token."""
    plain = b"BIG=" + b"walproof"
    stored = struct.pack("<Q", 12) + bytes([12 << 4 | 5]) + plain
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, None, plain)


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-027", "SDJ-044")
def unannounced_lz4_with_a_wrong_hash(log: SystemdLog) -> None:
    """A payload uses LZ4, which the header does not announce, and has a wrong hash. Only the wrong
    hash is a fault."""
    log.set("header.incompatible_flags", log.header.incompatible_flags & ~layout.LZ4)
    log.flip(f"{log.of('BIG=walproof')}.body.payload", 8 * 20)
    log.expect("damaged", "hash-mismatch", survivors=[b"MESSAGE=bomb\n"])


@COMPRESSION.valid("SDJ-028")
def xz_stream_with_a_check(log: SystemdLog) -> None:
    """An XZ stream has a CRC-64 check, as written by the `xz` tool."""
    plain = b"BIG=" + b"A" * 600
    stored = lzma.compress(plain, lzma.FORMAT_XZ, lzma.CHECK_CRC64)
    with_payload(log, plain, stored, layout.OBJECT_XZ, layout.XZ)
    expect_big_field(log, None, plain)


@COMPRESSION.valid("SDJ-028")
def xz_stream_with_bytes_after_it(log: SystemdLog) -> None:
    """A reader ignores bytes after an XZ stream."""
    plain = b"BIG=" + b"A" * 600
    stored = lzma.compress(plain, lzma.FORMAT_XZ, lzma.CHECK_NONE) + b"after it"
    with_payload(log, plain, stored, layout.OBJECT_XZ, layout.XZ)
    expect_big_field(log, None, plain)


@COMPRESSION.damaged(xz_stream_with_a_check, "SDJ-028")
def xz_check_wrong(log: SystemdLog) -> None:
    """The CRC-64 check of an XZ stream is wrong, although the content is correct."""
    plain = b"BIG=" + b"A" * 600
    stored = bytearray(lzma.compress(plain, lzma.FORMAT_XZ, lzma.CHECK_CRC64))
    check = len(stored) - 12 - int.from_bytes(stored[-8:-4], "little") * 4 - 4 - 8
    stored[check] ^= 1
    with_payload(log, plain, bytes(stored), layout.OBJECT_XZ, layout.XZ)
    expect_big_field(log, "bad-compression", plain)


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", "SDJ-031", kind="limit")
def lz4_size_beyond_the_limit(log: SystemdLog) -> None:
    """The size before an LZ4 block is correct, but above `max_field_size`."""
    log.context["max_field_size"] = 11
    log.expect("damaged", "too-large", survivors=[b"MESSAGE=bomb\n"])


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", "SDJ-031", kind="limit")
def lz4_size_that_no_block_has(log: SystemdLog) -> None:
    """The size before an LZ4 block is one byte above 255 times the payload size. The DATA is
    `bad-compression`, not `too-large`."""
    log.context["max_field_size"] = 4096
    plain = b"BIG=" + b"walproof"
    stored = struct.pack("<Q", 255 * 21 + 1) + bytes([12 << 4]) + plain
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, "bad-compression", plain)


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", "SDJ-031", kind="limit")
def lz4_size_that_a_block_might_have(log: SystemdLog) -> None:
    """The size before an LZ4 block is 255 times the payload size. This is possible, but above
    `max_field_size`, so the DATA is `too-large`."""
    log.context["max_field_size"] = 4096
    plain = b"BIG=" + b"walproof"
    stored = struct.pack("<Q", 255 * 21) + bytes([12 << 4]) + plain
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, "too-large", plain)


@COMPRESSION.valid("SDJ-031", kind="limit")
def stored_field_beyond_the_limit(log: SystemdLog) -> None:
    """An uncompressed field exceeds `max_field_size`, which limits only compressed fields."""
    log.context["max_field_size"] = 16
    log.write(("MESSAGE=" + "walproof " * 20,))
    log.expect("intact", survivors=[0])


@COMPRESSION.damaged(regular_jenkins_zstd, "SDJ-030", "SDJ-031")
def zstd_frame_truncated_and_too_large(log: SystemdLog) -> None:
    """A ZSTD frame states a size above `max_field_size` and lacks its last eight bytes. The DATA is
    `too-large`."""
    log.context["max_field_size"] = 600
    path = log.of(LONG)
    log.set(f"{path}.len_object", log.view.object_size(log.offset_of(LONG)) - 8)
    _loses_the_long_field(log, "too-large")
