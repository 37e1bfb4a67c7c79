"""A reader copies a file, including its holes, so later changes to the file have no effect."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conformance import ROOT
from reference_impl.systemd_journal.loading import load, loaded

SMALL = ROOT / "vectors/systemd-journal/five-entries.journal"

SHRINKS = """
import os, sys
from pathlib import Path
from reference_impl.systemd_journal.reader import read
path = Path(sys.argv[1])
events = read(path, "recover", {})
next(events)
os.truncate(path, 0)
print(len(list(events)))
"""


def test_a_file_that_shrinks_while_it_is_read_does_not_end_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "shrinks.journal"
    path.write_bytes(SMALL.read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", SHRINKS, str(path)], cwd=ROOT, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, b"5\n"), done.stderr


def test_loaded_data_stays_when_the_file_is_truncated(tmp_path: Path) -> None:
    path = tmp_path / "cut.journal"
    path.write_bytes(SMALL.read_bytes())
    with loaded(path) as data:
        os.truncate(path, 100)
        assert data[:] == SMALL.read_bytes()
    assert load(path)[:] == SMALL.read_bytes()[:100]
    os.truncate(path, 0)
    assert load(path) == b""


def test_a_file_is_loaded_with_its_holes(tmp_path: Path) -> None:
    path = tmp_path / "holes.journal"
    with path.open("wb") as file:
        for at in (0, 3 << 20, (8 << 20) + 5):
            file.seek(at)
            file.write(b"walproof" * 1000)
        file.truncate(11 << 20)
    assert load(path)[:] == path.read_bytes()


READS = """
import sys
from pathlib import Path
from reference_impl.systemd_journal.loading import load
from reference_impl.systemd_journal.reader import read_data
data = load(Path(sys.argv[1]))
print(len(data), sum(1 for _ in read_data(data, "recover", {})))
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
"""


def test_a_hole_of_a_gibibyte_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "sparse.journal"
    path.write_bytes(SMALL.read_bytes())
    os.truncate(path, 1 << 30)
    done = subprocess.run(
        [sys.executable, "-c", READS, str(path)], cwd=ROOT, capture_output=True, timeout=120
    )
    size, events, megabytes = map(int, done.stdout.split())
    assert (size, events) == (1 << 30, 6), done.stderr
    assert megabytes < 200
