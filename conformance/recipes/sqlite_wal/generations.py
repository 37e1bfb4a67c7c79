"""Frames of an older generation, zeros and other bytes after the end of the log."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    one_transaction_of_two_frames,
    salts_of_zeros,
)
from conformance.recipes.sqlite_wal.log import SALTS, STALE, TORN_TAIL, SqliteLog, older_generation


@STALE.damaged(one_transaction_of_two_frames, "SQW-005", "SQW-030", kind="valid")
def older_frames_after_the_end(log: SqliteLog) -> None:
    """Five frames of an older generation follow the last commit frame of a restarted log."""
    log.shows("stale-tail")
    log.extend(older_generation(7)[log.at(3) :])
    log.expect("intact", survivors=[0], end=1104)


@STALE.damaged(one_transaction_of_two_frames, "SQW-030", kind="valid")
def cut_older_frame_at_the_end(log: SqliteLog) -> None:
    """The file ends inside an older frame. Older frames are framing, complete or cut."""
    log.extend(older_generation(7)[log.at(3) :][:-100])
    log.expect("intact", survivors=[0], end=1104)


@STALE.damaged(one_transaction_of_two_frames, "SQW-030", "SQW-033", kind="valid")
def few_bytes_after_older_frames(log: SqliteLog) -> None:
    """Ten bytes of an older frame follow complete older frames. All of them are framing."""
    older = older_generation(7)
    log.extend(older[log.at(3) : log.at(5) + 10])
    log.expect("intact", survivors=[0], end=1104)


@STALE.damaged(one_transaction, "SQW-005", "SQW-030", kind="valid")
def new_header_before_older_frames(log: SqliteLog) -> None:
    """A new header precedes older frames, and no new frame was written. The older transactions are
    already in the database."""
    log.splice("frames[0]", older_generation(4)[32:])
    log.expect("intact", survivors=[], end=32)


@STALE.damaged(one_transaction, "SQW-005", "SQW-030", kind="valid")
def older_frames_that_share_salt_1(log: SqliteLog) -> None:
    """The salts of the older frames differ from those of the log only in salt-2."""
    log.extend(older_generation(3, SALTS[:4] + b"\x33" * 4)[log.at(2) :])
    log.expect("intact", survivors=[0], end=568)


@STALE.damaged(one_transaction, "SQW-005", "SQW-030", kind="valid")
def older_frames_that_share_salt_2(log: SqliteLog) -> None:
    """The salts of the older frames differ from those of the log only in salt-1."""
    log.extend(older_generation(3, b"\x33" * 4 + SALTS[4:])[log.at(2) :])
    log.expect("intact", survivors=[0], end=568)


@STALE.damaged(one_transaction, "SQW-030", "SQW-033", kind="valid")
def cut_frame_without_salts_after_older_frames(log: SqliteLog) -> None:
    """A piece with a page number and zero salts follows older frames. The piece is framing."""
    piece = bytes.fromhex("00000005") + bytes(40)
    log.extend(older_generation(3)[log.at(2) :] + piece)
    log.expect("intact", survivors=[0], end=568)


@TORN_TAIL.damaged(one_transaction, "SQW-032")
def piece_with_zeros_for_its_header(log: SqliteLog) -> None:
    """The file ends with a piece of a slot that has a zeroed header and 50 other bytes."""
    log.extend(bytes(24) + b"x" * 50)
    log.expect("torn", "uncommitted", survivors=[0], end=568)


@TORN_TAIL.damaged(salts_of_zeros, "SQW-032")
def piece_with_zeros_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, the file ends with a zeroed header of a slot and 50 other
    bytes."""
    log.extend(bytes(24) + b"x" * 50)
    log.expect("torn", "uncommitted", survivors=[0, 1], end=1104)


@STALE.damaged(one_transaction, "SQW-030", kind="valid")
def older_uncommitted_frames(log: SqliteLog) -> None:
    """Older frames without a commit frame follow the end of the log."""
    older = bytearray(older_generation(4))
    for slot in (2, 3, 4):
        older[log.at(slot) + 4 : log.at(slot) + 8] = bytes(4)
    log.extend(bytes(older[log.at(2) :]))
    log.expect("intact", survivors=[0], end=568)


@TORN_TAIL.damaged(five_transactions, "SQW-032")
def zeros_after_the_end(log: SqliteLog) -> None:
    """4,096 zeros follow the last frame, as if the file was extended but the frames were not
    written."""
    log.extend(bytes(4096))
    log.expect("torn", "uncommitted", survivors=[0, 1, 2, 3, 4], end=3784)


