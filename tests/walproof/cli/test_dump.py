"""``walproof dump``: what ``--force`` may replace, and what it may not."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.cli.dump import dump


def test_force_replaces_files_but_never_the_log(tmp_path: Path) -> None:
    log = tmp_path / "0000000000000000.data"
    named("leveldb-log").write(log, [NewRecord(b"a")], {})
    before = log.read_bytes()
    words = [str(log), "--out", str(tmp_path), "--force", "--format", "leveldb-log"]
    done = CliRunner().invoke(dump, words, standalone_mode=False)
    assert "would overwrite the log" in str(done.exception)
    assert log.read_bytes() == before
