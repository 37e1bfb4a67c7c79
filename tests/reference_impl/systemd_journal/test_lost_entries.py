"""The checks follow each chain of lost objects just once."""

import struct

import pytest

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import inspect
from reference_impl.systemd_journal.links import Links
from reference_impl.systemd_journal.objects import View
from reference_impl.systemd_journal.walk import BAD, Walk
from tests.reference_impl.systemd_journal.journal_files import hello, journal_bytes


def chained(count: int) -> bytes:
    """Return a file whose buckets all refer to one chain of ``count`` DATA with wrong hashes."""
    data = bytearray(journal_bytes(*hello(count), data_buckets=count))
    inspected = inspect(bytes(data), {})
    members = list(inspected.walk.sound(layout.DATA))
    for at, following in zip(members, [*members[1:], 0], strict=True):
        data[at + 16 : at + 32] = struct.pack("<QQ", 1, following)
    table = inspected.view.header.data_hash_table_offset
    data[table : table + 16 * count] = struct.pack("<QQ", members[0], members[-1]) * count
    return bytes(data)


def steps(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the number of links that the checks follow."""
    taken = 0
    read_kind = Walk.kind

    def counted(self: Walk, at: int) -> int:
        nonlocal taken
        taken += 1
        return read_kind(self, at)

    data = chained(count)
    header = layout.parse_header(data[: layout.HEADER_FULL])
    walk = Walk(View(data, header))
    walk.run()
    assert walk.kinds.count(layout.DATA | BAD) > count
    with monkeypatch.context() as patch:
        patch.setattr(Walk, "kind", counted)
        list(Links(walk.view, walk).tables())
    return taken


def test_a_chain_of_lost_objects_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = steps(50, monkeypatch), steps(400, monkeypatch)
    assert many < 10 * few
