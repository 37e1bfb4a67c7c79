"""Frames with unusual links: rings, forks, and checksums of other frames."""

import struct

from conformance.recipes.sqlite_wal.layout import (
    five_transactions,
    one_transaction,
    two_large_transactions,
)
from conformance.recipes.sqlite_wal.log import (
    BOUNDARIES,
    LINKS,
    SqliteLog,
    forge_checksum,
    forge_image,
)
from reference_impl.sqlite_wal.layout import advance, covered, frames


@LINKS.damaged(one_transaction, "SQW-039", "SQW-044")
def two_frames_that_follow_each_other(log: SqliteLog) -> None:
    """The last two frames follow each other in a ring. A reader returns each of them once and
    starts at the lowest offset."""
    assert log.header is not None
    last = log.image(3, "charlie.")
    _, log.state = frames([(3, 3, last)], log.header, (0, 0))
    first = forge_checksum(log.state, 2, 3, log.image(2, "bravo."), log.header.order)
    log.add_frames((2, 3, first), (3, 3, last))
    log.payloads += [first, last]
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@LINKS.damaged(two_large_transactions, "SQW-039", "SQW-040")
def fork_inside_a_committed_transaction(log: SqliteLog) -> None:
    """A commit frame follows slot 1, which is inside a committed transaction. No transaction can
    begin after slot 1."""
    del log.data[log.at(4) :]
    log.state = log.checksum_of(1)
    log.commit((2, "golf."), db_pages=3)
    log.commit((3, "hotel."), db_pages=3)
    log.expect("damaged", "broken-link", survivors=[0, 3], end=None)


def put_checksum(log: SqliteLog, slot: int, state: tuple[int, int]) -> None:
    """Overwrite the checksum in a slot."""
    start = log.at(slot) + 16
    log.data[start : start + 8] = b"".join(half.to_bytes(4, "big") for half in state)


@BOUNDARIES.damaged(two_large_transactions, "SQW-036", "SQW-040")
def checksum_without_the_commit_mark(log: SqliteLog) -> None:
    """A commit frame stores the checksum for a database size of 0. The next frame proves the commit
    mark."""
    assert log.header is not None
    unmarked = covered(log.slot(3))[:4] + bytes(4) + covered(log.slot(3))[8:]
    state = advance(log.checksum_of(2), unmarked, log.header.order)
    put_checksum(log, 3, state)
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@LINKS.damaged(one_transaction, "SQW-036", "SQW-038")
def checksum_of_a_page_zero(log: SqliteLog) -> None:
    """Slot 2 stores the checksum of slot 3, which has page number 0. Slot 4 follows slot 3, so the
    transaction in slot 4 is lost."""
    log.commit((2, "bravo."), db_pages=2)
    log.add_frames((0, 0, log.image(2, "charlie.")))
    log.commit((3, "delta."), db_pages=3)
    put_checksum(log, 2, log.checksum_of(3))
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)


@LINKS.damaged(five_transactions, "SQW-039")
def two_lines_and_a_loss_after_them(log: SqliteLog) -> None:
    """Two transactions follow the end of the chain, and a later transaction follows a lost frame. A
    reader returns them in the order of their offsets."""
    log.state = log.checksum_of(5)
    log.commit((3, "hotel."), db_pages=4)
    log.state = (1, 2)
    log.commit((2, "india."), db_pages=4)
    log.commit((3, "juliett."), db_pages=4)
    log.insert(log.at(5), bytes(536))
    log.expect("damaged", "frame-salt", survivors=[0, 1, 2, 3, 4, 5, 7], end=None)


@LINKS.damaged(one_transaction, "SQW-039")
def branches_after_a_loss(log: SqliteLog) -> None:
    """After a lost transaction, two transactions follow the same one, and a fourth follows the
    first of the two. A reader returns them depth first."""
    log.commit((2, "lost."), db_pages=2)
    log.payloads.pop()
    log.commit((2, "bravo."), db_pages=2)
    fork = log.state
    log.commit((2, "charlie."), db_pages=2)
    branch = log.state
    log.state = fork
    log.commit((2, "delta."), db_pages=2)
    log.state = branch
    log.commit((2, "echo."), db_pages=2)
    log.flip_byte(log.at(2) + 100, 1)
    log.expect("damaged", "frame-checksum", survivors=[0, 1, 2, 4, 3], end=None)


@LINKS.damaged(one_transaction, "SQW-039")
def transaction_before_the_ring_that_it_follows(log: SqliteLog) -> None:
    """Slots 3 and 4 form a ring, and slot 2 follows slot 3. Each of the three transactions follows
    another one, so a reader starts at slot 2, the lowest offset."""
    assert log.header is not None
    last = log.image(3, "charlie.")
    _, ring = frames([(3, 3, last)], log.header, (0, 0))
    first = forge_checksum(ring, 2, 3, log.image(2, "bravo."), log.header.order)
    log.state = (0, 0)
    log.commit((4, "delta."), db_pages=4)
    log.state = ring
    log.add_frames((2, 3, first), (3, 3, last))
    log.payloads += [first, last]
    log.expect("damaged", "broken-link", survivors=[0, 1, 2, 3], end=None)


@LINKS.damaged(one_transaction, "SQW-039")
def transaction_that_follows_itself(log: SqliteLog) -> None:
    """A transaction of two frames follows itself and is a ring. A reader starts at slot 5, which
    follows a lost slot."""
    assert log.header is not None
    order = log.header.order
    first = forge_checksum((1, 2), 2, 0, log.image(2, "bravo."), order)
    last = log.image(3, "charlie.")
    last = forge_image((0, 0), 3, 3, last, (1, 2), order)
    log.state = (1, 2)
    log.add_frames((2, 0, first), (3, 3, last))
    log.payloads.append(first + last)
    _add_after_a_loss(log)
    log.expect("damaged", "broken-link", survivors=[0, 2, 1], end=None)


@LINKS.damaged(one_transaction, "SQW-015", "SQW-039")
def transaction_that_follows_its_own_padding(log: SqliteLog) -> None:
    """A transaction of two frames follows its own broken padding in slot 4, so it follows itself
    and is a ring. A reader starts at slot 6, which follows a lost slot."""
    assert log.header is not None
    order = log.header.order
    last = forge_checksum((5, 7), 3, 3, log.image(3, "charlie."), order)
    padded = advance((0, 0), struct.pack(">2I", 3, 3) + last, order)
    first = forge_image(padded, 2, 0, log.image(2, "bravo."), (5, 7), order)
    log.state = padded
    log.add_frames((2, 0, first), (3, 3, last), (3, 3, last))
    log.payloads.append(first + last)
    log.flip_byte(log.at(4) + 100, 1)
    _add_after_a_loss(log)
    log.expect("damaged", "broken-link", survivors=[0, 2, 1], end=None)


def _add_after_a_loss(log: SqliteLog) -> None:
    """Add a lost slot, and a transaction that follows it."""
    log.state = (3, 4)
    log.commit((2, "lost."), db_pages=2)
    log.payloads.pop()
    log.commit((4, "delta."), db_pages=4)
