"""Payloads: raft entries of all schema versions, and payloads that are not raft entries."""

from conformance.recipes.zeebe_journal.log import (
    FUTURE,
    INITIAL,
    MEMBERS,
    RAFT,
    ZeebeLog,
    wider_block,
)
from reference_impl.zeebe_journal.raft import (
    Member,
    encode_application,
    encode_configuration,
    encode_initial,
)

#: The size of a RaftLogEntry with its header.
LOG_ENTRY = 17
GOLDEN_JOINT = bytes.fromhex(
    "0900010008000400050000000000000001080004000800 0400d2040000000000000900020340e2010000000000"
    "01000000310241e2010000000000020000003232090001 0340e20100000000000100000031".replace(" ", "")
)


def _single_record(log: ZeebeLog, payload: bytes, asqn: int = -1) -> None:
    log.segment((payload, asqn))
    log.expect("intact", survivors=[0])


@RAFT.valid("ZBJ-054", "ZBJ-055")
def application_entries_of_all_versions(log: ZeebeLog) -> None:
    """Application entries of the raft schema versions 1 to 4."""
    log.segment(*((encode_application(5, n, n, b"Test", n), n) for n in (1, 2, 3, 4)))
    log.expect("intact", survivors=range(4))


@RAFT.valid("ZBJ-054")
def initial_entries_of_all_versions(log: ZeebeLog) -> None:
    """Initial entries of the raft schema versions 1 to 4."""
    log.segment(*((encode_initial(n, n), -1) for n in (1, 2, 3, 4)))
    log.expect("intact", survivors=range(4))


@RAFT.valid("ZBJ-057")
def configuration_entry_of_version_1(log: ZeebeLog) -> None:
    """A configuration entry of version 1, which has only one group."""
    _single_record(log, encode_configuration(5, 1234, MEMBERS, version=1))


@RAFT.valid("ZBJ-057")
def groups_counted_by_the_header_of_the_configuration(log: ZeebeLog) -> None:
    """Two configuration entries whose RaftLogEntry and ConfigurationEntry have different versions.
    Only the version of the ConfigurationEntry determines whether old members exist."""
    older = bytearray(encode_configuration(5, 1234, MEMBERS, version=1))
    older[6:8] = (4).to_bytes(2, "little")
    newer = bytearray(encode_configuration(5, 1234, MEMBERS, MEMBERS[:1], version=4))
    newer[6:8] = (1).to_bytes(2, "little")
    log.segment((bytes(older), -1), (bytes(newer), -1))
    log.expect("intact", survivors=range(2))


@RAFT.valid("ZBJ-057")
def configuration_entries_of_versions_2_to_4(log: ZeebeLog) -> None:
    """Configuration entries of versions 2 to 4, each with two groups. The second group is empty."""
    log.segment(*((encode_configuration(5, 1234, MEMBERS, version=n), -1) for n in (2, 3, 4)))
    log.expect("intact", survivors=range(3))


@RAFT.valid("ZBJ-057")
def joint_consensus(log: ZeebeLog) -> None:
    """A configuration entry of version 4 with old members, as in a joint consensus."""
    new = (Member("active", 123456, b"1"), Member("promotable", 123457, b"22"))
    payload = encode_configuration(5, 1234, new, MEMBERS[:1])
    assert payload == GOLDEN_JOINT
    _single_record(log, payload)


@RAFT.valid("ZBJ-057")
def all_member_types(log: ZeebeLog) -> None:
    """Members of all four types, including a member with a negative time and a member with a
    non-ASCII id."""
    members = (
        Member("inactive", 0, b"0"),
        Member("passive", -1, b""),
        Member("promotable", 1, "Zürich".encode()),
        Member("active", 2, b"broker-3"),
    )
    _single_record(log, encode_configuration(1, 0, members, members))


@RAFT.valid("ZBJ-057", kind="limit")
def member_id_that_is_not_text(log: ZeebeLog) -> None:
    """Three member ids that are not valid UTF-8: the byte FF, a cut character, and an overlong
    encoding."""
    ids = (b"\xff", "broker-\u00fc".encode()[:-1], b"\xc0\xaf")
    _single_record(
        log, encode_configuration(1, 0, [Member("active", 1, member_id) for member_id in ids])
    )


@RAFT.valid("ZBJ-057", kind="limit")
def configuration_without_members(log: ZeebeLog) -> None:
    """A configuration entry with two empty groups."""
    _single_record(log, encode_configuration(1, 0, ()))


