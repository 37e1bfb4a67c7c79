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


def schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def properties(part, location):
    """Yield every property in a schema, with its path."""
    if isinstance(part, list):
        for number, item in enumerate(part):
            yield from properties(item, f"{location}[{number}]")
    elif isinstance(part, dict):
        for name, value in part.get("properties", {}).items():
            yield f"{location}.{name}", value
        for key, value in part.items():
            yield from properties(value, f"{location}/{key}")


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_valid_and_describe_every_property(name):
    whole = schema(name)
    Draft202012Validator.check_schema(whole)
    assert whole["$id"] == f"{name}.schema.json"
    assert whole["title"] and whole["description"]
    for location, body in properties(whole, name):
        described = schema(body["$ref"].removesuffix(".schema.json")) if "$ref" in body else body
        assert described.get("description"), f"{location} has no description"


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


def test_the_manual_names_every_message_and_part_of_the_answer():
    text = MANUAL.read_text("utf-8")
    for name in [
        "hello",
        "read",
        "write",
        "append",
        "go-on",
        "bye",
        *schema("answer")["properties"],
    ]:
        assert f"`{name}`" in text, name


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("hello-reply", HELLO),
        ("hello-reply", {**HELLO, "homepage": "https://example.org", "of-its-own": 1}),
        ("read-reply", {"seq": 0, "answer": ANSWER}),
        ("read-reply", {"seq": 0, "skipped": "why", "issue": "https://example.org/1"}),
        ("done-reply", {"seq": 0, "done": True}),
        ("done-reply", {"seq": 0, "refused": "why"}),
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
        ("read-reply", {"seq": -1, "answer": ANSWER}, "seq"),
        ("read-reply", {"seq": 1}, "the message"),
        ("read-reply", {"seq": 1, "answer": ANSWER, "skipped": "both"}, "the message"),
        ("read-reply", {"seq": 1, "skipped": ""}, "skipped"),
        ("read-reply", {"seq": 1, "answer": ANSWER, "extra": 1}, "extra"),
        ("read-reply", {"seq": 1, "answer": {}}, "answer"),
        ("done-reply", {"seq": 1, "done": False}, "done"),
        ("done-reply", {"seq": 1, "done": True, "refused": "both"}, "the message"),
        ("answer", {"records": [{}]}, "records/0"),
        ("answer", {"records": [{"payload": "0"}]}, "records/0"),
        ("answer", {"records": [{"payload": "FF"}]}, "records/0"),
        ("answer", {"records": [{"payload": "00", "payload_sha256": "0" * 64}]}, "records/0"),
        ("answer", {"records": [{"payload": "00", "at": -1}]}, "records/0/at"),
        ("answer", {**ANSWER, "verdict": "fine"}, "verdict"),
        ("answer", {**ANSWER, "end": -1}, "end"),
        ("answer", {**ANSWER, "lost": [{"from": 0}]}, "lost/0"),
        ("answer", {**ANSWER, "lost": [{"from": 0, "to": 1, "reason": "Bad CRC"}]}, "lost/0"),
        ("answer", {**ANSWER, "signals": [None]}, "signals/0"),
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
def test_what_other_programs_cannot_read_is_refused(line, message):
    with pytest.raises(ProtocolError, match=message):
        decode(line)


def test_a_long_line_is_shown_shortened():
    with pytest.raises(ProtocolError) as error:
        decode(b"x" * 1_000_000)
    assert len(str(error.value)) < 300


def test_a_message_is_one_line():
    message = {"cmd": "read", "path": "a\nb é", "context": {"k": [1, None]}}
    assert encode(message).count(b"\n") == 1
    assert decode(encode(message)) == message


def test_a_whole_number_is_an_integer_in_any_notation():
    """A float as an offset once ended the run: nothing can be repeated 1.0 times."""
    message = decode(b'{"at": 12.0, "size": 1e3, "to": 1e300, "share": 0.5, "from": -0.0}')
    assert [type(value) for value in message.values()] == [int, int, int, float, int]
    assert message == {"at": 12, "size": 1000, "to": int(1e300), "share": 0.5, "from": 0}
