"""Files that zmq-raft 0.5.0 wrote, and short functions to read and write logs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.contents import Contents, write_contents
from reference_impl import formats
from reference_impl.answer import Answer, NewRecord, collect

GOLDEN = {"created": "2018-09-26T14:59:36.817Z", "hostname": "golden"}
RID = "5bab9dc8aabbcc1234000001"

META = (
    "4d45544132000000 82a763726561746564b8323031382d30392d32365431343a35393a33362e3831375a"
    "a8686f73746e616d65a6676f6c64656e 0000"
)
# The real IndexFile wrote this index file with two entries. Its data begins at offset 104.
INDEX_FILE = bytes.fromhex(
    "524c4f471c00000001000000030000000100000000000000190000002e00000000000000"
    f"{META} 49544d5a00000000 5bab9dc8aabbcc1234000001 00 01000000000000 68656c6c6f"
    "000000000000000000000000 02 02000000000000 c0"
)
SNAPSHOT = bytes.fromhex(
    "534e41501c000000010000002a0000000000000064000000000000000a00000000000000"
    f"{META} 4441544100000000 30313233343536373839"
)
STATE = bytes.fromhex("81a3666f6f02 81a362617a93010203 81a3666f6fcb41e0000000000000 81a3666f6fff80")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Answer]:
    """Return a function that saves bytes, or a directory of files, under a name and reads them."""
    count = iter(range(10**9))

    def reading(contents: Contents, name: str = "x.rlog", profile: str = "recover", **context: Any):
        folder = tmp_path / f"read{next(count)}"
        folder.mkdir()
        path = folder / name
        write_contents(contents, path)
        return collect(formats.named("zmq-raft").read(path, profile, context))

    return reading


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a new log under a name and returns its path."""
    count = iter(range(10**9))

    def writing(name: str, *records: NewRecord, **context: Any) -> Path:
        folder = tmp_path / f"write{next(count)}"
        folder.mkdir()
        path = folder / name
        formats.named("zmq-raft").write(path, records, {**GOLDEN, **context})
        return path

    return writing