@RAFT.valid("ZBJ-054", "ZBJ-055", kind="limit")
def largest_numbers(log: ZeebeLog) -> None:
    """An application entry whose term and positions are 2^64 - 2."""
    _single_record(log, encode_application(2**64 - 2, 2**64 - 2, 2**64 - 2, b""))


@RAFT.valid("ZBJ-055", kind="limit")
def long_batch(log: ZeebeLog) -> None:
    """An application entry with a batch of 5000 bytes. The answer contains the digests of the
    payload and the batch."""
    log.segment(INITIAL, (encode_application(1, 1, 9, b"0123456789" * 500), 1), size=6000)
    log.expect("intact", survivors=range(2))


@RAFT.valid("ZBJ-058", kind="limit")
def unknown_entry_type(log: ZeebeLog) -> None:
    """A payload with the unknown entry type 3. A reader returns the record without a decoded
    entry."""
    payload = bytearray(encode_initial(5))
    payload[16] = 3
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-058", kind="limit")
def null_entry_type(log: ZeebeLog) -> None:
    """A payload with the entry type 255, the null value of SBE."""
    payload = bytearray(encode_initial(5))
    payload[16] = 255
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-058", kind="limit")
def unknown_member_type(log: ZeebeLog) -> None:
    """A configuration entry with the unknown member type 4. A reader returns the record without a
    decoded entry."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 19] = 4
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-058", kind="limit")
def group_cut_in_a_member(log: ZeebeLog) -> None:
    """A configuration entry that ends inside its second member."""
    _single_record(log, encode_configuration(5, 1234, MEMBERS)[:-10])


@RAFT.valid("ZBJ-058", kind="limit")
def group_that_counts_too_many(log: ZeebeLog) -> None:
    """The group of a configuration entry has a count of 254, but only two members."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS, version=1))
    payload[LOG_ENTRY + 18] = 254
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def second_group_missing(log: ZeebeLog) -> None:
    """A configuration entry of version 4 that ends before its second group."""
    _single_record(log, encode_configuration(5, 1234, MEMBERS)[:-3])


@RAFT.valid("ZBJ-055", "ZBJ-058", kind="limit")
def batch_cut(log: ZeebeLog) -> None:
    """An application entry that ends before the end of its batch."""
    _single_record(log, encode_application(5, 1, 2, b"Test")[:-1], asqn=1)


@RAFT.valid("ZBJ-055", "ZBJ-058", kind="limit")
def application_entry_of_another_template(log: ZeebeLog) -> None:
    """An entry of type application, followed by a message with another template."""
    payload = bytearray(encode_application(5, 1, 2, b"Test"))
    payload[LOG_ENTRY + 2] = 9
    _single_record(log, bytes(payload), asqn=1)
    log.note("Zeebe does not check the header of the entry.")


@RAFT.valid("ZBJ-054", "ZBJ-058", kind="limit")
def entry_of_another_schema(log: ZeebeLog) -> None:
    """The header of a payload has schema 9. The payload is not a raft entry."""
    payload = bytearray(encode_initial(5))
    payload[4] = 9
    _single_record(log, bytes(payload))
    log.note("Zeebe does not check the header of the payload.")


@RAFT.valid("ZBJ-058", kind="limit")
def raft_entry_cut_in_its_block(log: ZeebeLog) -> None:
    """A 17-byte RaftLogEntry has a block length of 11 bytes, so its block is cut. The payload is
    not a raft entry."""
    payload = bytearray(encode_initial(5))
    payload[0] = 11
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-058", kind="limit")
def raft_entry_cut_in_its_header(log: ZeebeLog) -> None:
    """A payload with only the first seven bytes of a RaftLogEntry."""
    _single_record(log, encode_initial(5)[:7])


@RAFT.valid("ZBJ-058", kind="limit")
def raft_entry_with_a_short_block(log: ZeebeLog) -> None:
    """A RaftLogEntry with a block of 8 bytes, too short for its type."""
    payload = bytearray(encode_initial(5))
    payload[0] = 8
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-054", "ZBJ-058", kind="limit")
def application_entry_missing(log: ZeebeLog) -> None:
    """An entry of type application that ends after its RaftLogEntry."""
    _single_record(log, encode_application(5, 1, 2, b"Test")[:LOG_ENTRY], asqn=1)


