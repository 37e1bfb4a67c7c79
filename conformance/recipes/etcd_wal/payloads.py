"""Invalid and unusual payloads, changed types, and records that are inserted in the middle."""

from conformance.recipes.etcd_wal.layout import HEAD, basic
from conformance.recipes.etcd_wal.log import PAYLOADS, EtcdLog, entry, saves, state

#: Each row has the name, title, type and payload of an invalid record that replaces an entry.
INVALID = (
    ("entry_of_type_3", "an entry of type 3", 2, "080310021802"),
    ("entry_without_an_index", "an entry without an index", 2, "08001002"),
    ("entry_of_index_0", "an entry of index 0", 2, "080010021800"),
    ("entry_without_a_term", "an entry without a term", 2, "08001802"),
    ("entry_of_term_0", "an entry of term 0", 2, "080010001802"),
    ("entry_with_field_5", "an entry with an unknown field", 2, "0800100218022801"),
    ("entry_with_a_cut_varint", "an entry that ends inside a varint", 2, "0800100218"),
    ("entry_with_an_endless_varint", "an entry with a varint of eleven bytes", 2,
     "08001002188180808080808080808000"),
    ("entry_with_data_beyond_the_end", "an entry whose data is too long", 2,
     "0800100218022205616c"),
    ("entry_with_data_as_a_number", "an entry whose data is a number", 2, "0800100218022001"),
    ("entry_with_an_index_as_bytes", "an entry whose index is a byte string", 2, "080010021a0102"),
    ("entry_with_a_group", "an entry with a group", 2, "0800100218022b2c"),
    ("entry_with_field_0", "an entry with a field of number 0", 2, "0800100218020001"),
    ("entry_of_text", "text instead of an entry", 2, b"not a message".hex()),
    ("entry_without_data", "an entry record without data", 2, ""),
    ("state_without_a_term", "a state without a term", 3, "10011802"),
    ("state_of_term_0", "a state of term 0", 3, "080010011802"),
    ("state_with_field_4", "a state with an unknown field", 3, "080210011802220161"),
    ("state_without_data", "a state record without data", 3, ""),
    ("marker_without_a_term", "a marker with an index and no term", 5, "0802"),
    ("marker_without_an_index", "a marker with a term and no index", 5, "1002"),
    ("marker_with_field_4", "a marker with an unknown field", 5, "080210022001"),
)  # fmt: skip
#: Each row has the name, title, type and payload of a valid record that replaces an entry.
VALID = (
    ("entry_with_the_highest_numbers", "an entry with the highest term and index", 2,
     "080010ffffffffffffffffff0118ffffffffffffffffff01"),
    ("entry_with_a_repeated_index", "an entry with a repeated index", 2, "0800100218071802"),
    ("entry_with_empty_data", "an entry with empty data", 2, "0800100218022200"),
    ("entry_with_a_long_varint", "an entry with a varint of ten bytes", 2,
     "080010021882808080808080808000"),
    ("entry_with_a_varint_above_64_bits", "an entry with a varint of more than 64 bits", 2,
     "08001002188280808080808080807f"),
    ("entry_in_another_order", "an entry with its fields in another order", 2,
     "2201611802100208 00"),
    ("state_without_a_vote", "a state without a vote and a commit index", 3, "0802"),
    ("marker_with_a_configuration", "a marker with a configuration", 5, "08021002 1a020801"),
    ("marker_without_numbers", "a marker without an index and a term", 5, ""),
    ("marker_of_a_term_alone_and_0", "a marker whose numbers are both 0", 5, "10000800"),
)  # fmt: skip


def _payloads() -> None:
    for rows, is_valid in ((INVALID, False), (VALID, True)):
        for name, words, kind, data in rows:
            text = f"A record with a correct checksum contains {words}."
            requirement = "ETW-010" if is_valid else "ETW-027"
            known = "limit" if is_valid else "corrupt"

            @PAYLOADS.combination(name, text, basic, requirement, "ETW-006", kind=known)
            def recipe(
                log: EtcdLog, kind: int = kind, data: str = data, is_valid: bool = is_valid
            ) -> None:
                log.rewrite(5, kind, data)
                survivors: list[int | bytes] = [0, 1, 2, 3, bytes.fromhex(data), 5, 6, 7, 8, 9]
                if is_valid:
                    log.expect("intact", survivors=survivors)
                else:
                    log.expect("damaged", "bad-payload", survivors=survivors, end=None)


_payloads()


