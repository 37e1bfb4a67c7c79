"""Logs that a writer must write byte for byte, or must refuse."""

from __future__ import annotations

from typing import Any

from conformance.recipes.etcd_wal.layout import BASIC, HEAD
from conformance.recipes.etcd_wal.log import (
    REFUSING,
    VOTE,
    WRITING,
    EtcdLog,
    entry,
    marker,
    metadata,
    saves,
    state,
)
from reference_impl.answer import NewRecord


def configured(index: int) -> NewRecord:
    """Return a marker with a configuration, which etcd requires since 3.5."""
    return marker(index, 2, b"\x1a\x04\x08\x01\x28\x00")


marker_of_no_bytes = NewRecord(b"", {"record_type": "snapshot"})
LONG = (*HEAD, *saves(1, 8, 40))
ODD = (entry(1, b"a", 1), state(1, 1, 0), marker(1, 1), state(1, 2, 7), entry(2, b"", 2), entry(3))
#: Each row has the name, title, requirements, records and context of a log to write.
WRITES: tuple[tuple[str, str, tuple[str, ...], tuple[NewRecord, ...], dict[str, Any]], ...] = (
    ("nothing", "no records", ("ETW-009",), (), {}),
    ("nothing_in_a_folder", "a folder without records", ("ETW-072",), (), {"folder": True}),
    ("nothing_preallocated", "a preallocated empty log", ("ETW-074",), (), {"segment_size": 512}),
    ("metadata_alone", "metadata", ("ETW-070",), (metadata(),), {}),
    ("empty_metadata", "empty metadata", ("ETW-005",), (metadata(b""),), {}),
    ("long_metadata", "metadata of 200 bytes", ("ETW-005",), (metadata(b"m" * 200),), {}),
    ("a_log", "metadata, a marker and four Saves", ("ETW-004", "ETW-007"), BASIC, {}),
    ("a_preallocated_log", "a preallocated log", ("ETW-074",), BASIC, {"segment_size": 1024}),
    ("more_than_is_preallocated", "a log that is larger than its segment", ("ETW-071", "ETW-074"),
     BASIC, {"segment_size": 128}),
    ("a_folder_of_one", "a folder of one segment", ("ETW-072",), BASIC,
     {"folder": True, "segment_size": 1024}),
    ("a_folder_of_three", "a folder of three segments", ("ETW-071", "ETW-072", "ETW-009"), LONG,
     {"folder": True, "segment_size": 256}),
    ("a_folder_of_eight", "a folder with a segment for each Save", ("ETW-071", "ETW-072"), LONG,
     {"folder": True, "segment_size": 1}),
    ("a_head_of_a_segment", "metadata and a marker that fill a segment", ("ETW-071",), LONG,
     {"folder": True, "segment_size": 80}),
    ("the_smallest_cut", "a file that is as large as a segment", ("ETW-071",), LONG,
     {"folder": True, "segment_size": 304}),
    ("one_byte_below_a_cut", "a file that is one byte smaller than a segment", ("ETW-071",), LONG,
     {"folder": True, "segment_size": 305}),
    ("no_cut_after_a_marker", "a marker after a full segment", ("ETW-071",),
     (*HEAD, *saves(1, 3, 40), configured(3), configured(3), *saves(4, 4)),
     {"folder": True, "segment_size": 200}),
    ("index_after_a_marker", "a marker above the last entry", ("ETW-072",),
     (*HEAD, *saves(1, 2, 40), configured(100), entry(101, b"x" * 99), state(101),
      *saves(102, 103)),
     {"folder": True, "segment_size": 200}),
    ("index_after_an_old_marker", "a marker below the last entry", ("ETW-072",),
     (*HEAD, *saves(1, 3, 40), configured(1), state(3, 3)), {"folder": True, "segment_size": 100}),
    ("index_after_a_replaced_entry", "an entry that replaces others", ("ETW-072",),
     (*HEAD, *saves(1, 3, 40), entry(2, b"x", 3), state(2, 3), *saves(3, 4)),
     {"folder": True, "segment_size": 200}),
    ("states_that_are_not_synced", "states that change only the commit index", ("ETW-071",),
     (*HEAD, entry(1, b"x" * 150), state(0), state(1, 2, 1), state(2, 2, 1),
      state(3, 2, 1), entry(2), state(4, 2, 1), entry(3)), {"folder": True, "segment_size": 300}),
    ("no_metadata", "records without metadata", ("ETW-009",), ODD, {}),
    ("cuts_without_metadata", "several segments without metadata", ("ETW-009", "ETW-071"),
     ODD, {"folder": True, "segment_size": 40}),
    ("a_marker_with_a_configuration", "a marker with a configuration", ("ETW-070",),
     (*HEAD, *saves(1, 2), configured(2)), {"folder": True, "segment_size": 512}),
    ("an_entry_without_a_type", "an entry whose payload has no type", ("ETW-070",),
     (*HEAD, entry(1, b"a", kind=None)), {}),
    ("an_entry_of_which_no_type_is_given", "an entry without the field record_type", ("ETW-070",),
     (NewRecord(entry(1, b"a").payload),), {}),
    ("a_record_of_each_padding", "records of eight lengths", ("ETW-004",),
     tuple(entry(1 + size, b"x" * size) for size in range(1, 9)), {}),
    ("an_entry_of_20000_bytes", "an entry of 20,000 bytes", ("ETW-003", "ETW-005"),
     (*HEAD, entry(1, b"x" * 20000), state(1)), {"folder": True, "segment_size": 512}),
    ("an_empty_marker", "an empty marker", ("ETW-005",), (marker_of_no_bytes,), {}),
    *((f"a_state_{name}", f"a state {name.replace('_', ' ')} before a full segment", ("ETW-071",),
       (*HEAD, *saves(1, 1), after, *saves(2, 4)), {"folder": True, "segment_size": 200})
      for name, after in (("of_another_term", state(1, 3)),
                          ("of_another_vote", state(1, 2, VOTE - 1)),
                          ("of_another_commit_index", state(0)))),
    ("a_folder_without_a_segment_size", "a folder without a segment size", ("ETW-071",), LONG,
     {"folder": True}),
    ("a_first_state_of_term_1", "a state of term 1 before a full segment", ("ETW-071",),
     (state(1, 1, 0), *saves(2, 4)), {"folder": True, "segment_size": 40}),
    ("entries_and_markers", "entries followed by markers", ("ETW-071",),
     (entry(1, b"a" * 60), marker(1, 2), entry(2, b"b"), marker(2, 2), entry(3)),
     {"folder": True, "segment_size": 64}),
    ("lengths_of_one_and_two_bytes", "records of 127 and 128 bytes", ("ETW-005",),
     (entry(1, b"x" * 119), entry(2, b"x" * 120)), {}),
    ("equal_metadata_twice", "the same metadata twice", ("ETW-070",),
     (metadata(), *saves(1, 1), metadata()), {}),
)  # fmt: skip

