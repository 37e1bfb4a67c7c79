"""Places to go on that are certain, and those that only what is there suggests."""

import struct
from zlib import adler32

from conformance.recipes.kahadb_journal.layout import (
    five_batches,
    five_batches_without_checksums,
    hello,
)
from conformance.recipes.kahadb_journal.log import (
    BOOK,
    EOF,
    HEADER,
    KahaDBLog,
    numbered,
    whole_batch,
)
from conformance.recipes.kahadb_journal.preallocation import sparse_file

FOUR = [0, 1, 2, 3]
ALL = range(5)
EMPTY = HEADER + bytes(12)
TWO_TYPES = struct.pack(">iB", 6, 9) + b"x" + struct.pack(">iB", 9, 1) + b"echo"
WRONG = HEADER + struct.pack(">iq", 17, 7) + whole_batch(numbered(6))[28:]


def _from(log: KahaDBLog, at: int, new: bytes, what: str) -> None:
    log.truncate(at)
    log.extend(new, what)


@BOOK.damaged(hello, "end", "KDB-051", "KDB-044")
def wrong_checksum_at_the_end_of_the_file(log: KahaDBLog) -> None:
    """One batch with a wrong checksum and nothing after it: its size leads to the end."""
    log.flip("batches[0].records[0].payload", 0)
    log.truncate(38)
    log.expect("damaged", "checksum-mismatch", end=38)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-045", kind="eof")
def chain_to_the_end_that_the_checksum_confirms(log: KahaDBLog) -> None:
    """A size one too small in the last batch: the record leads to the end, and the sum agrees."""
    log.number("batches[4].control.len_records", 16)
    log.truncate(225)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-045", kind="eof")
def chain_to_the_end_that_nothing_confirms(log: KahaDBLog) -> None:
    """The same with a flipped payload: the record leads to the end, but that may be chance."""
    log.number("batches[4].control.len_records", 16)
    log.flip("batches[4].records[0].payload", 0)
    log.truncate(225)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-045")
def chain_to_a_mark_that_no_checksum_confirms(log: KahaDBLog) -> None:
    """Size and payload of the last batch are wrong: the EOF record shows a place, no certainty."""
    log.number("batches[4].control.len_records", 16)
    log.flip("batches[4].records[0].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-047")
def chain_inside_the_batch_that_no_checksum_confirms(log: KahaDBLog) -> None:
    """The fourth batch claims the fifth as well, and both are damaged: a header, no certainty."""
    log.number("batches[3].control.len_records", 62)
    log.flip("batches[3].records[0].payload", 0)
    log.flip("batches[4].records[0].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-044")
