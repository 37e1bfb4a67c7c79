"""Compare decoded journals of ActiveMQ's persistence adapter with the output of its API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.walproof.decode.real_programs import golden, payloads, run_activemq
from walproof.decode import phrase
from walproof.formats.kahadb_journal.decoder import TYPE, decode
from walproof.schema import arrow_type

pytestmark = pytest.mark.slow

# By OpenWire version, the oldest versions with the same layout of a message, of an acknowledgement
# and of a subscription.
LAYOUTS = {
    1: (1, 1, 1),
    2: (2, 1, 1),
    3: (3, 1, 3),
    6: (3, 1, 3),
    9: (3, 7, 3),
    10: (10, 10, 3),
    11: (10, 10, 11),
    12: (10, 10, 11),
}
# The content that ``WriteKahaDB.java`` puts into each type of message.
BYTES = b"\x00\x01\xffx"
VALUES = {
    "map": {
        "int": -1,
        "text": "größer",
        "double": 0.5,
        "bytes": "0x09",
        "char": "ß",
        "list": [1, "two", True],
        "map": {"deep": [{}]},
        "null": None,
    },
    "stream": [7, "s", 0.25, None],
}


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return a directory with a journal for each OpenWire version, and the data written to each."""
    folder = tmp_path_factory.mktemp("activemq")
    return folder, run_activemq(folder, LAYOUTS)


def as_columns(records: list[bytes]) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = pa.array(map(decode, records), arrow_type(TYPE)).to_pylist()
    return values


def structs(folder: Path) -> list[dict[str, Any]]:
    return as_columns(payloads("kahadb-journal", folder))


