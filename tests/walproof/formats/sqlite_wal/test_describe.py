"""Transactions are described."""

from __future__ import annotations

from tests.walproof.formats.described import assert_linear, describe_payload, texts_of


def test_transactions_of_vectors() -> None:
    assert texts_of("sqlite-wal/abandoned-timeline") == [
        "page 2 of 512 bytes; database size 3 pages",
        "pages 1, 2, 4 of 512 bytes; database size 4 pages",
        "page 3 of 512 bytes; database size 4 pages",
        "must not be applied, after a loss: page 2 of 512 bytes; database size 4 pages",
    ]


def test_fields() -> None:
    fields = {"frame": 1, "pages": [*range(1, 11)], "db_pages": 10, "after_loss": True}
    described = describe_payload("sqlite-wal", b"\0" * 10 * (1024 + 24), fields)
    assert described is not None
    assert ": pages 1, 2, 3, 4, 5, 6, 7, 8 and 2 more of 1,024 bytes; " in described.text
    assert described.fields == {
        "pages": [*range(1, 11)],
        "page_size": 1024,
        "db_pages": 10,
        "after_loss": True,
    }
    assert describe_payload("sqlite-wal", b"\0") is None


def test_many_pages_take_linear_time() -> None:
    fields = {"pages": [4294967295] * 100_000, "db_pages": 1}
    assert_linear("sqlite-wal", lambda count: b"\0" * count * 32, fields)
