"""Decode payloads, and explain payloads that cannot be decoded."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from reference_impl.zeebe_journal import raft as zeebe_raft
from walproof.decode.fault import Undecodable
from walproof.formats.zeebe_journal import decoder as raft_entry

RowsOf = Callable[..., list[dict[str, Any]]]


def batch(sequence: int, count: int, *operations: bytes) -> bytes:
    return struct.pack("<QI", sequence, count) + b"".join(operations)


def test_a_raft_configuration_is_decoded() -> None:
    members = [zeebe_raft.Member("active", 5, b"0"), zeebe_raft.Member("passive", 6, b"\xff")]
    decoded = raft_entry.decode(zeebe_raft.encode_configuration(1, 99, members, members[:1]))
    assert decoded["timestamp"] == 99
    assert [m["member_id"] for m in decoded["new_members"]] == [b"0", b"\xff"]
    assert decoded["old_members"] == [{"type": "active", "updated": 5, "member_id": b"0"}]
    with pytest.raises(Undecodable, match="not-raft"):
        raft_entry.decode(b"")


def test_fields_of_an_entry_become_a_map(tmp_path: Path, rows_of: RowsOf) -> None:
    fields = {"realtime": "1", "monotonic": "1", "boot_id": "01" * 16}
    body = b"MESSAGE=hello\nTAG=a\nTAG=b\n_PID=7\n"
    named("systemd-journal").write(tmp_path / "s.journal", [NewRecord(body, fields)], {})
    (row,) = rows_of(tmp_path, journalFormat="systemd-journal", decode=True)
    fields = dict(row["decoded"]["fields"])
    assert fields["TAG"] == [b"a", b"b"] and fields["MESSAGE"] == [b"hello"]


def test_the_detail_explains_an_undecoded_payload(tmp_path: Path, rows_of: RowsOf) -> None:
    records = [NewRecord(batch(1, 1, b"\x00\x01k")), NewRecord(b"other"), NewRecord(b"x" * 99)]
    named("leveldb-log").write(tmp_path / "000001.log", records, {})
    good, bad, cut = rows_of(tmp_path, decode=True, maxPayloadBytes=50)
    assert good["decoded"]["leveldb_log"]["ops"][0]["key"] == b"k" and good["detail"] is None
    assert bad["decoded"] is None and bad["detail"].startswith(
        "not decoded: neither a write batch (at 0: expected 12"
    )
    assert cut["decoded"] is None and cut["detail"] == "not decoded: the payload was truncated"
    assert all(row["kind"] == "record" for row in (good, bad, cut))
