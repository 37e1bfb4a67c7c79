"""What commands take on a log, measured from outside, beside what one would type otherwise."""

from __future__ import annotations

import dataclasses
import sys
import time
from pathlib import Path

import pytest

from walproof.bench import holding
from walproof.bench.formats import FormatBench
from walproof.bench.workloads import Workload


def test_what_a_command_took_is_its_own(tmp_path: Path) -> None:
    ballast = bytearray(256 << 20)  # held by whoever measures, not by the command
    ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
    idle = holding.run([sys.executable, "-S", "-c", "pass"], tmp_path)
    busy = "x = bytearray(b'x') * (64 << 20); sum(range(3_000_000))"
    worked = holding.run([sys.executable, "-S", "-c", busy], tmp_path)
    assert idle["peak_bytes"] < 64 << 20 < worked["peak_bytes"] < 160 << 20
    assert idle["seconds"] < worked["seconds"]


def test_a_command_that_fails_is_no_measurement(tmp_path: Path) -> None:
    for code in ("raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)"):
        with pytest.raises(OSError, match="it ended with"):
            holding.run([sys.executable, "-c", code], tmp_path)


def test_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    peer = (sys.executable, "-c", "pass", "LOG")
    bench = FormatBench(otherwise=(("no-such-program", "LOG"), peer))
    monkeypatch.setattr(holding, "bench_of", lambda format_id: bench)
    rows = holding.measure([Workload("small", "leveldb-log", 10, 50)], 1)
    assert [row["contender"] for row in rows] == [
        *holding.OWN,
        " ".join(peer),
        "no-such-program LOG",
    ]
    assert rows[-1]["unavailable"] == "no-such-program not found"
    assert all(row["peer"] == " ".join(peer) and row["mb_per_second"] > 0 for row in rows[:-1])


def test_rows_of_verifying(monkeypatch: pytest.MonkeyPatch) -> None:
    peer = (sys.executable, "-c", "pass", "LOG")
    bench = dataclasses.replace(holding.bench_of("systemd-journal"), verified_by=peer, otherwise=())
    monkeypatch.setattr(holding, "bench_of", lambda format_id: bench)
    monkeypatch.setattr(holding, "VERIFIED", (20, 40, 1000))
    monkeypatch.setattr(holding, "OWN", {})
    rows = holding.measure([Workload("small", "systemd-journal", 40, 300)], 1)
    contenders = [*holding.VERIFY, " ".join(peer), holding.ALONE]
    assert [row["contender"] for row in rows] == 2 * contenders
    assert {row["workload"] for row in rows} == {
        f"systemd-journal, verifying {count} records of 300 B" for count in (20, 40)
    }
    assert all(row["ratio_to_peer"] > 0 and row["peak_bytes"] > 1 << 20 for row in rows)


def test_there_are_logs_to_hold() -> None:
    formats = [one.format for one in holding.workloads()]
    assert "leveldb-log" in formats and len(formats) == len(set(formats))
    assert max(one.count for one in holding.workloads()) >= 2_000_000


def test_the_time_of_children_that_nobody_waits_for_counts() -> None:
    busy = "import time\nwhile time.process_time() < 0.6: pass"
    forgets = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        f"process = subprocess.Popen([sys.executable, '-c', {busy!r}])\n"
        "while process.poll() is None: time.sleep(0.01)\n"
    )
    said = holding.run([sys.executable, "-c", forgets], Path("no log"))
    assert said["seconds"] > 0.4


def test_what_does_not_end_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "SECONDS", 3)
    child = tmp_path / "child"
    words = ["sh", "-c", f"sleep 600 & echo $! > {child}; wait"]
    with pytest.raises(OSError, match="no end within 3 s"):
        holding.run(words, tmp_path)
    process = Path("/proc", child.read_text().strip(), "cmdline")
    for _ in range(100):
        if not process.exists() or not process.read_bytes():
            return
        time.sleep(0.05)
    raise AssertionError("it goes on")


def test_without_kernels_the_check_alone_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    peer = (sys.executable, "-c", "pass", "LOG")
    monkeypatch.setattr(holding, "bench_of", lambda format_id: FormatBench(verified_by=peer))
    monkeypatch.setattr(holding, "OWN", {})
    monkeypatch.setattr(holding, "VERIFY", {})
    monkeypatch.setattr(holding, "why_no_scan", lambda: "no kernels here")
    rows = holding.measure([Workload("small", "leveldb-log", 10, 50)], 1)
    assert {row["contender"]: row.get("unavailable") for row in rows} == {
        " ".join(peer): None,
        holding.ALONE: "no kernels here",
    }
