"""Frames of an older generation after the end of the log, zeros and other bytes there."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    one_transaction_of_two_frames,
    salts_of_zeros,
)
from conformance.recipes.sqlite_wal.log import BOOK, SALTS, SqliteLog, older_generation


@BOOK.damaged(one_transaction_of_two_frames, "stale", "SQW-005", "SQW-030", kind="valid")
def older_frames_after_the_end(log: SqliteLog) -> None:
    """A log that was begun again: five frames of the older generation follow."""
    log.shows("stale-tail")
    log.extend(older_generation(7)[log.at(3) :], "five older frames")
    log.expect("intact", survivors=[0], end=1104)


@BOOK.damaged(one_transaction_of_two_frames, "stale", "SQW-030", kind="valid")
def cut_older_frame_at_the_end(log: SqliteLog) -> None:
    """The older frames are cut by the end of the file: framing, whole or not."""
    log.extend(older_generation(7)[log.at(3) :][:-100], "older frames without the last 100 bytes")
    log.expect("intact", survivors=[0], end=1104)


@BOOK.damaged(one_transaction_of_two_frames, "stale", "SQW-030", "SQW-033", kind="valid")
def few_bytes_after_older_frames(log: SqliteLog) -> None:
    """Ten bytes of an older frame follow older frames: framing."""
    older = older_generation(7)
    log.extend(older[log.at(3) : log.at(5) + 10], "two older frames and ten bytes")
    log.expect("intact", survivors=[0], end=1104)


@BOOK.damaged(one_transaction, "stale", "SQW-005", "SQW-030", kind="valid")
def new_header_before_older_frames(log: SqliteLog) -> None:
    """A new header was written, and no frame: the older transactions are in the database."""
    log.splice("frames[0]", older_generation(4)[32:], "four older frames")
    log.expect("intact", survivors=[], end=32)


@BOOK.damaged(one_transaction, "stale", "SQW-005", "SQW-030", kind="valid")
def older_frames_that_share_salt_1(log: SqliteLog) -> None:
    """The older frames differ in the second salt only."""
    log.extend(older_generation(3, SALTS[:4] + b"\x33" * 4)[log.at(2) :], "older frames")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-005", "SQW-030", kind="valid")
def older_frames_that_share_salt_2(log: SqliteLog) -> None:
    """The older frames differ in the first salt only."""
    log.extend(older_generation(3, b"\x33" * 4 + SALTS[4:])[log.at(2) :], "older frames")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-030", "SQW-033", kind="valid")
def cut_frame_without_salts_after_older_frames(log: SqliteLog) -> None:
    """Older frames, and a piece with a page number and zero salts: it is older too."""
    piece = bytes.fromhex("00000005") + bytes(40)
    log.extend(older_generation(3)[log.at(2) :] + piece, "two older frames and such a piece")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-030", "SQW-033", kind="valid")
def hundred_zeros_after_the_end(log: SqliteLog) -> None:
    """A hundred zeros after the last frame, less than a slot."""
    log.extend(bytes(100), "100 zeros")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-033", kind="valid")
def piece_with_zeros_for_its_header(log: SqliteLog) -> None:
    """A piece of a slot whose header is zeros and whose image is not."""
    log.extend(bytes(24) + b"x" * 50, "24 zeros and 50 other bytes")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(salts_of_zeros, "stale", "SQW-033", kind="valid")
def piece_with_zeros_under_salts_of_zeros(log: SqliteLog) -> None:
    """The same piece in a log whose salts are zeros."""
    log.extend(bytes(24) + b"x" * 50, "24 zeros and 50 other bytes")
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.damaged(one_transaction, "stale", "SQW-030", kind="valid")
def older_uncommitted_frames(log: SqliteLog) -> None:
    """The older frames have no commit frame."""
    older = bytearray(older_generation(4))
    for slot in (2, 3, 4):
        older[log.at(slot) + 4 : log.at(slot) + 8] = bytes(4)
    log.extend(bytes(older[log.at(2) :]), "older frames without a commit")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(five_transactions, "stale", "SQW-030", kind="valid")
def zeros_after_the_end(log: SqliteLog) -> None:
    """4096 zeros after the last frame, as preallocated space."""
    log.extend(bytes(4096), "4096 zeros")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(salts_of_zeros, "stale", "SQW-005", "SQW-030", kind="valid")
def zeros_after_salts_of_zeros(log: SqliteLog) -> None:
    """Zeros after the last frame of a log whose salts are zeros: not frames of this generation."""
    log.extend(bytes(1000), "1000 zeros")
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.damaged(five_transactions, "stale", "SQW-030", "SQW-033", kind="valid")
def ten_zeros_after_the_end(log: SqliteLog) -> None:
    """Ten zeros after the last frame."""
    log.extend(bytes(10), "10 zeros")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(five_transactions, "stale", "SQW-030", kind="valid")
def garbage_after_the_end(log: SqliteLog) -> None:
    """A slot of bytes ff after the last frame: its salts are others."""
    log.extend(b"\xff" * 536, "536 bytes ff")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(five_transactions, "stale", "SQW-030", "SQW-033", kind="valid")
def sixteen_bytes_of_garbage_after_the_end(log: SqliteLog) -> None:
    """Sixteen bytes ff after the last frame: enough to show other salts."""
    log.extend(b"\xff" * 16, "16 bytes ff")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(one_transaction, "stale", "SQW-030", kind="valid")
def older_frames_of_a_crash_in_a_rewrite(log: SqliteLog) -> None:
    """Older frames, then frames with zero salts: the older generation ended in a crash."""
    older = bytearray(older_generation(5))
    for slot in (4, 5):
        older[log.at(slot) + 8 : log.at(slot) + 24] = bytes(16)
    log.extend(bytes(older[log.at(2) :]), "older frames, the last two without salts")
    log.expect("intact", survivors=[0], end=568)
