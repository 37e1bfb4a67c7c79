"""Vectors for combinations of open records, damage, block ends and dialects."""

from __future__ import annotations

from collections.abc import Callable

from conformance.recipes.leveldb_log.appending import append_to_three_records
from conformance.recipes.leveldb_log.layout import three_records
from conformance.recipes.leveldb_log.log import (
    APPENDING,
    BOOK,
    CHECKSUM,
    DIALECTS,
    FIRST,
    FRAGMENTS,
    FULL,
    LAST,
    LAYOUT,
    LENGTHS,
    MIDDLE,
    TYPES,
    ZEROS,
    LevelDBLog,
    foreign,
    forge_checksum,
    physical,
)
from reference_impl.leveldb_log.layout import BLOCK_SIZE

DELTA = b"delta"
#: A record that no reader may return.
GHOST = physical(FULL, b"ghost")
START = 38  # the size of the control

Build = Callable[[LevelDBLog], None]


def _filled(data: bytes, size: int) -> bytes:
    """Return ``data``, filled up with bytes 55 to ``size`` bytes."""
    return data + b"\x55" * (size - len(data))


def _damage(code: str, size: int) -> bytes:
    """Return ``size`` bytes that are lost with this code."""
    return {
        "bad_length": _filled(b"\x55\x55\x55\x55\xff\xff\x01", size),
        "zero_header": _filled(bytes(7), size),
        "zero_gap": bytes(size),
        "checksum_mismatch": _filled(b"\0\0\0\0\5\0\1ghost" + GHOST, size),
        "unknown_type": physical(103, b"\x55" * (size - 7)),
    }[code]


DAMAGES = ("bad_length", "zero_header", "zero_gap", "checksum_mismatch", "unknown_type")
OPEN_RECORDS = {
    "empty_first": physical(FIRST, b""),
    "empty_first_and_middle": physical(FIRST, b"") + physical(MIDDLE, b""),
    "first_and_empty_middle": physical(FIRST, b"go") + physical(MIDDLE, b""),
}


def _code(damage: str) -> str:
    return damage.replace("_", "-")


def _fragments(name: str) -> str:
    return name.replace("first", "FIRST").replace("middle", "MIDDLE").replace("_", " ")


def damage_after_an_open_record(opened: str, damage: str) -> None:
    """Add a vector with damage while a record is open."""

    title = (
        f"Damage ({_code(damage)}) follows an open record ({_fragments(opened)}). The open"
        " record is a separate lost range, and its LAST is an orphan."
    )

    @FRAGMENTS.combination(f"{damage}_after_{opened}", title, three_records, "LDB-034", "LDB-040")
    def build(log: LevelDBLog) -> None:
        start = OPEN_RECORDS[opened]
        log.extend(start)
        log.extend(_damage(damage, BLOCK_SIZE - START - len(start)))
        log.extend(physical(LAST, b"al") + physical(FULL, DELTA))
        log.expect("damaged", _code(damage), survivors=[0, 1, 2, DELTA], end=BLOCK_SIZE + 21)


def damage_in_the_next_block(damage: str) -> None:
    """Add a vector with damage at the start of a block, after an empty FIRST."""

    title = (
        f"Damage ({_code(damage)}) at the start of a block follows an empty FIRST at the end of the"
        " previous block."
    )

    @FRAGMENTS.combination(
        f"{damage}_in_the_next_block", title, three_records, "LDB-034", "LDB-040"
    )
    def build(log: LevelDBLog) -> None:
        log.extend(physical(FULL, bytes(BLOCK_SIZE - START - 14)))
        log.extend(physical(FIRST, b""))
        log.extend(_damage(damage, BLOCK_SIZE))
        log.extend(physical(LAST, b"al") + physical(FULL, DELTA))
        filler = bytes(BLOCK_SIZE - START - 14)
        survivors: list[int | bytes] = [0, 1, 2, filler, DELTA]
        log.expect("damaged", _code(damage), survivors=survivors, end=2 * BLOCK_SIZE + 21)


for _opened in OPEN_RECORDS:
    for _name in DAMAGES:
        damage_after_an_open_record(_opened, _name)
for _name in DAMAGES:
    damage_in_the_next_block(_name)


