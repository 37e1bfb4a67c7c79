"""Lost headers before frames that are linked in both byte orders."""

from conformance.recipes.sqlite_wal.log import LAYOUT, LOST_HEADER, OLDER_SALTS, SALTS, SqliteLog


def write_in_both_orders(log: SqliteLog, frame_count: int, salts: bytes = SALTS) -> None:
    """Write one-frame transactions whose words are the same in both byte orders."""
    log.begin(salts=salts)
    for number in range(1, frame_count + 1):
        image = bytes([0x60 + number]) * 512
        log.add_frames((number * 0x01000001, 0x05000005, image))
        log.payloads.append(image)


@LAYOUT.valid("SQW-006")
def two_frames_that_read_the_same_in_both_orders(log: SqliteLog) -> None:
    """Three transactions of one frame each. The words of the first two frames are the same in both
    byte orders."""
    write_in_both_orders(log, 2)
    log.commit((3, "charlie."), db_pages=5)
    log.expect("intact", survivors=[0, 1, 2], end=1640)


@LOST_HEADER.damaged(two_frames_that_read_the_same_in_both_orders, "SQW-027", "SQW-036")
def only_link_in_both_byte_orders(log: SqliteLog) -> None:
    """The header and the first image are damaged, and the only link fits both byte orders. A reader
    uses little-endian words."""
    log.zero("header")
    log.flip("frames[0].page", 3)
    log.flip("frames[2].header.salt_1", 3)
    log.expect("damaged", "header-checksum", survivors=[1, 2], end=None)


@LOST_HEADER.damaged(two_frames_that_read_the_same_in_both_orders, "SQW-027")
def older_link_in_both_byte_orders(log: SqliteLog) -> None:
    """The header and the first image are damaged, and every link fits both byte orders. The salts
    come from the first link, not from the older frames."""
    log.zero("header")
    log.flip("frames[0].page", 3)
    older = SqliteLog(b"", [])
    write_in_both_orders(older, 4, OLDER_SALTS)
    log.data[log.at(3) :] = older.data[log.at(3) :]
    log.expect("damaged", "header-checksum", survivors=[1], end=None)


@LOST_HEADER.damaged(two_frames_that_read_the_same_in_both_orders, "SQW-026", "SQW-036")
def both_first_salts_in_both_byte_orders(log: SqliteLog) -> None:
    """A bit of a salt flips in the header and in frame 1. The value before frame 1 is the checksum
    of the header in both byte orders. A reader uses little-endian words."""
    log.flip("header.salt_1", 5)
    log.flip("frames[0].header.salt_2", 9)
    log.expect("damaged", "header-checksum", survivors=[0, 1, 2], end=None)
