"""Indexes and asqns that are out of order or at their limits."""

from conformance.recipes.zeebe_journal.layout import one_segment
from conformance.recipes.zeebe_journal.log import ASQN, INDEX, ZeebeLog, flushed_below_and_at
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record

INVALID = "Zeebe fails to open the log with JournalException.InvalidIndex, for any flushed index."


def _renumber(log: ZeebeLog, record: str, index: int) -> None:
    log.set(f"{record}.data.index", index)
    log.reseal(record)


@flushed_below_and_at(one_segment, INDEX, "ZBJ-023", "ZBJ-025", "ZBJ-031", below=2, at=4)
def index_gap(log: ZeebeLog) -> None:
    """The third record has the index 4 instead of 3, and its checksum is valid."""
    _renumber(log, "records[2]", 4)
    survivors = [0, 1] if log.context["last_flushed_index"] == 2 else [0, 1, 3]
    log.expect("damaged", "index-mismatch", survivors, end=None)
    log.note(INVALID)


INDEX.table("""
index_repeated: one_segment ZBJ-031 ZBJ-022 ZBJ-035
    The third record has the index 2, the same index as the second record.
    renumber: records[2], 2
    expect: damaged index-mismatch, survivors 0 1, end none
    note: Zeebe fails to open the log with JournalException.InvalidIndex, for any flushed index.
index_restarted: one_segment ZBJ-031
    The third record has the index 1 instead of 3.
    renumber: records[2], 1
    expect: damaged index-mismatch, survivors 0 1, end none
    note: Zeebe fails to open the log with JournalException.InvalidIndex, for any flushed index.
index_unlike_the_descriptor: one_segment ZBJ-023 ZBJ-031
    The first record has the index 2, but the descriptor has the index 1.
    renumber: records[0], 2
    expect: damaged index-mismatch, no survivors, end none
    note: Zeebe fails to open the log with JournalException.InvalidIndex, for any flushed index.
index_negative: one_segment ZBJ-031
    The last record has the index 2^64 - 1, which a reader reads as -1.
    damage: fill records[3].data.index with ff
    damage: reseal records[3]
    expect: damaged index-mismatch, survivors 0-2, end none
record_dropped: one_segment ZBJ-031 ZBJ-022
    The second record is missing, and the later records moved forward. Index 3 follows index 1.
    shows: missing-in-the-middle
    damage: drop records[1]
    expect: damaged index-mismatch, survivors 0, end none
record_twice: one_segment ZBJ-031
    The second record appears twice.
    shows: unit-twice
    damage: duplicate records[1]
    expect: damaged index-mismatch, survivors 0 1, end none
""")


@flushed_below_and_at(one_segment, ASQN, "ZBJ-024", "ZBJ-032", below=2, at=4)
def asqn_decreases(log: ZeebeLog) -> None:
    """The asqns of the second and the third record are 1 and 0. No record is lost."""
    log.zero("records[2].data.asqn")
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=range(4), end=422)
    log.note("Zeebe checks the order of asqns when it appends records, but not when it reads them.")


@ASQN.damaged(one_segment, "ZBJ-024", "ZBJ-032")
def asqn_below_minus_one(log: ZeebeLog) -> None:
    """The third record has an asqn of -2. Only -1 means that a record has no asqn."""
    log.set("records[2].data.asqn", (1 << 64) - 2)
    log.reseal("records[2]")
    log.expect("damaged", "asqn-order", survivors=range(4), end=422)


@ASQN.damaged(one_segment, "ZBJ-024", "ZBJ-032")
def first_asqn_below_minus_one(log: ZeebeLog) -> None:
    """The first record has an asqn of -2, which is invalid even before any other asqn."""
    log.set("records[0].data.asqn", (1 << 64) - 2)
    log.reseal("records[0]")
    log.expect("damaged", "asqn-order", survivors=range(4), end=422)


@ASQN.damaged(one_segment, "ZBJ-024", "ZBJ-032", "ZBJ-044")
def asqn_repeated_after_a_lower_one(log: ZeebeLog) -> None:
    """The asqns are 1, 0 and 1. A reader compares each asqn with the greatest asqn before it, so
    the last two asqns are faults."""
    log.zero("records[2].data.asqn")
    log.reseal("records[2]")
    log.set("records[3].data.asqn", 1)
    log.reseal("records[3]")
    log.expect("damaged", "asqn-order", survivors=range(4), end=422)


@INDEX.damaged(one_segment, "ZBJ-023", kind="limit")
def index_at_its_largest(log: ZeebeLog) -> None:
    """The indexes are 2^63 - 2, 2^63 - 1 and again 2^63 - 1. No index can follow the largest
    index."""
    last = 2**63 - 1
    packed = b"".join(
        pack_record(index, -1, payload)
        for index, payload in zip((last - 1, last, last), log.payloads, strict=False)
    )
    log.data[:] = (pack_descriptor(1, last - 1, 512) + packed).ljust(512, b"\0")
    log.expect("damaged", "index-mismatch", survivors=[0, 1], end=None)


@ASQN.damaged(one_segment, "ZBJ-024", kind="limit")
def asqn_leaps(log: ZeebeLog) -> None:
    """The asqns are 1, 1000 and 2^63 - 1. Asqns need not be consecutive."""
    log.set("records[2].data.asqn", 1000)
    log.reseal("records[2]")
    log.set("records[3].data.asqn", 2**63 - 1)
    log.reseal("records[3]")
    log.expect("intact", survivors=range(4), end=422)


ASQN.table("""
asqn_repeated: one_segment ZBJ-024 ZBJ-032
    The last record has the same asqn as the record before it.
    damage: set records[3].data.asqn to 2
    damage: reseal records[3]
    expect: damaged asqn-order, survivors 0-3, end 422
asqn_absent_in_between: one_segment ZBJ-024 limit
    The third record has no asqn (-1). The other asqns are in order.
    damage: fill records[2].data.asqn with ff
    damage: reseal records[2]
    expect: intact, survivors 0-3, end 422
asqn_decreases_in_the_next_segment: three_segments ZBJ-024 ZBJ-032
    The first record of the second segment repeats the asqn 1. The order of asqns applies across
    segments.
    damage: set journal-2.log:records[0].data.asqn to 1
    damage: reseal journal-2.log:records[0]
    expect: damaged asqn-order, survivors 0-5, end 254
""")


@INDEX.valid("ZBJ-023", "ZBJ-035", kind="limit")
def indexes_below_one(log: ZeebeLog) -> None:
    """A log with the indexes -1 to 2. Indexes are signed."""
    packed = b"".join(pack_record(n, -1, b"%d" % n) for n in range(-1, 3))
    log.data = bytearray((pack_descriptor(1, -1, 512) + packed).ljust(512, b"\0"))
    log.payloads = [b"-1", b"0", b"1", b"2"]
    log.flushed(2)
    log.expect("intact", survivors=range(4))