def _block_filled(log: LevelDBLog) -> bytes:
    """Fill the block with a FULL, and return its payload."""
    filler = b"f" * (BLOCK_SIZE - len(log.data) - 7)
    log.extend(physical(FULL, filler))
    return filler


def empty_orphan(kind: int, name: str, in_mid_block: bool) -> None:
    """Add a vector with an empty MIDDLE or LAST while no record is open."""

    place = "in_mid_block" if in_mid_block else "at_a_block_start"
    title = f"An empty {name.upper()} {place} is an orphan, because no record is open."
    title = title.replace("_", " ")

    @FRAGMENTS.combination(f"empty_orphan_{name}_{place}", title, three_records, "LDB-031")
    def build(log: LevelDBLog) -> None:
        survivors: list[int | bytes] = [0, 1, 2]
        if not in_mid_block:
            survivors.append(_block_filled(log))
        log.extend(physical(kind, b"") + physical(FULL, DELTA))
        log.expect("damaged", "orphan-fragment", survivors=[*survivors, DELTA])


for _kind, _name in ((MIDDLE, "middle"), (LAST, "last")):
    for _in_mid_block in (False, True):
        empty_orphan(_kind, _name, _in_mid_block)


def open_record_ended(with_middle: bool, by_first: bool, in_mid_block: bool) -> None:
    """Add a vector in which a FULL or FIRST ends an open record with data."""

    name = "first_and_middle" if with_middle else "first"
    ending, place = "first" if by_first else "full", "mid_block" if in_mid_block else "a_new_block"
    title = (
        f"A {ending.upper()} in {place} ends an open record with data ({_fragments(name)}). The"
        " open record is lost, and the record after it is returned."
    ).replace("_", " ")
    requirements = ("LDB-032", "LDB-036")

    @FRAGMENTS.combination(f"{name}_then_{ending}_in_{place}", title, three_records, *requirements)
    def build(log: LevelDBLog) -> None:
        data = b"go" if in_mid_block else b"g" * (BLOCK_SIZE - START - 7 - 9 * with_middle)
        opened = physical(FIRST, data) + physical(MIDDLE, b"al") * with_middle
        log.extend(opened)
        ending = physical(FULL, DELTA)
        if by_first:
            ending = physical(FIRST, b"del") + physical(LAST, b"ta")
        log.extend(ending)
        log.expect("damaged", "incomplete-record", survivors=[0, 1, 2, DELTA])


for _with_middle in (False, True):
    for _by_first in (False, True):
        for _in_mid_block in (False, True):
            open_record_ended(_with_middle, _by_first, _in_mid_block)


def empty_first_ended(with_middle: bool, by_first: bool) -> None:
    """Add a vector in which a FULL or FIRST ends an open record without data."""

    name = "empty_first_and_middle" if with_middle else "empty_first"
    ending = "first" if by_first else "full"
    title = (
        f"A {ending.upper()} follows fragments without data ({_fragments(name)}) in mid-block. The"
        f" record begins at the {ending.upper()}."
    ).replace("_", " ")

    @FRAGMENTS.combination(f"{name}_then_{ending}_in_mid_block", title, three_records, "LDB-033")
    def build(log: LevelDBLog) -> None:
        opened = physical(FIRST, b"") + physical(MIDDLE, b"") * with_middle
        ending = physical(FULL, DELTA)
        if by_first:
            ending = physical(FIRST, b"del") + physical(LAST, b"ta")
        log.extend(opened + ending)
        log.expect("intact", survivors=[0, 1, 2, DELTA])


for _with_middle in (False, True):
    for _by_first in (False, True):
        empty_first_ended(_with_middle, _by_first)


ENDS = {
    "with_the_block": (0, b"", BLOCK_SIZE),
    "before_the_trailer": (3, b"", None),
    "before_zeros": (0, bytes(512), BLOCK_SIZE),
    "before_a_torn_header": (0, b"\x55\x55", BLOCK_SIZE),
}


def damaged_end(damage: str, place: str) -> None:
    """Add a vector that loses the rest of the last block."""

    missing, rest, end = ENDS[place]

    title = (
        f"The rest of a block is lost ({_code(damage)}), and the log ends {place}, so"
        f" `end` is {'null' if end is None else end}."
    ).replace("_", " ")

    @LENGTHS.combination(f"{damage}_{place}", title, three_records, "LDB-039")
    def build(log: LevelDBLog) -> None:
        log.extend(_damage(damage, BLOCK_SIZE - START - missing) + rest)
        log.expect("damaged", _code(damage), survivors=[0, 1, 2], end=end)


