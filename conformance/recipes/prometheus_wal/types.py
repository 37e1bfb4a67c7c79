"""Changed type bytes. No checksum covers them."""

from conformance.recipes.prometheus_wal.layout import (
    seven_bytes_left,
    three_pages,
    three_records,
    two_pages,
)
from conformance.recipes.prometheus_wal.log import FULL, TYPES, PrometheusLog
from conformance.recipes.recipe import Recipe

FIRST_PAGE, SECOND_PAGE = "pages[0].frames[1]", "pages[1].frames[0]"


def _unknown_types() -> None:
    """Add vectors with each unknown type in place of a FULL, FIRST, MIDDLE and LAST."""
    controls: tuple[tuple[str, Recipe[PrometheusLog], str, tuple[int, ...]], ...] = (
        ("full", three_records, FIRST_PAGE, (0, 2)),
        ("last_full", three_records, "pages[0].frames[2]", (0, 1)),
        ("first", two_pages, FIRST_PAGE, (0, 2, 3)),
        ("middle", three_pages, SECOND_PAGE, (0, 2, 3)),
        ("last", two_pages, SECOND_PAGE, (0, 2, 3)),
    )
    for name, control, path, survivors in controls:
        words = "the last FULL" if name == "last_full" else f"a {name.upper()}"
        for kind in (0, 5, 6, 7):

            @TYPES.combination(
                f"{name}_becomes_type_{kind}", f"The type of {words} is {kind}.",
                control, "PRW-026", "PRW-012", kind="corrupt",
            )  # fmt: skip
            def recipe(
                log: PrometheusLog, path: str = path, kind: int = kind,
                survivors: tuple[int, ...] = survivors,
            ) -> None:  # fmt: skip
                log.retype(path, kind)
                log.expect("damaged", "unknown-type", survivors, end=None)


def _reserved_bits() -> None:
    for bit in (5, 6, 7):

        @TYPES.combination(
            f"reserved_bit_{bit}", f"The reserved bit {bit} of a FIRST is set.",
            two_pages, "PRW-012", kind="limit",
        )  # fmt: skip
        def recipe(log: PrometheusLog, bit: int = bit) -> None:
            log.flip(f"{FIRST_PAGE}.header.type", bit)
            log.expect("intact", survivors=range(4), end=40052)


_unknown_types()
_reserved_bits()

TYPES.table(f"""
full_becomes_first: three_records PRW-028 PRW-030
    A FULL becomes a FIRST. The next FULL ends the open record.
    retype: {FIRST_PAGE}, 2
    expect: damaged unfinished-record, survivors 0 2, end none
full_becomes_middle: three_records PRW-027
    One flipped bit turns a FULL into a MIDDLE.
    retype: {FIRST_PAGE}, 3
    expect: damaged orphan-fragment, survivors 0 2, end none
full_becomes_last: three_records PRW-027
    A FULL becomes a LAST.
    retype: {FIRST_PAGE}, 4
    expect: damaged orphan-fragment, survivors 0 2, end none
last_full_becomes_first: three_records PRW-040
    The last FULL becomes a FIRST. The log ends with an open record.
    retype: pages[0].frames[2], 2
    expect: torn torn-record, survivors 0-1, end 24
first_becomes_full: two_pages PRW-027 limit
    Two flipped bits turn a FIRST into a FULL. The data of the FIRST is returned as a record, and
    only the LAST reveals the fault.
    retype: {FIRST_PAGE}, 1
    expect: damaged orphan-fragment, survivors 0 part(1, 0, 32749) 2 3, end none
first_becomes_middle: two_pages PRW-027
    One flipped bit turns a FIRST into a MIDDLE. Both fragments are orphans.
    retype: {FIRST_PAGE}, 3
    expect: damaged orphan-fragment, survivors 0 2 3, end none
first_becomes_last: two_pages PRW-027
    A FIRST becomes a LAST.
    retype: {FIRST_PAGE}, 4
    expect: damaged orphan-fragment, survivors 0 2 3, end none
middle_becomes_full: three_pages PRW-028 PRW-027
    One flipped bit turns a MIDDLE into a FULL. The FULL is not returned, because it may be a
    MIDDLE.
    retype: {SECOND_PAGE}, 1
    expect: damaged unfinished-record, survivors 0 2 3, end none
middle_becomes_first: three_pages PRW-028 PRW-027
    One flipped bit turns a MIDDLE into a FIRST. The rest of the record must not be returned as a
    record.
    retype: {SECOND_PAGE}, 2
    expect: damaged unfinished-record, survivors 0 2 3, end none
middle_becomes_last: three_pages PRW-027 limit
    Three flipped bits turn a MIDDLE into a LAST. The record ends early, and only the next LAST
    reveals the fault.
    retype: {SECOND_PAGE}, 4
    expect: damaged orphan-fragment, survivors 0 part(1, 0, 65510) 2 3, end none
last_becomes_full: two_pages PRW-028 limit
    Two flipped bits turn a LAST into a FULL. The data of the LAST is returned as a record.
    retype: {SECOND_PAGE}, 1
    expect: damaged unfinished-record, survivors 0 part(1, 32749, 40000) 2 3, end none
last_becomes_first: two_pages PRW-028
    A LAST becomes a FIRST. The next FULL ends this record.
    retype: {SECOND_PAGE}, 2
    expect: damaged unfinished-record, survivors 0 2 3, end none
last_becomes_middle: two_pages PRW-028
    A LAST becomes a MIDDLE. The next FULL ends the open record.
    retype: {SECOND_PAGE}, 3
    expect: damaged unfinished-record, survivors 0 2 3, end none
full_becomes_first_in_front_of_a_first: two_pages PRW-028
    A FULL becomes a FIRST. The FIRST after it is used, because it does not fill a page.
    retype: pages[0].frames[0], 2
    expect: damaged unfinished-record, survivors 1-3, end none
""")


@TYPES.damaged(seven_bytes_left, "PRW-020", "PRW-027", kind="limit")
def empty_first_becomes_full(log: PrometheusLog) -> None:
    """The type of an empty FIRST becomes FULL. The frame looks like an empty record."""
    log.retype("pages[0].frames[1]", FULL)
    log.expect("damaged", "orphan-fragment", survivors=[0, b"", 2], end=None)
