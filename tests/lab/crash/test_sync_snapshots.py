"""Test that each sync is paused, and that its snapshot shows the files before the sync."""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path

import pytest

from lab.crash.mapped import PAGE
from lab.crash.strace import Parser
from lab.crash.sync_snapshots import Files, Look, Snapshots, Stops
from lab.crash.syscall_pause import CALLS, MACHINES, instructions
from lab.crash.trace import Acknowledged, Names, Operation, Resize, Sync, Write

needs_stops = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux has seccomp"
)


def filtered(machine: str, architecture: int, number: int) -> int:
    """Interpret the filter for a call, step by step like the kernel."""
    steps = list(struct.iter_unpack("=HBBI", instructions(machine)))
    at, loaded = 0, 0
    while True:
        code, if_equal, if_not, value = steps[at]
        if code == 0x06:
            return int(value)
        if code == 0x20:
            loaded, at = (number if value == 0 else architecture), at + 1
        else:
            at += 1 + (if_equal if loaded == value else if_not)


@pytest.mark.parametrize("machine", list(MACHINES))
def test_the_filter_stops_the_calls_and_no_other(machine: str) -> None:
    column, architecture, _ = MACHINES[machine]
    wait = {both[column] for both in CALLS.values()} - {None}
    for number in range(500):
        expected = 0x7FC00000 if number in wait else 0x7FFF0000
        assert filtered(machine, architecture, number) == expected
    (another,) = [other for _, other, _ in MACHINES.values() if other != architecture]
    assert {filtered(machine, another, number) for number in range(500)} == {0x7FFF0000}


@pytest.mark.parametrize("other", ["folder", "folder-is-a-file", "nothing"])
def test_a_file_that_is_something_else_when_it_is_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    goes = tmp_path / "folder" / "a"
    goes.parent.mkdir()
    goes.write_bytes(b"x")
    (tmp_path / "stays").write_bytes(b"y")
    reads = Path.read_bytes

    def reading(path: Path) -> bytes:
        if path == goes:
            goes.unlink()
            if other == "folder":
                goes.mkdir()
            elif other == "folder-is-a-file":
                goes.parent.rmdir()
                goes.parent.touch()
        return reads(path)

    monkeypatch.setattr(Path, "read_bytes", reading)
    assert Snapshots(tmp_path).take() == {"stays": b"y"}


def parsed(
    tmp_path: Path, looks: list[Look], lines: list[str], snapshot: Look | None = None
) -> Parser:
    """Parse lines of strace in which text is not escaped and ``3`` maps ``a``."""
    parser = Parser(tmp_path, tmp_path, {1: 0})
    parser.mapped.looks = deque([Look(1.1, 7, {}), *looks])
    if snapshot is not None:
        parser.snapshots[1] = snapshot
    name = str(tmp_path / "a")
    shown = "".join(f"\\x{byte:02x}" for byte in name.encode())
    opened = [
        f"7 1.0 openat(AT_FDCWD, '{name}', O_RDWR|O_CREAT, 0666) = 3 <0.001>",
        "7 1.1 ftruncate(3, 8192) = 0 <0.001>",
        "7 1.2 mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3<>, 0) = 0x7000 <0.001>",
    ]
    for text in opened + lines:
        parts = text.replace("3<>", f"3<{shown}>").split("'")
        parts[1::2] = [
            '"' + "".join(f"\\x{byte:02x}" for byte in each.encode()) + '"' for each in parts[1::2]
        ]
        parser.line("".join(parts).encode())
    return parser


OLD, ONE, TWO = (bytes([letter]) * PAGE for letter in (0, 1, 2))
MADE = [Names(((0, "a", 1),)), Resize(1, 2 * PAGE)]


#: The line in which a program acknowledges its first record.
ACKNOWLEDGED = '7 3.0 write(1, \'{"seq":1,"acknowledged":1}\', 26) = 26 <0.001>'
SYNC = "7 2.0 fsync(3<>) = 0 <0.2>"


@pytest.mark.parametrize(
    ("looks", "lines", "expected"),
    [
        pytest.param(
            [Look(2.1, 7, {"a": ONE + OLD}), Look(2.3, 8, {"a": ONE + TWO})],
            [
                "7 2.0 fsync(3<> <unfinished ...>",
                "8 2.2 fdatasync(3<>) = 0 <0.2>",
                "7 2.5 <... fsync resumed>) = 0 <0.5>",
            ],
            [Write(1, 0, ONE), Write(1, PAGE, TWO), Sync(1, 4), Sync(1, 3)],
            id="the sync of thread 8 is inside that of thread 7, and covers both pages",
        ),
        pytest.param(
            [Look(2.3, 7, {"a": ONE + OLD})],
            [SYNC],
            [Write(1, 0, ONE), Sync(1, 3)],
            id="by its times, the call ended before the look",
        ),
        pytest.param(
            [Look(2.3, 7, {"a": ONE + OLD})],
            ["7 2.0 fsync(3<>) = ? ERESTARTSYS (To be restarted) <0.1>", SYNC],
            [Write(1, 0, ONE), Sync(1, 3)],
            id="a signal took the call back",
        ),
        pytest.param(
            [Look(2.0, 8, {"a": ONE + OLD}), Look(2.5, 7, {"a": ONE + TWO})],
            [
                "8 1.9 fsync(3<> <unfinished ...>",
                "7 2.1 ftruncate(3, 8192 <unfinished ...>",
                "8 2.4 <... fsync resumed>) = 0 <0.5>",
                "7 2.6 <... ftruncate resumed>) = 0 <0.5>",
            ],
            [Write(1, 0, ONE), Sync(1, 3), Write(1, PAGE, TWO), Resize(1, 2 * PAGE)],
            id="a late look is not placed before the end of another thread's sync",
        ),
        pytest.param(
            [],
            [
                "7 2.0 msync(0x7000, 8192, MS_SYNC) = 0 <0.001>",
                "7 2.1 munmap(0x7000, 8192) = 0 <0.001>",
                "7 2.2 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x6000 <0>",
                "7 2.3 msync(0x7000, 8192, MS_SYNC) = 0 <0.001>",
            ],
            [Sync(1, 2)],
            id="the address no longer maps the file",
        ),
    ],
)
def test_a_page_comes_before_the_sync_whose_snapshot_has_it(
    tmp_path: Path, looks: list[Look], lines: list[str], expected: list[Operation]
) -> None:
    assert parsed(tmp_path, looks, lines).trace.operations == [*MADE, *expected]


