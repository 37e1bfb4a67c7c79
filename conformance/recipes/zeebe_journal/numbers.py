"""Indexes and asqns that do not follow one another."""

from conformance.recipes.zeebe_journal.layout import one_segment, three_segments
from conformance.recipes.zeebe_journal.log import BOOK, ZeebeLog, flushed_below_and_at
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

INVALID = "Zeebe fails to open with JournalException.InvalidIndex, whatever is flushed."


def _renumber(log: ZeebeLog, record: str, index: int) -> None:
    log.set(f"{record}.data.index", index)
    log.reseal(record)


@flushed_below_and_at(one_segment, "index", "ZBJ-023", "ZBJ-031", "ZBJ-036", below=2, at=4)
def index_gap(log: ZeebeLog) -> None:
    """The third record has index 4, under a right checksum."""
    _renumber(log, "records[2]", 4)
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-031", "ZBJ-033", "ZBJ-036")
def index_repeated(log: ZeebeLog) -> None:
    """The third record has index 2 once more."""
    _renumber(log, "records[2]", 2)
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-031")
def index_restarted(log: ZeebeLog) -> None:
    """The third record has index 1."""
    _renumber(log, "records[2]", 1)
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-023", "ZBJ-031")
def index_unlike_the_descriptor(log: ZeebeLog) -> None:
    """The first record has another index than the descriptor says."""
    _renumber(log, "records[0]", 2)
    log.expect("damaged", "index-mismatch", survivors=[], end=None)
    log.note(INVALID)


@BOOK.damaged(one_segment, "index", "ZBJ-031")
def index_negative(log: ZeebeLog) -> None:
    """The last record has an index of 2^64 - 1."""
    log.fill("records[3].data.index", 0xFF)
    log.reseal("records[3]")
    log.expect("damaged", "index-mismatch", survivors=[0, 1, 2], end=None)


@BOOK.damaged(one_segment, "index", "ZBJ-031", "ZBJ-033")
def record_dropped(log: ZeebeLog) -> None:
    """The second record is gone and the others moved up: index 3 stands where 2 must."""
    log.shows("missing-in-the-middle")
    log.drop("records[1]")
    log.expect("damaged", "index-mismatch", survivors=[0], end=None)


@BOOK.damaged(one_segment, "index", "ZBJ-031")
def record_twice(log: ZeebeLog) -> None:
    """The second record is there twice."""
    log.shows("unit-twice")
    log.duplicate("records[1]")
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)


@flushed_below_and_at(one_segment, "asqn", "ZBJ-024", "ZBJ-032", "ZBJ-036", below=2, at=4)
def asqn_decreases(log: ZeebeLog) -> None:
    """The third record has asqn 0 after 1: it alone is lost."""
    log.zero("records[2].data.asqn")
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 3], end=422)
    log.note("Zeebe checks the order of asqns where they are appended, not where they are read.")


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032")
def asqn_repeated(log: ZeebeLog) -> None:
    """The last record has the asqn of the one before."""
    log.set("records[3].data.asqn", 2)
    log.reseal("records[3]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 2], end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032")
def asqn_below_minus_one(log: ZeebeLog) -> None:
    """An asqn of -2 is neither a number nor the absence of one."""
    log.set("records[2].data.asqn", (1 << 64) - 2)
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 3], end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032")
def first_asqn_below_minus_one(log: ZeebeLog) -> None:
    """An asqn of -2 in the first record: an asqn is never below -1, whatever was before it."""
    log.set("records[0].data.asqn", (1 << 64) - 2)
    log.reseal("records[0]")
    log.expect("damaged", "asqn-order", survivors=[1, 2, 3], end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", "ZBJ-032", "ZBJ-044")
def lost_asqn_is_not_remembered(log: ZeebeLog) -> None:
    """Asqns 1, 0 and 1: the last is compared with the first 1, not with the lost 0."""
    log.zero("records[2].data.asqn")
    log.reseal("records[2]")
    log.set("records[3].data.asqn", 1)
    log.reseal("records[3]")
    log.expect("damaged", "asqn-order", survivors=[0, 1], end=422)


@BOOK.damaged(one_segment, "index", "ZBJ-023", kind="limit")
def index_at_its_largest(log: ZeebeLog) -> None:
    """Indexes 2^63 - 2 and 2^63 - 1, then 2^63 - 1 once more: nothing comes after the largest."""
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
    """An asqn of -1 says that there is none: the order of the others is not touched."""
    log.fill("records[2].data.asqn", 0xFF)
    log.reseal("records[2]")
    log.expect("intact", survivors=range(4), end=422)


@BOOK.damaged(one_segment, "asqn", "ZBJ-024", kind="limit")
def asqn_leaps(log: ZeebeLog) -> None:
    """Asqns need not be contiguous: 1, then 1000, then 2^63 - 1."""
    log.set("records[2].data.asqn", 1000)
    log.reseal("records[2]")
    log.set("records[3].data.asqn", 2**63 - 1)
    log.reseal("records[3]")
    log.expect("intact", survivors=range(4), end=422)


@BOOK.damaged(three_segments, "asqn", "ZBJ-024", "ZBJ-032")
def asqn_decreases_in_the_next_segment(log: ZeebeLog) -> None:
    """The order of asqns goes on from segment to segment."""
    log.set("journal-2.log:records[0].data.asqn", 1)
    log.reseal("journal-2.log:records[0]")
    log.expect("damaged", "asqn-order", survivors=[0, 1, 3, 4, 5], end=254)


@BOOK.valid("index", "ZBJ-023", "ZBJ-035", kind="limit")
def indexes_below_one(log: ZeebeLog) -> None:
    """The log begins with index -1 and goes on to 2: indexes have a sign."""
    packed = b"".join(pack_record(n, -1, b"%d" % n) for n in range(-1, 3))
    log.data = bytearray((pack_descriptor(1, -1, 512) + packed).ljust(512, b"\0"))
    log.payloads = [b"-1", b"0", b"1", b"2"]
    log.flushed(2)
    log.expect("intact", survivors=range(4))
