"""Undamaged logs of all versions, and bytes that no reader checks."""

from crc32c import crc32c

from conformance.recipes.etcd_wal.log import (
    FILES,
    LAYOUT,
    LIMITS,
    EtcdLog,
    chained,
    entry,
    marker,
    metadata,
    saves,
    state,
    typed,
)
from reference_impl.etcd_wal.layout import frame, varint

HEAD = (metadata(), marker(0, 0))
BASIC = (*HEAD, *saves(1, 4))


@LAYOUT.valid("ETW-003", "ETW-005", "ETW-007", "ETW-008", "ETW-011", "ETW-060", "ETW-061")
def basic(log: EtcdLog) -> None:
    """Metadata, a marker and four Saves, in a preallocated segment of 1024 bytes."""
    log.build(*BASIC, segment_size=1024)
    log.expect("intact", survivors=range(10), end=400)


@LAYOUT.valid("ETW-011", "ETW-004")
def no_preallocated_zeros(log: EtcdLog) -> None:
    """The segment ends with its last frame."""
    log.build(*BASIC)
    log.expect("intact", survivors=range(10), end=400)


@LAYOUT.valid("ETW-007")
def head_of_etcd_3_6(log: EtcdLog) -> None:
    """The first 80 bytes of a log, exactly as etcd 3.6.16 writes them."""
    log.build(*HEAD)
    log.expect_bytes(
        bytes.fromhex(
            "0400000000000084 0804100000000000"
            "2000000000000000 080110bb81c7fc051a1608cdd2918bd2b881cf8e0110b298eaf1948386fccd01"
            "0e00000000000082 08051094bbc7ed0e1a04080010000000"
        )
    )
    log.expect("intact", survivors=[0, 1], end=80)


@LAYOUT.valid("ETW-005", "ETW-008")
def metadata_without_data(log: EtcdLog) -> None:
    """A log of etcd 3.6.16 without application metadata, as in Hyperledger Fabric."""
    log.build(metadata(b""), marker(0, 0), entry(1, term=1), entry(2, b"alpha", 1), state(0, 1, 0))
    log.expect_bytes(
        bytes.fromhex(
            "04000000000000840804100000000000"
            "04000000000000840801100000000000"
            "0e00000000000082080510a0b39b8f081a04080010000000"
            "1000000000000000080210b7b1a2ef051a06080010011801"
            "1700000000000081080210dfcaf8be031a0d0800100118022205616c70686100"
            "100000000000000008031097af9bc2061a06080110001800"
        )
    )
    log.expect("intact", survivors=range(5), end=136)


@LAYOUT.valid("ETW-010")
def entries_without_a_type(log: EtcdLog) -> None:
    """Entries without a type field. etcd 3.7 omits the type of normal entries."""
    log.build(*HEAD, entry(1, b"alpha", kind=None), entry(2, kind=None), state(2))
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("ETW-010", "ETW-012")
def all_types_of_entries(log: EtcdLog) -> None:
    """A normal entry, two configuration changes, and a marker with a configuration."""
    log.build(
        *HEAD, entry(1, b"normal"), entry(2, b"change", kind=1), entry(3, b"change", kind=2),
        state(3), marker(3, 2, b"\x1a\x02\x08\x01"),
    )  # fmt: skip
    log.expect("intact", survivors=range(7))


@LAYOUT.valid("ETW-003", "ETW-004")
def no_padding(log: EtcdLog) -> None:
    """Frames without padding, as etcd 2.0 to 2.3 write them."""
    log.build_bytes(chained(typed(BASIC), padded=False), *BASIC)
    log.expect("intact", survivors=range(10), end=341)


@LAYOUT.valid("ETW-003", "ETW-004")
def padding_after_frames_without_padding(log: EtcdLog) -> None:
    """etcd 3 continues a segment of etcd 2. No later frame begins at a multiple of eight."""
    log.build_bytes(chained(typed(BASIC), padded=False), *BASIC)
    new = saves(5, 7)
    log.data += chained(typed((*BASIC, *new)))[400:]
    log.payloads += [each.payload for each in new]
    log.expect("intact", survivors=range(16), end=573)


@LAYOUT.valid("ETW-012")
def replaced_entries(log: EtcdLog) -> None:
    """A new leader replaces entries 2 and 3. Readers also return the replaced entries."""
    log.build(
        *HEAD, entry(1, b"a"), entry(2, b"b"), entry(3, b"c"), state(1),
        entry(2, b"d", 3), state(2, 3),
    )  # fmt: skip
    log.expect("intact", survivors=range(8))


@LAYOUT.valid("ETW-012")
def indexes_that_jump_after_a_marker(log: EtcdLog) -> None:
    """A follower receives a snapshot of index 100 from the leader. The next entry has the index
    101."""
    log.build(
        *HEAD, *saves(1, 2), marker(100, 5), state(100, 5), entry(101, b"a", 5), state(101, 5)
    )
    log.expect("intact", survivors=range(10))


