"""Invalid batch sizes."""

from conformance.recipes.kahadb_journal.layout import five_batches
from conformance.recipes.kahadb_journal.log import BATCH_SIZE, KahaDBLog

HANG = "Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)"


BATCH_SIZE.table("""
size_minus_1: five_batches KDB-035 KDB-045 KDB-053
    The size of the second batch is -1.
    hangs_upstream:
    number: batches[1].control.len_records, -1
    expect: damaged bad-size, survivors 0 2-4, end 225
    bug: Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)
size_most_negative: five_batches KDB-035
    The size of the first batch is -2147483648, the lowest number.
    hangs_upstream:
    number: batches[0].control.len_records, -2147483648
    expect: damaged bad-size, survivors 1-4, end 225
    bug: Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)
size_2_31_minus_33: five_batches KDB-006 KDB-035
    The size of the second batch is 2147483615, one more than the largest possible size.
    hangs_upstream:
    number: batches[1].control.len_records, 2147483615
    expect: damaged bad-size, survivors 0 2-4, end 225
    bug: Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)
size_2_31_minus_34: five_batches KDB-006 KDB-035
    The size of the second batch is 2147483614, the largest possible size, which leads past the end
    of the file.
    number: batches[1].control.len_records, 2147483614
    expect: damaged bad-size, survivors 0 2-4, end 225
size_minus_8_in_the_last_batch: five_batches KDB-035 KDB-051
    The size of the last batch is -8.
    hangs_upstream:
    number: batches[4].control.len_records, -8
    expect: damaged bad-size, survivors 0-3, end 225
    bug: Journal.recoveryCheck never returns (findNextBatchRecord finds the same batch again)
size_leads_behind_the_file: five_batches KDB-035 KDB-045
    The size of the second batch is 1000 and leads past the end of the file. The batch is not torn,
    because batches follow.
    number: batches[1].control.len_records, 1000
    expect: damaged bad-size, survivors 0 2-4, end 225
size_leads_behind_the_file_without_checksums: five_batches_without_checksums KDB-035 KDB-045
    The size of an unchecked batch is 1000 and leads past the end of the file. The batch is not
    torn, because batches follow.
    number: batches[1].control.len_records, 1000
    expect: damaged bad-size, survivors 0 2-4, end 225
size_of_the_last_batch_leads_behind_the_file: five_batches KDB-035 KDB-042 KDB-051
    The size of the last batch leads past the end of the file. The batch is not torn, because an EOF
    record follows its record.
    number: batches[4].control.len_records, 1000
    expect: damaged bad-size, survivors 0-3, end 225
size_one_too_small: five_batches KDB-036 KDB-045
    The size of the second batch is 16 instead of 17.
    number: batches[1].control.len_records, 16
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
size_one_too_large: five_batches KDB-036 KDB-045
    The size of the second batch is 18 instead of 17.
    number: batches[1].control.len_records, 18
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
size_one_too_small_without_checksums: five_batches_without_checksums KDB-037 KDB-045
    The size of an unchecked batch is 16 instead of 17. The record extends past the end of the
    batch.
    number: batches[1].control.len_records, 16
    expect: damaged bad-record, survivors 0 2-4, end 225
size_swallows_the_next_batch: five_batches KDB-036 KDB-047
    The size of the second batch is 62 and leads to the end of the third batch. A reader must return
    the third batch.
    number: batches[1].control.len_records, 62
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
size_swallows_the_next_batch_without_checksums: five_batches_without_checksums KDB-037 KDB-047
    The size of an unchecked batch leads to the end of the next batch. The batch is invalid, because
    it contains a header between records.
    number: batches[1].control.len_records, 62
    expect: damaged bad-record, survivors 0 2-4, end 225
size_swallows_all_that_follows: five_batches KDB-036 KDB-047
    The size of the second batch leads to the EOF record at the end. A reader must return the later
    batches.
    number: batches[1].control.len_records, 152
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
size_zero: five_batches KDB-036
    The size of the second batch is 0, but its checksum is that of a record.
    number: batches[1].control.len_records, 0
    expect: damaged checksum-mismatch, survivors 0 2-4, end 225
size_zero_without_checksums: five_batches_without_checksums KDB-033 KDB-035
    The size of an unchecked batch is 0, but a record follows. The code is `bad-size`.
    number: batches[1].control.len_records, 0
    expect: damaged bad-size, survivors 0 2-4, end 225
    bug: Journal.checkBatchRecord returns 0, so the later batches are lost and not reported
size_zero_with_the_checksum_of_nothing: five_batches KDB-033 KDB-035
    The second batch has the size 0 and the checksum 1, but a record follows. The code is
    `bad-size`.
    number: batches[1].control.len_records, 0
    number: batches[1].control.checksum, 1
    expect: damaged bad-size, survivors 0 2-4, end 225
    bug: Journal.checkBatchRecord returns 0, so the later batches are lost and not reported
size_leaves_out_the_last_record: batches_of_several_records KDB-036 KDB-045
    The size of a batch of three records covers only two records. All three records are lost.
    number: batches[1].control.len_records, 17
    expect: damaged checksum-mismatch, survivors 0 1 5
""")


@BATCH_SIZE.damaged(five_batches, "KDB-035", "KDB-053")
def every_size_negative(log: KahaDBLog) -> None:
    """The sizes of all five batches are negative. A reader reports five lost ranges and must not
    loop."""
    log.hangs_upstream()
    for number in range(5):
        log.number(f"batches[{number}].control.len_records", -1 - number)
    log.expect("damaged", "bad-size", survivors=[], end=225)
    log.bug(HANG)