def of(command: int, values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [value for value in values if value["command"] == command]


@pytest.mark.parametrize("version", LAYOUTS)
def test_every_message(journals: tuple[Path, dict[str, Any]], version: int) -> None:
    folder, wrote = journals
    result = of(1, structs(folder / str(version)))
    expected = wrote[str(version)]
    assert len(result) == len(expected) == (24 if version < 3 else 26)
    for value, given in zip(result, expected, strict=True):
        compare(value, given, version)


@pytest.mark.parametrize("version", ["6", "11"])
def test_recorded_messages(version: str) -> None:
    stored = golden("activemq.json")[version]
    values = as_columns([bytes.fromhex(each["payload"]) for each in stored])
    for value, each in zip(values, stored, strict=True):
        compare(value, each["told"], int(version))
    assert len({value["message"]["type"] for value in values}) == 7


def kind_of(class_name: str) -> str:
    """Return the message type of a class, such as ``text`` for ``ActiveMQTextMessage``."""
    return class_name.removeprefix("ActiveMQ").removesuffix("Message").lower() or "message"


def compare(value: dict[str, Any], reported: dict[str, Any], version: int) -> None:
    """Compare a message with the output of the API, and remove the compared members from both."""
    message = dict(value["message"])
    assert (value["destination_type"], value["destination"]) == ("queue", "orders")
    assert value["message_id"] == reported["message_id"]
    kind = kind_of(reported.pop("type"))
    assert message.pop("type") == kind
    assert message.pop("openwire") == LAYOUTS[version][0]
    assert dict(message.pop("properties")) == reported.pop("properties")
    assert message.pop("bytes") == (BYTES if kind == "bytes" else None)
    values = message.pop("values")
    assert (values and json.loads(values)) == VALUES.get(kind)
    reason = message.pop("not_decoded")
    assert reason is None or (kind == "object" and "not decoded" in reason)
    assert message == reported


@pytest.mark.parametrize("version", LAYOUTS)
def test_every_other_command(journals: tuple[Path, dict[str, Any]], version: int) -> None:
    folder, _ = journals
    values = structs(folder / str(version))
    (updated,) = of(10, values)
    assert updated["message"]["text"] == "updated" and updated["destination"] == "orders"
    (removed,) = of(2, values)
    assert removed["message_id"] == "ID:walproof-1:0:1:1"
    assert removed["acknowledgement"] == {
        "type": "individual",
        "openwire": LAYOUTS[version][1],
        "destination": "queue://orders",
        "consumer_id": "ID:here:1:2",
        "first_message_id": None,
        "last_message_id": "ID:walproof-1:0:1:1",
        "messages": 1,
        "poison_cause": "java.lang.IllegalStateException: poison" if version >= 7 else None,
        "not_decoded": None,
    }
    subscribed, unsubscribed = of(7, values)
    assert subscribed["subscription"] == unsubscribed["subscription"] == "client:reader"
    assert (subscribed["destination_type"], subscribed["destination"]) == ("topic", "news.Zürich")
    assert subscribed["fields"] == [("retroactive", "false")]
    assert subscribed["subscription_info"] == {
        "openwire": LAYOUTS[version][2],
        "client_id": "client",
        "subscription": "reader",
        "destination": "topic://news.Zürich",
        "subscribed_destination": "topic://news.>" if version >= 3 else None,
        "selector": "colour = 'blue'",
        "no_local": True if version >= 11 else None,
        "not_decoded": None,
    }
    assert unsubscribed["subscription_info"] is None
    (emptied,) = of(6, values)
    assert emptied["destination"] == "orders"


def test_transactions(journals: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = journals
    values = structs(folder / "11")
    (commit,), (prepare,), (rollback,) = (of(command, values) for command in (4, 3, 5))
    local, xa = of(1, values)[-2:]
    assert local["message"]["text"] == "in a transaction"
    for value in (local, commit):
        assert value["transaction"]["connection_id"] == "ID:there"
        assert value["transaction"]["transaction_id"] == 77
        assert value["transaction"]["format_id"] is None
    for value in (xa, prepare, rollback):
        assert value["transaction"]["format_id"] == -5
        assert value["transaction"]["global_transaction_id"] == b"\x01\x02"
        assert value["transaction"]["branch_qualifier"] == b"\xff"
        assert value["transaction"]["connection_id"] is None


def test_the_scheduler(journals: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = journals
    values = structs(folder / "scheduler")
    first, second = of(11, values)
    fields = dict(first["fields"])
    assert first["message"]["text"] == second["message"]["text"] == "later"
    assert (fields["scheduler"], fields["job_id"], fields["cron_entry"]) == (
        "JMS",
        "job-1",
        "0 12 * * *",
    )
    assert (fields["delay"], fields["period"], fields["repeat"]) == ("1000", "2000", "3")
    assert [dict(value["fields"])["job_id"] for value in of(13, values)] == ["job-1"]
    (all_jobs,) = of(14, values)
    assert dict(all_jobs["fields"]) == {
        "scheduler": "JMS",
        "start_time": "5",
        "end_time": str(2**63 - 1),
    }


def test_phrases(journals: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = journals
    message = [phrase("kahadb-journal", value, {}) for value in structs(folder / "11")]
    when = "2026-01-02 03:04:05"
    text = 'text "Hello, Zoë 😀\0!"'
    assert f"message ID:walproof-1:0:1:1 to queue://orders, {text}, {when}" in message
    assert f"message ID:walproof-1:4:1:1 to queue://orders, bytes 0x0001ff78, {when}" in message
    stream = 'stream [7,"s",0.25,null]'
    assert f"message ID:walproof-1:6:1:1 to queue://orders, {stream}, {when}" in message
    words = "(content: a serialised Java object of 76 bytes, not decoded)"
    assert f"message ID:walproof-1:7:1:1 to queue://orders, object, {when} {words}" in message
    assert {
        'updates message ID:walproof-1:0:1:1 to queue://orders, text "updated"',
        "commit, transaction ID:there:77",
        "prepare, XA transaction 0x0102",
        "rollback, XA transaction 0x0102",
    } <= {*message}
