"""Entries, states and markers are described."""

from __future__ import annotations

from reference_impl.answer import Record
from reference_impl.etcd_wal.layout import ENTRY, payload_numbers, record_fields
from tests.walproof.formats.described import texts_of
from walproof.formats.etcd_wal.describe import describe

PUT = bytes.fromhex("22140a0b2f72656769737472792f611205616c706861a206020805")


def described(data: bytes, kind: int = 0) -> str:
    payload = bytes([8, kind, 16, 2, 24, 5, 34, len(data)]) + data
    fields = record_fields(ENTRY, payload_numbers(ENTRY, payload))
    return describe(Record(0, 0, payload, fields)).text


def test_records_of_vectors() -> None:
    assert texts_of("etcd-wal/all-types-of-entries") == [
        "metadata: node id 8e9e05c52164694d, cluster id cdf818194e3a8c32",
        "snapshot (index 0, term 0)",
        "entry (index 1, term 2): normal, 6 bytes",
        "entry (index 2, term 2): conf-change, 6 bytes",
        "entry (index 3, term 2): conf-change-v2, 6 bytes",
        "state: term 2, vote 8e9e05c52164694d, commit 3",
        "snapshot (index 3, term 2)",
    ]


def test_a_put_that_etcd_wrote() -> None:
    assert described(PUT) == 'entry (index 5, term 2): put "/registry/a" "alpha"'


def test_a_configuration_change() -> None:
    assert described(bytes.fromhex("0801100318ab01"), 1) == (
        "entry (index 5, term 2): add learner member ab"
    )


def test_a_delete_and_a_compaction() -> None:
    delete = bytes.fromhex("2a080a012f120330ff31")
    assert described(delete) == 'entry (index 5, term 2): delete "/" 0x30ff31'
    assert described(bytes.fromhex("3a020801")) == "entry (index 5, term 2): compaction"
