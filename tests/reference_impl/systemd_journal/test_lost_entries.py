"""An entry that is not returned is in a lost range, whatever happened to its type."""

import struct
from typing import Any

import pytest

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import inspect
from reference_impl.systemd_journal.links import Links
from reference_impl.systemd_journal.objects import View
from reference_impl.systemd_journal.walk import BAD, Walk
from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes

TABLES = (layout.DATA_HASH_TABLE, layout.FIELD_HASH_TABLE)


def covered(data: bytes, start: int, end: int) -> bool:
    return any(gap.start <= start and end <= gap.end for gap in answer(data).lost)


@pytest.mark.parametrize("object_type", [0, 1, 2, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("options", [{}, {"compact": True}, {"spare": 256}], ids=str)
def test_an_entry_of_another_type_is_lost(options: dict[str, Any], object_type: int) -> None:
    data = journal_bytes(*hello(6), [b"A=1", b"B=2", b"C=3", b"D=4", b"E=5"], **options)
    for record in answer(data).records:
        broken = bytearray(data)
        broken[record.at] = object_type
        actual = answer(bytes(broken))
        assert actual.verdict == "damaged"
        assert record.at not in [each.at for each in actual.records]
        assert covered(bytes(broken), record.at, record.at + record.size), (record.at, object_type)


@pytest.mark.parametrize("name", ["data_hash_table_offset", "field_hash_table_offset"])
@pytest.mark.parametrize("value", [0, 264, 1 << 62, 1696])
def test_a_wrong_header_does_not_lose_the_table(name: str, value: int) -> None:
    """The header is wrong, and the only table of its type stays."""
    data = bytearray(journal_bytes(*hello(5)))
    offset, width = layout.HEADER_FIELDS[name]
    data[offset : offset + width] = value.to_bytes(width, "little")
    actual = answer(bytes(data))
    assert (actual.verdict, actual.reason, len(actual.records)) == ("damaged", "bad-header", 5)
    assert [(gap.start, gap.end) for gap in actual.lost] == [(offset, offset + 16)]


def test_swapped_table_links_lose_no_table() -> None:
    data = bytearray(journal_bytes(*hello(5)))
    data[104:120], data[120:136] = data[120:136], data[104:120]
    assert [(gap.start, gap.end) for gap in answer(bytes(data)).lost] == [(104, 120), (120, 136)]


@pytest.mark.parametrize("object_type", TABLES)
def test_a_wrong_header_does_not_turn_a_table_into_an_entry(object_type: int) -> None:
    data = bytearray(journal_bytes(*hello(5)))
    lost = answer(bytes(data)).records[2]
    data[lost.at] = object_type
    offset = 104 if object_type == layout.DATA_HASH_TABLE else 120
    data[offset : offset + 8] = struct.pack("<Q", 1 << 40)
    assert covered(bytes(data), lost.at, lost.at + lost.size)
    for table in inspect(bytes(data), {}).walk.sound(object_type):
        assert table == lost.at or not covered(bytes(data), table, table + 16)


def chained(count: int) -> bytes:
    """Return ``count`` DATA with wrong hashes in one chain, to which every bucket leads."""
    data = bytearray(journal_bytes(*hello(count), data_buckets=count))
    inspected = inspect(bytes(data), {})
    members = list(inspected.walk.sound(layout.DATA))
    for at, following in zip(members, [*members[1:], 0], strict=True):
        data[at + 16 : at + 32] = struct.pack("<QQ", 1, following)
    table = inspected.view.header.data_hash_table_offset
    data[table : table + 16 * count] = struct.pack("<QQ", members[0], members[-1]) * count
    return bytes(data)


def steps(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the links that the checks follow."""
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
