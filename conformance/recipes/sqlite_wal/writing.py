"""Records that a writer must store as exactly these bytes, or must refuse."""

from conformance.recipes.sqlite_wal.log import SALTS, WRITING, WRITING_REFUSED, SqliteLog, image
from reference_impl.answer import NewRecord
from reference_impl.sqlite_wal.layout import MAX_PAGE, Order


def configured(log: SqliteLog, page_size: int = 512, order: Order = "<", sequence: int = 0) -> None:
    """Begin a log, and configure the writer with the same values."""
    log.begin(page_size=page_size, order=order, sequence=sequence)
    log.context = {
        "page_size": page_size,
        "byte_order": "big" if order == ">" else "little",
        "sequence": sequence,
        "salt_1": int.from_bytes(SALTS[:4], "big"),
        "salt_2": int.from_bytes(SALTS[4:], "big"),
    }


@WRITING.writing("SQW-050")
def write_nothing(log: SqliteLog) -> None:
    """A writer without records writes only a header."""
    configured(log)
    log.expect("intact", survivors=[], end=32)


@WRITING.writing("SQW-050", "SQW-051")
def write_one_page(log: SqliteLog) -> None:
    """A writer writes one transaction of one page."""
    configured(log)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@WRITING.writing("SQW-051")
def write_three_transactions(log: SqliteLog) -> None:
    """A writer writes three transactions, the second with three pages."""
    configured(log)
    log.commit((1, "alpha."), db_pages=1)
    log.commit((2, "bravo."), (3, "charlie."), (7, "delta."), db_pages=7)
    log.commit((1, "echo."), db_pages=7)
    log.expect("intact", survivors=[0, 1, 2], end=32 + 5 * 536)


@WRITING.writing("SQW-006", "SQW-050")
def write_big_endian(log: SqliteLog) -> None:
    """A writer uses checksums over big-endian words."""
    configured(log, order=">")
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.commit((2, "charlie."), db_pages=2)
    log.expect("intact", survivors=[0, 1], end=32 + 3 * 536)


@WRITING.writing("SQW-003", "SQW-050")
def write_pages_of_1024_bytes(log: SqliteLog) -> None:
    """A writer uses a page size of 1,024 bytes."""
    configured(log, page_size=1024)
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.expect("intact", survivors=[0], end=32 + 2 * 1048)


@WRITING.writing("SQW-003", "SQW-050")
def write_pages_of_2048_bytes(log: SqliteLog) -> None:
    """A writer uses a page size of 2,048 bytes."""
    configured(log, page_size=2048)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 2072)


@WRITING.writing("SQW-050")
def write_the_third_generation(log: SqliteLog) -> None:
    """A writer uses sequence number 2."""
    configured(log, sequence=2)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@WRITING.writing("SQW-051")
def write_one_page_twice(log: SqliteLog) -> None:
    """A writer writes a transaction with two images of one page, then a transaction that makes the
    database smaller."""
    configured(log)
    log.commit((5, "alpha."), (5, "bravo."), db_pages=9)
    log.commit((1, "charlie."), db_pages=3)
    log.expect("intact", survivors=[0, 1], end=32 + 3 * 536)


def refused(log: SqliteLog, payload: bytes, **fields: object) -> None:
    """Expect the writer to refuse a record."""
    configured(log)
    del log.data[:]
    log.records = [NewRecord(payload, fields)]
    log.expect_refusal()


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_half_an_image(log: SqliteLog) -> None:
    """A writer refuses a payload of half an image."""
    refused(log, bytes(256), pages=[1], db_pages=1)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_no_image(log: SqliteLog) -> None:
    """A writer refuses a transaction without images."""
    refused(log, b"", pages=[], db_pages=1)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_page_zero(log: SqliteLog) -> None:
    """A writer refuses page number 0."""
    refused(log, image(2, "alpha."), pages=[0], db_pages=1)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_a_page_number_too_high(log: SqliteLog) -> None:
    """A writer refuses page number 4294967295, which is above the highest page number of SQLite."""
    refused(log, image(2, "alpha."), pages=[0xFFFFFFFF], db_pages=1)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_more_page_numbers_than_images(log: SqliteLog) -> None:
    """A writer refuses two page numbers for one image."""
    refused(log, image(2, "alpha."), pages=[1, 2], db_pages=2)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_a_database_of_no_pages(log: SqliteLog) -> None:
    """A writer refuses a database size of 0, because the frame would not be a commit frame."""
    refused(log, image(2, "alpha."), pages=[1], db_pages=0)


