"""List everything in a folder and its subfolders: systems, logs, and unread files."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from reference_impl.formats import FORMATS, UnknownFormat
from reference_impl.register import registers
from walproof.lake.recognition import named_like, recognise_log
from walproof.quantity import counted
from walproof.summary.unpacked import name_inside, packing
from walproof.systems import systems_in
from walproof.systems.model import WHOLE, System

#: Names of archives, which may contain logs.
ARCHIVE_NAME = r"\.(zip|tgz|tar(\.\w+)?)$"

#: Maximum number of unread files in the error message for a folder without logs.
MOST_NAMED = 8


@dataclass(frozen=True)
class FoundLog:
    """A log that belongs to no system."""

    path: Path
    format: str
    size: int


@dataclass(frozen=True)
class NotRead:
    """A file or folder that is not read, with the reason; ``is_fault`` if it should be readable."""

    path: Path
    why: str
    is_fault: bool = False


@dataclass(frozen=True)
class Item:
    """A system, log or unread file; its name starts with the name of the folder."""

    name: str
    what: System | FoundLog | NotRead


@dataclass
class Contents:
    """The items of a folder, sorted by path, and the number of unrelated files."""

    items: list[Item] = field(default_factory=list)
    foreign: int = 0

    @property
    def systems(self) -> list[System]:
        """Return the systems, in order."""
        return [item.what for item in self.items if isinstance(item.what, System)]

    def require_logs(self, name: str) -> None:
        """Raise ``UnknownFormat`` if the folder has no systems, logs or unreadable files."""
        aside = [
            (item.name, item.what.why)
            for item in self.items
            if isinstance(item.what, NotRead) and not item.what.is_fault
        ]
        if len(aside) < len(self.items):
            return
        count = self.foreign + len(aside)
        among = f"no log among {counted(count, 'file')}" if count else "no file"
        named = "".join(f"; {each} is {why}" for each, why in aside[:MOST_NAMED])
        raise UnknownFormat(f"{name}: expected a log, or a folder with logs, found {among}{named}")


def contents_of(folder: Path, name: str, format_id: str | None = None) -> Contents:
    """Walk through a folder, without opening compressed files and archives in it.

    ``format_id`` restricts the search to systems of one format.
    """
    walk = _Walk(format_id)
    walk.folder(folder, name, set())
    return walk.found


class _Walk:
    def __init__(self, format_id: str | None) -> None:
        self.formats = list(FORMATS) if format_id is None else [format_id]
        self.found = Contents()
        self._seen: set[tuple[int, int]] = set()
        self._parts: set[Path] = set()

    def folder(self, folder: Path, name: str, claimed: set[Path]) -> None:
        """Examine a folder; ``claimed`` are the paths that belong to a system above it."""
        try:
            identity = folder.stat()
            if (identity.st_dev, identity.st_ino) in self._seen:
                return
            self._seen.add((identity.st_dev, identity.st_ino))
            # The journals of one machine belong to the system above their folder.
            systems = [] if folder in self._parts else systems_in(folder, self.formats)
            paths = sorted(folder.iterdir())
        except OSError as error:
            self._add(name, NotRead(folder, error.strerror or str(error), is_fault=True))
            return
        for system in systems:
            self._add(name, system)
            paths_of_it, between = _claimed_by(system)
            claimed = claimed | paths_of_it
            self._parts |= between
        for path in paths:
            inner = str(Path(name, path.name))
            if path.is_dir():
                if path not in claimed:
                    self.folder(path, inner, claimed)
            elif path not in claimed:
                self._file(path, inner)

    def _add(self, name: str, what: System | FoundLog | NotRead) -> None:
        self.found.items.append(Item(name, what))

    def _file(self, path: Path, name: str) -> None:
        if (what := what_it_is(path)) is not None:
            is_fault = path.is_symlink() and not path.exists()
            self._add(name, NotRead(path, what, is_fault))
            return
        try:
            size = path.stat().st_size
            if (kind := packing(path)) is not None:
                if re.search(ARCHIVE_NAME, path.name):
                    self._add(name, NotRead(path, "an archive; give it as PATH to search it"))
                elif named_like(name_inside(path)):
                    self._add(name, NotRead(path, f"a {kind} file; give it as PATH to read it"))
                else:  # such as an office document, which is a zip file
                    self.found.foreign += 1
                return
            result = recognise_log(path)
        except UnknownFormat:
            self.found.foreign += 1
            return
        except OSError as error:
            self._add(name, NotRead(path, error.strerror or str(error), is_fault=True))
            return
        if size or result in named_like(path.name):
            self._add(name, FoundLog(path, result, size))
        else:  # an empty file is a log only if its name fits
            self.found.foreign += 1


def _claimed_by(system: System) -> tuple[set[Path], set[Path]]:
    """Return the paths of a system, and the folders between its own folder and these paths."""
    names = [log.name for log in system.logs] + [other.name for other in system.others]
    names += system.folder_type.log_files(system)
    paths = {system.folder / name for name in names if name != WHOLE}
    between = {
        system.folder.joinpath(*parts[:size])
        for parts in (path.relative_to(system.folder).parts for path in paths)
        for size in range(1, len(parts))
    }
    return paths, between


def what_it_is(path: Path) -> str | None:
    """Describe a path that is neither a file nor a folder, or return None; links are followed."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if not path.is_symlink():
            return "deleted while the folder was read"
        return f"a link to {str(path.readlink())!a}, which does not exist"
    except OSError as error:
        return "a circular link" if path.is_symlink() else error.strerror
    is_read = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return None if is_read else "a socket, pipe or device"


def title_of(format_id: str) -> str:
    """Return the title of a format without its part in brackets."""
    return registers()[format_id].title.partition(" (")[0]
