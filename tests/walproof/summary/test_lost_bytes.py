"""Lost bytes exclude space that was never written."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from reference_impl.answer import Lost
from tests.real_files import read_journal
from walproof.summary.lost_bytes import last_byte_end, lost_counter

Run = Callable[..., Result]
TAIL_OBJECT_AT = 136


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Make a journal of 8 MiB, half of it never written, whose last object has an invalid size."""
    data = bytearray(read_journal("v257-lz4"))
    (tail,) = struct.unpack_from("<Q", data, TAIL_OBJECT_AT)
    struct.pack_into("<Q", data, tail + 8, 1 << 40)
    path = tmp_path / "system.journal"
    path.write_bytes(data)
    return path


def test_unwritten_space_is_not_lost(journal: Path, run: Run) -> None:
    size = journal.stat().st_size
    data = journal.read_bytes()
    (tail,) = struct.unpack_from("<Q", data, TAIL_OBJECT_AT)
    bound = len(data.rstrip(b"\0")) - tail
    assert bound < 100 < size - tail
    about = run(journal).stdout
    assert f"29 records survive, {bound} bytes lost in one range" in about
    assert f"including {size - tail - bound:,} bytes at the end that were never written" in about
    result = json.loads(run("summary", "--json", journal).stdout)
    assert (result["lost_bytes"], result["unwritten_bytes"]) == (bound, size - tail - bound)
    assert result["largest_lost"][0]["to"] == size  # the answer still includes the unwritten space
    done = run("recover", journal, "--out", journal.with_name("new.journal"))
    assert f"29 records; {bound} bytes of" in done.stderr


def test_zeros_instead_of_the_last_object_are_lost(journal: Path) -> None:
    """Zeros in place of the last object are lost: the object may have been that long."""
    data = bytearray(journal.read_bytes())
    (tail,) = struct.unpack_from("<Q", data, TAIL_OBJECT_AT)
    data[tail:] = bytes(len(data) - tail)
    journal.write_bytes(data)
    gap = Lost(tail, len(data), "bad-object")
    assert lost_counter("systemd-journal", journal)(gap) == len(data) - tail


def test_other_formats_count_all_bytes(tmp_path: Path) -> None:
    (tmp_path / "000003.log").write_bytes(b"x" + bytes(99))
    assert lost_counter("leveldb-log", tmp_path / "000003.log")(Lost(0, 100, "torn-payload")) == 100


@pytest.mark.parametrize("size", [0, 1, 1 << 16, (1 << 16) + 1, 200_000])
@pytest.mark.parametrize("zeros", [0, 1, 1 << 16, 200_000])
def test_the_last_nonzero_byte_is_found(size: int, zeros: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\1" * size + bytes(zeros))
    assert last_byte_end(tmp_path / "file") == size
