"""Changed checksums and data. The rest of the page is lost."""

from conformance.recipes.prometheus_wal.layout import (
    records_over_five_pages,
    three_pages,
    three_records,
    two_pages,
)
from conformance.recipes.prometheus_wal.log import CHECKSUM, PrometheusLog

#: Name, control, frame and survivors.
FRAMES = (
    ("first_record", three_records, "pages[0].frames[0]", ()),
    ("second_record", three_records, "pages[0].frames[1]", (0,)),
    ("last_record", three_records, "pages[0].frames[2]", (0, 1)),
    ("record_in_front_of_a_first", two_pages, "pages[0].frames[0]", (2, 3)),
    ("first", two_pages, "pages[0].frames[1]", (0, 2, 3)),
    ("middle", three_pages, "pages[1].frames[0]", (0, 2, 3)),
    ("last", two_pages, "pages[1].frames[0]", (0,)),
    ("record_in_the_second_page", records_over_five_pages, "pages[1].frames[1]",
     (*range(5), *range(10, 20))),
)  # fmt: skip


#: Titles describe the frames with these texts.
LABELS = {
    "first_record": "the first record",
    "second_record": "the second record",
    "last_record": "the last record",
    "record_in_front_of_a_first": "a record before a FIRST",
    "first": "a FIRST",
    "middle": "a MIDDLE",
    "last": "a LAST",
    "record_in_the_second_page": "a record in the second page",
}


def _flips() -> None:
    for name, control, path, survivors in FRAMES:
        for field, bit, words in (
            ("header.checksum", 0, "the checksum's first byte"),
            ("header.checksum", 31, "the checksum's last byte"),
            ("data", 3, "the data"),
        ):
            slug = f"{field.removeprefix('header.')}_bit_{bit}_of_{name}"

            @CHECKSUM.combination(
                slug, f"In {LABELS[name]}, a bit of {words} is flipped.",
                control, "PRW-025", "PRW-013", kind="corrupt",
            )  # fmt: skip
            def recipe(
                log: PrometheusLog, path: str = f"{path}.{field}", bit: int = bit,
                survivors: tuple[int, ...] = survivors,
            ) -> None:  # fmt: skip
                log.flip(path, bit)
                log.expect("damaged", "checksum-mismatch", survivors, end=None)
                if path == "pages[0].frames[1].header.checksum" and bit == 0:
                    log.shows("bit-in-a-checksum")
                if path == "pages[0].frames[1].data":
                    log.shows("bit-in-a-payload")


_flips()

CHECKSUM.table("""
checksum_becomes_zero: three_records PRW-013 PRW-025
    A checksum is set to 0. A reader verifies a checksum of 0 like any other.
    damage: set pages[0].frames[1].header.checksum to 0
    expect: damaged checksum-mismatch, survivors 0, end none
forged_checksum_flipped: checksum_of_zero PRW-013 PRW-025
    One bit of a checksum that is correctly 0 is flipped.
    damage: flip bit 0 of pages[0].frames[0].header.checksum
    expect: damaged checksum-mismatch, no survivors, end none
checksum_in_the_other_byte_order: three_records PRW-011 PRW-025
    A checksum is stored in little-endian order.
    damage: set pages[0].frames[1].header.checksum to 046c0a59
    expect: damaged checksum-mismatch, survivors 0, end none
checksum_with_the_mask_of_leveldb: three_records PRW-013 PRW-025
    A checksum is stored with LevelDB's mask.
    damage: set pages[0].frames[1].header.checksum to 7a3b9d6c
    expect: damaged checksum-mismatch, survivors 0, end none
checksum_of_no_data: empty_record PRW-013 PRW-025
    The stored checksum of an empty record is 1 instead of 0.
    damage: set pages[0].frames[1].header.checksum to 1
    expect: damaged checksum-mismatch, survivors 0, end none
checksum_of_a_first_without_data: seven_bytes_left PRW-025 PRW-027
    The checksum of a FIRST without data, in the last seven bytes of a page, is 1.
    damage: flip bit 0 of pages[0].frames[1].header.checksum
    expect: damaged checksum-mismatch, survivors 0 2, end none
zeroed_sector: records_over_five_pages PRW-022 PRW-025
    The first sector of the second page is zeroed.
    shows: zeroed-sector
    damage: write 512 zero bytes at 32768
    expect: damaged nonzero-padding, survivors 0-3 10-19, end none
zeroed_sector_in_the_data: records_over_five_pages PRW-025
    A sector inside a record is zeroed.
    shows: lost-write
    damage: write 512 zero bytes at 8192
    expect: damaged checksum-mismatch, survivors 0 5-19, end none
""")
