"""A file in use by the real writer: copied meanwhile, and left by SIGKILL."""

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference_impl.answer import Answer, collect
from reference_impl.systemd_journal import read

REMOTE = shutil.which("systemd-journal-remote", path="/lib/systemd:/usr/lib/systemd")
ONLINE = 1

pytestmark = pytest.mark.skipif(
    not (REMOTE and shutil.which("journalctl")), reason="no systemd-journal-remote or no journalctl"
)


def entry(number: int) -> bytes:
    return (
        b"__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%s\n"
        b"MESSAGE=hello %d\nPRIORITY=%d\n\n"
        % (1700000000000000 + number, number + 1, b"0" * 31 + b"1", number, number % 3)
    )


def feed(writer: subprocess.Popen[bytes]) -> None:
    assert writer.stdin is not None
    try:
        for number in range(0, 20_000, 50):
            writer.stdin.write(b"".join(map(entry, range(number, number + 50))))
    except OSError:
        pass  # the writer was killed


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """Return three copies of a file in use, and the file after the kill."""
    folder = tmp_path_factory.mktemp("live")
    path = folder / "live.journal"
    command = [str(REMOTE), f"--output={path}", "--split-mode=none", "-"]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    feeder = threading.Thread(target=feed, args=(writer,), daemon=True)
    feeder.start()
    until = time.monotonic() + 20
    while time.monotonic() < until and (not path.exists() or path.stat().st_size < 1 << 20):
        time.sleep(0.005)
    copies = []
    for number in range(3):
        time.sleep(0.02)
        copies.append(folder / f"copy-{number}.journal")
        shutil.copyfile(path, copies[-1])
    writer.kill()
    writer.wait()
    feeder.join(timeout=10)
    yield [*copies, path]


def cursors(path: Path) -> list[str]:
    command = ["journalctl", f"--file={path}", "-o", "export", "--all"]
    lines = subprocess.run(command, capture_output=True).stdout.split(b"\n")
    return [line[9:].decode() for line in lines if line.startswith(b"__CURSOR=")]


def answer(path: Path) -> Answer:
    return collect(read(path, "recover", {}))


def test_copies_are_undamaged_and_match_journalctl(files: list[Path]) -> None:
    for path in files:
        actual = answer(path)
        assert actual.verdict in ("intact", "torn"), (actual.reason, actual.lost[:3])
        theirs = cursors(path)
        assert [record.fields["cursor"] for record in actual.records][: len(theirs)] == theirs
        numbers = [int(record.fields["seqnum"]) for record in actual.records]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_killed_writer_leaves_an_online_complete_file(files: list[Path]) -> None:
    left = files[-1]
    assert left.read_bytes()[16] == ONLINE
    actual = answer(left)
    assert len(actual.records) >= len(answer(files[0]).records)
    assert not any("missing" in record.fields for record in actual.records)


def test_cut_while_online(files: list[Path], tmp_path: Path) -> None:
    """A truncated copy: survivors are the first entries, and no others."""
    data = files[-1].read_bytes()
    whole = [record.fields["cursor"] for record in answer(files[-1]).records]
    path = tmp_path / "cut.journal"
    for size in (4_000_000, 3_900_001, 3_800_008):
        path.write_bytes(data[:size])
        actual = answer(path)
        # Intact if the writer did not come that far, so that nothing was cut (SDJ-051).
        assert actual.verdict == "torn" or len(actual.records) == len(whole)
        assert actual.verdict in ("torn", "intact")
        assert [r.fields["cursor"] for r in actual.records] == whole[: len(actual.records)]
