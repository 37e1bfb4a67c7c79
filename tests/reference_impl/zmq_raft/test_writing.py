"""Writing and rolling back have the same results as in the real classes."""

from __future__ import annotations

import struct

import pytest

from reference_impl.zmq_raft.index_writer import Full, IndexWriter, empty
from reference_impl.zmq_raft.message_pack import encode
from reference_impl.zmq_raft.state import StateWriter, rotated_name


def table_of(data: bytes, count: int = 6) -> list[int]:
    return list(struct.unpack_from(f"<{count}I", data, 24))


def dirty(tmp_path, *offsets: int):
    """Return a file with capacity 6, these offsets in its table, and 20 bytes of data."""
    path = tmp_path / "dirty.rlog"
    data = bytearray(empty(0, 6, {}))
    data[24 : 24 + 4 * len(offsets)] = struct.pack(f"<{len(offsets)}I", *offsets)
    path.write_bytes(data + b"d" * 20)
    return path


@pytest.mark.parametrize(
    ("before", "appends", "after"),
    [
        ((3, 0, 6, 9, 0, 12), 1, [3, 4, 0, 0, 0, 12]),
        ((3, 0, 6, 9, 0, 12), 2, [3, 4, 5, 0, 0, 12]),
        ((3, 0, 0, 9, 0, 12), 1, [3, 4, 0, 9, 0, 12]),
        ((3, 0, 0, 9, 0, 12), 5, [3, 4, 5, 6, 7, 8]),
    ],
)
def test_old_offsets_are_cleared_up_to_the_next_zero(tmp_path, before, appends, after):
    path = dirty(tmp_path, *before)
    with path.open("r+b") as file:
        writer = IndexWriter(file, path.stat().st_size)
        for _ in range(appends):
            writer.append(b"x")
    assert table_of(path.read_bytes()) == after


def test_rolling_back_keeps_the_bytes(tmp_path):
    path = tmp_path / "a.rlog"
    path.write_bytes(empty(1, 8, {}))
    with path.open("r+b") as file:
        writer = IndexWriter(file, path.stat().st_size)
        for payload in (b"abc", b"def", b"ghi"):
            writer.append(payload)
        size = path.stat().st_size
        writer.truncate(2)
        writer.append(b"XY")
    data = path.read_bytes()
    assert len(data) == size and data.endswith(b"abcXYfghi")
    assert table_of(data, 3) == [3, 5, 0]


@pytest.mark.parametrize(
    ("first", "configured", "file_capacity"),
    [(1, 16384, 16383), (8, 8, 8), (2**32 + 5, 8, 3), (0, 4, 4), (21, 16, 11), (5, 1, 1)],
)
def test_capacity_of_a_new_file(first, configured, file_capacity):
    data = empty(first, configured, {})
    assert struct.unpack_from("<I", data, 12) == (file_capacity,)
    assert struct.unpack_from("<I", data, 4) == (16 + 4 * file_capacity,)


def test_a_full_file_refuses_without_change(tmp_path):
    path = tmp_path / "a.rlog"
    path.write_bytes(empty(3, 4, {}))
    with path.open("r+b") as file:
        writer = IndexWriter(file, path.stat().st_size)
        writer.append(b"x")
        file.flush()
        before = path.read_bytes()
        with pytest.raises(Full):
            writer.append(b"y")
        with pytest.raises(ValueError, match="at least one byte"):
            writer.append(b"")
    assert path.read_bytes() == before


def test_the_most_data_that_a_file_may_have(tmp_path):
    """The data is a hole, which takes no space on the disk. A vector could not be so large."""
    path = tmp_path / "a.rlog"
    data = bytearray(empty(0, 4, {}))
    start = 0x3FFFFFFF - 2
    struct.pack_into("<I", data, 24, start)
    path.write_bytes(data)
    with path.open("r+b") as file:
        file.truncate(len(data) + start)
        writer = IndexWriter(file, len(data) + start)
        with pytest.raises(Full):
            writer.append(b"xyz")
        writer.append(b"xy")
        with pytest.raises(Full):
            writer.append(b"z")
        file.seek(0)
        assert table_of(file.read(len(data)), 4) == [start, 0x3FFFFFFF, 0, 0]
    assert path.stat().st_size == len(data) + 0x3FFFFFFF


@pytest.mark.parametrize(
    ("updates", "size"),
    [([{"foo": 2}], 6), ([{"foo": 2}, {"baz": [1, 2, 3]}], 15), ([{}], 1),
     ([{"bar": "x" * 131072}], 131072 + 5 + 5)],
)  # fmt: skip
def test_sizes_of_state_files(tmp_path, updates, size):
    writer = StateWriter(tmp_path / "s.pers")
    for update in updates:
        writer.update(update)
    assert (tmp_path / "s.pers").stat().st_size == size


def test_rotation_at_512_kib(tmp_path):
    """The size is checked before an update, so one update exceeds the limit before a rotation."""
    path = tmp_path / "s.pers"
    writer = StateWriter(path, {"a": "", "b": 0})
    writer.update({"a": "x" * (512 * 1024)})
    writer.update({"unknown": 1})
    assert path.stat().st_size < 512 * 1024 + 20
    rotated = tmp_path / "s.pers-2018-09-26-145936-8170"
    assert rotated.stat().st_size > 512 * 1024
    assert path.read_bytes() == encode({"a": "x" * (512 * 1024), "b": 0})
    StateWriter(path, {"a": "", "b": 0}).update({"b": 1})
    again = StateWriter(path, {"a": "", "b": 0})
    assert again.state.values["b"] == 1


def test_rotated_names():
    moment = "2018-09-26T14:59:36.817Z"
    assert rotated_name("raft.pers", moment, 0) == "raft.pers-2018-09-26-145936-8170"
    assert rotated_name("snap", moment, 36) == "snap-2018-09-26-145936-81710"