@RAFT.valid("ZBJ-058", kind="limit")
def application_entry_cut_in_a_foreign_header(log: ZeebeLog) -> None:
    """A payload ends inside an ApplicationEntry header with another schema. A reader checks the
    schema only if the header is complete."""
    payload = bytearray(encode_application(5, 1, 2, b"Test"))
    payload[LOG_ENTRY + 4] = 9
    _single_record(log, bytes(payload[: LOG_ENTRY + 7]), asqn=1)


@RAFT.valid("ZBJ-058", kind="limit")
def application_entry_with_a_short_block(log: ZeebeLog) -> None:
    """An ApplicationEntry with a block of 15 bytes, too short for both positions."""
    payload = bytearray(encode_application(5, 1, 2, b"Test"))
    payload[LOG_ENTRY] = 15
    _single_record(log, bytes(payload), asqn=1)


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def members_with_a_short_block(log: ZeebeLog) -> None:
    """A group of two members with a block of 8 bytes, too short for their known fields."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 16] = 8
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def no_members_with_a_short_block(log: ZeebeLog) -> None:
    """An empty group with a block of 0 bytes, which is valid because the group has no members."""
    payload = bytearray(encode_configuration(5, 1234, (), MEMBERS))
    payload[LOG_ENTRY + 16] = 0
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def null_member_type(log: ZeebeLog) -> None:
    """A member of type 255, the null value of SBE."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 19] = 255
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-058", kind="limit")
def unknown_member_type_before_a_cut(log: ZeebeLog) -> None:
    """A member has the unknown type 4, and its id is cut. A reader reports the unknown type,
    because the type comes first."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 19] = 4
    _single_record(log, bytes(payload[: LOG_ENTRY + 19 + 9 + 2]))


@RAFT.valid("ZBJ-058", kind="limit")
def unknown_member_type_in_a_cut_block(log: ZeebeLog) -> None:
    """A member has the unknown type 4, and its block is cut. A reader reports the cut, because it
    reads the whole block first."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 19] = 4
    _single_record(log, bytes(payload[: LOG_ENTRY + 19 + 5]))


@RAFT.valid("ZBJ-057")
def joint_consensus_of_version_2(log: ZeebeLog) -> None:
    """A configuration entry of version 2, the first version with old members."""
    _single_record(log, encode_configuration(5, 1234, MEMBERS[1:], MEMBERS[:1], version=2))


@FUTURE.valid("ZBJ-005", "ZBJ-057", kind="limit")
def joint_consensus_of_the_largest_version(log: ZeebeLog) -> None:
    """A configuration entry of version 65535 with old members. Versions are unsigned."""
    _single_record(log, encode_configuration(5, 1234, MEMBERS[1:], MEMBERS[:1], version=65535))


@RAFT.valid("ZBJ-057", kind="limit")
def largest_timestamp(log: ZeebeLog) -> None:
    """A configuration entry with the timestamp 2^64 - 2. Timestamps are unsigned."""
    _single_record(log, encode_configuration(5, 2**64 - 2, MEMBERS))


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def configuration_with_a_short_block(log: ZeebeLog) -> None:
    """A ConfigurationEntry with a block of 7 bytes, too short for its timestamp."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY] = 7
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-058", kind="limit")
def application_entry_with_a_block_past_the_end(log: ZeebeLog) -> None:
    """An ApplicationEntry with a block length of 32784 bytes, longer than the payload. Block
    lengths are unsigned."""
    payload = bytearray(encode_application(5, 1, 2, b"Test"))
    payload[LOG_ENTRY + 1] = 0x80
    _single_record(log, bytes(payload), asqn=1)


@RAFT.valid("ZBJ-055", "ZBJ-058", kind="limit")
def batch_of_the_largest_length(log: ZeebeLog) -> None:
    """An application entry whose batch has a length of 4294967295 bytes, longer than the
    payload."""
    payload = bytearray(encode_application(5, 1, 2, b"Test"))
    payload[-8:-4] = b"\xff" * 4
    _single_record(log, bytes(payload), asqn=1)


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def members_with_a_block_past_the_end(log: ZeebeLog) -> None:
    """A group of two members with a block length of 32777 bytes, longer than the payload."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 17] = 0x80
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-055", kind="limit")
def longest_batch_that_is_shown(log: ZeebeLog) -> None:
    """An application entry with a batch of 4096 bytes. The answer contains the whole batch, but
    only the digest of the longer payload."""
    log.segment((encode_application(1, 1, 9, b"01234567" * 512), 1), size=6000)
    log.expect("intact", survivors=[0])


