"""A correct LevelDB writer whose methods wrong implementations override."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

from conformance.adapterkit import Refused, Request, Skipped, payloads, serve
from reference_impl.answer import End
from reference_impl.leveldb_log.reader import read_stream
from reference_impl.leveldb_log.writer import Writer


class Log:
    """One log to write or to append to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, records: list[bytes]) -> None:
        """Write a new log."""
        self.path.touch(exist_ok=False)
        self.go_on(0, records)

    def append(self, records: list[bytes]) -> None:
        """Recover the log, and append at its end."""
        end = self.end()
        if end is None:
            self.refuse()
            end = self.path.stat().st_size
        if records:
            self.cut(end)
            self.go_on(end, records)

    def end(self) -> int | None:
        """Return the offset at which a writer may append."""
        with self.path.open("rb") as log:
            last = deque(read_stream(log), maxlen=1).pop()
        assert isinstance(last, End)
        return last.end

    def refuse(self) -> None:
        """Refuse a log that must not be appended to."""
        raise Refused("the last block is damaged")

    def cut(self, end: int) -> None:
        """Remove the bytes after the end of the log."""
        with self.path.open("r+b") as log:
            log.truncate(end)

    def go_on(self, end: int, records: list[bytes]) -> None:
        """Write records from the offset ``end``."""
        with self.path.open("r+b") as log:
            log.seek(end)
            writer = Writer(log, end)
            for record in records:
                writer.append(record)


def run(kind: type[Log], name: str) -> None:
    """Serve the protocol with a writer of this class."""

    def write(path: Path, request: Request) -> None:
        kind(path).write(payloads(request))

    def append(path: Path, request: Request) -> None:
        kind(path).append(payloads(request))

    def read(path: Path, request: Request) -> dict[str, Any]:
        raise Skipped("only writes")

    hello = {
        "name": name,
        "version": "0",
        "formats": ["leveldb-log"],
        "profiles": ["write", "append"],
        "reports": ["records"],
    }
    serve(hello, read, write, append)


if __name__ == "__main__":
    run(Log, "breakable-writer")
