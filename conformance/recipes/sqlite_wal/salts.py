"""Damaged salts, and slots without a frame of this generation that precede such frames."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    salts_of_zeros,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import SALTS_GROUP, UNWRITTEN, SqliteLog, older_generation


@SALTS_GROUP.damaged(two_large_transactions, "SQW-030", "SQW-032")
def bit_in_a_salt_of_an_uncommitted_frame(log: SqliteLog) -> None:
    """A bit of a salt flips in an uncommitted frame at the end of the log. No committed transaction
    is lost."""
    log.spill((7, "golf."))
    log.data[log.at(7) + 8] ^= 32
    log.expect("torn", "uncommitted", survivors=[0, 1], end=3248)


@UNWRITTEN.damaged(salts_of_zeros, "SQW-005", "SQW-030", "SQW-041")
def unwritten_slot_under_salts_of_zeros(log: SqliteLog) -> None:
    """A slot is zeroed in a log with salts of zero. The slot is not a frame of this generation."""
    log.commit((3, "charlie."), db_pages=3)
    log.commit((4, "delta."), db_pages=4)
    log.zero("frames[1]")
    log.expect("damaged", "frame-salt", survivors=[0, 3], end=None)


UNWRITTEN.table("""
unwritten_slot: five_transactions SQW-031 SQW-041
    A slot is zeroed. The next frame cannot be proven, but the frame after that can.
    damage: zero frames[4]
    expect: damaged frame-salt, survivors 0 1 4, end none
unwritten_sector: five_transactions SQW-035 SQW-041
    A sector of 512 bytes is zeroed. It contains the end of an image and the next frame header.
    shows: zeroed-sector
    damage: zero sector 4 of 512 bytes
    expect: damaged frame-checksum, survivors 0 4, end none
unwritten_page_of_the_disk: five_transactions SQW-041
    Two consecutive sectors of 512 bytes are zeroed.
    damage: zero sector 3 of 512 bytes
    damage: zero sector 4 of 512 bytes
    expect: damaged frame-checksum, survivors 0 4, end none
unwritten_first_slot: five_transactions SQW-036 SQW-041
    Slot 1 is zeroed. The first frame of the next transaction cannot be proven, so that transaction
    is lost as well.
    damage: zero frames[0]
    expect: damaged frame-salt, survivors 2-4, end none
""")


@UNWRITTEN.damaged(five_transactions, "SQW-030", "SQW-041")
def older_frame_in_the_middle(log: SqliteLog) -> None:
    """A write in the middle of the log was lost, so the slot still holds an older frame."""
    log.shows("lost-write")
    older = older_generation(5)
    log.replace(5, older[log.at(5) :])
    log.expect("damaged", "frame-salt", survivors=[0, 1, 4], end=None)


@UNWRITTEN.damaged(five_transactions, "SQW-036", "SQW-041")
def two_older_frames_in_the_middle(log: SqliteLog) -> None:
    """Two consecutive slots still hold older frames. The second follows the first, but neither is
    of this generation."""
    older = older_generation(5)
    log.replace(4, older[log.at(4) : log.at(5)])
    log.replace(5, older[log.at(5) :])
    log.expect("damaged", "frame-salt", survivors=[0, 4], end=None)


@UNWRITTEN.damaged(five_transactions, "SQW-031", "SQW-041")
def older_sector_in_an_image(log: SqliteLog) -> None:
    """A sector in the middle of the log still holds bytes of an older generation."""
    log.stale(2048, 2560, older_generation(6))
    log.expect("damaged", "frame-checksum", survivors=[0, 4], end=None)


@SALTS_GROUP.damaged(one_transaction, "SQW-010", "SQW-030")
def linked_page_zero_of_another_generation(log: SqliteLog) -> None:
    """A slot with a valid checksum, but with page number 0 and a damaged salt, follows the last
    frame. The slot is framing."""
    log.add_frames((0, 5, log.image(5, "echo.")))
    log.data[log.at(2) + 8] ^= 1
    log.expect("intact", survivors=[0], end=568)


SALTS_GROUP.table("""
bit_in_a_salt: five_transactions SQW-005 SQW-010 SQW-036
    A bit of a salt flips. The checksum still proves the frame, so no record is lost.
    damage: flip bit 3 of frames[4].header.salt_1
    expect: damaged frame-salt, survivors 0-4, end none
bit_in_the_second_salt: five_transactions SQW-005 SQW-036
    A bit of salt-2 in a frame flips.
    damage: flip bit 30 of frames[2].header.salt_2
    expect: damaged frame-salt, survivors 0-4, end none
