"""Compare pending messages with the counts of ActiveMQ's own store."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reference_impl.answer import NewRecord, Record
from reference_impl.formats import named
from tests.walproof.formats.kahadb_journal.test_decoder import message, varint
from tests.walproof.real_systems import Driver
from walproof.cli import walproof
from walproof.formats.kahadb_journal.decoder import decode
from walproof.formats.kahadb_journal.pending import Pending
from walproof.formats.kahadb_journal.system_folder.index import read_index

Run = Callable[..., Result]
ADD, REMOVE, PREPARE, COMMIT, ROLLBACK, REMOVE_DESTINATION, SUBSCRIBE = range(1, 8)
UPDATE = 10
QUEUE, TOPIC = 0, 1


def waiting(folder: Path) -> list[dict[str, Any]]:
    words = ["read", "--pending", "--jsonl", str(folder)]
    done = CliRunner().invoke(walproof, words, standalone_mode=False)
    assert done.return_value == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def written(kahadb: Driver, folder: Path, variant: str) -> Path:
    answer = kahadb.request("write", folder, variant=variant)
    assert "items" in answer, answer
    return folder


def test_topics_subscriptions_updates_and_transactions(kahadb: Driver, tmp_path: Path) -> None:
    folder = written(kahadb, tmp_path / "store", "waiting")
    result = waiting(folder)
    counts = {" ".join(filter(None, (row["place"], row.get("subscription")))): row["count"]
              for row in result}  # fmt: skip
    prepared = counts.pop("prepared transaction XA 0x" + b"prepare".hex())
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    answer = kahadb.request("count", copy, variant="waiting")
    assert (counts, prepared) == ({name: int(n) for name, n in answer["items"].items()}, 3)
    assert counts["topic://news client:fast"] == 11


@pytest.mark.parametrize(
    ("variant", "name", "place"),
    [
        ("closed", "db", "queue://orders"),
        ("emptied", "db", "queue://orders"),
        ("acknowledged", "db", "queue://orders"),
        ("removed", "scheduleDB", "scheduler JMS"),
    ],
)
def test_pending_messages_per_file(
    variant: str, name: str, place: str, kahadb: Driver, tmp_path: Path
) -> None:
    """The number of pending messages in each file equals that in the index of the real store."""
    folder = written(kahadb, tmp_path / "store", variant)
    (row,) = waiting(folder)
    index = {f"db-{number}.log": n for number, n in read_index(folder, name).messages.items()}
    assert (row["place"], row["files"]) == (place, index) and index


def test_a_broker_without_an_index_delivers_the_same_messages(
    kahadb: Driver, tmp_path: Path
) -> None:
    """A broker without an index delivers the messages that the journal has.

    The index of this store lacks two messages, because its writer had not started the queue.
    """
    folder = written(kahadb, tmp_path / "store", "stopped")
    (row,) = waiting(folder)
    answer = kahadb.request("rebuild", folder, variant="stopped")
    assert row["count"] == len(answer["items"]) == 200


def to(kind: int, name: str) -> tuple[int, bytes]:
    return 2, message((1, kind), (2, name.encode()))


def local(number: int) -> tuple[int, bytes]:
    return 1, message((1, message((1, b"ID:c"), (1, number))))


def command(number: int, *fields: tuple[int, int | bytes]) -> bytes:
    body = message(*fields)
    return bytes([number]) + varint(len(body)) + body


def after(*commands: bytes) -> dict[tuple[str, str | None], int]:
    pending = Pending()
    for number, payload in enumerate(commands):
        pending.take(Record(number, 1, payload, {}, "db-1.log"), decode(payload))
    return {(each.place, each.subscription): each.count for each in pending.waiting()}


def test_a_queue() -> None:
    add = [command(ADD, to(QUEUE, "q"), (3, b"ID:%d" % n)) for n in range(3)]
    remove = command(REMOVE, to(QUEUE, "q"), (3, b"ID:1"))
    assert after(*add) == {("queue://q", None): 3}
    assert after(*add, add[0], remove, remove) == {("queue://q", None): 2}
    assert after(*add, command(REMOVE_DESTINATION, (1, message((1, QUEUE), (2, b"q"))))) == {}
    update = command(UPDATE, (1, message(to(QUEUE, "q"), (3, b"ID:9"))))
    assert after(*add, update) == {("queue://q", None): 4}


def test_a_transaction_counts_when_it_is_committed() -> None:
    add = command(ADD, local(7), to(QUEUE, "q"), (3, b"ID:1"))
    other = command(ADD, local(8), to(QUEUE, "q"), (3, b"ID:2"))
    state = "transaction ID:c:"
    assert after(add, other) == {
        (f"unfinished {state}7", None): 1,
        (f"unfinished {state}8", None): 1,
    }
    assert after(add, other, command(COMMIT, local(7)), command(ROLLBACK, local(8))) == {
        ("queue://q", None): 1
    }
    assert after(add, command(PREPARE, local(7))) == {(f"prepared {state}7", None): 1}
    assert after(command(COMMIT, local(9))) == {}


def test_the_table(tmp_path: Path, run: Run) -> None:
    records = [command(ADD, to(QUEUE, "a\nb"), (3, b"ID:%d" % n)) for n in range(2)]
    named("kahadb-journal").write(tmp_path / "db-1.log", [NewRecord(r, {}) for r in records], {})
    done = run("read", "--pending", tmp_path / "db-1.log")
    lines = done.stdout.splitlines()
    assert re.split(" +", lines[0])[:3] == ["destination", "subscription", "count"]
    assert lines[1].split()[:2] == [r"queue://a\nb", "2"]
    assert lines[2].endswith(": pending messages pin 1 file")


def test_losses_and_undecoded_payloads_are_reported(tmp_path: Path, run: Run) -> None:
    log = tmp_path / "db-1.log"
    records = [command(ADD, to(QUEUE, "q"), (3, b"ID:%d" % n)) for n in range(3)] + [b"?"]
    named("kahadb-journal").write(log, [NewRecord(record, {}) for record in records], {})
    data = bytearray(log.read_bytes())
    data[data.index(b"ID:1") + 3] ^= 1
    log.write_bytes(data)
    done = run("read", "--pending", log)
    assert done.return_value == 3
    assert "(checksum-mismatch)" in done.stderr and "1 record cannot be decoded" in done.stderr


def test_another_format(tmp_path: Path) -> None:
    log = tmp_path / "000001.log"
    named("leveldb-log").write(log, [NewRecord(b"alpha", {})], {})
    done = CliRunner().invoke(walproof, ["read", "--pending", str(log)])
    assert "--pending: expected a broker's store, found leveldb-log" in done.stderr