def marked_end_of_a_batch_that_holds_another(log: KahaDBLog) -> None:
    """A size that swallows the last batch, no chain: the marked end counts, but is in doubt."""
    log.number("batches[3].control.len_records", 62)
    log.set("batches[3].records[0].header.type", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-044")
def marked_end_without_chain(log: KahaDBLog) -> None:
    """The type of the last record is damaged, the size is right: no other batch, no doubt."""
    log.set("batches[4].records[0].header.type", 9)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def size_past_the_fill_and_no_chain(log: KahaDBLog) -> None:
    """Size and record type of the last batch are wrong: the EOF record is fill, no place."""
    log.number("batches[4].control.len_records", 19)
    log.set("batches[4].records[0].header.type", 9)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-033", "KDB-039")
def empty_batch_behind_an_early_eof_record(log: KahaDBLog) -> None:
    """An EOF record, then a batch of size 0 and another EOF record: the batch ends the doubt."""
    log.extend(EMPTY + EOF, "a batch of size 0 and an EOF record")
    log.expect("damaged", "early-eof", survivors=ALL, end=258)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-039")
def damaged_batch_behind_an_early_eof_record(log: KahaDBLog) -> None:
    """An EOF record, then a batch with a wrong checksum: its end is as doubtful as its start."""
    log.extend(WRONG + EOF, "a batch with a wrong checksum and an EOF record")
    log.expect("damaged", "early-eof", survivors=ALL, end=None)


@BOOK.damaged(five_batches, "end", "KDB-039", "KDB-042")
def bare_header_behind_an_eof_record(log: KahaDBLog) -> None:
    """A header directly after the EOF record counts, whatever it begins: here, a torn batch."""
    log.extend(HEADER + b"x" * 40, "a header and garbage")
    log.expect("damaged", "early-eof", survivors=ALL, end=None)


@BOOK.damaged(five_batches, "end", "KDB-039", "KDB-046")
def eof_record_zeros_and_an_unchecked_batch(log: KahaDBLog) -> None:
    """After an EOF record and zeros, an unchecked batch whose record leads to the end."""
    log.extend(bytes(20) + whole_batch(numbered(6), checked=False), "20 zeros and a batch")
    log.expect("damaged", "early-eof", survivors=[*ALL, numbered(6)], end=295)


@BOOK.damaged(five_batches, "end", "KDB-015", "KDB-046")
def eof_record_zeros_and_a_batch_with_a_wrong_checksum(log: KahaDBLog) -> None:
    """After an EOF record and zeros, a batch that nothing confirms: remains, not an early EOF."""
    log.extend(bytes(20) + WRONG, "20 zeros and a batch with a wrong checksum")
    log.expect("intact", survivors=ALL, end=225)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-045")
def header_directly_behind_a_lost_control_record(log: KahaDBLog) -> None:
    """Garbage as long as a control record, then a damaged batch: found by its header, in doubt."""
    _from(log, 225, b"x" * 28 + WRONG + EOF, "28 bytes of garbage, a wrong batch, an EOF record")
    log.expect("damaged", "bad-header", survivors=ALL, end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-045")
def header_directly_behind_a_negative_size(log: KahaDBLog) -> None:
    """A size of -1, then a damaged batch at once: found by its header, in doubt."""
    log.hangs_upstream()
    _from(log, 225, HEADER + b"\xff" * 4 + bytes(8) + WRONG + EOF, "size -1, then a wrong batch")
    log.expect("damaged", "bad-size", survivors=ALL, end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-044")
def broken_magic_of_a_batch_of_size_0(log: KahaDBLog) -> None:
    """A batch of size 0 with the checksum 1 and a broken magic: the checksum of nothing holds."""
    broken = HEADER.replace(b"W", b"V") + bytes(11) + b"\x01"
    _from(log, 225, broken + EOF, "a batch of size 0 with a broken magic, and an EOF record")
    log.expect("damaged", "bad-header", survivors=ALL, end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-044")
def broken_magic_of_the_last_batch(log: KahaDBLog) -> None:
    """A broken magic in the last batch: size and checksum agree, the end is certain."""
    log.flip("batches[4].control.magic", 0)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def garbage_in_front_of_the_last_batch(log: KahaDBLog) -> None:
    """Garbage, a checked batch, the end of the file: its checksum makes it plausible and sound."""
    log.truncate(225)
    log.insert(180, b"x" * 9, "9 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=ALL, end=234)


@BOOK.damaged(five_batches, "end", "KDB-046", "KDB-051")
def garbage_in_front_of_a_batch_with_a_wrong_checksum(log: KahaDBLog) -> None:
    """Garbage, a batch with a wrong checksum, the end of the file: not plausible, all is lost."""
    _from(log, 180, b"x" * 9 + WRONG, "garbage and a batch with a wrong checksum")
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-046", "KDB-033")
def garbage_in_front_of_an_empty_batch(log: KahaDBLog) -> None:
    """Garbage, then a batch of size 0 at the end of the file: plausible, and framing."""
    _from(log, 225, b"x" * 9 + EMPTY, "garbage and a batch of size 0")
    log.expect("damaged", "bad-header", survivors=ALL, end=262)


@BOOK.damaged(sparse_file, "end", "KDB-047", "KDB-046")
def size_that_ends_in_the_zeros_and_a_wrong_type(log: KahaDBLog) -> None:
    """A size that ends in the fill, and no chain: the next plausible batch inside it counts."""
    log.context["write_batch_size"] = 1024
    log.number("batches[1].control.len_records", 2000)
    log.set("batches[1].records[0].header.type", 9)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2], end=None)
    log.note("A batch that was appended after the third, up to the claimed end, would hide both.")


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-047")
def batch_in_a_batch_that_ends_with_the_file(log: KahaDBLog) -> None:
    """A record that holds a batch, a wrong checksum: what is appended would mark the outer end."""
    inner = whole_batch(numbered(6))
    record = struct.pack(">iB", 5 + 4 + len(inner), 9) + b"four" + inner
    _from(log, 180, HEADER + struct.pack(">iq", len(record), 7) + record, "a batch in a batch")
    log.expect("damaged", "checksum-mismatch", survivors=[*FOUR, numbered(6)], end=None)


def _of_two_types(checksum: int) -> bytes:
    """A batch with a record of type 9 and one of type 1, and an EOF record."""
    return HEADER + struct.pack(">iq", len(TWO_TYPES), checksum) + TWO_TYPES + EOF


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046")
def unchecked_batch_that_its_eof_record_shows(log: KahaDBLog) -> None:
    """Garbage, then an unchecked batch with a record of type 9: without its mark it is no place."""
    _from(log, 180, b"\xff" * 31 + _of_two_types(0), "garbage and an unchecked batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, b"echo"], end=None)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-046", "KDB-038")
def checked_batch_of_two_types_after_garbage(log: KahaDBLog) -> None:
    """The same with a checksum that holds: it proves the place, whatever types its records have."""
    _from(log, 180, b"\xff" * 31 + _of_two_types(adler32(TWO_TYPES)), "garbage and a checked batch")
    log.expect("damaged", "bad-header", survivors=[*FOUR, b"echo"], end=254)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-038")
def unchecked_batch_of_two_types_after_sound_ones(log: KahaDBLog) -> None:
    """The unchecked batch without garbage before it: its place was never in doubt."""
    _from(log, 180, _of_two_types(0), "an unchecked batch")
    log.expect("damaged", "unknown-type", survivors=[*FOUR, b"echo"], end=223)


@BOOK.damaged(five_batches_without_checksums, "end", "KDB-046", "KDB-047", "KDB-053")
def searched_once_and_met_again(log: KahaDBLog) -> None:
    """A size that ends out of step makes a reader search ahead; what it found, it meets later."""
    log.hangs_upstream()
    log.number("batches[1].control.len_records", 120)
    log.number("batches[2].control.len_records", -1)
    log.set("batches[2].records[0].header.type", 9)
    log.expect("damaged", "bad-size", survivors=[0, 3, 4], end=225)


@BOOK.damaged(five_batches, "end", "KDB-050", "KDB-038")
def unknown_type_and_a_wrong_checksum(log: KahaDBLog) -> None:
    """A record of another type, later a wrong checksum: the first one met is the reason."""
    log.set("batches[1].records[0].header.type", 9)
    log.reseal("batches[1]")
    log.flip("batches[3].records[0].payload", 0)
    log.expect("damaged", "unknown-type", survivors=[0, 2, 4], end=225)


@BOOK.damaged(five_batches, "end", "KDB-050", "KDB-041", kind="eof")
def damage_in_front_of_a_torn_tail_that_is_in_doubt(log: KahaDBLog) -> None:
    """Garbage, then six bytes of a header after a batch of size -1: torn, and the end unknown."""
    log.hangs_upstream()
    negative = HEADER + b"\xff" * 4 + bytes(8)
    _from(log, 225, negative + EMPTY[:16] + b"\0", "size -1, then a header and a zero")
    log.expect("damaged", "bad-size", survivors=ALL, end=None)