@WRITING_REFUSED.writing("SQW-014", "SQW-052", kind="limit", control=write_one_page)
def write_padding(log: SqliteLog) -> None:
    """A writer refuses a transaction that repeats the previous transaction of one page, because no
    reader would return it."""
    refused(log, image(2, "alpha."), pages=[2], db_pages=2)
    log.records *= 2


@WRITING_REFUSED.writing("SQW-003", "SQW-052", kind="limit", control=write_one_page)
def write_pages_of_1000_bytes(log: SqliteLog) -> None:
    """A writer refuses a page size of 1,000 bytes."""
    refused(log, bytes(1000), pages=[1], db_pages=1)
    log.context["page_size"] = 1000


@WRITING.writing("SQW-051")
def write_the_highest_numbers(log: SqliteLog) -> None:
    """A writer writes the highest page number and the highest database size, 4294967294."""
    configured(log)
    log.commit((MAX_PAGE, "alpha."), db_pages=MAX_PAGE)
    log.expect("intact", survivors=[0], end=568)


@WRITING.writing("SQW-051")
def write_without_fields(log: SqliteLog) -> None:
    """Two images have no page numbers and no database size. A writer uses pages 1 and 2 and a size
    of 2 pages."""
    configured(log)
    log.commit((1, "alpha."), (2, "bravo."), db_pages=2)
    log.records = [NewRecord(log.payloads[0])]
    log.expect("intact", survivors=[0], end=32 + 2 * 536)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_page_zero_beside_another(log: SqliteLog) -> None:
    """A writer refuses page number 0 after another page number."""
    refused(log, image(2, "alpha.") + image(3, "bravo."), pages=[2, 0], db_pages=2)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_padding_after_two_frames(log: SqliteLog) -> None:
    """A writer refuses a transaction that repeats the last frame of a two-frame transaction."""
    refused(log, image(2, "alpha.") + image(3, "bravo."), pages=[2, 3], db_pages=3)
    log.records.append(NewRecord(image(3, "bravo."), {"pages": [3], "db_pages": 3}))


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_a_database_size_too_high(log: SqliteLog) -> None:
    """A writer refuses a database size of 4294967295, which is above the highest database size of
    SQLite."""
    refused(log, image(2, "alpha."), pages=[1], db_pages=0xFFFFFFFF)


@WRITING.writing("SQW-013", "SQW-051")
def write_a_page_beyond_the_database(log: SqliteLog) -> None:
    """A writer accepts a page number above the database size."""
    configured(log)
    log.commit((9, "alpha."), db_pages=3)
    log.expect("intact", survivors=[0], end=568)


@WRITING.writing("SQW-051")
def write_without_a_size(log: SqliteLog) -> None:
    """Two images have page numbers but no database size. A writer uses the highest page number as
    the size, not the last page number."""
    configured(log)
    log.commit((5, "alpha."), (2, "bravo."), db_pages=5)
    log.records = [NewRecord(log.payloads[0], {"pages": [5, 2]})]
    log.expect("intact", survivors=[0], end=32 + 2 * 536)


@WRITING.writing("SQW-050")
def write_the_highest_sequence(log: SqliteLog) -> None:
    """A writer uses the highest sequence number, 4294967295."""
    configured(log, sequence=0xFFFFFFFF)
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=568)


@WRITING_REFUSED.writing("SQW-052", kind="limit", control=write_one_page)
def write_one_and_a_half_images(log: SqliteLog) -> None:
    """A writer refuses a payload of one and a half images."""
    refused(log, image(2, "alpha.") + bytes(256), pages=[2], db_pages=2)


@WRITING.writing("SQW-050")
def write_without_a_page_size(log: SqliteLog) -> None:
    """Only salts are configured. A writer uses pages of 4,096 bytes, little-endian words and
    sequence number 0."""
    salts = bytes.fromhex("0102030405060708")
    log.begin(page_size=4096, salts=salts)
    log.context = {"salt_1": 0x01020304, "salt_2": 0x05060708}
    log.commit((1, "alpha."), db_pages=1)
    log.expect("intact", survivors=[0], end=32 + 4120)
