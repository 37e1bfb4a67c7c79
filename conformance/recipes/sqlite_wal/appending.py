"""Vectors in which a writer recovers a log and appends to it."""

from conformance.recipes.sqlite_wal.frames import bit_in_an_image
from conformance.recipes.sqlite_wal.generations import (
    new_header_before_older_frames,
    older_frames_after_the_end,
    zeros_after_the_end,
)
from conformance.recipes.sqlite_wal.headers import header_zeroed
from conformance.recipes.sqlite_wal.layout import (
    big_endian_checksums,
    empty_file,
    five_transactions,
    header_alone,
    one_transaction,
    pages_of_1024_bytes,
)
from conformance.recipes.sqlite_wal.log import APPENDING, SqliteLog
from conformance.recipes.sqlite_wal.padding import commit_frame_repeated
from conformance.recipes.sqlite_wal.refusing import other_version
from conformance.recipes.sqlite_wal.tails import (
    bit_in_the_last_image,
    cut_in_the_header,
    cut_in_the_last_image,
    file_of_zeros,
    frames_without_a_commit,
)

ALL = [0, 1, 2, 3, 4]
NEW = {"page_size": 512, "salt_1": 0x11111111, "salt_2": 0x22222222}


def free(log: SqliteLog) -> None:
    """Allow the writer to overwrite later bytes without shortening the file, as SQLite does."""
    because = "SQLite overwrites the bytes after the end and does not shorten the file"
    log.free_to("preallocation", because)
    log.free_to("damage", because)


def new(log: SqliteLog) -> bytes:
    """Append one transaction of one page, and return its payload."""
    log.append_pages((3, "new."), db_pages=4)
    return log.to_append[-1].payload


@APPENDING.appending(five_transactions, "SQW-053")
def append_one_transaction(log: SqliteLog) -> None:
    """A writer appends one transaction to a log of five transactions."""
    payload = new(log)
    log.expect("intact", survivors=[*ALL, payload], end=3784 + 536)


@APPENDING.appending(five_transactions, "SQW-051", "SQW-053")
def append_two_transactions(log: SqliteLog) -> None:
    """A writer appends two transactions, the first with two pages."""
    log.append_pages((3, "new."), (5, "newer."), db_pages=5)
    log.append_pages((3, "newest."), db_pages=5)
    added = [record.payload for record in log.to_append]
    log.expect("intact", survivors=[*ALL, *added], end=3784 + 3 * 536)


@APPENDING.appending(five_transactions, "SQW-053")
def append_nothing(log: SqliteLog) -> None:
    """Appending no records changes nothing."""
    log.expect("intact", survivors=ALL, end=3784)


@APPENDING.appending(cut_in_the_last_image, "SQW-042", "SQW-053", control=append_one_transaction)
def append_nothing_to_a_torn_log(log: SqliteLog) -> None:
    """Appending no records does not remove the torn frame."""
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3], end=3248)


@APPENDING.appending(header_alone, "SQW-053")
def append_to_a_header(log: SqliteLog) -> None:
    """A writer appends the first transaction to a log that is only a header."""
    log.context = NEW
    payload = new(log)
    log.free_to("damage", "SQLite writes a new header")
    log.expect("intact", survivors=[payload], end=568)


@APPENDING.appending(empty_file, "SQW-050", "SQW-053")
def append_to_an_empty_file(log: SqliteLog) -> None:
    """A writer appends the first transaction to an empty file, and writes a new header."""
    log.context = NEW
    payload = new(log)
    log.expect("intact", survivors=[payload], end=568)


@APPENDING.appending(cut_in_the_header, "SQW-050", "SQW-053", control=append_to_a_header)
def append_to_a_torn_header(log: SqliteLog) -> None:
    """The header is incomplete, so a writer begins a new log at offset 0."""
    log.context = NEW
    payload = new(log)
    log.expect("intact", survivors=[payload], end=568)


@APPENDING.appending(file_of_zeros, "SQW-050", "SQW-053", control=append_to_a_header)
def append_to_zeros(log: SqliteLog) -> None:
    """The file is all zeros, so a writer begins a new log at offset 0."""
    log.context = NEW
    payload = new(log)
    free(log)
    log.expect("intact", survivors=[payload], end=568)


@APPENDING.appending(cut_in_the_last_image, "SQW-042", "SQW-053", control=append_one_transaction)
def append_after_a_torn_frame(log: SqliteLog) -> None:
    """A writer continues at the start of the torn frame."""
    log.shows("going-on-after-a-torn-record")
    payload = new(log)
    log.expect("intact", survivors=[0, 1, 2, 3, payload], end=3784)


@APPENDING.appending(frames_without_a_commit, "SQW-053", control=append_one_transaction)
def append_after_uncommitted_frames(log: SqliteLog) -> None:
    """A writer continues after the last commit frame and replaces two uncommitted frames."""
    payload = new(log)
    free(log)
    log.expect("intact", survivors=[*ALL, payload], end=3784 + 536)


@APPENDING.appending(bit_in_the_last_image, "SQW-053", control=append_one_transaction)
def append_after_a_bad_tail(log: SqliteLog) -> None:
    """A writer continues at the start of the damaged last transaction."""
    payload = new(log)
    log.expect("intact", survivors=[0, 1, 2, 3, payload], end=3784)


