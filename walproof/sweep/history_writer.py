"""Write a log step by step, and store its state after each step."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from conformance.contents import Contents, by_name, read_contents, write_contents
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.formats import named

#: Default payload sizes in bytes.
SIZES = (0, 1, 3, 7, 20, 60, 200)


class HistoryWriter:
    """Writes one log step by step, and stores its state after each step.

    ``name`` is the log's file name, and ``context`` is the context that its readers receive.
    """

    def __init__(self, format: str, chance: Random, folder: Path) -> None:
        self.format, self.chance, self.folder = named(format), chance, folder
        self.name = "log"
        self.context: dict[str, Any] = {}
        self.states: list[Contents] = []
        #: The payloads that a reader returns, in order. None if they differ from the payloads
        #: written.
        self.payloads: list[bytes] | None = []
        #: For each state, its context and payloads.
        self.kept: list[tuple[Mapping[str, Any], list[bytes] | None]] = []
        #: Number of payloads that :meth:`payload` has returned.
        self.made = 0

    @property
    def path(self) -> Path:
        """The path of the log."""
        return self.folder / self.name

    def payload(self, sizes: Sequence[int] = SIZES) -> bytes:
        """Return a payload that is unique unless it is very short.

        One in eight contains part of an earlier state of the log.
        """
        self.made += 1
        start = b"%d:" % self.made
        if self.states and self.chance.random() < 0.125:
            data = self.chance.choice(list(by_name(self.chance.choice(self.states)).values()))
            at = self.chance.choice((0, 0, self.chance.randrange(len(data) + 1)))
            return start[: self.chance.choice((0, 4))] + data[at : at + 2 * max(sizes)]
        size = self.chance.choice(sizes)
        fill = self.chance.choice((b"\0", b"\xff", b"\1\0", b"x", self.chance.randbytes(7)))
        return (start + fill * size)[:size]

    def records(self, most: int = 4, **fields: Any) -> list[NewRecord]:
        """Return a few new records."""
        return [NewRecord(self.payload(), fields) for _ in range(self.chance.randrange(most + 1))]

    def write(self, records: Sequence[NewRecord], **context: Any) -> None:
        """Write a new log in place of the old one."""
        remove(self.path)
        self.format.write(self.path, records, {**self.context, **context})
        if self.payloads is not None:
            self.payloads = [record.payload for record in records]
        self.keep()

    def append(self, records: Sequence[NewRecord], **context: Any) -> None:
        """Append records with a restarted writer, which first recovers the log."""
        self.format.append(self.path, records, {**self.context, **context})
        if self.payloads is not None:
            self.payloads += [record.payload for record in records]
        self.keep()

    def put(self, contents: Contents, payloads: Sequence[bytes] | None = None) -> None:
        """Replace the log and, if they are given, its payloads."""
        if payloads is not None:
            self.payloads = list(payloads)
        remove(self.path)
        write_contents(contents, self.path)
        self.keep()

    def crash(self) -> None:
        """Cut the last write short, as a crash does, by truncating the last file that grew."""
        if len(self.states) < 2:
            return
        old, new = map(by_name, self.states[-2:])
        grown = [name for name in new if len(new[name]) > len(old.get(name, b""))]
        if not grown:
            return
        size, most = len(old.get(grown[-1], b"")), len(new[grown[-1]])
        cut = new[grown[-1]][: self.chance.randrange(size, most)]
        contents = cut if grown == [""] else {**new, grown[-1]: cut}
        # Keep only states that a writer can continue. The sweep itself tests all other torn writes.
        answer = self.read(contents)
        survivors = [record.payload for record in answer.records]
        if answer.end is not None and survivors == (self.payloads or [])[: len(survivors)]:
            self.put(contents, survivors)
        else:
            self.put(self.states[-1])

    def keep(self) -> None:
        """Store the current state of the log."""
        contents = read_contents(self.path)
        if not self.states or contents != self.states[-1]:
            self.states.append(contents)
            self.kept.append(({}, []))
        payloads = None if self.payloads is None else list(self.payloads)
        self.kept[-1] = dict(self.context), payloads

    @property
    def contents(self) -> Contents:
        """The newest state."""
        return self.states[-1]

    def read(self, contents: Contents, context: Mapping[str, Any] | None = None) -> Answer:
        """Read a state."""
        remove(self.path)
        write_contents(contents, self.path)
        context = self.context if context is None else context
        return collect(self.format.read(self.path, "recover", context))


def remove(path: Path) -> None:
    """Remove a file or a directory, if it exists."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