#: A writer must refuse the record of each row, which has a name, a title and a record.
REFUSED = (
    ("an_unknown_type", "a record of an unknown type", NewRecord(b"", {"record_type": "index"})),
    ("a_checksum_record", "a checksum record", NewRecord(b"", {"record_type": "crc"})),
    ("an_entry_of_text", "an entry that is not a valid message",
     NewRecord(b"text", {"record_type": "entry"})),
    ("text_without_a_type", "text without the field record_type", NewRecord(b"text")),
    ("an_empty_entry", "an empty entry", NewRecord(b"", {"record_type": "entry"})),
    ("an_empty_state", "an empty state", NewRecord(b"", {"record_type": "state"})),
    ("an_entry_without_an_index", "an entry without an index",
     NewRecord(bytes.fromhex("08001002"), {"record_type": "entry"})),
    ("a_marker_without_a_term", "a marker without a term",
     NewRecord(bytes.fromhex("0802"), {"record_type": "snapshot"})),
    ("other_metadata", "metadata that differs from the first", metadata(b"other")),
)  # fmt: skip


def _writes() -> None:
    for name, title, requirements, records, context in WRITES:

        def recipe(
            log: EtcdLog,
            records: tuple[NewRecord, ...] = records,
            context: dict[str, Any] = context,
        ) -> None:
            log.build(*records, **context)

        recipe.__name__, recipe.__doc__ = f"write_{name}", f"A writer writes {title}."
        WRITING.writing(*requirements)(recipe)
    for name, title, record in REFUSED:

        def refused(log: EtcdLog, record: NewRecord = record) -> None:
            log.records = [metadata(), *saves(1, 1), record]
            log.expect_refusal()

        refused.__name__, refused.__doc__ = f"write_{name}", f"A writer refuses {title}."
        REFUSING.writing("ETW-070", kind="limit")(refused)


_writes()
