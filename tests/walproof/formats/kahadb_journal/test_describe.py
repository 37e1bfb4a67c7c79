"""A broker's commands are described."""

from __future__ import annotations

from tests.walproof.formats.described import assert_linear, describe_payload, texts_of


def test_commands_of_vectors() -> None:
    assert texts_of("kahadb-journal/commands-of-a-broker")[:2] == [
        "KAHA_ADD_MESSAGE_COMMAND (7 bytes)",
        "KAHA_REMOVE_MESSAGE_COMMAND (5 bytes)",
    ]
    assert texts_of("kahadb-journal/lengths-of-commands")[:5] == [
        "KAHA_COMMIT_COMMAND (9 bytes)",
        "at 1: expected a varint with the length of the rest, found 8380808080",
        "KAHA_COMMIT_COMMAND (2 bytes)",
        "at 1: expected a varint with the length of the rest, found the end",
        "at 1: expected a varint with the length of the rest, found 80",
    ]
    assert texts_of("kahadb-journal/five-zero-bytes")[0] == (
        "at 0: expected the number of a command, at most 16, found 114"
    )


def test_fields_of_a_command() -> None:
    described = describe_payload("kahadb-journal", b"\x02\x03ack")
    assert described is not None
    name = "KAHA_REMOVE_MESSAGE_COMMAND"
    assert described.fields == {"command": 2, "command_name": name, "size": 5}


def test_a_hostile_length_takes_linear_time() -> None:
    assert_linear("kahadb-journal", lambda count: b"\1" + b"\x80" * count)
