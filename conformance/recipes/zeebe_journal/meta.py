"""The `.meta` file, and the choice between several journals in a folder."""

from conformance.recipes.zeebe_journal.layout import three_segments
from conformance.recipes.zeebe_journal.log import (
    ALPHA,
    BRAVO,
    INITIAL,
    LIMITS,
    META_GROUP,
    NAMES,
    ZeebeLog,
    segment,
)
from conformance.recipes.zeebe_journal.writing import flushed_index_from_the_meta_file
from reference_impl.zeebe_journal.meta import Meta, write_meta

META = "journal.meta"
LAST = "journal-3.log:records[1].metadata.checksum"


def _promise_nothing(log: ZeebeLog) -> None:
    """Expect no flushed index, so that the corrupt last record is an unfinished write."""
    log.flip(LAST, 0)
    log.expect("torn", "checksum-mismatch", survivors=range(5), end=156)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_of_version_4(log: ZeebeLog) -> None:
    """A `.meta` file of version 4 has the flushed index 6 and the commit index 2. A reader uses the
    flushed index."""
    log.files[META] = bytearray(write_meta(Meta(1, 6, 2, b"0"), version=4))
    log.flip(LAST, 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="corrupt")
def meta_file_of_another_version(log: ZeebeLog) -> None:
    """The first byte of the `.meta` file is 2, so no flushed index is known."""
    log.files[META][0] = 2
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="corrupt")
def meta_file_of_another_template(log: ZeebeLog) -> None:
    """The message in the `.meta` file has the template of a Configuration, so no flushed index is
    known."""
    log.files[META][3] = 5
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="corrupt")
def meta_file_of_another_schema(log: ZeebeLog) -> None:
    """The message in the `.meta` file has the schema of the journal, so no flushed index is
    known."""
    log.files[META][5] = 7
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="corrupt")
def meta_file_with_a_short_block(log: ZeebeLog) -> None:
    """The message in the `.meta` file has a block of 15 bytes, too short for the flushed index, so
    no flushed index is known."""
    log.files[META][1] = 15
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_with_newer_fields(log: ZeebeLog) -> None:
    """The message in the `.meta` file has version 99 and eight bytes of newer fields. A reader
    skips the newer fields."""
    known = write_meta(Meta(1, 6, 6, b"0"), version=4)
    newer = b"\1\x20\0\6\0\x08\0\x63\0" + known[9:33] + bytes(8) + known[33:248]
    log.files[META] = bytearray(newer)
    log.flip(LAST, 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="corrupt")
def meta_file_whose_vote_does_not_fit(log: ZeebeLog) -> None:
    """The vote ends one byte after the end of the `.meta` file, so no flushed index is known."""
    log.files[META][25:29] = (256 - 29 + 1).to_bytes(4, "little")
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_whose_vote_just_fits(log: ZeebeLog) -> None:
    """The vote ends at the end of the `.meta` file, so the flushed index is valid."""
    log.files[META][25:29] = (256 - 29).to_bytes(4, "little")
    log.flip(LAST, 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="corrupt")
