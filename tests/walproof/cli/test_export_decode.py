"""``walproof export --parquet --decode``."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from click.testing import CliRunner, Result

from conformance import ROOT
from walproof.cli import walproof as command

GOLDEN = ROOT / "tests" / "walproof" / "decode" / "golden" / "zmq-raft"


def run(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], standalone_mode=False)


def test_decode_requires_parquet() -> None:
    done = run("export", GOLDEN / "log.rlog", "--decode")
    assert "needs --parquet" in str(done.exception)


def test_structs_are_next_to_the_payloads(tmp_path: Path) -> None:
    done = run("export", GOLDEN / "log.rlog", "--parquet", tmp_path / "out.parquet", "--decode")
    assert done.return_value == 0
    decoded = pq.read_table(tmp_path / "out.parquet")["decoded"].to_pylist()
    assert [value["type"] for value in decoded] == [
        "checkpoint", "state", "state", "config", "config",
    ]  # fmt: skip
    assert decoded[1]["data"] == b"hello" and decoded[4]["old_peers"][0]["id"] == "01"
