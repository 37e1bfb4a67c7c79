"""``walproof read --each``: the limit of ``--unzip``."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.cli.read import read
from walproof.cli.record_files import UNZIPPED_BYTES, TooLarge, unzipped


def test_unzip_leaves_a_bomb_unchanged_and_reports_it(tmp_path: Path) -> None:
    log, out = tmp_path / "000003.log", tmp_path / "out"
    bomb = gzip.compress(bytes(UNZIPPED_BYTES + (1 << 22)), 9)
    named("leveldb-log").write(log, [NewRecord(gzip.compress(b"small")), NewRecord(bomb)], {})
    words = [str(log), "--each", str(out), "--unzip", "--format", "leveldb-log"]
    done = CliRunner().invoke(read, words, standalone_mode=False)
    assert done.return_value == 3
    assert f"record 1: unpacks to more than {UNZIPPED_BYTES + 16 * len(bomb)} bytes" in done.output
    assert [path.read_bytes() for path in sorted(out.iterdir())] == [b"small", bomb]


@pytest.mark.parametrize("extra", [b"", b"trailing"])
def test_invalid_gzip_data_stays_unchanged(extra: bytes) -> None:
    packed = gzip.compress(b"a record")
    assert unzipped(packed) == b"a record"
    assert unzipped(packed[:-1] + extra) == packed[:-1] + extra


def test_a_bomb_is_detected() -> None:
    with pytest.raises(TooLarge):
        unzipped(gzip.compress(bytes(UNZIPPED_BYTES + (1 << 22)), 9))
