"""Every message has a documented schema, and the manual shows valid messages."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from conformance import ROOT
from conformance.protocol.messages import (
    SCHEMAS,
    ProtocolError,
    decode,
    encode,
    validate,
)

NAMES = sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json"))
MANUAL = ROOT / "conformance" / "README.md"
ARROW = re.compile(r"^([→←]) (\{.*\})$", re.MULTILINE)

HELLO = {
    "name": "mine",
    "version": "1.0",
    "language": "C",
    "formats": ["leveldb-log"],
    "profiles": ["recover"],
    "reports": ["records"],
}
ANSWER = {"records": [{"payload": "00ff"}]}


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_valid(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"{name}.schema.json"


def test_the_session_in_the_manual_is_valid():
    lines = ARROW.findall(MANUAL.read_text("utf-8"))
    assert len(lines) >= 8
    request = {}
    for arrow, text in lines:
        message = decode(text.encode())
        if arrow == "→":
            request = message
            optional = {"context": {}} if message["cmd"] in ("write", "append") else {}
            validate(message["cmd"], optional | message)
            continue
        schema = {"hello": "hello-reply", "read": "read-reply"}.get(request["cmd"], "done-reply")
        if "acknowledged" in message:
            schema = "acknowledged-reply"
        validate(schema, message)
        assert message.get("seq") == request.get("seq")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("hello-reply", {**HELLO, "homepage": "https://example.org", "of-its-own": 1}),
        ("read-reply", {"seq": 0, "skipped": "why", "issue": "https://example.org/1"}),
        ("done-reply", {"seq": 0, "skipped": "why"}),
        ("answer", {**ANSWER, "end": None, "reason": None, "lost": [], "signals": []}),
        ("answer", {**ANSWER, "end": {"file": "a.log", "at": 0}}),
        ("answer", {"records": [{"payload_sha256": "0" * 64, "index": "1", "file": "a"}]}),
    ],
)
def test_valid_messages_pass(schema, message):
    validate(schema, message)


@pytest.mark.parametrize(
    ("schema", "message", "message_text"),
    [
        ("hello-reply", {**HELLO, "formats": []}, "formats"),
        ("hello-reply", {**HELLO, "profiles": ["lenient"]}, "profiles"),
        ("hello-reply", {**HELLO, "reports": ["verdict"]}, "reports"),
        ("hello-reply", {**HELLO, "version": 1}, "version"),
        ("hello-reply", [HELLO], "the message"),
        ("read-reply", {"answer": ANSWER}, "seq"),
        ("read-reply", {"seq": "1", "answer": ANSWER}, "seq"),
        ("read-reply", {"seq": 1}, "the message"),
        ("read-reply", {"seq": 1, "answer": ANSWER, "skipped": "both"}, "the message"),
        ("read-reply", {"seq": 1, "skipped": ""}, "skipped"),
        ("read-reply", {"seq": 1, "answer": ANSWER, "extra": 1}, "extra"),
        ("read-reply", {"seq": 1, "answer": {}}, "answer"),
        ("done-reply", {"seq": 1, "done": False}, "done"),
        ("done-reply", {"seq": 1, "done": True, "refused": "both"}, "the message"),
        ("answer", {"records": [{}]}, "records/0"),
        ("answer", {"records": [{"payload": "FF"}]}, "records/0"),
        ("answer", {"records": [{"payload": "00", "payload_sha256": "0" * 64}]}, "records/0"),
        ("answer", {"records": [{"payload": "00", "at": -1}]}, "records/0/at"),
        ("answer", {**ANSWER, "verdict": "fine"}, "verdict"),
        ("answer", {**ANSWER, "end": -1}, "end"),
        ("answer", {**ANSWER, "lost": [{"from": 0}]}, "lost/0"),
        ("answer", {**ANSWER, "lost": [{"from": 0, "to": 1, "reason": "Bad CRC"}]}, "lost/0"),
        ("answer", {**ANSWER, "signals": [None]}, "signals/0"),
        ("answer", {**ANSWER, "signals": None}, "an empty list is []"),
        ("answer", {**ANSWER, "records": None}, "an empty list is []"),
    ],
)
def test_invalid_messages_are_refused(schema, message, message_text):
    with pytest.raises(ProtocolError) as error:
        validate(schema, message)
    assert message_text in str(error.value) and str(error.value).startswith(f"{schema}: ")


@pytest.mark.parametrize(
    "line", [b"", b"x\n", b"{\n", b"1\n", b"[]\n", b"null\n", b"\xff\n", b"[" * 100_000]
)
def test_an_invalid_line_is_refused(line):
    with pytest.raises(ProtocolError, match=r"^expected a .*, found b"):
        decode(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"end": Infinity}', "expected a line of JSON"),
        (b'{"file": "\\ud83d"}', "found half of a surrogate pair"),
        (b'{"x": ' + b"[" * 900 + b"]" * 900 + b"}", "expected at most 100 levels of JSON"),
    ],
)
def test_messages_that_other_programs_cannot_read_are_refused(line, message):
    with pytest.raises(ProtocolError, match=message):
        decode(line)


def test_a_message_is_one_line():
    message = {"cmd": "read", "path": "a\nb é", "context": {"k": [1, None]}}
    assert encode(message).count(b"\n") == 1
    assert decode(encode(message)) == message


def test_a_whole_number_is_an_integer_in_any_notation():
    """Whole numbers become int, because a float as an offset or count would raise an error."""
    message = decode(b'{"at": 12.0, "size": 1e3, "to": 1e300, "share": 0.5, "from": -0.0}')
    assert [type(value) for value in message.values()] == [int, int, int, float, int]
    assert message == {"at": 12, "size": 1000, "to": int(1e300), "share": 0.5, "from": 0}