@pytest.mark.parametrize(
    ("looks", "lines", "snapshot", "expected"),
    [
        pytest.param(
            [Look(2.1, 7, {"a": OLD + OLD})],
            [SYNC, ACKNOWLEDGED],
            Look(3.1, 0, {"a": ONE + OLD}),
            [Sync(1, 2), Write(1, 0, ONE), Acknowledged(1), Write(1, PAGE, TWO)],
            id="changes after the last sync are covered by no sync",
        ),
        pytest.param(
            [Look(2.1, 8, {"a": ONE + OLD})],
            [
                "8 2.0 fsync(3<> <unfinished ...>",
                ACKNOWLEDGED,
                "8 3.1 <... fsync resumed>) = 0 <1>",
            ],
            Look(3.2, 0, {"a": ONE + TWO}),
            [Write(1, 0, ONE), Acknowledged(1), Sync(1, 3), Write(1, PAGE, TWO)],
            id="a sync of another thread ends between the acknowledgement and the snapshot",
        ),
    ],
)
def test_a_snapshot_at_an_acknowledgement(
    tmp_path: Path, looks: list[Look], lines: list[str], snapshot: Look, expected: list[Operation]
) -> None:
    parser = parsed(tmp_path, looks, lines, snapshot)
    parser.ended({"a": ONE + TWO})
    assert parser.trace.operations[2:] == expected


@needs_stops
def test_a_call_waits_until_the_files_were_looked_at(tmp_path: Path) -> None:
    program = (
        "import mmap, os, threading\n"
        "f = open('a', 'w+b', 0); f.truncate(4096); m = mmap.mmap(f.fileno(), 4096)\n"
        "m[0:1] = b'1'; m.flush(); m[0:1] = b'2'; os.fsync(f.fileno()); m[0:1] = b'3'\n"
        "one = threading.Thread(target=os.fdatasync, args=[f.fileno()]); one.start(); one.join()\n"
        "m[0:1] = b'4'"
    )
    stopping = Stops(Snapshots(tmp_path).take)
    try:
        words = stopping.command([sys.executable, "-c", program])
        subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    finally:
        stopping.close()
    assert [each.files["a"][:1] for each in stopping.looks] == [
        b"",  # before it has a size
        b"1",
        b"2",
        b"3",
    ]
    *first, other = (each.thread for each in stopping.looks)
    assert len(set(first)) == 1 and other not in first
    assert sorted(each.time for each in stopping.looks) == [each.time for each in stopping.looks]


@needs_stops
def test_a_sync_that_waits_keeps_no_other_call_waiting(tmp_path: Path) -> None:
    """The program ends in the middle of its sync, of which it can see that it has begun."""
    program = (
        "import os, threading, time\n"
        "fd = os.open('a', os.O_RDWR | os.O_CREAT)\n"
        "one = threading.Thread(target=os.fsync, args=[fd]); one.start()\n"
        "while not os.path.exists('../looked'): time.sleep(0.01)\n"
        "os.ftruncate(fd, 1); print(one.is_alive(), flush=True); os._exit(0)"
    )
    folder = tmp_path / "files"
    folder.mkdir()
    snapshots = Snapshots(folder)

    def look() -> Files:
        files = snapshots.take()
        (tmp_path / "looked").touch()
        return files

    stopping = Stops(look, slow=600)
    try:
        words = stopping.command([sys.executable, "-c", program])
        done = subprocess.run(words, cwd=folder, check=True, timeout=60, capture_output=True)
    finally:
        stopping.close()
    assert done.stdout == b"True\n"
    assert [each.files["a"] for each in stopping.looks] == [b"", b""]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has seccomp")
def test_where_nobody_can_listen_that_is_the_reason_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 120)  # the name of a socket has 107 bytes
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="AF_UNIX path too long"):
        Stops(dict)
    assert list(long.iterdir()) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def blind() -> Files:
    raise PermissionError(13, "Permission denied", "a")


@needs_stops
def test_a_listener_that_fails_says_why_and_the_calls_fail(tmp_path: Path) -> None:
    stopping = Stops(blind)
    try:
        words = stopping.command([sys.executable, "-c", "import os; os.truncate('a', 0)"])
        done = subprocess.run(words, cwd=tmp_path, timeout=60, capture_output=True, check=False)
        assert b"Function not implemented" in done.stderr
        assert stopping.why_not == "[Errno 13] Permission denied: 'a'"
    finally:
        stopping.close()