@APPENDING.appending(older_frames_after_the_end, "SQW-030", "SQW-053")
def append_before_older_frames(log: SqliteLog) -> None:
    """A writer continues after the last commit frame and replaces frames of an older
    generation."""
    payload = new(log)
    free(log)
    log.expect("intact", survivors=[0, payload], end=1640)


@APPENDING.appending(new_header_before_older_frames, "SQW-030", "SQW-053")
def append_the_first_transaction_over_older_frames(log: SqliteLog) -> None:
    """A writer appends the first transaction after a new header and replaces frames of an older
    generation."""
    log.context = NEW
    payload = new(log)
    free(log)
    log.expect("intact", survivors=[payload], end=568)


@APPENDING.appending(zeros_after_the_end, "SQW-030", "SQW-053")
def append_before_zeros(log: SqliteLog) -> None:
    """A writer continues after the last commit frame and replaces zeros."""
    payload = new(log)
    free(log)
    log.expect("intact", survivors=[*ALL, payload], end=3784 + 536)


@APPENDING.appending(commit_frame_repeated, "SQW-014", "SQW-053")
def append_after_padding(log: SqliteLog) -> None:
    """A writer continues after padding, from the checksum of the last padding frame."""
    payload = new(log)
    log.expect("intact", survivors=[0, 1, payload], end=2176 + 536)


@APPENDING.appending(big_endian_checksums, "SQW-006", "SQW-053")
def append_to_big_endian_checksums(log: SqliteLog) -> None:
    """A writer appends to a log with big-endian checksums and keeps the byte order."""
    payload = new(log)
    log.expect("intact", survivors=[0, 1, 2, payload], end=2176 + 536)


@APPENDING.appending(pages_of_1024_bytes, "SQW-053")
def append_pages_of_1024_bytes(log: SqliteLog) -> None:
    """A writer keeps the page size of the log, 1,024 bytes, although 512 bytes are configured."""
    log.context = NEW
    log.append_pages((3, "new."), db_pages=4, page_size=1024)
    payload = log.to_append[0].payload
    log.expect("intact", survivors=[0, 1, 2, payload], end=32 + 5 * 1048)


@APPENDING.appending(pages_of_1024_bytes, "SQW-052")
def append_a_page_of_another_size(log: SqliteLog) -> None:
    """A writer refuses to append an image of 512 bytes to a log with pages of 1,024 bytes."""
    new(log)
    log.expect_refusal("intact", survivors=[0, 1, 2])


@APPENDING.appending(five_transactions, "SQW-052")
def append_page_zero(log: SqliteLog) -> None:
    """A writer refuses to append a page with page number 0."""
    log.append_pages((0, "new."), db_pages=4)
    log.expect_refusal("intact", survivors=ALL)


@APPENDING.appending(one_transaction, "SQW-014", "SQW-052")
def append_padding(log: SqliteLog) -> None:
    """A writer refuses to append a transaction that repeats the last commit frame, because no
    reader would return it."""
    log.append_pages((1, "alpha."), db_pages=1)
    log.expect_refusal("intact", survivors=[0])


@APPENDING.appending(bit_in_an_image, "SQW-042", "SQW-054", control=append_one_transaction)
def append_to_a_damaged_log(log: SqliteLog) -> None:
    """A writer refuses to append to a damaged log, because the append would overwrite the frames
    after the damage."""
    new(log)
    log.expect_refusal("damaged", "frame-checksum", survivors=[0, 1, 3, 4])
    log.bug("SQLite overwrites the frames after the damage and reports nothing")


@APPENDING.appending(header_zeroed, "SQW-042", "SQW-054", control=append_one_transaction)
def append_to_a_log_without_a_header(log: SqliteLog) -> None:
    """A writer refuses to append to a log whose header is zeroed."""
    new(log)
    log.expect_refusal("damaged", "header-checksum", survivors=ALL)


@APPENDING.appending(other_version, "SQW-024", "SQW-042", "SQW-054", control=append_one_transaction)
def append_to_another_version(log: SqliteLog) -> None:
    """A writer refuses to append to a log with an unsupported version."""
    new(log)
    log.expect_refusal("refused", "bad-version")


@APPENDING.appending(bit_in_an_image, "SQW-054", control=append_one_transaction)
def append_nothing_to_a_damaged_log(log: SqliteLog) -> None:
    """A writer refuses even an append without records if the log is damaged."""
    log.expect_refusal("damaged", "frame-checksum", survivors=[0, 1, 3, 4])


@APPENDING.appending(cut_in_the_last_image, "SQW-052", "SQW-053", control=append_one_transaction)
def append_a_part_of_a_page_to_a_torn_log(log: SqliteLog) -> None:
    """A writer refuses to append a payload of 100 bytes, less than one image, and does not remove
    the torn frame."""
    log.append(b"a" * 100, pages=[3], db_pages=4)
    log.expect_refusal("torn", "torn-frame", survivors=[0, 1, 2, 3])


@APPENDING.appending(five_transactions, "SQW-053")
def append_with_other_values_configured(log: SqliteLog) -> None:
    """An invalid page size and another salt-1 are configured. A writer uses the values of the
    header."""
    log.context = {"page_size": 1000, "salt_1": 5}
    payload = new(log)
    log.expect("intact", survivors=[*ALL, payload], end=3784 + 536)
