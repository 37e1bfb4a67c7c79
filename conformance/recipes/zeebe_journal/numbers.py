"""Indexes and asqns that are out of order or at their limits."""

from conformance.recipes.zeebe_journal.layout import one_segment, three_segments
from conformance.recipes.zeebe_journal.log import BOOK, ZeebeLog, flushed_below_and_at
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

INVALID = "Zeebe fails to open the log with JournalException.InvalidIndex, for any flushed index."


def _renumber(log: ZeebeLog, record: str, index: int) -> None:
    log.set(f"{record}.data.index", index)
    log.reseal(record)


@flushed_below_and_at(one_segment, "index", "ZBJ-023", "ZBJ-031", "ZBJ-036", below=2, at=4)
def index_gap(log: ZeebeLog) -> None:
    """The third record has the index 4 instead of 3, and its checksum is valid."""
    _renumber(log, "records[2]", 4)
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-031", "ZBJ-033", "ZBJ-036")
def index_repeated(log: ZeebeLog) -> None:
    """The third record has the index 2, the same index as the second record."""
    _renumber(log, "records[2]", 2)
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-031")
def index_restarted(log: ZeebeLog) -> None:
    """The third record has the index 1 instead of 3."""
    _renumber(log, "records[2]", 1)
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-023", "ZBJ-031")
def index_unlike_the_descriptor(log: ZeebeLog) -> None:
    """The first record has the index 2, but the descriptor has the index 1."""
    _renumber(log, "records[0]", 2)
    log.expect("damaged", "index-mismatch", survivors=[], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-031")
def index_negative(log: ZeebeLog) -> None:
    """The last record has the index 2^64 - 1, which a reader reads as -1."""
    log.fill("records[3].data.index", 0xFF)
    log.reseal("records[3]")
    log.expect("damaged", "index-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(one_segment, "index", "ZBJ-031", "ZBJ-033")
def record_dropped(log: ZeebeLog) -> None:
    """The second record is missing, and the later records moved forward. Index 3
    follows index 1.
    """
    log.shows("missing-in-the-middle")
    log.drop("records[1]")
    log.expect("damaged", "index-mismatch", survivors=[0], end=None)


@BOOK.damaged(one_segment, "index", "ZBJ-031")
def record_twice(log: ZeebeLog) -> None:
    """The second record appears twice."""
    log.shows("unit-twice")
    log.duplicate("records[1]")
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)


@flushed_below_and_at(one_segment, "asqn", "ZBJ-024", "ZBJ-032", "ZBJ-036", below=2, at=4)
def asqn_decreases(log: ZeebeLog) -> None:
    """The asqns of the second and the third record are 1 and 0. Only the third record is lost."""
    log.zero("records[2].data.asqn")
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 3], end=422)
    log.note("Zeebe checks the order of asqns when it appends records, but not when it reads them.")


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032")
def asqn_repeated(log: ZeebeLog) -> None:
    """The last record has the same asqn as the record before it."""
    log.set("records[3].data.asqn", 2)
    log.reseal("records[3]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 2], end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032")
def asqn_below_minus_one(log: ZeebeLog) -> None:
    """The third record has an asqn of -2. Only -1 means that a record has no asqn."""
    log.set("records[2].data.asqn", (1 << 64) - 2)
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 3], end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032")
def first_asqn_below_minus_one(log: ZeebeLog) -> None:
    """The first record has an asqn of -2, which is invalid even before any other asqn."""
    log.set("records[0].data.asqn", (1 << 64) - 2)
    log.reseal("records[0]")
    log.expect("damaged", "asqn-order", survivors=[1, 2, 3], end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032", "ZBJ-044")
def lost_asqn_is_not_remembered(log: ZeebeLog) -> None:
    """The asqns are 1, 0 and 1. The record with asqn 0 is lost, so a reader compares the second
    asqn 1 with the first asqn 1.
    """
    log.zero("records[2].data.asqn")
    log.reseal("records[2]")
    log.set("records[3].data.asqn", 1)
    log.reseal("records[3]")
    log.expect("damaged", "asqn-order", survivors=[0, 1], end=422)


@BOOK.damaged(one_segment, "index", "ZBJ-023", kind="limit")
def index_at_its_largest(log: ZeebeLog) -> None:
    """The indexes are 2^63 - 2, 2^63 - 1 and again 2^63 - 1. No index can follow the
    largest index.
    """
    last = 2**63 - 1
    packed = b"".join(
        pack_record(index, -1, payload)
        for index, payload in zip((last - 1, last, last), log.payloads, strict=False)
    )
    log.data[:] = (pack_descriptor(1, last - 1, 512) + packed).ljust(512, b"\0")
    log.did("records with the indexes 2^63 - 2, 2^63 - 1 and 2^63 - 1")
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", kind="limit")
def asqn_absent_in_between(log: ZeebeLog) -> None:
    """The third record has no asqn (-1). The other asqns are in order."""
    log.fill("records[2].data.asqn", 0xFF)
    log.reseal("records[2]")
    log.expect("intact", survivors=range(4), end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", kind="limit")
def asqn_leaps(log: ZeebeLog) -> None:
    """The asqns are 1, 1000 and 2^63 - 1. Asqns need not be consecutive."""
    log.set("records[2].data.asqn", 1000)
    log.reseal("records[2]")
    log.set("records[3].data.asqn", 2**63 - 1)
    log.reseal("records[3]")
    log.expect("intact", survivors=range(4), end=422)


@BOOK.damaged(three_segments, "asqn", "ZBJ-024", "ZBJ-032")
def asqn_decreases_in_the_next_segment(log: ZeebeLog) -> None:
    """The first record of the second segment repeats the asqn 1. The order of asqns applies across
    segments.
    """
    log.set("journal-2.log:records[0].data.asqn", 1)
    log.reseal("journal-2.log:records[0]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 3, 4, 5], end=254)


@BOOK.valid("index", "ZBJ-023", "ZBJ-035", kind="limit")
def indexes_below_one(log: ZeebeLog) -> None:
    """A log with the indexes -1 to 2. Indexes are signed."""
    packed = b"".join(pack_record(n, -1, b"%d" % n) for n in range(-1, 3))
    log.data = bytearray((pack_descriptor(1, -1, 512) + packed).ljust(512, b"\0"))
    log.payloads = [b"-1", b"0", b"1", b"2"]
    log.flushed(2)
    log.expect("intact", survivors=range(4))