for _name in ("bad_length", "zero_header", "checksum_mismatch"):
    for _place in ENDS:
        damaged_end(_name, _place)


def type_zero(length: int, code: str) -> None:
    """Add a vector with a header of type 0 whose length is not 0."""

    title = f"A header has type 0 and length {length}. The code is {code}."

    @TYPES.combination(
        f"type_zero_with_length_{length}", title, three_records, "LDB-020", "LDB-030"
    )
    def build(log: LevelDBLog) -> None:
        header = b"\x55\x55\x55\x55" + length.to_bytes(2, "little") + b"\0"
        log.extend(_filled(header, BLOCK_SIZE - START) + physical(FULL, DELTA))
        log.expect("damaged", code, survivors=[0, 1, 2, DELTA])


for _length, _reason in (
    (1, "checksum-mismatch"),
    (BLOCK_SIZE - START - 7, "checksum-mismatch"),
    (BLOCK_SIZE - START - 6, "bad-length"),
    (65535, "bad-length"),
):
    type_zero(_length, _reason)


def other_header(kind: int, extra: int, code: str) -> None:
    """Add a vector whose first record has a header that no dialect uses for its type."""

    size = 7 + extra
    title = (
        f"The first record has type {kind} and a {size}-byte header, which no known dialect uses."
    )

    @DIALECTS.combination(
        f"type_{kind}_with_a_header_of_{size}_bytes", title, three_records, "LDB-043"
    )
    def build(log: LevelDBLog) -> None:
        log.truncate(0)
        log.extend(foreign(kind, b"\1" * extra, b"d" * 24))
        log.extend(physical(FULL, DELTA))
        survivors = [DELTA] if code == "unknown-type" else []
        log.expect("damaged", code, survivors=survivors)


def uncovered_field(kind: int, extra: int) -> None:
    """Add a vector whose first record has additional fields that its checksum does not cover."""

    title = (
        f"The checksum of the first record, of type {kind}, does not cover the additional"
        " header fields. No known dialect writes such records."
    )

    @DIALECTS.combination(f"type_{kind}_with_an_uncovered_field", title, three_records, "LDB-043")
    def build(log: LevelDBLog) -> None:
        checked = physical(kind, b"d" * 24)
        log.truncate(0)
        log.extend(checked[:7] + b"\1" * extra + checked[7:])
        log.expect("damaged", "checksum-mismatch", survivors=[])


for _kind in (5, 6, 7, 8, 11, 12, 131):
    other_header(_kind, 0, "unknown-type")
for _kind in (5, 6, 7, 8, 130, 131):
    other_header(_kind, 12, "checksum-mismatch")
for _kind in (12, 130):
    other_header(_kind, 4, "checksum-mismatch")
for _kind, _extra in ((5, 4), (6, 4), (7, 4), (8, 4), (11, 4), (131, 4), (9, 12), (12, 12)):
    uncovered_field(_kind, _extra)


OPENED = {"data": b"go", "an_empty_first": b""}
EMPTY_ENDINGS = {"full": physical(FULL, b""), "first": physical(FIRST, b"") + physical(LAST, b"")}


def empty_record_after_an_open_one(opened: str, ending: str) -> None:
    """Add a vector in which an empty FULL or FIRST ends an open record."""
    data = OPENED[opened]

    title = (
        f"An empty {ending.upper()} ends an open record with {opened.replace('_', ' ')}, and the"
        " empty record is returned."
    )

    @FRAGMENTS.combination(
        f"empty_{ending}_after_{opened}", title, three_records, "LDB-011", "LDB-032", "LDB-033"
    )
    def build(log: LevelDBLog) -> None:
        log.extend(physical(FIRST, data) + EMPTY_ENDINGS[ending])
        log.extend(physical(FULL, DELTA))
        survivors: list[int | bytes] = [0, 1, 2, b"", DELTA]
        if data:
            log.expect("damaged", "incomplete-record", survivors=survivors)
        else:
            log.expect("intact", survivors=survivors)


for _opened in OPENED:
    for _name in EMPTY_ENDINGS:
        empty_record_after_an_open_one(_opened, _name)


