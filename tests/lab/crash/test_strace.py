"""Replaying the output of strace reproduces the files of the program."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab.crash.strace import NotUnderstood, Parser, command
from lab.crash.sync_snapshots import Snapshots
from lab.crash.trace import Acknowledged, Names, Sync, Write, differing_files

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
ABOVE = """
import mmap, os, subprocess, threading
from pathlib import Path


def made(name):
    return os.open(name, os.O_RDWR | os.O_CREAT)


"""


def traced(tmp_path: Path, program: str) -> Parser:
    """Run a Python program in the directory ``root``, and return its trace."""
    root, output = tmp_path / "root", tmp_path / "calls"
    root.mkdir()
    words = [*command(output), sys.executable, "-c", ABOVE + program]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=60)
    if done.returncode and "ptrace" in done.stderr.lower():
        pytest.skip("no program can be traced here")
    assert done.returncode == 0, done.stderr
    parser = Parser(root, root, {1: 10})
    for line in output.read_bytes().splitlines():
        parser.line(line)
    return parser


@pytest.mark.parametrize(
    "program",
    [
        "Path('a').write_bytes(b'hello'); f = open('a', 'ab'); f.write(b' you'); f.close()",
        "f = open('a', 'w+b', 0); f.write(b'x' * 9); f.seek(3); f.read(2); f.write(b'yy')",
        "fd = made('a'); os.pwrite(fd, b'abc', 5000); os.ftruncate(fd, 9000)",
        "fd = made('a'); os.writev(fd, [b'one', b'', b'two'])",
        "fd = made('a'); two = os.dup(fd); os.write(fd, b'1'); os.write(two, b'2')",
        "fd = made('a'); os.posix_fallocate(fd, 10, 90); os.write(fd, b'1')",
        "Path('a').write_bytes(b'old'); Path('a').write_bytes(b'n'); os.truncate('a', 5)",
        "os.makedirs('d/e'); Path('d/e/a').write_bytes(b'x'); os.rename('d/e', 'f')",
        "Path('a').write_bytes(b'x'); os.link('a', 'b'); os.unlink('a')\n"
        "open('b', 'ab').write(b'y')",
        "Path('n').write_bytes(b'new'); Path('a').write_bytes(b'x'); os.replace('n', 'a')",
        "fd = made('a'); os.remove('a'); os.write(fd, b'x')",
        "fd = made('a')\n"
        "t = [threading.Thread(target=os.pwrite, args=(fd, b'x', n)) for n in range(20)]\n"
        "[one.start() for one in t]; [one.join() for one in t]",
        "fd = made('a'); os.write(fd, b'1')\n"
        "subprocess.run(['sh', '-c', f'printf 2 >&{fd}'], pass_fds=[fd], check=True)\n"
        "os.write(fd, b'3')",
    ],
)
def test_files_are_replayed(tmp_path: Path, program: str) -> None:
    parser = traced(tmp_path, program)
    files = Snapshots(tmp_path / "root").take()
    assert differing_files(parser.live, files) == []
    assert files or "remove" in program


def test_order_of_syncs_names_and_acknowledgements(tmp_path: Path) -> None:
    program = (
        "f = open('a', 'wb', 0); f.write(b'x'); os.fsync(f.fileno()); os.rename('a', 'b')\n"
        "d = os.open('.', os.O_RDONLY); os.fsync(d)\n"
        'os.write(1, b\'{"seq":1,"acknowledged":2}\\n\'); os.fdatasync(f.fileno())'
    )
    result = traced(tmp_path, program).trace.operations
    assert result == [
        Names(((0, "a", 1),)),
        Write(1, 0, b"x"),
        Sync(1, 2),
        Names(((0, "a", None), (0, "b", 1))),
        Sync(0, 4),
        Acknowledged(12),  # ten before this request
        Sync(1, 6),
    ]


@pytest.mark.parametrize(
    "program",
    [
        "Path('a').write_bytes(b'x'); os.copy_file_range(os.open('a', 0), os.open('b', 65), 1)",
        "os.open('.', os.O_TMPFILE | os.O_RDWR)",
        "Path('../o').write_bytes(b'x'); os.rename('../o', 'a')",
    ],
)
def test_what_cannot_be_replayed_is_an_error(tmp_path: Path, program: str) -> None:
    with pytest.raises(NotUnderstood):
        traced(tmp_path, program)
