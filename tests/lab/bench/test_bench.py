"""``lab bench`` runs, shows every row, and keeps the raw numbers. No time is judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from conformance.declaration import BrokenDeclaration
from conformance.sandbox import bubblewrap
from lab.bench import command, harness, reading, workloads
from lab.bench.command import bench
from lab.bench.contenders import (
    Contender,
    contenders,
    declared_contenders,
    our_contenders,
    worker_command,
)
from lab.bench.readers import READERS
from lab.bench.workloads import WORKLOADS, Workload
from walproof.implementations import all_implementations

TINY = Workload("tiny", "leveldb-log", 20, 50)


def test_quick_bench_shows_every_row(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    arguments = ["--quick", "--report", str(path)]
    done = CliRunner().invoke(bench, arguments, standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
    report = json.loads(path.read_text())
    named = [(row["workload"], row["contender"]) for row in report["reading"]]
    assert named == [
        (load.name, name)
        for load in {each.format: each for each in reversed(WORKLOADS)}.values()
        for name in (each.name for each in contenders() if each.format == load.format)
    ]
    requested = [(row["workload"], row["contender"]) for row in report["harness"]]
    assert requested == [(harness.WORKLOAD, "walproof"), (harness.WORKLOAD, "toml-test")]
    for workload, name in named + requested:
        assert workload in done.stdout and name in done.stdout
    assert (report["rounds"], report["quick"]) == (1, True)
    assert report["machine"]["processors"] >= 1
    for row in report["reading"]:
        if "unavailable" not in row:
            assert len(row["seconds"]) >= 1 and row["median_seconds"] > 0
            assert row["mb_per_second"] > 0 and row["records_per_second"] > 0


def test_readers_of_one_format_are_measured_without_the_harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "contenders", lambda: [*our_contenders("zmq-raft")][:1])
    path = tmp_path / "bench.json"
    words = ["--quick", "--format", "zmq-raft", "--report", str(path)]
    assert CliRunner().invoke(bench, words, standalone_mode=False).return_value == 0
    report = json.loads(path.read_text())
    assert [row["contender"] for row in report["reading"]] == ["executable-spec"]
    assert report["harness"] == []
    refused = CliRunner().invoke(bench, [*words, "--only", "harness"])
    assert refused.exit_code == 2 and "it excludes --only harness" in refused.output


def test_where_the_peer_returns_no_payloads_the_scanner_is_measured_without_them() -> None:
    without = {each.format for each in contenders() if each.name == "fast-scan, no payloads"}
    assert without == {each.format for each in contenders() if each.peer and not each.has_payloads}
    assert without == {"sqlite-wal"}


def test_every_format_has_one_peer() -> None:
    peers = [each.format for each in contenders() if each.peer]
    assert sorted(peers) == sorted({load.format for load in WORKLOADS})


def test_ratio_is_taken_within_each_round() -> None:
    """A machine that slows down in the second round slows both."""
    assert reading.ratio([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == 0.5


def leveldb_cpp() -> Contender:
    return next(each for each in contenders() if each.name == "leveldb-cpp")


def test_worker_prints_what_the_driver_prints() -> None:
    log = TINY.log()
    both = [next(our_contenders("leveldb-log")), leveldb_cpp()]
    lines = [
        subprocess.check_output(each.command(log, 3)) for each in both if each.unavailable() is None
    ]
    assert lines
    for line in lines:
        message = json.loads(line)
        assert (message["records"], message["payload_bytes"]) == (
            TINY.count,
            TINY.count * TINY.size,
        )
        assert len(message["all_seconds"]) == 3


def printing(**said: object) -> Contender:
    program = f"print({json.dumps(json.dumps(said))})"
    return Contender("liar", "", "leveldb-log", lambda log, repeat: [sys.executable, "-c", program])


@pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap is not usable here")
def test_a_reader_is_measured_in_a_sandbox(tmp_path: Path) -> None:
    message = {"records": TINY.count, "payload_bytes": TINY.count * TINY.size, "all_seconds": [1.0]}
    outside = tmp_path / "outside"
    program = (
        "import pathlib, sys\n"
        "pathlib.Path(sys.argv[1]).parent.joinpath('beside').mkdir(exist_ok=True)\n"
        f"try: pathlib.Path({str(outside)!r}).touch()\n"
        "except OSError: pass\n"
        f"print({json.dumps(message)!r})"
    )
    reader = Contender(
        "reader", "", "leveldb-log", lambda log, _: [sys.executable, "-c", program, str(log)]
    )
    rows = reading.measure([reader], [TINY], 1)
    assert rows[0]["records"] == TINY.count
    assert not outside.exists()
    with (console := Console(width=120)).capture() as shown:
        command.print_report(command.build_report(rows, [], 1, quick=True), console)
    assert "isolation: own folder, bubblewrap" in shown.get()


def test_a_reader_that_returns_something_else_is_not_measured() -> None:
    liar = printing(records=19, payload_bytes=950, all_seconds=[0.000001])
    with pytest.raises(reading.WrongCount, match="liar: tiny: expected 20 records of 50 bytes"):
        reading.measure([liar], [TINY], 1)


def test_what_is_not_here_is_a_row_that_says_why() -> None:
    def no_reader(log: Path, repeat: int) -> list[str]:
        raise AssertionError("is not run")

    absent = Contender("absent", "", "leveldb-log", no_reader, True, 1, lambda: "gone fishing")
    present = Contender(
        "present", "", "leveldb-log", worker_command("specification", "leveldb-log")
    )
    rows = reading.measure([absent, present], [TINY], 1)
    assert rows[0]["unavailable"] == "gone fishing"
    assert rows[1]["peer"] is None and rows[1]["ratio_to_peer"] is None


def test_a_slow_reader_reads_a_share_and_the_row_says_so() -> None:
    """Speed is compared by the record: half the records in half the time is no faster."""
    half = printing(records=10, payload_bytes=500, all_seconds=[1.0])
    slow = Contender("slow", "", "leveldb-log", half.command, share=2)
    peer = printing(records=20, payload_bytes=1000, all_seconds=[2.0])
    rows = reading.measure(
        [Contender("peer", "", "leveldb-log", peer.command, peer=True), slow], [TINY], 1
    )
    assert [row["records"] for row in rows] == [20, 10]
    assert [row["ratio_to_peer"] for row in rows] == [1, 1]
    with (console := Console(width=100)).capture() as shown:
        command.print_report(command.build_report(rows, [], 1, quick=True), console)
    assert "slow (10 records)" in shown.get()


def test_a_reader_of_another_format_is_left_out() -> None:
    other = Contender("other", "", "other-log", lambda log, repeat: ["false"])
    assert reading.measure([other], [TINY], 1) == []


@pytest.mark.parametrize("built", [True, False])
def test_workloads_are_made_with_and_without_leveldb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built: bool
) -> None:
    if built and leveldb_cpp().unavailable() is not None:
        pytest.skip("leveldb-cpp is not built")
    monkeypatch.setattr(workloads, "BUILD", tmp_path)
    if not built:
        monkeypatch.setattr(workloads, "why_not", lambda writer: "not built")
    log = Workload("x", "leveldb-log", 7, 1000).log()
    assert READERS["specification"]("leveldb-log")(log) == (7, 7000)
    assert log.stat().st_mtime_ns == Workload("x", "leveldb-log", 7, 1000).log().stat().st_mtime_ns
    assert [path.name for path in log.parent.iterdir()] == ["leveldb-log-7x1000"]


def test_smaller_workloads_keep_at_least_one_record() -> None:
    assert TINY.smaller(7) == Workload("tiny", "leveldb-log", 2, 50)
    assert TINY.smaller(1000).count == 1


def test_an_unknown_key_of_a_declaration_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bench.toml").write_text("[[contender]]\nrepeats = 3\n")
    implementation = replace(all_implementations()[0], folder=tmp_path, formats=("x",))
    with pytest.raises(BrokenDeclaration, match=r"bench\.toml: contender/0: .*'repeats' was unexp"):
        list(declared_contenders(implementation))


def test_what_is_no_toml_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "bench.toml").write_text("[[contender]\n")
    implementation = replace(all_implementations()[0], folder=tmp_path, formats=("x",))
    with pytest.raises(BrokenDeclaration, match=r"bench\.toml: Expected"):
        list(declared_contenders(implementation))


def test_arguments_for_a_quick_start_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "bench.toml").write_text('[[contender]]\nleave_out = ["-quick"]\n')
    implementation = replace(
        all_implementations()[0],
        folder=tmp_path,
        formats=("x",),
        command_template=("run", "-quick", "it"),
    )
    [each] = declared_contenders(implementation)
    assert each.command(Path("log"), 3) == ["run", "it", "bench", "log", "3"]
    other = replace(implementation, command_template=("run", "it"))
    with pytest.raises(BrokenDeclaration, match=r"bench\.toml: leave_out: '-quick' is not in"):
        list(declared_contenders(other))


def test_a_program_that_a_build_left_out_is_a_row_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "bench.toml").write_text(
        '[[contender]]\ncommand = ["{build}/none"]\nwithout = "needs another processor"\n'
    )
    implementation = replace(all_implementations()[0], folder=tmp_path, formats=("x",))
    [each] = declared_contenders(implementation)
    assert each.unavailable() == "needs another processor"
