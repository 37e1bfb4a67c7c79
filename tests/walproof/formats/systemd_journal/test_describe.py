"""Journal entries are described."""

from __future__ import annotations

import pytest

from tests.walproof.formats.described import assert_linear, describe_payload, texts_of
from walproof.describe import NotDescribed

FORMAT = "systemd-journal"


def test_entries_of_vectors() -> None:
    texts = texts_of("systemd-journal/archived-regular")
    assert texts[0] == "MESSAGE=alpha PRIORITY=6 _HOSTNAME=host"
    assert texts[3] == "MESSAGE=delta BLOB=0x00ff0a7f"


def test_fields() -> None:
    message = b"MESSAGE\n\3\0\0\0\0\0\0\0a\nb\n"
    payload = b"A=1\nA=2\nC=3\nD=4\nE=5\nF=6\n" + message + b"X\n\1" + bytes(7) + b"\xff\n"
    described = describe_payload(FORMAT, payload)
    assert described is not None
    assert described.text == r"MESSAGE=a\nb A=1 A=2 C=3 D=4 E=5 and 2 more fields"
    assert described.fields["fields"] == {
        "A": ["1", "2"],
        "C": "3",
        "D": "4",
        "E": "5",
        "F": "6",
        "MESSAGE": "a\nb",
        "X": {"hex": "ff"},
    }


def test_long_values_are_shortened() -> None:
    described = describe_payload(FORMAT, b"A=" + b"a" * 300 + b"\nMESSAGE=" + b"m" * 300 + b"\n")
    assert described is not None
    assert described.text == f"MESSAGE={'m' * 200}… A={'a' * 40}…"


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"A=1\nB=", "at 4: expected a field in export format, found bytes 423d"),
        (b"A=1\n\nB=2\n", "at 4: expected a field in export format, found an empty line"),
        (b"A\n" + b"\xff" * 8 + b"x", "at 0: expected a field in export format, found bytes"),
        (b"A\n\1" + bytes(7) + b"xx", "at 0: expected a field in export format, found bytes"),
    ],
)
def test_other_payloads(payload: bytes, message: str) -> None:
    with pytest.raises(NotDescribed, match=message):
        describe_payload(FORMAT, payload)


def test_many_fields_take_linear_time() -> None:
    assert_linear(FORMAT, lambda count: b"".join(b"%x=\n" % number for number in range(count)))
    assert_linear(FORMAT, lambda count: b"A\n" + bytes(8) + b"\n" + b"A=\n" * count)
