"""``lab bench`` measures every contender and shows the results. No test depends on the times."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.registry import Implementation
from lab.bench import command, commands, contenders, format_bench, reading
from lab.bench.contenders import Contender, our_contenders
from lab.bench.format_bench import FormatBench, Size, bench_of, log_of
from lab.bench.readers import READERS
from reference_impl.formats import FORMATS
from tests.conftest import SCANNED

TINY = Size("tiny", 20, 50)
COUNTS = {"records": 20, "payload_bytes": 1000}


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format_bench, "BUILD", tmp_path)


def printing(name: str = "reader", **body: object) -> Contender:
    program = f"print({json.dumps(json.dumps(COUNTS | body))})"
    return Contender(name, [sys.executable, "-c", program])


def measured(*readers: Contender) -> list[reading.Measurement]:
    return reading.measure(log_of("leveldb-log", TINY), TINY, readers, 1)


@pytest.mark.parametrize("format_id", SCANNED)
def test_every_contender_reads_every_record(
    format_id: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Our contenders run in this process, which has already compiled the kernels."""
    bench = bench_of(format_id)
    size = replace(bench.logs[-1], count=20)
    log = log_of(format_id, size)
    all_contenders = contenders.contenders(format_id)
    assert [each.is_peer for each in all_contenders].count(True) == 1
    for each in all_contenders:
        payload_bytes = 20 * size.size if each.has_payloads else 0
        if "lab.bench.readers" in each.command:
            counts = READERS[each.command[3]](format_id)(log)
            assert counts == (20, payload_bytes), each.name
        elif each.unavailable is None:
            assert reading.measure(log, size, [each], 1)


def test_the_command_shows_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, *_ = our_contenders("leveldb-log")
    absent = Contender("absent", ["false"], is_peer=True, unavailable="gone fishing")
    monkeypatch.setattr(command, "bench_of", lambda _: FormatBench((TINY,)))
    monkeypatch.setattr(command, "contenders", lambda _: [absent, ours])
    done = CliRunner().invoke(command.bench, ["--rounds", "1", "--format", "leveldb-log"])
    assert done.exit_code == 0, done.output
    assert "tiny" in done.output and "absent was not measured: gone fishing" in done.output
    assert "isolation: own folder" in done.output
    refused = CliRunner().invoke(command.bench, ["--format", "leveldb-log", "--only", "spark"])
    assert refused.exit_code == 2 and "it excludes --only spark" in refused.output


def test_ratio_is_taken_within_each_round() -> None:
    """One ratio is computed per round, because a slow round slows down both contenders."""
    assert reading.ratio([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == 0.5


def test_the_speed_relative_to_the_peer_is_shown() -> None:
    peer = replace(printing("peer", all_seconds=[3.0, 2.0, 9.0]), is_peer=True)
    rows = measured(peer, printing(all_seconds=[1.0]))
    assert [(row.seconds, row.fastest, row.ratio) for row in rows] == [
        ([3.0], 2.0, 1.0),
        ([1.0], 1.0, 3.0),
    ]


def test_a_reader_with_other_records_is_not_measured() -> None:
    with pytest.raises(reading.WrongCount, match="expected 20 records with 1000 bytes, found 19"):
        measured(printing(records=19, all_seconds=[0.000001]))


def test_logs_are_written_once() -> None:
    log = log_of("leveldb-log", TINY)
    assert READERS["scanner"]("leveldb-log")(log) == (20, 1000)
    written = log.stat().st_mtime_ns
    assert log_of("leveldb-log", TINY).stat().st_mtime_ns == written
    assert [path.name for path in log.parent.iterdir()] == ["leveldb-log-20x50"]


def test_a_program_that_cannot_run_reports_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Implementation, "missing", lambda _: ["gcc"])
    assert {each.unavailable for each in contenders.contenders("leveldb-log")} == {
        "gcc not found", None,
    }  # fmt: skip


def test_arguments_for_a_quick_start_are_left_out() -> None:
    for format_id in FORMATS:
        for program in bench_of(format_id).programs:
            command = format_bench.load(format_bench.FOLDER / program.implementation).command
            assert program.without is None or program.without in command
            measured = contenders._program(program).command
            assert measured[-1] == "bench" and program.without not in measured


def test_the_cost_of_every_command_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    commands.measure_all(1, 1e-4, ["leveldb-log"])
    shown = capsys.readouterr().out
    assert "leveldb-log: 1,000 × 100 B" in shown
    for name in commands.OURS:
        assert len(re.findall(rf"^ {name}   +[0-9]", shown, re.M)) == len(commands.COUNTS)


def test_the_cost_of_a_command_is_its_own() -> None:
    """The time and memory of the test process are not included."""
    program = "bytearray(200_000_000); sum(range(5_000_000))"
    of_the_tests = bytearray(b"x" * 700_000_000)
    seconds, peak_bytes = commands.cost([sys.executable, "-c", program])
    del of_the_tests
    assert 0.01 < seconds < 60
    assert 200e6 < peak_bytes < 600e6
