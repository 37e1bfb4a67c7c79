"""Resynchronisation by size, by chain and by the next header, but never inside a payload."""

from conformance.recipes.kahadb_journal.layout import (
    five_batches,
    five_batches_without_checksums,
    payload_that_ends_with_a_batch,
    payload_that_holds_a_batch,
    payload_that_holds_a_batch_without_checksums,
    payload_that_holds_a_header,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog, numbered, whole_batch

PHANTOM = "Journal.findNextBatchRecord searches only for a header, so the inner batch is returned"


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-044", "KDB-048")
def phantom_behind_a_broken_magic(log: KahaDBLog) -> None:
    """One bit of the magic is flipped in a batch whose payload contains a batch. A reader must not
    return the inner batch.
    """
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-045", "KDB-048")
def phantom_behind_a_wrong_size(log: KahaDBLog) -> None:
    """The size of a batch whose payload contains a batch leads past the end of the file. A reader
    must not return the inner batch.
    """
    log.number("batches[1].control.len_records", 5000)
    log.expect("damaged", "bad-size", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-045", "KDB-048")
def phantom_behind_a_zeroed_control_record(log: KahaDBLog) -> None:
    """The control record of a batch whose payload contains a batch is zeroed. A reader must not
    return the inner batch.
    """
    log.zero("batches[1].control")
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-036", "KDB-048")
def phantom_behind_a_wrong_payload(log: KahaDBLog) -> None:
    """One payload bit is flipped in a batch whose payload contains a batch. A reader must not
    return the inner batch.
    """
    log.flip("batches[1].records[0].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-035", "KDB-048")
def phantom_behind_a_negative_size(log: KahaDBLog) -> None:
    """The size of a batch whose payload contains a batch is -1. A reader must not return the inner
    batch.
    """
    log.hangs_upstream()
    log.number("batches[1].control.len_records", -1)
    log.expect("damaged", "bad-size", survivors=[0, 2])
    log.bug("Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)")


@BOOK.damaged(payload_that_ends_with_a_batch, "resync", "KDB-044", "KDB-048")
def phantom_that_ends_where_its_record_does(log: KahaDBLog) -> None:
    """One bit of the magic is flipped in a batch whose payload ends with a batch. A reader must not
    return the inner batch.
    """
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_ends_with_a_batch, "resync", "KDB-036", "KDB-044", "KDB-048")
def phantom_behind_a_wrong_record_size(log: KahaDBLog) -> None:
    """One bit of the record size is flipped in a batch whose payload ends with a batch. A reader
    must not return the inner batch.
    """
    log.flip("batches[1].records[0].header.len_record", 24)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(payload_that_holds_a_batch_without_checksums, "resync", "KDB-045", "KDB-048")
def phantom_without_checksums(log: KahaDBLog) -> None:
    """One bit of the magic is flipped in an unchecked batch whose payload contains a batch. A
    reader must not return the inner batch.
    """
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_header, "resync", "KDB-046", "KDB-048")
def bare_header_behind_a_broken_magic(log: KahaDBLog) -> None:
    """One bit of the magic is flipped in a batch whose payload contains a header. A reader must
    return the next batch.
    """
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-046")
def garbage_in_front(log: KahaDBLog) -> None:
    """Forty bytes of garbage precede the first batch."""
    log.insert(0, b"x" * 40, "40 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=265)


@BOOK.damaged(five_batches, "resync", "KDB-032", "KDB-046")
def garbage_between_two_batches(log: KahaDBLog) -> None:
    """Twenty bytes of garbage separate two batches. The first batch is valid, although its end is
    not in step.
    """
    log.insert(90, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=245)


@BOOK.damaged(five_batches_without_checksums, "resync", "KDB-032", "KDB-046")
def garbage_between_two_batches_without_checksums(log: KahaDBLog) -> None:
    """Twenty bytes of garbage separate two unchecked batches. The first batch is valid, because its
    record fills it.
    """
    log.insert(90, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=245)


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-046")
def one_byte_between_two_batches(log: KahaDBLog) -> None:
    """One byte of garbage separates two batches."""
    log.insert(90, b"x", "one byte of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=226)


@BOOK.damaged(five_batches, "resync", "KDB-036", "KDB-046")
def one_byte_missing(log: KahaDBLog) -> None:
    """The type byte of a record is missing. The next batch begins one byte before the
    claimed end.
    """
    log.drop("batches[1].records[0].header.type")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=224)


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-046")
def control_record_missing(log: KahaDBLog) -> None:
    """The control record of the second batch is missing. A reader must not return the record of
    this batch.
    """
    log.drop("batches[1].control")
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=197)


@BOOK.damaged(five_batches, "resync", "KDB-050")
def batch_dropped(log: KahaDBLog) -> None:
    """A complete batch is missing. The loss is undetectable."""
    log.shows("missing-in-the-middle")
    log.drop("batches[1]")
    log.expect("intact", survivors=[0, 2, 3, 4], end=180)


@BOOK.damaged(five_batches, "resync", "KDB-050")
def batch_twice(log: KahaDBLog) -> None:
    """A complete batch is repeated. The repetition is undetectable."""
    log.shows("unit-twice")
    log.duplicate("batches[1]")
    log.expect("intact", survivors=[0, 1, 1, 2, 3, 4], end=270)


@BOOK.damaged(five_batches, "resync", "KDB-050")
def batch_of_an_older_file(log: KahaDBLog) -> None:
    """A batch of an older file replaces the second batch, as after a lost write. The replacement is
    undetectable.
    """
    log.shows("lost-write")
    older = whole_batch(numbered(70)) + whole_batch(numbered(71))
    log.stale(45, 90, older)
    log.expect("intact", survivors=[0, numbered(71), 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-036")
def end_of_an_older_batch(log: KahaDBLog) -> None:
    """The end of an older batch replaces the end of the second batch, as after a lost write. The
    second batch is lost.
    """
    older = whole_batch(numbered(70)) + whole_batch(numbered(71))
    log.stale(80, 90, older)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-040")
def sector_zeroed(log: KahaDBLog) -> None:
    """The bytes 64 to 127, in the second and the third batch, are zeroed. Both batches are lost."""
    log.zero_sector(1, 64)
    log.expect("damaged", "bad-size", survivors=[0, 3, 4], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-046")
def half_of_the_file_zeroed(log: KahaDBLog) -> None:
    """The first 128 bytes are zeroed. A reader returns the last two batches."""
    log.shows("zeroed-sector")
    log.put(0, bytes(128), "128 zero bytes")
    log.expect("damaged", "bad-header", survivors=[3, 4], end=225)
