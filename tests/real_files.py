"""Files that real systems wrote (``tests/data/README.md``)."""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path

DATA = Path(__file__).with_name("data")
CHROMIUM = DATA / "chromium"
ZMQ_RAFT = DATA / "zmq-raft"
JOURNALS = {path.name.split(".")[0]: path for path in sorted(DATA.glob("systemd/*.journal.xz"))}
SEGMENT_BYTES = 128 << 20


def read_journal(name: str) -> bytes:
    """Return the bytes of a systemd journal file."""
    return lzma.decompress(JOURNALS[name].read_bytes())


def unpack_partition(version: str, folder: Path) -> Path:
    """Unpack a Zeebe broker's partition into a folder. The segment becomes a sparse file."""
    with tarfile.open(DATA / "zeebe" / f"{version}.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    with next(folder.glob("*-1.log")).open("r+b") as segment:
        segment.truncate(SEGMENT_BYTES)
    return folder
