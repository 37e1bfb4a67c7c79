"""While a log is written, a stream returns each record once and in order, and invents none."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from lab.crash.concurrent_readers import moments
from lab.crash.disk_models import FileState
from lab.crash.format_crash import crash_of
from lab.crash.recorder import record
from walproof.implementations import all_implementations

from .test_stream import Stream, payloads

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has seccomp")


def put(state: FileState, folder: Path, modified: int) -> None:
    """Change the files in a directory in place. They keep their inodes, as under a writer."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(folder).as_posix() not in state.files:
            path.unlink()
    for name, content in sorted(state.files.items()):
        path = folder / name
        if content is None:
            path.mkdir(exist_ok=True)
            continue
        if path.exists() and path.read_bytes() == content:
            continue
        with path.open("r+b" if path.exists() else "xb") as file:
            file.write(content)
            file.truncate()
        os.utime(path, ns=(modified, modified))


@pytest.mark.parametrize("format", ["leveldb-log", "kahadb-journal", "zmq-raft"])
def test_a_stream_returns_each_record_once(format: str, tmp_path: Path) -> None:
    crash = crash_of(format)
    records = crash.records(6)
    written = [each.payload for each in records]
    ours = next(each for each in all_implementations() if each.name == "executable-spec")
    trace, _ = record(list(ours.command), format, crash, records)
    stream = Stream(tmp_path)
    now = time.time_ns()
    for number, moment in enumerate(moments(trace)):
        put(moment.state, tmp_path, now + number * 1_000_000)
        stream.all()
        delivered = payloads(stream)
        count = len(delivered)
        assert delivered == written[:count], moment.state.missing
        assert count >= moment.state.acknowledged, "what was acknowledged is delivered at once"
    assert payloads(stream) == written