def meta_file_with_a_short_block_and_no_vote(log: ZeebeLog) -> None:
    """The message in the `.meta` file has a block of 15 bytes, followed by an empty vote, so no
    flushed index is known."""
    log.files[META][1] = 15
    log.files[META][25:] = bytes(256 - 25)
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", "ZBJ-041", kind="limit")
def meta_file_with_a_high_byte(log: ZeebeLog) -> None:
    """The flushed index in the `.meta` file is 2^56 + 6, far above the last index. Records are
    missing."""
    log.files[META][24] = 1
    log.expect("damaged", "missing-records", survivors=range(6), end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_with_a_block_of_two_bytes_length(log: ZeebeLog) -> None:
    """The block length in the `.meta` file is 272, more than the size of the file, although its low
    byte is 16. No flushed index is known."""
    log.files[META][1:3] = (272).to_bytes(2, "little")
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_whose_vote_has_a_high_byte(log: ZeebeLog) -> None:
    """The vote in the `.meta` file has a length of 16777217 bytes and does not fit, so no flushed
    index is known."""
    log.files[META][25:29] = (1 + (1 << 24)).to_bytes(4, "little")
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_longer_than_256_bytes(log: ZeebeLog) -> None:
    """A `.meta` file is 300 bytes long, and the vote ends one byte after the first 256 bytes. No
    flushed index is known."""
    log.files[META][25:29] = (256 - 29 + 1).to_bytes(4, "little")
    log.files[META] += bytes(44)
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059")
def meta_file_cut(log: ZeebeLog) -> None:
    """The `.meta` file ends inside the length of the vote, so no flushed index is known."""
    log.truncate(28, META)
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059")
def meta_file_without_a_byte(log: ZeebeLog) -> None:
    """The `.meta` file is empty, so no flushed index is known."""
    log.truncate(0, META)
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059")
def meta_file_missing(log: ZeebeLog) -> None:
    """The `.meta` file is missing, so no flushed index is known."""
    log.remove_file(META)
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", "ZBJ-035", kind="limit")
def meta_file_beyond_63_bits(log: ZeebeLog) -> None:
    """The flushed index in the `.meta` file is 2^64 - 2. Read as a signed number, it is negative,
    so no flushed index is known."""
    log.files[META][17:25] = (2**64 - 2).to_bytes(8, "little")
    _promise_nothing(log)


def _other(log: ZeebeLog) -> None:
    log.add_file("other-1.log", segment((ALPHA, BRAVO), 270))


@NAMES.damaged(three_segments, "ZBJ-003", kind="limit")
def one_journal_and_a_foreign_meta_file(log: ZeebeLog) -> None:
    """A folder contains one journal and a `.meta` file with another name. A reader ignores this
    `.meta` file."""
    log.add_file("other.meta", write_meta(Meta(1, 9, 9, b"0")))
    log.flushed("meta")
    log.expect("intact", survivors=range(6), end=254)


@NAMES.damaged(three_segments, "ZBJ-003", "ZBJ-041", kind="limit")
def name_without_segments(log: ZeebeLog) -> None:
    """The context has a name without segments. A reader returns an empty journal."""
    log.context["name"] = "other"
    log.expect("intact", survivors=[], end=0)


@NAMES.damaged(three_segments, "ZBJ-003", "ZBJ-059", kind="limit")
def meta_file_without_segments(log: ZeebeLog) -> None:
    """A folder has no segments, and `journal.meta` contains the flushed index 6. Records are
    missing."""
    for number in (1, 2, 3, 4):
        log.remove_file(f"journal-{number}.log")
    log.add_file(META, write_meta(Meta(1, 6, 6, b"0")))
    log.flushed("meta")
    log.expect("damaged", "missing-records", survivors=[], end=None)


@NAMES.damaged(three_segments, "ZBJ-001", "ZBJ-003")
def name_that_ends_in_a_hyphen(log: ZeebeLog) -> None:
    """The file `journal--4.log` is a segment of the journal `journal-`, so the folder contains two
    journals. A reader must refuse the log."""
    log.add_file("journal--4.log", segment((ALPHA, BRAVO), 270))
    log.expect("refused", "ambiguous-journal", survivors=[])


@LIMITS.valid("ZBJ-017", "ZBJ-046", kind="limit")
def record_of_more_than_a_mebibyte(log: ZeebeLog) -> None:
    """A record with a payload of 1 MiB, followed by another record."""
    log.segment(INITIAL, (b"x" * (1 << 20), 1), (ALPHA[0], 2), size=1_100_000)
    log.expect("intact", survivors=range(3))


META_GROUP.table("""
meta_file_of_a_single_file: one_segment ZBJ-059 corrupt
    A one-file log has no `.meta` file, so no flushed index is known.
    flushed: meta
    damage: flip bit 0 of records[3].metadata.checksum
    expect: torn checksum-mismatch, survivors 0-2, end 321
meta_file_cut_after_its_message: flushed_index_from_the_meta_file ZBJ-059 eof
    The `.meta` file ends after its vote and is only 30 bytes long. The flushed index is valid.
    damage: truncate at 30 in journal.meta
    damage: flip bit 0 of journal-3.log:records[1].metadata.checksum
    expect: damaged checksum-mismatch, survivors 0-4, end none
""")


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059", kind="limit")
def meta_file_of_version_4_without_a_commit_index(log: ZeebeLog) -> None:
    """The message in the `.meta` file has version 4 but a block of only 16 bytes. The flushed index
    is valid."""
    log.files[META][7] = 4
    log.flip(LAST, 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-003", "ZBJ-059")
def meta_file_of_a_journal_of_another_name(log: ZeebeLog) -> None:
    """The journal has the name `raft`. A reader takes the flushed index from `raft.meta`."""
    log.flip(LAST, 0)
    for number in (1, 2, 3, 4):
        log.rename_file(f"journal-{number}.log", f"raft-{number}.log")
    log.rename_file(META, "raft.meta")
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@NAMES.damaged(three_segments, "ZBJ-001", "ZBJ-003", "ZBJ-059", kind="limit")
def empty_name_in_the_context(log: ZeebeLog) -> None:
    """The context has an empty name, and the folder contains a file `-1.log`. A reader returns an
    empty journal."""
    log.add_file("-1.log", segment((ALPHA, BRAVO), 270))
    log.context["name"] = ""
    log.expect("intact", survivors=[], end=0)


@NAMES.damaged(three_segments, "ZBJ-001", "ZBJ-003", "ZBJ-059", kind="limit")
def name_with_a_slash_and_a_meta_file_there(log: ZeebeLog) -> None:
    """The context has the name `old/journal`, and the file `old/journal.meta` exists. A reader
    ignores this file and returns an empty journal."""
    log.add_file("old/journal.meta", write_meta(Meta(1, 6, 6, b"0")))
    log.context["name"] = "old/journal"
    log.flushed("meta")
    log.expect("intact", survivors=[], end=0)


@NAMES.damaged(three_segments, "ZBJ-001", kind="limit")
def number_0_and_an_empty_name(log: ZeebeLog) -> None:
    """The files `journal-0.log`, with the number 0, and `-1.log`, with an empty name, are not
    segments."""
    log.add_file("journal-0.log", segment((ALPHA, BRAVO), 270))
    log.add_file("-1.log", segment((ALPHA, BRAVO), 270))
    log.expect("intact", survivors=range(6), end=254)


@NAMES.damaged(three_segments, "ZBJ-001", kind="limit")
def segment_of_the_largest_number(log: ZeebeLog) -> None:
    """The only segment is `journal-2147483647.log`, which has the largest valid number."""
    for number in (2, 3, 4):
        log.remove_file(f"journal-{number}.log")
    log.rename_file("journal-1.log", "journal-2147483647.log")
    log.expect("intact", survivors=[0, 1], end=222)


NAMES.table("""
two_journals_and_one_meta_file: three_segments ZBJ-003 limit
    A folder contains two journals, and one of them has a `.meta` file. A reader reads this journal.
    other:
    damage: add journal.meta: 32 zero bytes
    expect: intact, survivors 0-5, end 254
two_journals_and_two_meta_files: three_segments ZBJ-003
    A folder contains two journals, each with a `.meta` file. A reader must refuse the log.
    other:
    damage: add journal.meta: 32 zero bytes
    damage: add other.meta: 32 zero bytes
    expect: refused ambiguous-journal, no survivors
numbers_with_gaps: three_segments ZBJ-002 limit
    The segments have the numbers 1, 7 and 9. A reader does not check the numbers for gaps.
    damage: remove journal-4.log
    damage: rename journal-3.log to journal-9.log
    damage: rename journal-2.log to journal-7.log
    expect: intact, survivors 0-5, end 254
meta_file_of_a_name_without_segments: three_segments ZBJ-003 limit
    A folder contains two journals, one of which has a `.meta` file. A reader ignores the `.meta`
    file of a third journal that has no segments.
    other:
    damage: add journal.meta: 32 zero bytes
    damage: add third.meta: 32 zero bytes
    expect: intact, survivors 0-5, end 254
""")


@NAMES.damaged(three_segments, "ZBJ-003", kind="limit")
def folder_named_like_a_meta_file(log: ZeebeLog) -> None:
    """A folder contains the journals `journal` and `other`. A reader reads `journal`, because
    `journal.meta` is a file, but `other.meta` is a folder."""
    _other(log)
    log.add_file(META, bytes(32))
    log.add_file("other.meta/readme.txt", b"not a meta file")
    log.expect("intact", survivors=range(6), end=254)


@NAMES.damaged(three_segments, "ZBJ-003", "ZBJ-041", kind="limit")
def foreign_meta_file_without_segments(log: ZeebeLog) -> None:
    """A folder has no segments, and `raft.meta` contains the flushed index 3. A reader ignores this
    file, because the default journal name is `journal`."""
    for number in (1, 2, 3, 4):
        log.remove_file(f"journal-{number}.log")
    log.add_file("raft.meta", write_meta(Meta(1, 3, 3, b"0")))
    log.flushed("meta")
    log.expect("intact", survivors=[], end=0)


@LIMITS.damaged(three_segments, "ZBJ-041", "ZBJ-044", kind="limit")
def flushed_index_and_two_prepared_segments(log: ZeebeLog) -> None:
    """The journal has two segments of zeros, and the flushed index is 1. A reader lists the missing
    records in the first segment."""
    for number in (3, 4):
        log.remove_file(f"journal-{number}.log")
    for number in (1, 2):
        log.files[f"journal-{number}.log"][:] = bytes(270)
    log.flushed(1)
    log.expect("damaged", "missing-records", survivors=[], end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-035", "ZBJ-059")
def meta_file_without_a_flushed_index_in_the_context(log: ZeebeLog) -> None:
    """The context has no flushed index. A reader takes it from the `.meta` file."""
    del log.context["last_flushed_index"]
    log.flip(LAST, 0)
    log.expect("damaged", "checksum-mismatch", survivors=range(5), end=None)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-035", "ZBJ-059", kind="limit")
def meta_file_and_null_in_the_context(log: ZeebeLog) -> None:
    """The flushed index in the context is null. A reader does not use the `.meta` file."""
    log.flushed(None)
    _promise_nothing(log)


@META_GROUP.damaged(flushed_index_from_the_meta_file, "ZBJ-059")
def meta_file_cut_inside_its_vote(log: ZeebeLog) -> None:
    """The `.meta` file is cut to 31 bytes, and its five-byte vote would end after the cut. No
    flushed index is known."""
    log.overwrite(25, (5).to_bytes(4, "little"), file=META)
    log.truncate(31, META)
    _promise_nothing(log)
