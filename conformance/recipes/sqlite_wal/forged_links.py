"""Frames that follow in unusual ways: rings, forks, checksums of other frames."""

from conformance.recipes.sqlite_wal.layout import one_transaction, two_large_transactions
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog, forge_checksum
from conformance.recipes.variation import Kept
from reference_impl.sqlite_wal.layout import advance, covered, frames


@BOOK.damaged(one_transaction, "links", "SQW-039", "SQW-044")
def two_frames_that_follow_each_other(log: SqliteLog) -> None:
    """The last two frames follow each other, in a ring: returned once, from the lowest offset."""
    assert log.header is not None
    last = log.image(3, "charlie.")
    _, log.state = frames([(3, 3, last)], log.header, (0, 0))
    first = Kept(forge_checksum(log.state, 2, 3, log.image(2, "bravo."), log.header.order))
    log.add_frames((2, 3, first), (3, 3, last))
    log.did("add two frames, the first with the value after the second")
    log.payloads += [first, last]
    log.expect("damaged", "broken-link", survivors=[0, 1, 2], end=None)


@BOOK.damaged(two_large_transactions, "links", "SQW-039", "SQW-040")
def fork_inside_a_committed_transaction(log: SqliteLog) -> None:
    """A commit frame follows slot 1, inside a committed transaction: nothing begins there."""
    del log.data[log.at(4) :]
    log.state = log.checksum_of(1)
    log.commit((2, "golf."), db_pages=3)
    log.commit((3, "hotel."), db_pages=3)
    log.did("replace the second transaction by two that go on after slot 1")
    log.expect("damaged", "broken-link", survivors=[0, 3], end=None)


def put_checksum(log: SqliteLog, slot: int, state: tuple[int, int], what: str) -> None:
    """Put a checksum into a slot."""
    start = log.at(slot) + 16
    log.data[start : start + 8] = b"".join(half.to_bytes(4, "big") for half in state)
    log.did(f"put {what} into slot {slot}")


@BOOK.damaged(two_large_transactions, "boundaries", "SQW-036", "SQW-040")
def checksum_without_the_commit_mark(log: SqliteLog) -> None:
    """A commit frame stores the checksum for a size of 0: the next frame proves its mark."""
    assert log.header is not None
    unmarked = covered(log.slot(3))[:4] + bytes(4) + covered(log.slot(3))[8:]
    state = advance(log.checksum_of(2), unmarked, log.header.order)
    put_checksum(log, 3, state, "the checksum for a size of 0")
    log.expect("damaged", "frame-checksum", survivors=[0, 1], end=None)
