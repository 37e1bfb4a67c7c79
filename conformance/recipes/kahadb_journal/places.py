"""Where an unsound batch ends: what its size, its chain and its neighbours prove, one at a time."""

import struct

from conformance.recipes.kahadb_journal.layout import (
    batches_of_several_records,
    five_batches,
    five_batches_without_checksums,
    payload_that_holds_a_batch,
)
from conformance.recipes.kahadb_journal.log import BOOK, EOF, HEADER, KahaDBLog
from conformance.recipes.kahadb_journal.preallocation import preallocated_by_5_12, sparse_file

FOUR = [0, 1, 2, 3]
LAST = "batches[4]"


@BOOK.valid("layout", "KDB-009", "KDB-037")
def empty_payload_without_checksum(log: KahaDBLog) -> None:
    """A record without payload in a batch without checksum."""
    log.batch(b"", checked=False)
    log.eof()
    log.expect("intact", survivors=[0], end=33)


@BOOK.damaged(batches_of_several_records, "resync", "KDB-045", "KDB-009")
def chain_over_an_empty_record(log: KahaDBLog) -> None:
    """A negative size of a batch with an empty record: the chain goes over it."""
    log.hangs_upstream()
    log.number("batches[1].control.len_records", -1)
    log.expect("damaged", "bad-size", survivors=[0, 1, 5], end=140)


@BOOK.damaged(five_batches, "resync", "KDB-031", "KDB-039")
def damaged_batch_in_front_of_an_early_eof_record(log: KahaDBLog) -> None:
    """A flipped payload, and an EOF record at the end of that batch: its end is in step."""
    log.flip("batches[1].records[0].payload", 0)
    log.insert(90, EOF, "an EOF record")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=230)


@BOOK.damaged(five_batches, "resync", "KDB-031", "KDB-041", kind="eof")
def damaged_batch_in_front_of_a_torn_header(log: KahaDBLog) -> None:
    """A flipped payload, then ten bytes of a header: what may become a header is in step."""
    log.flip("batches[3].records[0].payload", 0)
    log.truncate(190)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=180)


@BOOK.damaged(five_batches, "resync", "KDB-031", "KDB-043", kind="eof")
def damaged_batch_in_front_of_a_torn_eof_record(log: KahaDBLog) -> None:
    """A flipped payload, then three bytes of an EOF record."""
    log.flip("batches[4].records[0].payload", 0)
    log.truncate(228)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=225)


@BOOK.damaged(sparse_file, "resync", "KDB-045", "KDB-031")
def size_past_the_end_of_a_sparse_file(log: KahaDBLog) -> None:
    """A size of 5000 and a wrong payload: an EOF record in front of zeros is a mark."""
    log.number("batches[2].control.len_records", 5000)
    log.flip("batches[2].records[0].payload", 0)
    log.expect("damaged", "bad-size", survivors=[0, 1], end=None)


@BOOK.damaged(preallocated_by_5_12, "resync", "KDB-042", "KDB-047", kind="eof")
def size_into_the_zeros_and_no_proof(log: KahaDBLog) -> None:
    """A size that ends in zeros, a wrong payload, a record that leads to zeros: no proof, torn."""
    log.number("batches[2].control.len_records", 100)
    log.flip("batches[2].records[0].payload", 0)
    log.expect("torn", "torn-batch", survivors=[0, 1], end=90)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-044", "KDB-048")
def phantom_in_a_last_batch_without_eof_record(log: KahaDBLog) -> None:
    """A flipped bit before a batch in the payload of the last batch; chain and size agree."""
    log.flip("batches[1].records[0].payload", 0)
    log.truncate(128)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=128)


@BOOK.damaged(five_batches, "resync", "KDB-046")
def garbage_on_both_sides_of_a_batch(log: KahaDBLog) -> None:
    """A sound batch between garbage: its checksum vouches for it, nothing else has to."""
    log.insert(135, b"y" * 9, "9 bytes of garbage")
    log.insert(90, b"x" * 9, "9 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=243)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-045")
