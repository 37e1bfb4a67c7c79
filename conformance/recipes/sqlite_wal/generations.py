"""Frames of an older generation, zeros and other bytes after the end of the log."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    one_transaction_of_two_frames,
    salts_of_zeros,
)
from conformance.recipes.sqlite_wal.log import BOOK, SALTS, SqliteLog, older_generation


@BOOK.damaged(one_transaction_of_two_frames, "stale", "SQW-005", "SQW-030", kind="valid")
def older_frames_after_the_end(log: SqliteLog) -> None:
    """Five frames of an older generation follow the last commit frame of a restarted log."""
    log.shows("stale-tail")
    log.extend(older_generation(7)[log.at(3) :], "five older frames")
    log.expect("intact", survivors=[0], end=1104)


@BOOK.damaged(one_transaction_of_two_frames, "stale", "SQW-030", kind="valid")
def cut_older_frame_at_the_end(log: SqliteLog) -> None:
    """The file ends inside an older frame. Older frames are framing, complete or cut."""
    log.extend(older_generation(7)[log.at(3) :][:-100], "older frames without the last 100 bytes")
    log.expect("intact", survivors=[0], end=1104)


@BOOK.damaged(one_transaction_of_two_frames, "stale", "SQW-030", "SQW-033", kind="valid")
def few_bytes_after_older_frames(log: SqliteLog) -> None:
    """Ten bytes of an older frame follow complete older frames. All of them are framing."""
    older = older_generation(7)
    log.extend(older[log.at(3) : log.at(5) + 10], "two older frames and ten bytes")
    log.expect("intact", survivors=[0], end=1104)


@BOOK.damaged(one_transaction, "stale", "SQW-005", "SQW-030", kind="valid")
def new_header_before_older_frames(log: SqliteLog) -> None:
    """A new header before older frames, without a new frame. The older transactions are already in
    the database.
    """
    log.splice("frames[0]", older_generation(4)[32:], "four older frames")
    log.expect("intact", survivors=[], end=32)


@BOOK.damaged(one_transaction, "stale", "SQW-005", "SQW-030", kind="valid")
def older_frames_that_share_salt_1(log: SqliteLog) -> None:
    """The salts of the older frames differ from those of the log only in salt-2."""
    log.extend(older_generation(3, SALTS[:4] + b"\x33" * 4)[log.at(2) :], "older frames")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-005", "SQW-030", kind="valid")
def older_frames_that_share_salt_2(log: SqliteLog) -> None:
    """The salts of the older frames differ from those of the log only in salt-1."""
    log.extend(older_generation(3, b"\x33" * 4 + SALTS[4:])[log.at(2) :], "older frames")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-030", "SQW-033", kind="valid")
def cut_frame_without_salts_after_older_frames(log: SqliteLog) -> None:
    """A piece with a page number and zero salts follows older frames. The piece is framing."""
    piece = bytes.fromhex("00000005") + bytes(40)
    log.extend(older_generation(3)[log.at(2) :] + piece, "two older frames and 44 bytes")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-030", "SQW-033", kind="valid")
def hundred_zeros_after_the_end(log: SqliteLog) -> None:
    """100 zeros after the last frame, less than one slot."""
    log.extend(bytes(100), "100 zeros")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(one_transaction, "stale", "SQW-033", kind="valid")
def piece_with_zeros_for_its_header(log: SqliteLog) -> None:
    """A piece of a slot with a zeroed header and 50 other bytes is framing."""
    log.extend(bytes(24) + b"x" * 50, "24 zeros and 50 other bytes")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(salts_of_zeros, "stale", "SQW-033", kind="valid")
def piece_with_zeros_under_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, a piece of a slot with a zeroed header and 50 other bytes is
    framing.
    """
    log.extend(bytes(24) + b"x" * 50, "24 zeros and 50 other bytes")
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.damaged(one_transaction, "stale", "SQW-030", kind="valid")
def older_uncommitted_frames(log: SqliteLog) -> None:
    """Older frames without a commit frame follow the end of the log."""
    older = bytearray(older_generation(4))
    for slot in (2, 3, 4):
        older[log.at(slot) + 4 : log.at(slot) + 8] = bytes(4)
    log.extend(bytes(older[log.at(2) :]), "older frames without a commit")
    log.expect("intact", survivors=[0], end=568)


@BOOK.damaged(five_transactions, "stale", "SQW-030", kind="valid")
def zeros_after_the_end(log: SqliteLog) -> None:
    """4,096 zeros after the last frame, as in preallocated space."""
    log.extend(bytes(4096), "4096 zeros")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(salts_of_zeros, "stale", "SQW-005", "SQW-030", kind="valid")
def zeros_after_salts_of_zeros(log: SqliteLog) -> None:
    """In a log with salts of zero, zeros after the last frame are not frames of this generation."""
    log.extend(bytes(1000), "1000 zeros")
    log.expect("intact", survivors=[0, 1], end=1104)


@BOOK.damaged(five_transactions, "stale", "SQW-030", "SQW-033", kind="valid")
def ten_zeros_after_the_end(log: SqliteLog) -> None:
    """Ten zeros after the last frame."""
    log.extend(bytes(10), "10 zeros")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(five_transactions, "stale", "SQW-030", kind="valid")
def garbage_after_the_end(log: SqliteLog) -> None:
    """A slot of 0xFF bytes after the last frame. Its salts differ from those of the log, so the
    slot is framing.
    """
    log.extend(b"\xff" * 536, "536 bytes of 0xFF")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(five_transactions, "stale", "SQW-030", "SQW-033", kind="valid")
def sixteen_bytes_of_garbage_after_the_end(log: SqliteLog) -> None:
    """16 bytes of 0xFF after the last frame, which are enough to show other salts."""
    log.extend(b"\xff" * 16, "16 bytes of 0xFF")
    log.expect("intact", survivors=[0, 1, 2, 3, 4], end=3784)


@BOOK.damaged(one_transaction, "stale", "SQW-030", kind="valid")
def older_frames_of_a_crash_in_a_rewrite(log: SqliteLog) -> None:
    """Older frames follow the end of the log. The last two have zero salts, because the older
    generation ended in a crash. All of them are framing.
    """
    older = bytearray(older_generation(5))
    for slot in (4, 5):
        older[log.at(slot) + 8 : log.at(slot) + 24] = bytes(16)
    log.extend(
        bytes(older[log.at(2) :]), "older frames, the last two with zero salts and checksums"
    )
    log.expect("intact", survivors=[0], end=568)
