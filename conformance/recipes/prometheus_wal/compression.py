"""Compressed records: flags, Snappy blocks and zstd frames. Each fault is tried with each
compression."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat

import cramjam

from conformance.recipes.prometheus_wal.log import (
    COMPRESSION,
    FIRST,
    FULL,
    LAST,
    MIDDLE,
    PAGE_SIZE,
    SNAPPY,
    ZSTD,
    PrometheusLog,
    frame,
    numbered,
)
from conformance.recipes.recipe import Recipe
from conformance.recipes.zstd_frames import MAGIC, RAW, block, compressed_block
from conformance.recipes.zstd_frames import frame as zstd_frame

SHORT = b"alpha " * 40
LONG = b"".join(b"%d " % (n * n) for n in range(9000))


def snappy(payload: bytes) -> bytes:
    """Return a Snappy block that contains only literals, so that its bytes depend on no library."""
    size, head = len(payload), bytearray()
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    pieces = (payload[at : at + 60] for at in range(0, len(payload), 60))
    return bytes([*head, size]) + b"".join(bytes([len(p) - 1 << 2]) + p for p in pieces)


Packer = Callable[[bytes], bytes]
PACK: dict[str, tuple[int, Packer]] = {
    "none": (0, bytes),
    "snappy": (SNAPPY, snappy),
    "zstd": (ZSTD, zstd_frame),
}


def fragments(data: bytes, flags: Iterable[int], used: int) -> bytes:
    """Return the frames of a record that begins after ``used`` bytes of a page."""
    out, first = b"", True
    for flag in flags:
        part, data = data[: PAGE_SIZE - used - 7], data[PAGE_SIZE - used - 7 :]
        kind = (FIRST if data else FULL) if first else (MIDDLE if data else LAST)
        out, used, first = out + frame(kind, flag, part), 0, False
        if not data:
            break
    return out


def _compressed(name: str) -> str:
    return "without compression" if name == "none" else f"with {name} compression"


def _controls() -> dict[str, tuple[Recipe[PrometheusLog], Recipe[PrometheusLog]]]:
    """Add two controls for each compression: short records, and a record over three pages."""
    found = {}
    for name, (flags, pack) in PACK.items():

        def short(log: PrometheusLog, flags: int = flags, pack: Packer = pack) -> None:
            for payload in (SHORT, b"bravo " * 40, b"charlie " * 40):
                log.frames(frame(FULL, flags, pack(payload)))
                log.payloads.append(payload)
            log.expect("intact", survivors=range(3))

        def long(log: PrometheusLog, flags: int = flags, pack: Packer = pack) -> None:
            log.frames(frame(FULL, flags, pack(SHORT)))
            log.frames(fragments(pack(LONG), repeat(flags), len(log.data)))
            log.frames(frame(FULL, flags, pack(b"charlie " * 40)))
            log.payloads += [SHORT, LONG, b"charlie " * 40]
            log.expect("intact", survivors=range(3))

        short.__name__, long.__name__ = f"{name}_records", f"{name}_record_over_pages"
        short.__doc__ = f"Three records {_compressed(name)}."
        long.__doc__ = f"A record over three pages {_compressed(name)}."
        enter = COMPRESSION.valid("PRW-016", "PRW-012")
        found[name] = enter(short), enter(long)
    return found


CONTROLS = _controls()
SECOND = "pages[0].frames[1]"
#: Each fault is in the second of three short records. It has three expected reasons: without
#: compression, with Snappy and with zstd. None means that the log is intact.
SHORT_FAULTS = {
    "data_flipped": (lambda log: log.flip(f"{SECOND}.data", 9), ("checksum-mismatch",) * 3),
    "checksum_flipped": (
        lambda log: log.flip(f"{SECOND}.header.checksum", 9), ("checksum-mismatch",) * 3),
    "length_bit_flipped": (
        lambda log: log.flip(f"{SECOND}.header.len_data", 8), ("bad-length",) * 3),
    "type_unknown": (lambda log: log.flip(f"{SECOND}.header.type", 2), ("unknown-type",) * 3),
    "snappy_bit_flipped": (
        lambda log: log.flip(f"{SECOND}.header.type", 3), ("bad-compression", None, "mixed-flags")),
    "zstd_bit_flipped": (
        lambda log: log.flip(f"{SECOND}.header.type", 4), ("bad-compression", "mixed-flags", None)),
    "cut": (lambda log: log.truncate_in(f"{SECOND}.data", 9), ("torn-record",) * 3),
}  # fmt: skip


#: Titles describe the faults with these texts.
FAULT_TITLES = {
    "data_flipped": "a bit of the data is flipped",
    "checksum_flipped": "a bit of the checksum is flipped",
    "length_bit_flipped": "a bit of the length is flipped",
    "type_unknown": "the type is unknown",
    "snappy_bit_flipped": "the snappy bit is flipped",
    "zstd_bit_flipped": "the zstd bit is flipped",
    "cut": "the data is cut",
    "data_of_a_first_flipped": "a bit of the FIRST's data is flipped",
    "data_of_a_middle_flipped": "a bit of the MIDDLE's data is flipped",
    "data_of_a_last_flipped": "a bit of the LAST's data is flipped",
    "length_of_a_middle_flipped": "a bit of the MIDDLE's length is flipped",
    "type_of_a_last_unknown": "the type of the LAST is unknown",
}


def _short_faults() -> None:
    for column, (name, (control, _)) in enumerate(CONTROLS.items()):
        for fault, (damage, reasons) in SHORT_FAULTS.items():
            reason = reasons[column]
            requirement = {
                "checksum-mismatch": "PRW-025", "bad-length": "PRW-024",
                "unknown-type": "PRW-026", "bad-compression": "PRW-031", "mixed-flags": "PRW-032",
                "torn-record": "PRW-040", None: "PRW-016",
            }[reason]  # fmt: skip

            @COMPRESSION.combination(
                f"{name}_{fault}",
                f"In the second of three records {_compressed(name)}, {FAULT_TITLES[fault]}.",
                control, requirement, kind=None if reason else "limit",
            )  # fmt: skip
            def recipe(
                log: PrometheusLog,
                damage: Callable[[PrometheusLog], None] = damage,
                reason: str | None = reason,
                name: str = name,
            ) -> None:
                damage(log)
                if reason is None:
                    hidden = PACK[name][1](log.payloads[1])
                    log.expect("intact", survivors=[0, hidden, 2])
                    log.note("Without the flag, the compressed bytes are the payload.")
                elif reason == "torn-record":
                    log.expect("torn", reason, survivors=[0])
                else:
                    is_rest = reason == "checksum-mismatch"
                    is_whole = reason in ("bad-length", "mixed-flags")
                    rest = [0, 1, 2] if is_whole else [0] if is_rest else [0, 2]
                    log.expect("damaged", reason, rest, end=None)


def _long_faults() -> None:
    """Add vectors with a fault in a record over three pages."""
    for name, (_, control) in CONTROLS.items():
        for fault, path, bit, reason, survivors in (
            ("data_of_a_first_flipped", SECOND + ".data", 9, "checksum-mismatch", [0, 2]),
            ("data_of_a_middle_flipped", "pages[1].frames[0].data", 9, "checksum-mismatch", [0, 2]),
            ("data_of_a_last_flipped", "pages[2].frames[0].data", 9, "checksum-mismatch", [0]),
            ("length_of_a_middle_flipped", "pages[1].frames[0].header.len_data", 3, "bad-length",
             [0, 1, 2]),
            ("type_of_a_last_unknown", "pages[2].frames[0].header.type", 0, "unknown-type", [0, 2]),
        ):  # fmt: skip

            @COMPRESSION.combination(
                f"{name}_{fault}",
                f"In a record over three pages {_compressed(name)}, {FAULT_TITLES[fault]}.",
                control, "PRW-029" if reason != "bad-length" else "PRW-024", kind="corrupt",
            )  # fmt: skip
            def recipe(
                log: PrometheusLog, path: str = path, bit: int = bit, reason: str = reason,
                survivors: list[int] = survivors,
            ) -> None:  # fmt: skip
                log.flip(path, bit)
                log.expect("damaged", reason, survivors, end=None)


def _mixed_flags() -> None:
    """Add vectors in which one frame of a record has other flags. The data shows which flags are
    right."""
    for name, (_, control) in CONTROLS.items():
        for place, path in (
            ("first", SECOND), ("middle", "pages[1].frames[0]"), ("last", "pages[2].frames[0]"),
        ):  # fmt: skip
            for bit, other in ((3, "snappy"), (4, "zstd")):

                @COMPRESSION.combination(
                    f"{name}_with_{other}_bit_of_{place}",
                    f"In a record {_compressed(name)}, the {other} bit of the {place.upper()} is"
                    " flipped.",
                    control, "PRW-032", kind="corrupt",
                )  # fmt: skip
                def recipe(log: PrometheusLog, path: str = path, bit: int = bit) -> None:
                    log.flip(f"{path}.header.type", bit)
                    log.expect("damaged", "mixed-flags", survivors=range(3), end=None)


_short_faults()
_long_faults()
_mixed_flags()


def _bad_data() -> None:
    """Add vectors with invalid compressed data."""
    payload = SHORT
    stream = MAGIC + b"\x00\x58" + block(RAW, payload, len(payload), is_last=True)
    for name, flags, data in (
        ("snappy_without_elements", SNAPPY, b"\x05"),
        ("snappy_with_a_shorter_claim", SNAPPY, b"\x04" + snappy(b"alpha")[1:]),
        ("snappy_with_a_longer_claim", SNAPPY, b"\x06" + snappy(b"alpha")[1:]),
        ("snappy_of_no_content", SNAPPY, b"\x00"),
        ("snappy_with_an_offset_of_zero", SNAPPY, b"\x08\x0calph\x01\x00"),
        ("snappy_with_an_offset_before_the_start", SNAPPY, b"\x08\x0calph\x01\x05"),
        ("snappy_in_the_framing_format", SNAPPY,
         b"\xff\x06\x00\x00sNaPpY" + bytes(cramjam.snappy.compress(b"alpha"))[10:]),
        ("zstd_without_its_end", ZSTD, zstd_frame(payload)[:-1]),
        ("zstd_and_a_byte", ZSTD, zstd_frame(payload) + b"x"),
        ("zstd_twice", ZSTD, zstd_frame(payload) * 2),
        ("zstd_of_no_content", ZSTD, zstd_frame(b"")),
        ("zstd_of_no_content_without_a_size", ZSTD, stream[:6] + block(2, b"\0\0", 2, True)),
        ("zstd_with_a_size_above_the_limit", ZSTD, zstd_frame(payload, 1 << 27)),
        ("data_with_both_flags", SNAPPY | ZSTD, b"alpha"),
        ("zstd_without_its_magic_number", ZSTD, zstd_frame(payload)[1:]),
        ("zstd_with_a_larger_size", ZSTD, zstd_frame(payload, len(payload) + 1)),
        ("zstd_with_a_dictionary", ZSTD,
         MAGIC + b"\x21\x07" + bytes([len(payload)]) + block(RAW, payload, len(payload), True)),
        ("zstd_with_a_large_window", ZSTD, MAGIC + b"\x00\x90" + stream[6:]),
        ("zstd_with_a_reserved_block", ZSTD,
         MAGIC + b"\x00\x58" + block(3, payload, len(payload), is_last=True)),
        ("zstd_with_a_wrong_checksum", ZSTD, MAGIC + b"\x04\x58" + stream[6:] + b"abcd"),
    ):  # fmt: skip

        @COMPRESSION.combination(
            name, f"The data of a record is invalid: {name.replace('_', ' ')}.",
            CONTROLS["none"][0], "PRW-031", kind="corrupt",
        )  # fmt: skip
        def recipe(log: PrometheusLog, flags: int = flags, data: bytes = data) -> None:
            log.splice(SECOND, frame(FULL, flags, data))
            log.expect("damaged", "bad-compression", survivors=[0, 2], end=None)


_bad_data()


@COMPRESSION.valid("PRW-016", "PRW-031")
def frames_of_other_writers(log: PrometheusLog) -> None:
    """Valid zstd frames without a content size, with one or several blocks, and a Snappy block that
    consists almost only of copies."""
    stream = MAGIC + b"\x00\x58"
    log.frames(
        frame(FULL, ZSTD, stream + block(RAW, SHORT, len(SHORT), is_last=True)),
        frame(FULL, ZSTD, stream + block(RAW, b"ab", 2, False) + block(1, b"c", 9, True)),
        frame(FULL, ZSTD, stream + compressed_block(100, 300)),
    )
    # The Snappy block consists of a literal and copies of 64 bytes, so its compression ratio is
    # close to the maximum.
    copies = b"\x81\x32\x00e" + b"\xfe\x01\x00" * 100
    log.frames(frame(FULL, SNAPPY, copies))
    log.payloads += [SHORT, b"ab" + b"c" * 9, b"d" * 300, b"e" * 6401]
    log.expect("intact", survivors=range(4))


@COMPRESSION.valid("PRW-016")
def empty_records_with_flags(log: PrometheusLog) -> None:
    """Empty records are not compressed, whatever their flags are."""
    log.frames(*(frame(FULL, flags, b"") for flags in (0, SNAPPY, ZSTD, SNAPPY | ZSTD)))
    log.frames(frame(FULL, 0, b"alpha"))
    log.payloads += [b""] * 4 + [b"alpha"]
    log.expect("intact", survivors=range(5))


@COMPRESSION.valid("PRW-016")
def compressions_in_turn(log: PrometheusLog) -> None:
    """The records of a segment are compressed differently."""
    for flags, pack in PACK.values():
        log.frames(frame(FULL, flags, pack(SHORT)))
        log.payloads.append(SHORT)
    log.expect("intact", survivors=range(3))


@COMPRESSION.valid("PRW-015", "PRW-016")
def snappy_with_seven_bytes_left(log: PrometheusLog) -> None:
    """An empty FIRST with a flag precedes the rest of a compressed record."""
    log.fill_page_but(7)
    log.frames(frame(FIRST, SNAPPY, b""), frame(LAST, SNAPPY, snappy(SHORT)))
    log.payloads.append(SHORT)
    log.expect("intact", survivors=range(2))


@COMPRESSION.valid("PRW-032", kind="limit")
def plain_data_that_is_a_block(log: PrometheusLog) -> None:
    """A payload is itself a Snappy block. Without a flag, it is not decompressed."""
    log.write(snappy(b"alpha"), numbered(100))
    log.expect("intact", survivors=range(2))


COMPRESSION.table("""
flag_of_an_empty_first: snappy_with_seven_bytes_left PRW-032
    The empty FIRST has no flag, but the LAST has one.
    retype: pages[0].frames[1], 2
    expect: damaged mixed-flags, survivors 0-1, end none