@FUTURE.valid("ZBJ-057", kind="limit")
def members_with_newer_fields(log: ZeebeLog) -> None:
    """Members whose blocks have two bytes of newer fields. A reader skips these bytes."""
    payload = encode_configuration(5, 1234, MEMBERS, version=1)
    head, members = payload[: LOG_ENTRY + 16], payload[LOG_ENTRY + 19 :]
    wider = b"".join(member[:9] + b"xy" + member[9:] for member in (members[:14], members[14:]))
    _single_record(log, head + b"\x0b\x00\x02" + wider)


@FUTURE.valid("ZBJ-054", kind="limit")
def bytes_after_an_initial_entry(log: ZeebeLog) -> None:
    """Bytes follow an initial entry. A reader skips these bytes."""
    _single_record(log, encode_initial(5) + b"more")


@FUTURE.valid("ZBJ-005", "ZBJ-054", kind="limit")
def raft_entry_with_newer_fields(log: ZeebeLog) -> None:
    """RaftLogEntry and ApplicationEntry of version 99 with newer fields. A reader skips these
    fields."""
    payload = encode_application(5, 1, 2, b"Test")
    entry = wider_block(payload[:LOG_ENTRY], b"new")
    _single_record(log, entry + wider_block(payload[LOG_ENTRY:], b"newer"), asqn=1)


@FUTURE.valid("ZBJ-005", "ZBJ-057", kind="limit")
def configuration_with_newer_fields(log: ZeebeLog) -> None:
    """A ConfigurationEntry of version 99 with newer fields in its block. A reader skips these
    fields."""
    payload = encode_configuration(5, 1234, MEMBERS)
    _single_record(log, payload[:LOG_ENTRY] + wider_block(payload[LOG_ENTRY:], b"newfield"))


@RAFT.valid("ZBJ-058", kind="limit")
def unknown_entry_type_in_a_cut_block(log: ZeebeLog) -> None:
    """A RaftLogEntry has the unknown type 7, and its block of 20 bytes is cut after 9 bytes. A
    reader reports `not-raft`, not `unknown-entry-type`."""
    payload = bytearray(encode_initial(5))
    payload[0] = 20
    payload[16] = 7
    _single_record(log, bytes(payload))


@RAFT.valid("ZBJ-058", kind="limit")
def application_entry_of_another_template_cut_in_its_block(log: ZeebeLog) -> None:
    """An entry of type application is followed by a message with another template and a cut block.
    A reader reports the template."""
    payload = bytearray(encode_application(5, 1, 2, b"Test"))
    payload[LOG_ENTRY + 2] = 9
    _single_record(log, bytes(payload[: LOG_ENTRY + 8 + 5]), asqn=1)


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def unknown_member_type_in_a_cut_longer_block(log: ZeebeLog) -> None:
    """A member has the unknown type 4, and its block of 12 bytes is cut after 10 bytes. A reader
    reports the cut."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 16] = 12
    payload[LOG_ENTRY + 19] = 4
    _single_record(log, bytes(payload[: LOG_ENTRY + 19 + 10]))


@RAFT.valid("ZBJ-057", "ZBJ-058", kind="limit")
def group_cut_after_its_block_length(log: ZeebeLog) -> None:
    """A payload ends inside the header of a group, after a block length of 3 bytes. A reader checks
    the block length only if the header is complete."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS))
    payload[LOG_ENTRY + 16] = 3
    _single_record(log, bytes(payload[: LOG_ENTRY + 18]))


@FUTURE.valid("ZBJ-054", "ZBJ-055", kind="limit")
def bytes_after_an_application_entry(log: ZeebeLog) -> None:
    """Bytes follow the batch of an application entry. A reader skips these bytes."""
    _single_record(log, encode_application(5, 1, 2, b"Test") + b"more", asqn=1)


@RAFT.valid("ZBJ-005", "ZBJ-057", kind="limit")
def configuration_entry_of_version_0(log: ZeebeLog) -> None:
    """A configuration entry of version 0 has no group of old members."""
    payload = bytearray(encode_configuration(5, 1234, MEMBERS, version=1))
    payload[LOG_ENTRY + 6] = 0
    _single_record(log, bytes(payload))
