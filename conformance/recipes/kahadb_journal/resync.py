"""Getting back in step: by the size, by the records, by the next header; never inside a payload."""

from conformance.recipes.kahadb_journal.layout import (
    five_batches,
    five_batches_without_checksums,
    payload_that_ends_with_a_batch,
    payload_that_holds_a_batch,
    payload_that_holds_a_batch_without_checksums,
    payload_that_holds_a_header,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog, numbered, whole_batch

PHANTOM = "Journal.findNextBatchRecord searches for the header alone: the inner batch is returned"


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-044", "KDB-048")
def phantom_behind_a_broken_magic(log: KahaDBLog) -> None:
    """A broken magic before a payload that holds a batch: the inner one must not come to light."""
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-045", "KDB-048")
def phantom_behind_a_wrong_size(log: KahaDBLog) -> None:
    """The size of a batch whose payload holds a batch leads past the end of the file."""
    log.number("batches[1].control.len_records", 5000)
    log.expect("damaged", "bad-size", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-045", "KDB-048")
def phantom_behind_a_zeroed_control_record(log: KahaDBLog) -> None:
    """A control record of zeros before a payload that holds a batch."""
    log.zero("batches[1].control")
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-036", "KDB-048")
def phantom_behind_a_wrong_payload(log: KahaDBLog) -> None:
    """One bit before a batch inside a payload: the inner batch must not come to light."""
    log.flip("batches[1].records[0].payload", 0)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(payload_that_holds_a_batch, "resync", "KDB-035", "KDB-048")
def phantom_behind_a_negative_size(log: KahaDBLog) -> None:
    """A negative size before a payload that holds a batch: the inner one must not come to light."""
    log.hangs_upstream()
    log.number("batches[1].control.len_records", -1)
    log.expect("damaged", "bad-size", survivors=[0, 2])
    log.bug("Journal.recoveryCheck loops for ever (findNextBatchRecord finds the same batch again)")


@BOOK.damaged(payload_that_ends_with_a_batch, "resync", "KDB-044", "KDB-048")
def phantom_that_ends_where_its_record_does(log: KahaDBLog) -> None:
    """A batch inside a payload ends where the next batch starts: that alone is no proof."""
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_ends_with_a_batch, "resync", "KDB-036", "KDB-044", "KDB-048")
def phantom_behind_a_wrong_record_size(log: KahaDBLog) -> None:
    """The size of the record around the inner batch is wrong, that of the outer batch is not."""
    log.flip("batches[1].records[0].header.len_record", 24)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2])


@BOOK.damaged(payload_that_holds_a_batch_without_checksums, "resync", "KDB-045", "KDB-048")
def phantom_without_checksums(log: KahaDBLog) -> None:
    """A broken magic before a payload that holds a batch, in a journal without checksums."""
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug(PHANTOM)


@BOOK.damaged(payload_that_holds_a_header, "resync", "KDB-046", "KDB-048")
def bare_header_behind_a_broken_magic(log: KahaDBLog) -> None:
    """A broken magic before a payload with a header in it: the next batch survives."""
    log.flip("batches[1].control.magic", 0)
    log.expect("damaged", "bad-header", survivors=[0, 2])
    log.bug("Journal.recoveryCheck: everything after it is lost")


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-046")
def garbage_in_front(log: KahaDBLog) -> None:
    """Forty bytes of garbage before the first batch."""
    log.insert(0, b"x" * 40, "40 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=265)


@BOOK.damaged(five_batches, "resync", "KDB-032", "KDB-046")
def garbage_between_two_batches(log: KahaDBLog) -> None:
    """Twenty bytes of garbage: the batch in front is sound although nothing follows in step."""
    log.insert(90, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=245)


@BOOK.damaged(five_batches_without_checksums, "resync", "KDB-032", "KDB-046")
def garbage_between_two_batches_without_checksums(log: KahaDBLog) -> None:
    """Twenty bytes of garbage after a batch without checksum: its records fill it, it is sound."""
    log.insert(90, b"x" * 20, "20 bytes of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=245)


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-046")
def one_byte_between_two_batches(log: KahaDBLog) -> None:
    """One stray byte between two batches."""
    log.insert(90, b"x", "one byte of garbage")
    log.expect("damaged", "bad-header", survivors=range(5), end=226)


@BOOK.damaged(five_batches, "resync", "KDB-036", "KDB-046")
def one_byte_missing(log: KahaDBLog) -> None:
    """A byte of a payload is missing: the next batch is not where the size says."""
    log.drop("batches[1].records[0].header.type")
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=224)


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-046")
def control_record_missing(log: KahaDBLog) -> None:
    """A control record is missing: its record stands alone, and is not returned."""
    log.drop("batches[1].control")
    log.expect("damaged", "bad-header", survivors=[0, 2, 3, 4], end=197)


@BOOK.damaged(five_batches, "resync", "KDB-050")
def batch_dropped(log: KahaDBLog) -> None:
    """A whole batch is missing: nothing in the format shows it."""
    log.shows("missing-in-the-middle")
    log.drop("batches[1]")
    log.expect("intact", survivors=[0, 2, 3, 4], end=180)


@BOOK.damaged(five_batches, "resync", "KDB-050")
def batch_twice(log: KahaDBLog) -> None:
    """A whole batch stands there twice: nothing in the format shows it."""
    log.shows("unit-twice")
    log.duplicate("batches[1]")
    log.expect("intact", survivors=[0, 1, 1, 2, 3, 4], end=270)


@BOOK.damaged(five_batches, "resync", "KDB-050")
def batch_of_an_older_file(log: KahaDBLog) -> None:
    """A lost write: a batch of an older file of the same shape shows through."""
    log.shows("lost-write")
    older = whole_batch(numbered(70)) + whole_batch(numbered(71))
    log.stale(45, 90, older)
    log.expect("intact", survivors=[0, numbered(71), 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-034", "KDB-036")
def end_of_an_older_batch(log: KahaDBLog) -> None:
    """A lost write from the middle of a batch on: head of one, tail of another."""
    older = whole_batch(numbered(70)) + whole_batch(numbered(71))
    log.stale(80, 90, older)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 2, 3, 4], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-046", "KDB-040")
def sector_zeroed(log: KahaDBLog) -> None:
    """Sixty-four bytes of zeros over the end of one batch and the head of the next."""
    log.zero_sector(1, 64)
    log.expect("damaged", "bad-size", survivors=[0, 3, 4], end=225)


@BOOK.damaged(five_batches, "resync", "KDB-046")
def half_of_the_file_zeroed(log: KahaDBLog) -> None:
    """The first 128 bytes are zeros: the batches after them survive."""
    log.shows("zeroed-sector")
    log.put(0, bytes(128), "128 zero bytes")
    log.expect("damaged", "bad-header", survivors=[3, 4], end=225)
