"""Frames with unusual links: rings, forks, and checksums of other frames."""

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, forge_checksum
from conformance.recipes.variation import Kept
from reference_impl.sqlite_wal.layout import advance, covered, frames


@BOOK.damaged(one_transaction, "links", "SQW-039", "SQW-044")
def two_frames_that_follow_each_other(log: SqliteLog) -> None:
    """The last two frames follow each other in a ring. A reader returns each of them once and
    starts at the lowest offset.
    """
    assert log.header is not None
    last = log.image(3, "charlie.")
    _, log.state = frames([(3, 3, last)], log.header, (0, 0))
    first = Kept(forge_checksum(log.state, 2, 3, log.image(2, "bravo."), log.header.order))
    log.add_frames((2, 3, first), (3, 3, last))
    log.did("add two frames, each of which follows the other")
    log.payloads += [first, last]
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-039", "SQW-040")
def fork_inside_a_committed_transaction(log: SqliteLog) -> None:
    """A commit frame follows slot 1, which is inside a committed transaction. No transaction can
    begin after slot 1.
    """
    del log.data[log.at(4) :]
    log.state = log.checksum_of(1)
    log.commit((2, "golf."), db_pages=3)
    log.commit((3, "hotel."), db_pages=3)
    log.did("replace slots 4 to 6 with two transactions, the first of which follows slot 1")
    log.expect("damaged", "broken-link", survivors=[0, 3], end=None)


def put_checksum(log: SqliteLog, slot: int, state: tuple[int, int], what: str) -> None:
    """Overwrite the checksum in a slot."""
    start = log.at(slot) + 16
    log.data[start : start + 8] = b"".join(half.to_bytes(4, "big") for half in state)
    log.did(f"put {what} into slot {slot}")


@BOOK.damaged(two_large_transactions, "boundaries", "SQW-036", "SQW-040")
def checksum_without_the_commit_mark(log: SqliteLog) -> None:
    """A commit frame stores the checksum for a database size of 0. The next frame proves the commit
    mark.
    """
    assert log.header is not None
    unmarked = covered(log.slot(3))[:4] + bytes(4) + covered(log.slot(3))[8:]
    state = advance(log.checksum_of(2), unmarked, log.header.order)
    put_checksum(log, 3, state, "the checksum for a size of 0")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(one_transaction, "links", "SQW-036", "SQW-038")
def checksum_of_a_page_zero(log: SqliteLog) -> None:
    """Slot 2 stores the checksum of slot 3, which has page number 0. Slot 4 follows slot 3, so the
    transaction in slot 4 is lost.
    """
    log.commit((2, "bravo."), db_pages=2)
    log.add_frames((0, 0, log.image(2, "charlie.")))
    log.commit((3, "delta."), db_pages=3)
    log.did("add two transactions, and a frame with page number 0 between them")
    put_checksum(log, 2, log.checksum_of(3), "the checksum of slot 3")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@BOOK.damaged(five_transactions, "links", "SQW-039")
def two_lines_and_a_loss_after_them(log: SqliteLog) -> None:
    """Two transactions follow the end of the chain, and a later transaction follows a lost frame. A
    reader returns them in the order of their offsets.
    """
    log.state = log.checksum_of(5)
    log.commit((3, "hotel."), db_pages=4)
    log.did("add a transaction that follows slot 5")
    log.state = (1, 2)
    log.commit((2, "india."), db_pages=4)
    log.commit((3, "juliett."), db_pages=4)
    log.did("add two transactions, the first of which follows no slot")
    log.insert(log.at(5), bytes(536), "a slot of zeros")
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 3, 4, 5, 7], end=None)