@PAYLOADS.valid("ETW-010", "ETW-027")
def states_of_term_3(log: EtcdLog) -> None:
    """The states have the term 3, so they are not valid entries."""
    log.build(*HEAD, entry(1, b"a"), state(1, 3), entry(2, b"b"), state(2, 3), *saves(3, 3))
    log.expect("intact", survivors=range(8))


PAYLOADS.table("""
entry_of_type_state: basic ETW-027
    The type of an entry becomes that of a state. A state cannot contain an entry's data.
    damage: flip bit 0 of frames[5].record.type.groups[0]
    expect: damaged bad-payload, survivors 0-9, end none
state_of_type_entry: basic ETW-027 limit
    The type of a state becomes that of an entry. The payload is also valid for an entry.
    damage: flip bit 0 of frames[6].record.type.groups[0]
    expect: intact, survivors 0-9
state_of_term_3_of_type_entry: states_of_term_3 ETW-027
    The type of a state with the term 3 becomes that of an entry. The payload is invalid, because no
    entry has the type 3.
    damage: flip bit 0 of frames[4].record.type.groups[0]
    expect: damaged bad-payload, survivors 0-7
state_of_type_metadata: basic ETW-028
    The type of a state becomes that of metadata.
    damage: flip bit 1 of frames[6].record.type.groups[0]
    expect: damaged metadata-conflict, survivors 0-9, end none
marker_of_type_metadata: basic ETW-028
    The type of a marker becomes that of metadata.
    damage: flip bit 2 of frames[2].record.type.groups[0]
    expect: damaged metadata-conflict, survivors 0-9, end none
metadata_of_type_state: basic ETW-027 limit
    The type of the metadata becomes that of a state. The payload is also valid for a state.
    damage: flip bit 1 of frames[1].record.type.groups[0]
    expect: intact, survivors 0-9
metadata_of_type_snapshot: basic ETW-027 limit
    The type of the metadata becomes that of a marker. The payload is also valid for a marker.
    damage: flip bit 2 of frames[1].record.type.groups[0]
    expect: intact, survivors 0-9
entry_of_type_0: basic ETW-026 ETW-063
    The type of an entry becomes 0.
    damage: flip bit 1 of frames[5].record.type.groups[0]
    expect: damaged bad-type, survivors 0-3 5-9, end none
entry_of_type_6: basic ETW-026
    The type of an entry becomes 6.
    damage: flip bit 2 of frames[5].record.type.groups[0]
    expect: damaged bad-type, survivors 0-3 5-9
state_of_type_127: basic ETW-026
    The type of a state becomes 127.
    damage: set frames[6].record.type.groups[0] to 127
    expect: damaged bad-type, survivors 0-4 6-9
last_frame_of_an_unknown_type: basic ETW-026 ETW-061
    The type of the last frame becomes 7, which is unknown.
    damage: flip bit 2 of frames[10].record.type.groups[0]
    expect: damaged bad-type, survivors 0-8, end none
entry_of_type_checksum: basic ETW-026
    The type of an entry becomes that of a checksum record.
    damage: set frames[5].record.type.groups[0] to 4
    expect: damaged bad-type, survivors 0-3 5-9
unknown_type_with_a_right_checksum: basic ETW-026
    A record of type 6 has a correct checksum.
    rewrite: 5, 6, 0x00
    expect: damaged bad-type, survivors 0-3 5-9
checksum_record_between_records: basic ETW-008 limit
    A checksum record stores the running checksum in the middle of a file.
    add: 5, 4
    expect: intact, survivors 0-9
wrong_checksum_record_between_records: basic ETW-023 ETW-008
    A checksum record in the middle of a file stores another checksum. It is not a head, so the next
    record proves the running checksum.
    damage: insert frame_of(4, 7, ) at 160
    expect: damaged bad-crc, survivors 0-9, end none
metadata_again: basic ETW-009 ETW-028 limit
    The metadata occurs again in the middle of the file. It is a record.
    add: 5, 1, 0x08cdd2918bd2b881cf8e0110b298eaf1948386fccd01
    expect: intact, survivors 0-3 0 4-9
other_metadata: basic ETW-028
    Metadata in the middle of the file differs from the first metadata record.
    add: 5, 1, 0x6f74686572
    expect: damaged metadata-conflict, survivors 0-3 "other" 4-9, end none
marker_between_records: basic ETW-008 limit
    A marker of index 3 and term 2 is inserted between two Saves.
    add: 5, 5, 0x08031002
    expect: intact, survivors 0-3 payload(0x08031002) 4-9
""")