@LAYOUT.valid("ETW-009", "ETW-071", "ETW-072")
def no_head_record_but_the_checksum(log: EtcdLog) -> None:
    """A log without metadata and states. The head of its second file is only a checksum record."""
    log.build(
        entry(1, b"a" * 60), marker(1, 2), entry(2, b"b"), marker(2, 2), entry(3),
        folder=True, segment_size=64,
    )  # fmt: skip
    log.expect("intact", survivors=range(5))


@LAYOUT.valid("ETW-011")
def only_the_checksum_record(log: EtcdLog) -> None:
    """A log that contains only the checksum record."""
    log.build()
    log.expect("intact", survivors=[], end=16)


@LAYOUT.valid("ETW-011")
def metadata_in_preallocated_space(log: EtcdLog) -> None:
    """The last frame has no padding, and zeros follow it."""
    log.build(metadata(), segment_size=512)
    log.expect("intact", survivors=[0], end=56)


@LAYOUT.valid("ETW-041")
def first_file_of_a_later_checksum(log: EtcdLog) -> None:
    """Older files were deleted, so the head of the first file stores a checksum other than 0."""
    log.build_bytes(chained([(4, None), *typed(BASIC)[1:]], seed=0x12345678), *BASIC)
    log.expect("intact", survivors=range(10), end=400)


@LAYOUT.valid("ETW-006")
def unusual_messages(log: EtcdLog) -> None:
    """A record with an unknown field, a repeated type, a long varint, and its data before the other
    fields."""
    log.build(*BASIC, segment_size=1024)
    data, crc = log.payloads[9], crc32c(b"".join(log.payloads))
    odd = b"\x1a" + varint(len(data)) + data + b"\x48\x07\x08\x02\x08\x83\x00\x10" + varint(crc)
    log.data[360:400] = frame(odd)
    log.expect("intact", survivors=range(10))


@LAYOUT.valid("ETW-006")
def unknown_fields_of_each_type(log: EtcdLog) -> None:
    """A record has an unknown field of each wire type. One of them has the highest field number."""
    log.build(*BASIC, segment_size=1024)
    data, crc = log.payloads[9], crc32c(b"".join(log.payloads))
    unknown = b"\x49" + b"\x1a" * 8 + b"\x55" + b"\x1a" * 4 + b"\x5a\x03\x1a\x1a\x1a"
    highest = varint((2**29 - 1) << 3) + b"\x1a"
    odd = frame(
        b"\x08\x03\x10" + varint(crc) + b"\x1a" + varint(len(data)) + data + unknown + highest
    )
    log.data[360 : 360 + len(odd)] = odd
    log.expect("intact", survivors=range(10), end=360 + len(odd))


@FILES.valid("ETW-001", "ETW-002", "ETW-009", "ETW-071", "ETW-072")
def three_files(log: EtcdLog) -> None:
    """A folder of three segments. The heads of the second and third segments repeat the metadata
    and the state."""
    log.build(*HEAD, *saves(1, 8, 40), folder=True, segment_size=256)
    log.expect("intact", survivors=range(18))


@LIMITS.valid("ETW-003", "ETW-021")
def records_over_several_sectors(log: EtcdLog) -> None:
    """Entries of 1,400 non-zero bytes, in a preallocated segment of 8,192 bytes."""
    log.build(*HEAD, *saves(1, 4, 1400), segment_size=8192)
    log.expect("intact", survivors=range(10))


@LIMITS.valid("ETW-050")
def a_save_of_three_entries(log: EtcdLog) -> None:
    """The last Save has three entries of 600 bytes."""
    last = [entry(index, bytes([96 + index]) * 600) for index in (3, 4, 5)]
    log.build(*HEAD, *saves(1, 2), *last, state(5), segment_size=4096)
    log.expect("intact", survivors=range(10))


LAYOUT.table("""
padding_is_not_zero: basic ETW-003 limit
    A padding byte is not zero.
    damage: fill frames[2].padding with 55
    expect: intact, survivors 0-9, end 400
unused_bit_of_a_length: basic ETW-003 limit
    Bits 59 and 62 of a length are set.
    damage: flip bit 3 of frames[3].length.flags
    damage: flip bit 6 of frames[3].length.flags
    expect: intact, survivors 0-9, end 400
number_of_padding_without_padding: basic ETW-003 limit
    A length without the padding flag states a number of padding bytes.
    damage: set frames[1].length.flags to 3
    expect: intact, survivors 0-9, end 400
last_file_ends_in_four_zeros: no_preallocated_zeros ETW-011 limit
    Four zeros follow the last frame.
    damage: extend by 4 zero bytes
    expect: intact, survivors 0-9, end 400
""")