@STALE.damaged(five_transactions, "SQW-030", "SQW-032", kind="valid")
def zeros_after_older_frames(log: SqliteLog) -> None:
    """Zeros follow two older frames, and are framing like the older frames."""
    log.extend(older_generation(2)[log.at(1) :])
    log.extend(bytes(1000))
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-032")
def slot_of_zeros_before_older_frames(log: SqliteLog) -> None:
    """A slot of zeros is between the last frame and two older frames. Only this slot is torn."""
    log.extend(bytes(536))
    log.extend(older_generation(2)[log.at(1) :])
    log.expect("torn", "uncommitted", survivors=[0, 1, 2, 3, 4], end=3784)


@TORN_TAIL.damaged(five_transactions, "SQW-031", "SQW-032")
def piece_of_an_image_after_a_bad_tail(log: SqliteLog) -> None:
    """The end of the last image and the header of the next slot are zeroed, as if one sector was
    not written. The piece of the next slot does not show a lost commit."""
    log.data[log.at(7) + 400 : log.at(8)] = bytes(136)
    log.extend(bytes(24) + b"x" * 50)
    log.expect("torn", "bad-tail", survivors=[0, 1, 2, 3], end=3248)


@TORN_TAIL.damaged(five_transactions, "SQW-032", "SQW-033")
def piece_after_a_slot_of_zeros(log: SqliteLog) -> None:
    """The file ends with a slot of zeros and nine other bytes, which are a cut frame."""
    log.extend(bytes(536) + b"\xff" * 9)
    log.expect("torn", "torn-frame", survivors=[0, 1, 2, 3, 4], end=3784)


TORN_TAIL.table("""
hundred_zeros_after_the_end: one_transaction SQW-032 SQW-033
    100 zeros, less than one slot, follow the last frame.
    damage: extend by 100 zero bytes
    expect: torn uncommitted, survivors 0, end 568
two_slots_of_zeros_after_the_end: five_transactions SQW-032
    Two whole slots of zeros follow the last frame.
    damage: extend by 1072 zero bytes
    expect: torn uncommitted, survivors 0-4, end 3784
zeros_after_a_bad_tail: five_transactions SQW-031 SQW-032 SQW-034
    A bit of the last image flips, and zeros follow. Zeros do not show a lost commit, so the tail is
    torn to the end of the file.
    damage: flip bit 5 of frames[6].page
    damage: extend by 1000 zero bytes
    expect: torn bad-tail, survivors 0-3, end 3248
ten_zeros_after_a_bad_tail: five_transactions SQW-031 SQW-032
    A bit of the last image flips, and ten zeros follow.
    damage: flip bit 5 of frames[6].page
    damage: extend by 10 zero bytes
    expect: torn bad-tail, survivors 0-3, end 3248
zeros_after_damage: five_transactions SQW-032 SQW-041
    A bit of an image flips, and zeros follow the last commit. The zeros are a torn tail.
    damage: flip bit 5 of frames[4].page
    damage: extend by 100 zero bytes
    expect: damaged frame-checksum, survivors 0 1 3 4, end none
zeros_after_salts_of_zeros: salts_of_zeros SQW-030 SQW-032
    In a log with salts of zero, zeros follow the last frame.
    damage: extend by 1000 zero bytes
    expect: torn uncommitted, survivors 0 1, end 1104
ten_zeros_after_the_end: five_transactions SQW-032 SQW-033
    Ten zeros follow the last frame.
    damage: extend by 10 zero bytes
    expect: torn uncommitted, survivors 0-4, end 3784
""")


STALE.table("""
garbage_after_the_end: five_transactions SQW-030 valid
    A slot of 0xFF bytes follows the last frame. Its salts differ from those of the log, so the slot
    is framing.
    damage: extend by 536 bytes of ff
    expect: intact, survivors 0-4, end 3784
sixteen_bytes_of_garbage_after_the_end: five_transactions SQW-030 SQW-033 valid
    16 bytes of 0xFF follow the last frame. They are enough to show that the salts differ from those
    of the log.
    damage: extend by 16 bytes of ff
    expect: intact, survivors 0-4, end 3784
""")


@STALE.damaged(one_transaction, "SQW-030", kind="valid")
def older_frames_of_a_crash_in_a_rewrite(log: SqliteLog) -> None:
    """Older frames follow the end of the log. The last two have zero salts, because the older
    generation ended in a crash. All of them are framing."""
    older = bytearray(older_generation(5))
    for slot in (4, 5):
        older[log.at(slot) + 8 : log.at(slot) + 24] = bytes(16)
    log.extend(bytes(older[log.at(2) :]))
    log.expect("intact", survivors=[0], end=568)


@STALE.damaged(one_transaction, "SQW-032", kind="valid")
def piece_with_one_byte_of_a_salt(log: SqliteLog) -> None:
    """A piece of 36 bytes contains only zeros, except for the last byte of salt-2. The piece is
    framing."""
    log.extend(bytes(15) + b"\1" + bytes(20))
    log.expect("intact", survivors=[0], end=568)