bit_in_the_last_salt: five_transactions SQW-030 SQW-031 SQW-036
    A bit of a salt in the last frame flips. The checksum shows that the frame is not of an older
    generation.
    damage: flip bit 0 of frames[6].header.salt_1
    expect: damaged frame-salt, survivors 0-4, end none
bit_in_the_first_salt: five_transactions SQW-036
    A bit of a salt in frame 1 flips. The header has the correct salts.
    damage: flip bit 8 of frames[0].header.salt_2
    expect: damaged frame-salt, survivors 0-4, end none
bit_in_a_salt_of_the_last_transaction: two_large_transactions SQW-030 SQW-031 SQW-036
    A bit of a salt flips inside the last transaction.
    damage: flip bit 5 of frames[4].header.salt_1
    expect: damaged frame-salt, survivors 0 1, end none
salts_zeroed: five_transactions SQW-036
    Both salts of a frame are zeroed.
    damage: zero frames[4].header.salt_1
    damage: zero frames[4].header.salt_2
    expect: damaged frame-salt, survivors 0-4, end none
bit_in_salts_of_zeros: salts_of_zeros SQW-005 SQW-036
    A bit of a salt flips in a log with salts of zero.
    damage: flip bit 0 of frames[0].header.salt_1
    expect: damaged frame-salt, survivors 0 1, end none
salts_and_checksum: five_transactions SQW-036
    Salt-1 and the checksum of a frame are damaged. The next frame proves this frame, and two ranges
    inside it are lost.
    damage: fill frames[4].header.salt_1 with 55
    damage: fill frames[4].header.checksum_1 with 55
    expect: damaged frame-salt, survivors 0-4, end none
salts_and_image: five_transactions SQW-036 SQW-041
    Salt-1 and the image of a frame are damaged. The checksum of this frame still proves the next
    frame.
    damage: fill frames[4].header.salt_1 with 55
    damage: flip bit 100 of frames[4].page
    expect: damaged frame-salt, survivors 0 1 3 4, end none
bit_in_the_last_two_salts: five_transactions SQW-030 SQW-036
    Bits flip in salts of the last two frames. The chain of checksums proves both frames.
    damage: flip bit 24 of frames[5].header.salt_1
    damage: flip bit 24 of frames[6].header.salt_1
    expect: damaged frame-salt, survivors 0-4, end none
bit_in_a_salt_of_the_only_frame: one_transaction SQW-030 SQW-036
    A bit of a salt in the only frame flips. The frame still follows the header.
    damage: flip bit 24 of frames[0].header.salt_1
    expect: damaged frame-salt, survivors 0, end none
checksum_and_the_last_salt: five_transactions SQW-030 SQW-036
    Bits flip in the checksum of slot 5 and in a salt of the last frame. The computed value proves
    both frames.
    damage: flip bit 24 of frames[4].header.checksum_1
    damage: flip bit 24 of frames[6].header.salt_1
    expect: damaged frame-checksum, survivors 0-4, end none
image_and_the_last_salt: five_transactions SQW-030 SQW-036
    Bits flip in the image of slot 5 and in a salt of the last frame. The last frame still follows
    slot 6.
    damage: flip bit 5 of frames[4].page
    damage: flip bit 24 of frames[6].header.salt_1
    expect: damaged frame-checksum, survivors 0 1 3 4, end none
salts_and_checksum_before_the_last_salt: five_transactions SQW-030 SQW-036
    Bits flip in a salt and the checksum of slot 6 and in a salt of slot 7. The computed value
    proves both frames.
    damage: flip bit 24 of frames[5].header.salt_1
    damage: flip bit 24 of frames[5].header.checksum_1
    damage: flip bit 24 of frames[6].header.salt_1
    expect: damaged frame-salt, survivors 0-4, end none
salts_of_one_frame_and_image_of_the_next: five_transactions SQW-041
    Bits flip in a salt of a frame and in the image of the next frame. The next frame is lost as
    `unanchored`.
    damage: flip bit 24 of frames[4].header.salt_1
    damage: flip bit 5 of frames[5].page
    expect: damaged frame-salt, survivors 0-2 4, end none
""")


@SALTS_GROUP.damaged(one_transaction, "SQW-036", "SQW-040")
def salt_in_a_database_of_one_page(log: SqliteLog) -> None:
    """A bit of a salt flips in a frame that follows a commit frame with a database size of 1
    page."""
    log.commit((1, "bravo."), db_pages=1)
    log.data[log.at(2) + 8] ^= 1
    log.expect("damaged", "frame-salt", survivors=[0, 1], end=None)
