"""System calls are paused, and the recorded operations are those that the program performed."""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lab.crash.call_listener import Continues, Listener, SystemCall
from lab.crash.observer import PAGE, FileObserver
from lab.crash.syscall_pause import CALLS, MACHINES, instructions
from lab.crash.trace import Acknowledged, NameChanges, Operation, Resize, Sync, Write

needs_seccomp = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux has seccomp"
)
ABOVE = """
import mmap, os, subprocess, threading, time
from pathlib import Path


def made(name):
    return os.open(name, os.O_RDWR | os.O_CREAT)


"""


def filtered(machine: str, architecture: int, number: int) -> int:
    """Run the filter on a system call as the kernel does, step by step; return the action."""
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
def test_the_filter_stops_only_the_listed_calls(machine: str) -> None:
    column, architecture, _ = MACHINES[machine]
    wait = {both[column] for both in CALLS.values()} - {None}
    for number in range(500):
        expected = 0x7FC00000 if number in wait else 0x7FFF0000
        assert filtered(machine, architecture, number) == expected
    (another,) = [other for _, other, _ in MACHINES.values() if other != architecture]
    assert {filtered(machine, another, number) for number in range(500)} == {0x7FFF0000}


class Recorded(FileObserver):
    """The recorded operations of a Python program in the directory ``root``."""

    def __init__(self, tmp_path: Path, program: str, slow: float = 0.0) -> None:
        root = tmp_path / "root"
        root.mkdir()
        super().__init__(root)
        listener = Listener(self.begins, slow)
        try:
            words = listener.command([sys.executable, "-c", ABOVE + program])
            self.done = subprocess.run(words, cwd=root, capture_output=True, timeout=60)
        finally:
            listener.close()
        assert listener.why_not == ""
        assert self.done.returncode == 0, self.done.stderr
        self.take_snapshot()

    @property
    def operations(self) -> list[Operation]:
        return self.trace.operations


@needs_seccomp
@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("Path('a').write_bytes(b'hello'); f = open('a', 'ab'); f.write(b' you'); f.close()",
         [Write(1, 0, b"hello"), Write(1, 5, b" you")]),
        ("f = open('a', 'w+b', 0); f.write(b'x' * 9); f.seek(3); f.write(b'yy')",
         [Write(1, 0, b"x" * 9), Write(1, 3, b"yy")]),
        ("fd = made('a'); os.write(fd, b'x' * 9000); os.pwrite(fd, b'y' * 5000, 3000)",
         [Write(1, 0, b"x" * 9000), Write(1, 3000, b"y" * 5000)]),
        ("fd = made('a'); os.pwrite(fd, b'abc', 5); os.writev(fd, [b'one', b'', b'two'])",
         [Write(1, 5, b"abc"), Write(1, 0, b"onetwo")]),
        ("fd = made('a'); os.write(fd, bytes(3)); os.posix_fallocate(fd, 10, 90)",
         [Write(1, 0, bytes(3)), Resize(1, 100)]),
        ("fd = made('a'); os.write(fd, b'1')\n"
         "subprocess.run(['sh', '-c', f'printf 2 >&{fd}'], pass_fds=[fd], check=True)\n"
         "os.write(fd, b'3')", [Write(1, 0, b"1"), Write(1, 1, b"2"), Write(1, 2, b"3")]),
        ("fd = os.open('a', os.O_RDWR | os.O_CREAT | os.O_DSYNC); os.write(fd, b'x')",
         [Write(1, 0, b"x"), Sync(1, 2)]),
        ("fd = made('a'); os.truncate('a', 1); os.copy_file_range(os.open('../in', 0), fd, 3)",
         [Resize(1, 1), Resize(1, 3), Write(1, 0, b"abc")]),
    ],
)  # fmt: skip
def test_writes(tmp_path: Path, program: str, expected: list[Operation]) -> None:
    (tmp_path / "in").write_bytes(b"abc")
    assert Recorded(tmp_path, program).operations == [NameChanges(((0, "a", 1),)), *expected]


@needs_seccomp
def test_names(tmp_path: Path) -> None:
    result = Recorded(
        tmp_path,
        "os.makedirs('d/e'); Path('d/e/a').touch(); os.rename('d/e', 'f')\n"
        "os.link('f/a', 'b'); os.unlink('f/a'); made('c'); os.replace('c', 'b'); made('g')",
    )
    assert result.trace.folders == {0, 1, 2}
    assert result.operations == [
        NameChanges(((0, "d", 1),)),
        NameChanges(((1, "e", 2),)),
        NameChanges(((2, "a", 3),)),
        NameChanges(((0, "f", 2), (1, "e", None))),
        NameChanges(((0, "b", 3),)),
        NameChanges(((2, "a", None),)),
        NameChanges(((0, "c", 4),)),
        NameChanges(((0, "c", None), (0, "b", 4))),
        # The new file may reuse the inode of the removed one.
        NameChanges(((0, "g", 5),)),
    ]


