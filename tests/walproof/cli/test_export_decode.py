"""``walproof export --parquet --decode``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from conformance import ROOT
from reference_impl.formats import FORMATS
from walproof import decode
from walproof.cli import walproof as command

GOLDEN = ROOT / "tests" / "walproof" / "decode" / "golden" / "zmq-raft"
VECTORS = ROOT / "vectors"


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


@pytest.mark.parametrize("format_id", FORMATS)
def test_parquet_has_the_struct(format_id: str, tmp_path: Path) -> None:
    chosen = [place for place in sorted((VECTORS / format_id).iterdir()) if place.suffix != ".json"]
    whole = 0
    for log in chosen[:: max(len(chosen) // 3, 1)]:
        copy = tmp_path / log.name
        (shutil.copytree if log.is_dir() else shutil.copyfile)(log, copy)
        out = tmp_path / "out.parquet"
        done = run("export", copy, "--format", format_id, "--parquet", out, "--decode")
        if done.return_value not in (0, 3):
            continue
        table = pq.read_table(out)
        assert table.schema.field("decoded").type == decode.type_of(format_id)
        given = zip(table["decoded"].to_pylist(), table["detail"].to_pylist(), strict=True)
        whole += table.num_rows
        assert all(value is None or why is None for value, why in given)
        out.unlink()
    assert whole, os.fspath(tmp_path)
