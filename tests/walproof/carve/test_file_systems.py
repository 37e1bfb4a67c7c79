"""Real file systems: deleted and partly overwritten files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from reference_impl.formats import FORMATS
from tests.walproof.carve.conftest import payloads

pytestmark = pytest.mark.slow

SECONDS = 60


def run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tools(*names: str) -> None:
    """Skip the test if one of these system programs is missing."""
    missing = [name for name in names if _program(name) is None]
    if missing:
        lacking = f"{' and '.join(missing)} not found (e2fsprogs)"
        pytest.skip(f"unavailable, because {lacking}")


def _program(name: str) -> str | None:
    return shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin")


def put_files(folder: Path, log_of, count: int) -> dict[str, tuple[str, bytes]]:
    """Write logs of each format and text files; return format and content of the logs by name."""
    folder.mkdir()
    logs = {}
    for number in range(count):
        (folder / f"text-{number}").write_text(f"line {number}\n" * 2000)
        for format_id in FORMATS:
            suffix = {"zmq-raft": "rlog", "systemd-journal": "journal"}.get(format_id, "log")
            # mkfs turns blocks of zeros into holes. Large hash tables consist of zeros and would be
            # lost.
            log = log_of(format_id, 50 + 10 * number, 200, data_buckets=13, field_buckets=13)
            name = f"{format_id}-{number}.{suffix}"
            (folder / name).write_bytes(log)
            logs[name] = (format_id, log)
    return logs


def _is_start(path: Path, log: bytes) -> bool:
    """Return whether a file is a log without its preallocated space."""
    data = path.read_bytes()
    return log.startswith(data) and not log[len(data) :].strip(b"\0")


def test_partly_overwritten_files_of_ext4(log_of, carve, tmp_path: Path) -> None:
    """Check that each carved record is one that a log had before the overwrite."""
    tools("mkfs.ext4", "debugfs")
    logs = put_files(tmp_path / "files", log_of, 3)
    image = tmp_path / "disk.img"
    run(_program("mkfs.ext4"), "-q", "-b", "1024", "-d", tmp_path / "files", image, "4M")
    debugfs = str(_program("debugfs"))
    for name in logs:
        run(debugfs, "-w", "-R", f"rm {name}", image)
    for number in range(2):
        new = tmp_path / f"new-{number}"
        new.write_text(f"written later {number}\n" * 4400)
        run(debugfs, "-w", "-R", f"write {new} new-{number}", image)
    data = image.read_bytes()
    assert sum(log in data for _, log in logs.values()) < len(logs), "something was overwritten"
    result = carve(image)
    written: dict[str, set[bytes]] = {}
    for name, (format_id, log) in logs.items():
        path = tmp_path / name
        path.write_bytes(log)
        written.setdefault(format_id, set()).update(payloads(path, format_id))
    count = 0
    for row in result.logs():
        if row["certainty"] == "checksum":
            carved = payloads(result.folder / row["file"], row["format"])
            assert set(carved) <= written[row["format"]]
            count += len(carved)
    for record in result.loose:
        if "fragment" not in record and "missing" not in record and "unchecked" not in record:
            if record["format"] == "systemd-journal" and "seqnum" not in record:
                continue  # a field object whose entry was overwritten
            assert bytes.fromhex(record["payload"]) in written[record["format"]]
            count += 1
    assert count > 100
    for name, (format_id, log) in logs.items():
        if log in data:
            files = [result.folder / row["file"] for row in result.logs(format_id)]
            assert any(_is_start(file, log) for file in files), name
