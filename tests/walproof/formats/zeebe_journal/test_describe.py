"""Raft entries are described."""

from __future__ import annotations

import pytest

from reference_impl.zeebe_journal.raft import Member, encode_application, encode_configuration
from tests.walproof.formats.described import assert_linear, describe_payload, texts_of

FORMAT = "zeebe-journal"


def test_entries_of_vectors() -> None:
    assert texts_of("zeebe-journal/another-journal-in-the-folder")[:2] == [
        "initial entry (term 1)",
        "application entry with asqn 1 (term 1)",
    ]
    assert texts_of("zeebe-journal/configuration-entries-of-versions-2-to-4")[0] == (
        "configuration entry with members 1, 2 (term 5)"
    )


def test_fields_of_an_application_entry() -> None:
    described = describe_payload(FORMAT, encode_application(2**64 - 1, 3, 8, b"\xff" * 9999))
    assert described is not None
    assert described.text == f"application entry with asqns 3 to 8 (term {2**64 - 1})"
    assert described.fields == {
        "term": str(2**64 - 1),
        "type": "application",
        "lowest_asqn": "3",
        "highest_asqn": "8",
    }


def test_fields_of_a_configuration_entry() -> None:
    new = [Member("active", -1, str(number).encode()) for number in range(7)]
    described = describe_payload(
        FORMAT, encode_configuration(5, 9, new, [Member("passive", 4, b"\xff\n")])
    )
    assert described is not None
    text = "configuration entry with members 0, 1, 2, 3, 4 and 2 more, before 0xff0a (term 5)"
    assert described.text == text
    assert described.fields["new_members"][6] == {
        "type": "active",
        "updated": "-1",
        "member_id": "6",
    }
    assert described.fields["old_members"][0]["member_id"] == {"hex": "ff0a"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("entry-of-another-schema", "at 0: expected a RaftLogEntry (schema 8, template 1, at "
         "least 9 bytes), found not-raft"),
        ("application-entry-of-another-template", "at 17: expected the message of the entry type, "
         "or a group of members, found bad-entry-header"),
        ("batch-cut", "at 45: expected the rest of the entry, found truncated-entry"),
        ("members-with-a-short-block", "at 33: expected the message of the entry type, or a group "
         "of members, found bad-entry-header"),
    ],
)  # fmt: skip
def test_payloads_that_are_no_entries(name: str, message: str) -> None:
    assert texts_of(f"zeebe-journal/{name}")[0] == message


def test_a_hostile_number_of_members_takes_linear_time() -> None:
    head = encode_configuration(1, 1, [], version=1)[:-1]
    assert_linear(FORMAT, lambda count: head + b"\xff" + (b"\0" * 9 + b"\0" * 4) * count)
