"""The folder that an audit writes: one result at a time, published at once and whole.

::

    DIR/records, damage, files, summary.json, summary.html     links through .current
    DIR/.current                                               link to the result that counts
    DIR/.results/<id>/…                                        that result, and the one before it
    DIR/.results/<id>.building/…                               one on its way, or abandoned
    DIR/.results/<id>.closed/…                                 the same, when its tasks are done

A result never changes once ``.current`` leads to it, and replacing that link is one rename: who
reads ``DIR/records`` sees the old result or the new one, whatever happens to the audit. The
result before stays until the next run, for those who are still reading it. Shards that are
carried over are hard links, so that two results take hardly more room than one.

Spark's own writers could not do this: ``overwrite`` deletes the old table before it writes the
new one, and a commit is many renames.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from conformance.saving import sync_to_disk
from walproof.audit.shard import output_to

TABLES = ("records", "damage", "files")
PUBLISHED = (*TABLES, "summary.json", "summary.html")
BUILDING = ".building"
CLOSED = ".closed"


class OutputRefused(Exception):
    """The folder cannot be written to; the message says why, and what to do."""


class Output:
    """The folder of an audit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.results = self.folder / ".results"
        self._current = self.folder / ".current"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder. Raises :class:`OutputRefused`, ``OSError``."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in PUBLISHED:
            path = self.folder / name
            if os.path.lexists(path) and not path.is_symlink():
                raise OutputRefused(f"{path} was not made by an audit: choose another folder")
        with (self.folder / ".lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES):
                    raise
                lock.seek(0)
                holder = lock.read().strip() or "unknown"
                raise OutputRefused(
                    f"{self.folder}: another audit writes here ({holder}); wait for it to end,"
                    " or choose another folder"
                ) from None
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            with output_to(self.folder / ".lock"):
                lock.truncate(0)
                # Not into a buffer, which is written once more, in vain, when the file is closed.
                holder = f"process {os.getpid()} on {socket.gethostname()}, since {now}\n"
                os.write(lock.fileno(), holder.encode())
            self.results.mkdir(exist_ok=True)
            yield

    def current(self) -> Path | None:
        """The result that counts; None before the first one."""
        try:
            path = self.folder / self._current.readlink()
        except OSError:
            return None
        return path if path.is_dir() else None

    def earlier(self) -> list[Path]:
        """The current result, and those that an audit did not live to publish. Hold the lock."""
        current = self.current()
        later = sorted(
            p for p in self.results.iterdir() if current is None or p.name > current.name
        )
        return [*([current] if current else []), *later]

    def begin(self) -> Path:
        """A new result to build."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        path = self.results / f"{stamp}-{time.time_ns() % 10**9:09d}-{os.getpid()}{BUILDING}"
        for name in (*TABLES, "done"):
            (path / name).mkdir(parents=True)
        return path

    def close(self, building: Path) -> Path:
        """Take a result out of the reach of its tasks; where it is from now on.

        One may still be at work, whose twin was faster, or whose machine was given up. What it
        writes now would be read as well, or be in the way; so the path that it has leads nowhere.
        Raises :class:`OutputError`.
        """
        closed = building.with_name(building.name.removesuffix(BUILDING) + CLOSED)
        with output_to(self.folder):
            return building.rename(closed)

    def publish(self, closed: Path) -> Path:
        """Make a finished result the one that counts, and remove what is no longer needed.

        Raises ``OutputError``.
        """
        with output_to(self.folder):
            before = self.current()
            result = self._publish(closed)
        self.clean(before)
        return result

    def _publish(self, closed: Path) -> Path:
        shutil.rmtree(closed / "done")
        # Not only in memory: the link must not survive a power cut that they do not. Shards are
        # on the disk since they were written.
        for path in (*closed.iterdir(), *(closed / "files").iterdir(), closed):
            sync_to_disk(path)
        result = closed.with_name(closed.name.removesuffix(CLOSED))
        closed.rename(result)
        sync_to_disk(self.results)
        # They lead nowhere before the first result; then all of them appear at once.
        for name in PUBLISHED:
            link = self.folder / name
            if not link.is_symlink():
                link.symlink_to(Path(self._current.name, name))
        new = self.folder / f".current.{os.getpid()}"
        new.unlink(missing_ok=True)
        new.symlink_to(result.relative_to(self.folder))
        new.rename(self._current)
        sync_to_disk(self.folder)
        return result

    def clean(self, before: Path | None = None) -> None:
        """Remove all but the current result and the one before it. Hold the lock."""
        keep = {self.current(), before}
        for path in self.results.iterdir():
            if path not in keep:
                shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(".current.*"):
            path.unlink()


def link(old: Path, new: Path) -> None:
    """The same file under a second name; a copy where the file system cannot."""
    try:
        new.hardlink_to(old)
    except FileExistsError:
        pass
    except OSError:
        unfinished = new.with_name(f".{new.name}.unfinished")
        shutil.copyfile(old, unfinished)
        unfinished.rename(new)


def write_json(path: Path, body: object) -> None:
    """A JSON file in a result that nobody reads yet. Raises ``OutputError``."""
    write_text(path, json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """A text file in a result that nobody reads yet. Raises ``OutputError``."""
    with output_to(path):
        path.write_text(text, encoding="utf-8")