def control_record_of_the_last_batch_zeroed(log: KahaDBLog) -> None:
    """A last batch without control record: the chain of its record is certain."""
    log.zero(f"{LAST}.control")
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-008", "KDB-051")
def broken_magic_and_a_high_half_of_the_checksum(log: KahaDBLog) -> None:
    """Only the lower half of the checksum is right, and there is no chain: nothing is certain."""
    log.set(f"{LAST}.records[0].header.type", 9)
    log.reseal(LAST)
    log.flip(f"{LAST}.control.checksum", 24)
    log.flip(f"{LAST}.control.magic", 0)
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-051", kind="eof")
def broken_magic_and_a_size_past_the_end(log: KahaDBLog) -> None:
    """A broken magic, a size of 1000 and the right checksum of what is there: the chain decides."""
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 1000)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches_without_checksums, "end", "KDB-045", "KDB-051", kind="eof")
def broken_magic_and_a_size_past_the_end_without_checksum(log: KahaDBLog) -> None:
    """A broken magic, a size of 1000, no checksum: after a broken header a chain needs no proof."""
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 1000)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", "KDB-042", kind="eof")
def unfinished_control_record_with_a_checksum(log: KahaDBLog) -> None:
    """Size 0, a checksum of 256, then zeros: the batch is torn, not its control record."""
    log.truncate(180)
    log.extend(HEADER + bytes(10) + b"\1\0" + bytes(40), "size 0, checksum 256, 40 zeros")
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.valid("ending", "KDB-011", "KDB-032")
def payload_that_ends_like_an_eof_record_begins(log: KahaDBLog) -> None:
    """A payload ends with the first two bytes of an EOF record, and a whole one follows."""
    log.batch(b"ends with -q")
    log.eof()
    log.expect("intact", survivors=[0], end=45)


@BOOK.damaged(
    payload_that_ends_like_an_eof_record_begins, "ending", "KDB-013", "KDB-046", kind="eof"
)
def last_batch_that_begins_an_eof_record(log: KahaDBLog) -> None:
    """The same with the last three bytes of an EOF record after it: not fill, it is inside one."""
    log.truncate(45)
    log.extend(EOF[2:], "the end of an EOF record")
    log.expect("damaged", "bad-header", survivors=[0], end=None)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-036")
def garbage_in_front_of_a_damaged_batch(log: KahaDBLog) -> None:
    """Garbage, a batch with a wrong checksum, a header: the mark makes the batch plausible."""
    log.flip("batches[1].records[0].payload", 0)
    log.insert(45, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=245)


@BOOK.damaged(five_batches_without_checksums, "resync", "KDB-046", "KDB-051")
def garbage_in_front_of_records_that_do_not_fill(log: KahaDBLog) -> None:
    """Garbage, and a last batch without mark that its record does not fill: not plausible."""
    log.number("batches[4].records[0].header.len_record", 18)
    log.truncate(225)
    log.insert(180, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-051", kind="eof")
def broken_magic_and_a_size_65521_too_large(log: KahaDBLog) -> None:
    """A broken magic, and a size past the end by the modulus of Adler-32: no sum reaches there."""
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 17 + 65521)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-035", "KDB-045")
def broken_magic_and_a_negative_size(log: KahaDBLog) -> None:
    """A broken magic and a size of -1: the chain of the record leads to the next batch."""
    log.flip("batches[1].control.magic", 0)
    log.number("batches[1].control.len_records", -1)
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "end", "KDB-039", "KDB-041", "KDB-051", kind="eof")
def header_cut_behind_an_eof_record(log: KahaDBLog) -> None:
    """A header directly after the EOF record, and the file ends inside its size: both faults."""
    log.extend(HEADER + b"\0\0\0\x11", "a header and a size")
    log.expect("damaged", "early-eof", survivors=range(5), end=None)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-051")
def header_directly_behind_a_size_and_the_checksum_of_nothing(log: KahaDBLog) -> None:
    """A size of 1000, the checksum 1, then a header at once: it holds for nothing, in doubt."""
    log.truncate(225)
    wrong = HEADER + struct.pack(">iq", 17, 7) + bytes(4) + b"\x11\x01record 00006"
    log.extend(HEADER + struct.pack(">iq", 1000, 1) + wrong + EOF, "two wrong batches")
    log.expect("damaged", "bad-size", survivors=range(5), end=None)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-051")
def checksum_that_holds_to_the_end_without_chain(log: KahaDBLog) -> None:
    """A size one too small, another type, a checksum that holds to the end: no chain, no place."""
    log.set(f"{LAST}.records[0].header.type", 9)
    log.reseal(LAST)
    log.number(f"{LAST}.control.len_records", 16)
    log.truncate(225)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-051")
def two_wrong_batches_the_first_without_chain(log: KahaDBLog) -> None:
    """Another type in one batch, a flipped payload in the next: none is inside, so no doubt."""
    log.set("batches[3].records[0].header.type", 9)
    log.flip(f"{LAST}.records[0].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-040", "KDB-046", kind="limit")
def two_pages_of_zeros_and_garbage(log: KahaDBLog) -> None:
    """4096 zeros and 4095 bytes of garbage: no zero gap, and a header at the end of a page."""
    log.insert(90, bytes(4096) + b"x" * 4095, "4096 zeros and 4095 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=225 + 8191)