@FRAGMENTS.damaged(three_records, "LDB-010", "LDB-011", kind="limit")
def empty_record_in_three_fragments(log: LevelDBLog) -> None:
    """A record consists of a FIRST, a MIDDLE and a LAST without data."""
    log.extend(physical(FIRST, b"") + physical(MIDDLE, b"") + physical(LAST, b""))
    log.expect("intact", survivors=[0, 1, 2, b""])


def empty_unknown_type(kind: int) -> None:
    """Add a vector with an empty physical record of an unknown type."""

    title = f"A physical record of unknown type {kind} is empty and has a valid checksum."

    @TYPES.combination(f"empty_record_of_type_{kind}", title, three_records, "LDB-029")
    def build(log: LevelDBLog) -> None:
        log.extend(physical(kind, b"") + physical(FULL, DELTA))
        log.expect("damaged", "unknown-type", survivors=[0, 1, 2, DELTA])


for _kind in (5, 127, 128, 255):
    empty_unknown_type(_kind)


def constant_checksum(stored: int) -> None:
    """Add a vector in which all bits of a wrong checksum are equal."""

    title = f"A record has the wrong checksum {stored:08x}."

    @CHECKSUM.combination(
        f"wrong_checksum_{stored:08x}", title, three_records, "LDB-008", "LDB-028"
    )
    def build(log: LevelDBLog) -> None:
        record = stored.to_bytes(4, "little") + physical(FULL, b"ghost")[4:]
        log.extend(_filled(record, BLOCK_SIZE - START) + physical(FULL, DELTA))
        log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2, DELTA])


constant_checksum(0)
constant_checksum(0xFFFFFFFF)


@TYPES.damaged(three_records, "LDB-030", "LDB-026", kind="limit")
def type_zero_with_data_and_a_checksum_of_zero(log: LevelDBLog) -> None:
    """A physical record with the checksum 0, the type 0 and five bytes of data is not a zero
    header."""
    log.extend(b"\0\0\0\0\5\0\0ghost")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


def zeros_at_the_end(count: int, opened: bool) -> None:
    """Add a vector with a log that ends in a few zeros."""

    where = "after a FIRST" if opened else "alone"

    @ZEROS.combination(
        f"{count}_zeros_{where.replace(' ', '_').lower()}",
        f"A log ends with {count} zero{'s' * (count > 1)} after a FIRST."
        if opened
        else f"A log consists of {count} zero{'s' * (count > 1)}.",
        three_records,
        "LDB-025",
        "LDB-035",
    )
    def build(log: LevelDBLog) -> None:
        survivors = [0, 1, 2]
        if opened:
            log.extend(physical(FIRST, b"go"))
        else:
            log.truncate(0)
            survivors = []
        size = len(log.data)
        log.extend(bytes(count))
        if opened:
            log.expect("torn", "torn-record", survivors=survivors, end=START)
        else:
            log.expect("intact", survivors=survivors, end=size)


for _count in (1, 6, 7):
    for _is_open in (False, True):
        zeros_at_the_end(_count, _is_open)


def trailer_within_a_record(left: int, rest: bytes, code: str) -> None:
    """Add a vector with a non-zero trailer after a FIRST."""

    what = f"the next block is cut ({code})" if code else "the LAST is in the next block"

    @BOOK.group("tails" if code else "layout").combination(
        f"trailer_of_{left}_other_bytes_{code.replace('-', '_') or 'within_a_record'}",
        f"A trailer of {left} bytes 55 follows a FIRST, and {what}.",
        three_records,
        *(("LDB-005", "LDB-021", "LDB-022") if code else ("LDB-005", "LDB-010")),
    )
    def build(log: LevelDBLog) -> None:
        data = b"g" * (BLOCK_SIZE - START - 7 - left)
        log.extend(physical(FIRST, data) + b"\x55" * left)
        log.extend(rest)
        if code:
            log.expect("torn", code, survivors=[0, 1, 2], end=START)
        else:
            log.expect("intact", survivors=[0, 1, 2, data + b"al"])


for _left in (1, 6):
    trailer_within_a_record(_left, physical(LAST, b"al"), "")
trailer_within_a_record(5, b"\x55\x55\x55", "torn-header")
trailer_within_a_record(5, physical(LAST, b"al")[:-1], "torn-payload")