length_and_mixed_flags: snappy_record_over_pages PRW-024 PRW-032
    Both the length of a MIDDLE and the flag of a LAST are wrong.
    damage: flip bit 3 of pages[1].frames[0].header.len_data
    damage: flip bit 3 of pages[2].frames[0].header.type
    expect: damaged bad-length, survivors 0-2, end none
mixed_flags_and_length: snappy_record_over_pages PRW-024 PRW-032
    The flag of a MIDDLE is wrong, and so is the length of the LAST after it.
    damage: flip bit 3 of pages[1].frames[0].header.type
    damage: flip bit 3 of pages[2].frames[0].header.len_data
    expect: damaged bad-length, survivors 0-2, end none
""")


def _snappy_of_size(size: bytes) -> bytes:
    """Return a Snappy block of ``alpha`` whose size field has these bytes."""
    return size + snappy(b"alpha")[1:]


@COMPRESSION.valid("PRW-031", kind="limit")
def snappy_sizes_of_more_bytes(log: PrometheusLog) -> None:
    """Blocks state a size of 5 in 2, 6 and 10 bytes. The last bytes add only zeros. Two other
    blocks state 1 and 127 in one byte."""
    for count in (2, 6, 10):
        size = b"\x85".ljust(count - 1, b"\x80") + b"\0"
        log.frames(frame(FULL, SNAPPY, _snappy_of_size(size)))
        log.payloads.append(b"alpha")
    for payload in (b"a", b"a" * 127):
        log.frames(frame(FULL, SNAPPY, snappy(payload)))
        log.payloads.append(payload)
    log.expect("intact", survivors=range(5))


def _bad_sizes() -> None:
    for name, title, flags, data in (
        ("snappy_size_of_eleven_bytes", "A Snappy block states its size, 5, in 11 bytes.",
         SNAPPY, _snappy_of_size(b"\x85".ljust(10, b"\x80") + b"\0")),
        ("snappy_size_above_64_bits", "A Snappy block states a size of 2^64 + 5.",
         SNAPPY, _snappy_of_size(b"\x85".ljust(9, b"\x80") + b"\2")),
        ("zstd_window_of_one_segment_above_the_limit",
         "A single-segment zstd frame states a size above 128 MiB, which is also its window size.",
         ZSTD, MAGIC + b"\xa0" + ((1 << 27) + 1).to_bytes(4, "little")
         + block(1, b"a", 1 << 17, False) * 1024 + block(1, b"a", 1, True)),
    ):  # fmt: skip

        @COMPRESSION.combination(name, title, CONTROLS["none"][0], "PRW-031", kind="corrupt")
        def recipe(log: PrometheusLog, flags: int = flags, data: bytes = data) -> None:
            log.splice(SECOND, frame(FULL, flags, data))
            log.expect("damaged", "bad-compression", survivors=[0, 2], end=None)


_bad_sizes()
