"""Every form of ``walproof read`` prints the executable specification's answer."""

from __future__ import annotations

import json
from itertools import compress
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")


from click.testing import CliRunner

from conformance import VECTORS
from reference_impl.answer import NewRecord, Record, collect
from reference_impl.formats import FORMATS, named
from walproof import log as walproof_log
from walproof.cli import record_table, walproof
from walproof.cli.record_table import LOST, Passed, few, gather


def logs() -> list[tuple[str, Path]]:
    """Return some intact and some damaged logs of each format."""
    results = []
    for format_id in FORMATS:
        vectors = [
            each for each in sorted((VECTORS / format_id).iterdir()) if each.suffix != ".json"
        ]
        results += [(format_id, each) for each in vectors[:: len(vectors) // 12]]
    return results


@pytest.mark.parametrize("most", [0, 1, 3])
def test_counts_equal_those_of_the_specification(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walproof_log, "LARGE_LOG_BYTES", 0)
    passed = 0
    for format_id, log in logs():
        opened = walproof_log.Log(format_id, log)
        events = list(few(opened, most))
        passed += sum(each.count for each in events if isinstance(each, Passed))
        returned = sum(isinstance(each, Record) for each in events)
        assert returned <= most or not opened.is_read_by_scanner
        specified = named(format_id).read(log, "recover", {})
        short, whole = gather(format_id, events, most, most), gather(format_id, specified)
        assert short.record_count == whole.record_count, log
        assert (short.lost_count, short.lost_bytes) == (whole.lost_count, whole.lost_bytes), log
        assert (short.last, short.end) == (whole.last, whole.end), log
        is_record = [cells["record"] != LOST for cells, _ in whole.stored.rows()]
        expected = [*compress(whole.stored.rows(), is_record)][:most]
        assert [row for row in short.stored.rows() if row[0]["record"] != LOST] == expected, log
    assert passed > 50


@pytest.mark.parametrize("large_log_bytes", [0, walproof_log.LARGE_LOG_BYTES])
def test_json_is_that_of_the_specification(
    large_log_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output for a scanner's columns is the same as for the specification's records."""
    monkeypatch.setattr(walproof_log, "LARGE_LOG_BYTES", large_log_bytes)
    for format_id, log in logs():
        expected = collect(named(format_id).read(log, "recover", {})).to_json()
        command = ["read", str(log), "--format", format_id]
        assert json.loads(run([*command, "--json"])) == expected, log
        lines = [json.loads(line) for line in run([*command, "--jsonl"]).splitlines()]
        assert [each["record"] for each in lines if "record" in each] == expected["records"], log
        assert len([each for each in lines if "lost" in each]) == len(expected["lost"]), log
        end = {name: expected[name] for name in ("verdict", "reason", "end")}
        assert lines[-1] == {"end": end}, log


def run(command: list[str]) -> str:
    return CliRunner().invoke(walproof, command, standalone_mode=False).stdout


@pytest.mark.parametrize("way", ["--json", "--jsonl"])
def test_invisible_characters_are_escaped(way: str, tmp_path: Path) -> None:
    record = NewRecord(b"a", {"asqn": "1"})
    named("zeebe-journal").write(tmp_path / "log", [record], {"name": "é\u202e\x7f"})
    text = run(["read", str(tmp_path / "log"), way])
    assert "é\\u202e\\u007f-1.log" in text
    assert text.replace("\n", "").isprintable()


def test_rows_after_the_first_are_printed_as_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A field that no record among the first rows has follows the payload."""
    monkeypatch.setattr(record_table, "FIRST_ROWS", 2)
    log = VECTORS / "etcd-wal" / "lost-entry-and-type-4.wal"
    lines = run(["read", str(log), "--format", "etcd-wal"]).splitlines()
    whole = collect(named("etcd-wal").read(log, "recover", {}))
    assert len(lines) == 1 + len(whole.records) + len(whole.lost) + 2
    assert lines[0].split()[:3] == ["record", "at", "size"]
    assert [line.split()[1] for line in lines[3:6]] == ["80", "120", "160"]
    assert sum(line.endswith("  after_loss=true") for line in lines) == 7