@needs_seccomp
def test_a_sync_covers_earlier_writes(tmp_path: Path) -> None:
    result = Recorded(
        tmp_path,
        "f = open('a', 'wb', 0); f.write(b'x'); os.fsync(f.fileno()); os.rename('a', 'b')\n"
        "d = os.open('.', os.O_RDONLY); os.fsync(d); os.fsync(os.open('..', 0)); os.sync()",
    )
    assert result.operations == [
        NameChanges(((0, "a", 1),)),
        Write(1, 0, b"x"),
        Sync(1, 2),
        NameChanges(((0, "a", None), (0, "b", 1))),
        Sync(0, 4),
        Sync(None, 5),
    ]


ONE, TWO = b"1" + bytes(PAGE - 1), b"2" + bytes(PAGE - 1)


@needs_seccomp
def test_mapped_pages_precede_the_sync_that_covers_them(
    tmp_path: Path,
) -> None:
    result = Recorded(
        tmp_path,
        "f = open('a', 'w+b', 0); f.truncate(8192); m = mmap.mmap(f.fileno(), 8192)\n"
        "m[4096:4097] = m[0:1] = b'1'; m.flush(); m[0:1] = b'2'\n"
        "one = threading.Thread(target=os.fdatasync, args=[f.fileno()]); one.start(); one.join()\n"
        "m[0:1] = b'1'; print('no file', flush=True); m[4096:4097] = b'2'",
    )
    assert result.operations == [
        NameChanges(((0, "a", 1),)),
        Resize(1, 2 * PAGE),
        Write(1, 0, ONE),
        Write(1, PAGE, ONE),
        Sync(1, 4),
        Write(1, 0, TWO),
        Sync(1, 6),
        Write(1, 0, ONE),
        Write(1, PAGE, TWO),
    ]


@needs_seccomp
def test_a_slow_sync_delays_no_other_call(tmp_path: Path) -> None:
    """A slow sync delays no other call, and covers no write that happens during the sync."""
    result = Recorded(
        tmp_path,
        "fd = made('a'); one = threading.Thread(target=os.fsync, args=[fd]); one.start()\n"
        "time.sleep(0.5); os.write(fd, b'x'); print(one.is_alive(), flush=True); one.join()",
        slow=2,
    )
    assert result.done.stdout == b"True\n"
    assert result.operations == [NameChanges(((0, "a", 1),)), Write(1, 0, b"x"), Sync(1, 1)]


def test_an_acknowledgement_follows_earlier_writes(tmp_path: Path) -> None:
    observer = FileObserver(tmp_path)
    path = tmp_path / "a"
    path.touch()
    observer.take_snapshot()
    path.write_bytes(b"x")
    observer.acknowledges(3)
    assert observer.trace.operations[1:] == [Resize(1, 1), Write(1, 0, b"x"), Acknowledged(3)]


@needs_seccomp
def test_writes_through_another_mount_are_recorded(tmp_path: Path) -> None:
    """Writes through another mount are recorded. The journald adapter depends on this."""
    (tmp_path / "elsewhere").mkdir()
    mounted = "mount --bind . ../elsewhere && printf x > ../elsewhere/a && sync ../elsewhere/a"
    words = ["unshare", "--mount", "--map-root-user", "--user", "sh", "-c", mounted]
    if subprocess.run([*words[:-1], "true"], capture_output=True).returncode:
        pytest.skip("no mount namespace can be made here")
    result = Recorded(tmp_path, f"subprocess.run({words}, check=True)")
    assert result.operations == [NameChanges(((0, "a", 1),)), Write(1, 0, b"x"), Sync(1, 2)]


def test_a_file_deleted_before_reading_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes = tmp_path / "folder" / "a"
    goes.parent.mkdir()
    goes.touch()
    (tmp_path / "stays").touch()
    reads = Path.read_bytes

    def reading(path: Path) -> bytes:
        if path == goes:
            goes.unlink()
        return reads(path)

    monkeypatch.setattr(Path, "read_bytes", reading)
    observer = FileObserver(tmp_path)
    observer.take_snapshot()
    assert set(observer.live.files(observer.trace.folders)) == {"folder", "stays"}


def blind(call: SystemCall) -> Continues | None:
    raise PermissionError(13, "Permission denied", "a")


@needs_seccomp
@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("os.rename('../in', 'a'); os.sync()", "a: expected a new file to be empty, found 3 bytes"),
        ("os.truncate('a', 0)", "Permission denied: 'a'"),
        ("import ctypes; ctypes.CDLL(None).syscall(426, -1, 0, 0, 0, 0, 0)",
         "io_uring writes and syncs files without a call for each"),
    ],
)  # fmt: skip
def test_a_failing_listener_reports_the_reason(tmp_path: Path, program: str, why: str) -> None:
    (tmp_path / "in").write_bytes(b"abc")
    root = tmp_path / "root"
    root.mkdir()
    listener = Listener(blind if "truncate" in program else FileObserver(root).begins)
    try:
        words = listener.command([sys.executable, "-c", f"import os; {program}"])
        subprocess.run(words, cwd=root, timeout=60, check=False)
    finally:
        listener.close()
    assert listener.why_not.endswith(why)


@needs_seccomp
def test_an_impossible_listener_is_reported_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No socket can be created in this folder, because the path of a socket has at most 107 bytes.
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="AF_UNIX path too long"):
        Listener(blind)
    assert list(long.iterdir()) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before
