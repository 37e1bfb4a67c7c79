"""The end of an invalid batch: evidence from its size, its chain and the next batch."""

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
    """A record with an empty payload in an unchecked batch."""
    log.batch(b"", checked=False)
    log.eof()
    log.expect("intact", survivors=[0], end=33)


@BOOK.damaged(batches_of_several_records, "resync", "KDB-045", "KDB-009")
def chain_over_an_empty_record(log: KahaDBLog) -> None:
    """The size of the second batch is -1, and one of its records is empty. The chain passes this
    record and leads to the third batch.
    """
    log.hangs_upstream()
    log.number("batches[1].control.len_records", -1)
    log.expect("damaged", "bad-size", survivors=[0, 1, 5], end=140)


@BOOK.damaged(five_batches, "resync", "KDB-031", "KDB-039")
def damaged_batch_in_front_of_an_early_eof_record(log: KahaDBLog) -> None:
    """One payload bit of the second batch is flipped, and an early EOF record follows. The end of
    the batch is in step.
    """
    log.flip("batches[1].records[0].payload", 0)
    log.insert(90, EOF, "an EOF record")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=230)


@BOOK.damaged(five_batches, "resync", "KDB-031", "KDB-041", kind="eof")
def damaged_batch_in_front_of_a_torn_header(log: KahaDBLog) -> None:
    """One payload bit of the fourth batch is flipped, and ten bytes of a header end the file. The
    end of the batch is in step.
    """
    log.flip("batches[3].records[0].payload", 0)
    log.truncate(190)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=180)


@BOOK.damaged(five_batches, "resync", "KDB-031", "KDB-043", kind="eof")
def damaged_batch_in_front_of_a_torn_eof_record(log: KahaDBLog) -> None:
    """One payload bit of the last batch is flipped, and three bytes of an EOF record end the file.
    The end of the batch is in step.
    """
    log.flip("batches[4].records[0].payload", 0)
    log.truncate(228)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=225)


@BOOK.damaged(sparse_file, "resync", "KDB-045", "KDB-031")
def size_past_the_end_of_a_sparse_file(log: KahaDBLog) -> None:
    """The last batch of a sparse file has a flipped payload bit and a size past the end of the
    file. An EOF record marks its end.
    """
    log.number("batches[2].control.len_records", 5000)
    log.flip("batches[2].records[0].payload", 0)
    log.expect("damaged", "bad-size", survivors=[0, 1], end=None)


@BOOK.damaged(preallocated_by_5_12, "resync", "KDB-042", "KDB-047", kind="eof")
def size_into_the_zeros_and_no_proof(log: KahaDBLog) -> None:
    """The size of the last batch leads into zeros, and one payload bit is flipped. Zeros are no
    proof of the chain, so the batch is torn.
    """
    log.number("batches[2].control.len_records", 100)
    log.flip("batches[2].records[0].payload", 0)
    log.expect("torn", "torn-batch", survivors=[0, 1], end=90)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-044", "KDB-048")
def phantom_in_a_last_batch_without_eof_record(log: KahaDBLog) -> None:
    """One payload bit is flipped in the last batch, whose payload contains a batch. The inner batch
    is not returned, because chain and size agree.
    """
    log.flip("batches[1].records[0].payload", 0)
    log.truncate(128)
    log.expect("damaged", "checksum-mismatch", survivors=[0], end=128)


@BOOK.damaged(five_batches, "resync", "KDB-046")
def garbage_on_both_sides_of_a_batch(log: KahaDBLog) -> None:
    """A batch with a correct checksum is between two ranges of garbage. A reader returns this
    batch.
    """
    log.insert(135, b"y" * 9, "9 bytes of garbage")
    log.insert(90, b"x" * 9, "9 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=243)


@BOOK.damaged(five_batches, "end", "KDB-051", "KDB-045")
def control_record_of_the_last_batch_zeroed(log: KahaDBLog) -> None:
    """The control record of the last batch is zeroed. The chain of its record is certain, so `end`
    is known.
    """
    log.zero(f"{LAST}.control")
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-008", "KDB-051")
def broken_magic_and_a_high_half_of_the_checksum(log: KahaDBLog) -> None:
    """The last batch has a damaged magic and no chain, and only the lower half of its checksum is
    correct. `end` is null.
    """
    log.set(f"{LAST}.records[0].header.type", 9)
    log.reseal(LAST)
    log.flip(f"{LAST}.control.checksum", 24)
    log.flip(f"{LAST}.control.magic", 0)
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-051", kind="eof")
def broken_magic_and_a_size_past_the_end(log: KahaDBLog) -> None:
    """The last batch has a damaged magic, and its size leads past the end of the file. The chain
    gives the end of the batch.
    """
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 1000)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches_without_checksums, "end", "KDB-045", "KDB-051", kind="eof")
def broken_magic_and_a_size_past_the_end_without_checksum(log: KahaDBLog) -> None:
    """The last batch is unchecked and has a damaged magic, and its size leads past the end of the
    file. The chain needs no proof.
    """
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 1000)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "torn-tail", "KDB-041", "KDB-042", kind="eof")
def unfinished_control_record_with_a_checksum(log: KahaDBLog) -> None:
    """The last control record has the size 0 and the checksum 256, and zeros follow. The code is
    `torn-batch`, not `torn-header`.
    """
    log.truncate(180)
    log.extend(HEADER + bytes(10) + b"\1\0" + bytes(40), "size 0, checksum 256, 40 zeros")
    log.expect("torn", "torn-batch", survivors=FOUR, end=180)