FOREIGN = {
    "recyclable": (5, b"\1\0\0\0", b"foo"),
    "synced": (9, b"\1\0\0\0" + bytes(8), b"foo"),
    "compression_type": (9, b"", b"\7\0\0\0"),
    "timestamp_sizes": (10, b"", b"\1\0\0\0\x08\0"),
    "preceding_log": (130, b"", bytes(24)),
}


def foreign_record_and_nothing_else(name: str) -> None:
    """Add a vector with a log that contains only one record of another dialect."""

    title = f"The only record of a log belongs to another dialect: {name.replace('_', ' ')}."

    @DIALECTS.combination(f"{name}_and_nothing_else", title, three_records, "LDB-043")
    def build(log: LevelDBLog) -> None:
        log.truncate(0)
        log.extend(foreign(*FOREIGN[name]))
        log.expect("refused", "foreign-dialect")


for _name in FOREIGN:
    foreign_record_and_nothing_else(_name)


def similar_to_a_preceding_log(kind: int) -> None:
    """Add a vector whose first record has 24 bytes, and a type next to that of a preceding log."""

    title = f"The first record has type {kind} and 24 bytes of data, which no known dialect uses."

    @DIALECTS.combination(f"type_{kind}_with_24_bytes", title, three_records, "LDB-043", "LDB-029")
    def build(log: LevelDBLog) -> None:
        log.truncate(0)
        log.extend(physical(kind, bytes(24)) + physical(FULL, DELTA))
        log.expect("damaged", "unknown-type", survivors=[DELTA])


similar_to_a_preceding_log(129)
similar_to_a_preceding_log(132)


@DIALECTS.damaged(three_records, "LDB-043", "LDB-008", kind="limit")
def recyclable_record_with_a_checksum_of_zero(log: LevelDBLog) -> None:
    """The first record is recyclable, and its valid checksum is 0."""
    number = b"\1\0\0\0"
    data = forge_checksum(5, number + b"crc0", 0)[4:]
    log.truncate(0)
    log.extend(foreign(5, number, data))
    log.expect("refused", "foreign-dialect")


@LAYOUT.damaged(three_records, "LDB-012", kind="limit")
def seven_bytes_left(log: LevelDBLog) -> None:
    """A log ends seven bytes before the end of a block."""
    filler = b"f" * (BLOCK_SIZE - START - 14)
    log.extend(physical(FULL, filler))
    log.expect("intact", survivors=[0, 1, 2, filler])


def append_where_seven_bytes_are_left(name: str, payload: bytes) -> None:
    """Add a vector in which a writer appends where only a header fits."""

    def build(log: LevelDBLog) -> None:
        filler = b"f" * (BLOCK_SIZE - START - 14)
        log.append(payload)
        log.expect("intact", survivors=[0, 1, 2, filler, payload])

    build.__name__ = f"append_{name}_where_seven_bytes_are_left"
    build.__doc__ = f"A writer appends {name.replace('_', ' ')} where only a header fits."
    APPENDING.appending(seven_bytes_left, "LDB-012", "LDB-015")(build)


append_where_seven_bytes_are_left("an_empty_record", b"")
append_where_seven_bytes_are_left("a_record", DELTA)


def append_over_a_long_torn_record(name: str, payload: bytes) -> None:
    """Add a vector in which a writer appends a short record in place of a longer torn record."""

    def build(log: LevelDBLog) -> None:
        log.flip("blocks[0].records[1].data", 0)
        log.extend(bytes(BLOCK_SIZE - START))
        log.extend(physical(FULL, b"g" * 300)[:-1])
        log.append(payload)
        log.expect("damaged", "checksum-mismatch", survivors=[0, payload])

    build.__name__ = f"append_{name}_over_a_long_torn_record"
    build.__doc__ = (
        f"A writer appends {name.replace('_', ' ')} to a damaged log with a torn record of 306"
        " bytes. The writer removes the whole torn record."
    )
    APPENDING.appending(
        three_records,
        "LDB-016",
        "LDB-018",
        control=append_to_three_records,
        kind="corrupt",
        may_refuse=True,
    )(build)


append_over_a_long_torn_record("an_empty_record", b"")
append_over_a_long_torn_record("a_record", DELTA)
