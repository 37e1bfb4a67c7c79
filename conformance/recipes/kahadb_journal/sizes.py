"""Invalid batch sizes."""

from conformance.recipes.kahadb_journal.layout import (
    batches_of_several_records,
    five_batches,
    five_batches_without_checksums,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog

ALL_BUT_2 = [0, 2, 3, 4]
HANG = "Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)"
SIZE = "batches[1].control.len_records"


@BOOK.damaged(five_batches, "batch-size", "KDB-035", "KDB-045", "KDB-053")
def size_minus_1(log: KahaDBLog) -> None:
    """The size of the second batch is -1."""
    log.hangs_upstream()
    log.number(SIZE, -1)
    log.expect("damaged", "bad-size", survivors=ALL_BUT_2, end=225)
    log.bug(HANG)


@BOOK.damaged(five_batches, "batch-size", "KDB-035")
def size_most_negative(log: KahaDBLog) -> None:
    """The size of the first batch is -2147483648, the lowest number."""
    log.hangs_upstream()
    log.number("batches[0].control.len_records", -(2**31))
    log.expect("damaged", "bad-size", survivors=[1, 2, 3, 4], end=225)
    log.bug(HANG)


@BOOK.damaged(five_batches, "batch-size", "KDB-006", "KDB-035")
def size_2_31_minus_33(log: KahaDBLog) -> None:
    """The size of the second batch is 2147483615, one more than the largest possible size."""
    log.hangs_upstream()
    log.number(SIZE, 2**31 - 33)
    log.expect("damaged", "bad-size", survivors=ALL_BUT_2, end=225)
    log.bug(HANG)


@BOOK.damaged(five_batches, "batch-size", "KDB-006", "KDB-035")
def size_2_31_minus_34(log: KahaDBLog) -> None:
    """The size of the second batch is 2147483614, the largest possible size, which leads past the
    end of the file.
    """
    log.number(SIZE, 2**31 - 34)
    log.expect("damaged", "bad-size", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "batch-size", "KDB-035", "KDB-051")
def size_minus_8_in_the_last_batch(log: KahaDBLog) -> None:
    """The size of the last batch is -8."""
    log.hangs_upstream()
    log.number("batches[4].control.len_records", -8)
    log.expect("damaged", "bad-size", survivors=[0, 1, 2, 3], end=225)
    log.bug(HANG)


@BOOK.damaged(five_batches, "batch-size", "KDB-035", "KDB-045")
def size_leads_behind_the_file(log: KahaDBLog) -> None:
    """The size of the second batch is 1000 and leads past the end of the file. The batch is not
    torn, because batches follow.
    """
    log.number(SIZE, 1000)
    log.expect("damaged", "bad-size", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches_without_checksums, "batch-size", "KDB-035", "KDB-045")
def size_leads_behind_the_file_without_checksums(log: KahaDBLog) -> None:
    """The size of an unchecked batch is 1000 and leads past the end of the file. The batch is not
    torn, because batches follow.
    """
    log.number(SIZE, 1000)
    log.expect("damaged", "bad-size", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "batch-size", "KDB-035", "KDB-042", "KDB-051")
def size_of_the_last_batch_leads_behind_the_file(log: KahaDBLog) -> None:
    """The size of the last batch leads past the end of the file. The batch is not torn, because an
    EOF record follows its record.
    """
    log.number("batches[4].control.len_records", 1000)
    log.expect("damaged", "bad-size", survivors=[0, 1, 2, 3], end=225)


@BOOK.damaged(five_batches, "batch-size", "KDB-036", "KDB-045")
def size_one_too_small(log: KahaDBLog) -> None:
    """The size of the second batch is 16 instead of 17."""
    log.number(SIZE, 16)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "batch-size", "KDB-036", "KDB-045")
def size_one_too_large(log: KahaDBLog) -> None:
    """The size of the second batch is 18 instead of 17."""
    log.number(SIZE, 18)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches_without_checksums, "batch-size", "KDB-037", "KDB-045")
def size_one_too_small_without_checksums(log: KahaDBLog) -> None:
    """The size of an unchecked batch is 16 instead of 17. The record extends past the end of the
    batch.
    """
    log.number(SIZE, 16)
    log.expect("damaged", "bad-record", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "batch-size", "KDB-036", "KDB-047")
def size_swallows_the_next_batch(log: KahaDBLog) -> None:
    """The size of the second batch is 62 and leads to the end of the third batch. A reader must
    return the third batch.
    """
    log.number(SIZE, 62)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches_without_checksums, "batch-size", "KDB-037", "KDB-047")
def size_swallows_the_next_batch_without_checksums(log: KahaDBLog) -> None:
    """The size of an unchecked batch leads to the end of the next batch. The batch is invalid,
    because it contains a header between records.
    """
    log.number(SIZE, 62)
    log.expect("damaged", "bad-record", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "batch-size", "KDB-036", "KDB-047")
def size_swallows_all_that_follows(log: KahaDBLog) -> None:
    """The size of the second batch leads to the EOF record at the end. A reader must return the
    later batches.
    """
    log.number(SIZE, 152)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches, "batch-size", "KDB-036")
def size_zero(log: KahaDBLog) -> None:
    """The size of the second batch is 0, but its checksum is that of a record."""
    log.number(SIZE, 0)
    log.expect("damaged", "checksum-mismatch", survivors=ALL_BUT_2, end=225)


@BOOK.damaged(five_batches_without_checksums, "batch-size", "KDB-033", "KDB-035")
def size_zero_without_checksums(log: KahaDBLog) -> None:
    """The size of an unchecked batch is 0, but a record follows. The code is `bad-size`."""
    log.number(SIZE, 0)
    log.expect("damaged", "bad-size", survivors=ALL_BUT_2, end=225)
    log.bug("Journal.checkBatchRecord returns 0, so the later batches are lost and not reported")


@BOOK.damaged(five_batches, "batch-size", "KDB-033", "KDB-035")
def size_zero_with_the_checksum_of_nothing(log: KahaDBLog) -> None:
    """The second batch has the size 0 and the checksum 1, but a record follows. The code is
    `bad-size`.
    """
    log.number(SIZE, 0)
    log.number("batches[1].control.checksum", 1)
    log.expect("damaged", "bad-size", survivors=ALL_BUT_2, end=225)
    log.bug("Journal.checkBatchRecord returns 0, so the later batches are lost and not reported")


@BOOK.damaged(batches_of_several_records, "batch-size", "KDB-036", "KDB-045")
def size_leaves_out_the_last_record(log: KahaDBLog) -> None:
    """The size of a batch of three records covers only two records. All three records are lost."""
    log.number(SIZE, 17)
    log.expect("damaged", "checksum-mismatch", survivors=[0, 1, 5])


@BOOK.damaged(five_batches, "batch-size", "KDB-035", "KDB-053")
def every_size_negative(log: KahaDBLog) -> None:
    """The sizes of all five batches are negative. A reader reports five lost ranges and must not
    loop.
    """
    log.hangs_upstream()
    for number in range(5):
        log.number(f"batches[{number}].control.len_records", -1 - number)
    log.expect("damaged", "bad-size", survivors=[], end=225)
    log.bug(HANG)