@BOOK.valid("ending", "KDB-011", "KDB-032")
def payload_that_ends_like_an_eof_record_begins(log: KahaDBLog) -> None:
    """A payload ends with the first two bytes of an EOF record, and a complete EOF record follows
    the batch.
    """
    log.batch(b"ends with -q")
    log.eof()
    log.expect("intact", survivors=[0], end=45)


@BOOK.damaged(
    payload_that_ends_like_an_eof_record_begins, "ending", "KDB-013", "KDB-046", kind="eof"
)
def last_batch_that_begins_an_eof_record(log: KahaDBLog) -> None:
    """The last two payload bytes and the three bytes after the batch form an EOF record. The three
    bytes are not fill.
    """
    log.truncate(45)
    log.extend(EOF[2:], "the end of an EOF record")
    log.expect("damaged", "bad-header", survivors=[0], end=None)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-036")
def garbage_in_front_of_a_damaged_batch(log: KahaDBLog) -> None:
    """Garbage precedes a batch with a wrong checksum. The header after the batch makes the batch
    plausible, so a reader reports two lost ranges.
    """
    log.flip("batches[1].records[0].payload", 0)
    log.insert(45, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=245)


@BOOK.damaged(five_batches_without_checksums, "resync", "KDB-046", "KDB-051")
def garbage_in_front_of_records_that_do_not_fill(log: KahaDBLog) -> None:
    """Garbage precedes the last batch, which is unchecked and has a record of an incorrect size.
    The batch is not plausible.
    """
    log.number("batches[4].records[0].header.len_record", 18)
    log.truncate(225)
    log.insert(180, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-051", kind="eof")
def broken_magic_and_a_size_65521_too_large(log: KahaDBLog) -> None:
    """The last batch has a damaged magic, and its size is 65,521 bytes too large. A checksum never
    holds past the end of the file.

    65,521 is the modulus of Adler-32.
    """
    log.flip(f"{LAST}.control.magic", 0)
    log.number(f"{LAST}.control.len_records", 17 + 65521)
    log.truncate(225)
    log.expect("damaged", "bad-header", survivors=FOUR, end=225)


@BOOK.damaged(five_batches, "header", "KDB-034", "KDB-035", "KDB-045")
def broken_magic_and_a_negative_size(log: KahaDBLog) -> None:
    """The second batch has a damaged magic and the size -1. The chain leads to the third batch."""
    log.flip("batches[1].control.magic", 0)
    log.number("batches[1].control.len_records", -1)
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "end", "KDB-039", "KDB-041", "KDB-051", kind="eof")
def header_cut_behind_an_eof_record(log: KahaDBLog) -> None:
    """The file ends after the size of a control record that directly follows the EOF record. A
    reader reports `early-eof` and `torn-header`.
    """
    log.extend(HEADER + b"\0\0\0\x11", "a header and a size")
    log.expect("damaged", "early-eof", survivors=range(5), end=None)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-051")
def header_directly_behind_a_size_and_the_checksum_of_nothing(log: KahaDBLog) -> None:
    """A control record has the size 1000 and the checksum 1, and a header directly follows. The
    checksum of no bytes holds, but `end` is null.
    """
    log.truncate(225)
    wrong = HEADER + struct.pack(">iq", 17, 7) + bytes(4) + b"\x11\x01record 00006"
    log.extend(
        HEADER + struct.pack(">iq", 1000, 1) + wrong + EOF,
        "a control record, a batch with a wrong checksum",
    )
    log.expect("damaged", "bad-size", survivors=range(5), end=None)


@BOOK.damaged(five_batches, "end", "KDB-045", "KDB-051")
def checksum_that_holds_to_the_end_without_chain(log: KahaDBLog) -> None:
    """The size of the last batch is one byte too small. The checksum holds up to the end of the
    file, but there is no chain.
    """
    log.set(f"{LAST}.records[0].header.type", 9)
    log.reseal(LAST)
    log.number(f"{LAST}.control.len_records", 16)
    log.truncate(225)
    log.expect("damaged", "checksum-mismatch", survivors=FOUR, end=None)


@BOOK.damaged(five_batches, "end", "KDB-044", "KDB-051")
def two_wrong_batches_the_first_without_chain(log: KahaDBLog) -> None:
    """The fourth batch has a record of type 9, and the fifth batch has a flipped payload bit. `end`
    is known, because neither batch contains a batch.
    """
    log.set("batches[3].records[0].header.type", 9)
    log.flip(f"{LAST}.records[0].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 2], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-040", "KDB-046", kind="limit")
def two_pages_of_zeros_and_garbage(log: KahaDBLog) -> None:
    """4,096 zeros and 4,095 bytes of garbage separate two batches. The code is `bad-header`, not
    `zero-gap`.
    """
    log.insert(90, bytes(4096) + b"x" * 4095, "4096 zeros and 4095 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=225 + 8191)
