"""Terms that decrease: which of two entries is wrong, and where terms are not compared."""

from conformance.recipes.zmq_raft.directories import three_files
from conformance.recipes.zmq_raft.log import (
    DIRECTORY,
    EIGHT,
    ENTRIES_GROUP,
    FOUR,
    SIX,
    ZmqRaftLog,
    entry,
)

ALL = list(range(10))

#: Each row has the terms of consecutive entries, and then the terms of the surviving entries.
RUNS = """
1 9 1 1         1 - 1 1
9 1 1           - 1 1
1 9 1           1 - -
9 1             - -
5 5 3 5         5 5 - 5
5 5 3 6         5 5 - 6
5 5 3           5 - -
5 5 3 3         5 - - 3
5 5 3 4         5 - - 4
1 5 3 6         1 - - 6
1 5 3 5         1 - - 5
1 5 3 4         1 - 3 4
3 5 3 4         3 - 3 4
3 5 2 4         3 - - 4
9 5 3 3         - - 3 3
1 9 5 1 1       1 - - 1 1
5 5 4 3 6 4 6   5 - - - 6 - 6
5 5 4 4 6 4 4   5 - - 4 - 4 4
5 5 4 4 6 5 7   5 - - 4 - - 7
5 6 4 6 5 6     5 6 - 6 - 6
"""


@ENTRIES_GROUP.valid("ZMR-050")
def many_runs_of_entries(log: ZmqRaftLog) -> None:
    """An index file with many entries of term 1."""
    terms = [term for line in _runs() for term in line]
    log.index_file(*(entry(b"%d" % n) for n in range(len(terms))), capacity=128)
    log.expect("intact", survivors=list(range(len(terms))))


def _runs() -> list[list[str]]:
    """Return the terms of each run. Each run ends with an invalid term, 0."""
    lines = [line.split() for line in RUNS.strip().splitlines()]
    return [[*line[: len(line) // 2], "0"] for line in lines]


@ENTRIES_GROUP.damaged(many_runs_of_entries, "ZMR-050")
def table_of_decreasing_terms(log: ZmqRaftLog) -> None:
    """Runs of entries have decreasing terms, and an invalid term ends each run. Of two entries
    whose terms decrease, only one is lost if only that one can be wrong."""
    number, survivors = 0, []
    for line in RUNS.strip().splitlines():
        words = line.split()
        half = len(words) // 2
        for term, left in zip(words[:half], words[half:], strict=True):
            log.set(f"data.entries[{number}].header.term", int(term))
            if left != "-":
                survivors.append(number)
            number += 1
        log.zero(f"data.entries[{number}].header.term")
        number += 1
    log.expect("damaged", "decreasing-term", survivors=survivors)


def _after_snapshot(log: ZmqRaftLog, snapshot: int, *terms: int) -> None:
    """Set the term of the snapshot, and the terms of the three entries after it."""
    log.set("snap:header.term", snapshot)
    places = (f"{SIX}:data.entries[0]", f"{SIX}:data.entries[1]", f"{EIGHT}:data.entries[0]")
    for place, term in zip(places, terms, strict=True):
        log.set(f"{place}.header.term", term)


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-096")
def snapshot_before_overlapping_files(log: ZmqRaftLog) -> None:
    """The snapshot at index 8 has term 5. A later file claims entry 9 and has a lower term. The
    lost entries 9 and 10 lie between the snapshot and this file, so a reader does not compare their
    terms."""
    log.put_snapshot(b"state at 8", 8, 5)
    log.add_index_file(9, b"nine", b"ten")
    log.expect("damaged", "overlapping-files", survivors=[b"state at 8", b"nine", b"ten"])


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-091")
def snapshot_before_a_lost_file(log: ZmqRaftLog) -> None:
    """The snapshot at index 7 has term 5. A lost file lies between the snapshot and entry 8 with
    term 1, so a reader does not compare their terms."""
    log.put_snapshot(b"state at 7", 7, 5)
    log.set(f"{FOUR}:header.version", 0)
    log.expect("damaged", "unsupported-version", survivors=[b"state at 7", 7, 8, 9])


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-092")
def term_of_a_covered_entry(log: ZmqRaftLog) -> None:
    """The snapshot covers entry 5, which has term 9. A reader does not compare this term with that
    of entry 6."""
    log.put_snapshot(b"state at 5", 5)
    log.set(f"{FOUR}:data.entries[1].header.term", 9)
    log.expect("intact", survivors=[b"state at 5", 5, 6, 7, 8, 9])


@DIRECTORY.damaged(three_files, "ZMR-050", "ZMR-096")
def terms_across_overlapping_files(log: ZmqRaftLog) -> None:
    """Entry 5 has term 9, and a later file claims entry 6 with term 1. The lost entries 6 and 7 lie
    between these two entries, so a reader does not compare their terms."""
    log.set(f"{FOUR}:data.entries[1].header.term", 9)
    log.remove_file(EIGHT)
    log.add_index_file(6, b"six", b"seven")
    log.expect("damaged", "overlapping-files", survivors=[*ALL[:5], b"six", b"seven"])


@DIRECTORY.damaged(three_files, "ZMR-094")
def next_index_after_a_misplaced_copy(log: ZmqRaftLog) -> None:
    """A misplaced copy of the second index file and an empty file that begins with index 7 follow
    the second file. The next index is still 8, so no entries are missing."""
    log.add_file("log/00000/00/01/00000000000004.rlog", bytes(log.files[FOUR]))
    log.add_index_file(7)
    log.expect("damaged", "misplaced-file", survivors=ALL, end=186)


DIRECTORY.table("""
second_term_below_the_snapshots: snapshot_in_front ZMR-050
    The snapshot has term 4, and the entries have terms 5, 3 and 5. The second entry is lost,
    because only its term can be wrong.
    after_snapshot: 4, 5, 3, 5
    expect: damaged decreasing-term, survivors 0 1 3
second_term_above_the_snapshots: snapshot_in_front ZMR-050
    The snapshot has term 3, and the entries have terms 5, 3 and 5. Either of the first two entries
    can be wrong, and both are lost.
    after_snapshot: 3, 5, 3, 5
    expect: damaged decreasing-term, survivors 0 3
two_terms_below_the_snapshots: snapshot_in_front ZMR-050
    The snapshot has term 3, and the entries have terms 2, 1 and 1. The first entry is lost because
    of the snapshot. A reader still compares it with the second entry, which is lost as well.
    after_snapshot: 3, 2, 1, 1
    expect: damaged decreasing-term, survivors 0 3
one_wrong_term_in_a_directory: three_files ZMR-050 ZMR-102
    The last entry of the second file has term 9. A strict reader stops at this entry.
    damage: set log/00000/00/00/00000000000004.rlog:data.entries[3].header.term to 9
    expect: damaged decreasing-term, survivors 0-5 7-9, end 186
damage_before_an_empty_file_of_no_bytes: three_files ZMR-102
    An entry has an invalid term, and a later index file has 0 bytes. Under the strict profile, this
    file is lost as well.
    damage: zero log/00000/00/00/00000000000001.rlog:data.entries[1].header.term
    damage: add log/00000/00/00/0000000000000c.rlog: nothing
    expect: damaged bad-term, survivors 0 2-9
""")
