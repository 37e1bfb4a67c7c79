"""The description of a system's folder, and the interface that a format implements for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal

from reference_impl.answer import End, Event, Record
from reference_impl.formats import named
from walproof.summary.model import Observer, Summary, size_of

#: ``lost``: the system lost data; ``look``: a person must decide; ``none``: harmless.
Harm = Literal["lost", "look", "none"]
#: The name of a log that is the folder itself.
WHOLE = "."
_WORST = ("intact", "torn", "damaged")


@dataclass(frozen=True)
class SystemLog:
    """A log of a system: its name relative to the folder, and its role."""

    name: str
    role: str


@dataclass(frozen=True)
class OtherFile:
    """A file or folder that is not a log: its name, its purpose, and its size in bytes."""

    name: str
    role: str
    size: int


@dataclass(frozen=True)
class Finding:
    """A sentence about a folder as a whole, the file concerned, and the harm."""

    text: str
    file: str | None = None
    harm: Harm = "look"
    #: A sentence for ``recover`` if the recovered folder still has the finding.
    advice: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the ``--json`` object of the finding."""
        return {"text": self.text, "file": self.file, "harm": self.harm}


@dataclass(frozen=True)
class System:
    """The folder of a system; ``title`` names the system, ``logs`` are in order."""

    folder_type: SystemFolder
    title: str
    folder: Path
    format: str
    logs: Sequence[SystemLog]
    others: Sequence[OtherFile] = ()
    findings: Sequence[Finding] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_one_log(self) -> bool:
        """Return whether the folder itself is the only log."""
        return [log.name for log in self.logs] == [WHOLE]

    def path(self, log: SystemLog) -> Path:
        """Return the path of a log."""
        return self.folder if log.name == WHOLE else self.folder / log.name

    def to_json(self) -> dict[str, Any]:
        """Return the ``--json`` object of the system, without the content of its logs."""
        return {
            "system": self.title,
            "format": self.format,
            "logs": [vars(log) for log in self.logs],
            "others": [vars(other) for other in self.others],
            "findings": [finding.to_json() for finding in self.findings],
        }


#: A function that reads a log, given the format id, the path, the profile and the context.
ReadLog = Callable[[str, Path, str, Mapping[str, Any]], Iterator[Event]]


def by_specification(
    format_id: str, log: Path, profile: str, context: Mapping[str, Any]
) -> Iterator[Event]:
    """Read a log with the executable specification."""
    return named(format_id).read(log, profile, context)


class SystemFolder:
    """Recognise, read and recover the folders of one type of system.

    The base class itself is for formats whose logs can be in any folder.
    """

    def log_files(self, system: System) -> Sequence[str]:
        """Return the files of the logs, relative to the folder."""
        return [log.name for log in system.logs]

    def foreign_dialect(self, log: Path) -> str | None:
        """Return the dialect of a log that its reader does not support, or None."""
        return None

    def of_dialect(self, log: Path) -> Iterator[Finding]:
        """Name the unsupported dialect of a log, and the tool that reads it. Raises ``OSError``."""
        return iter(())

    def written_end(self, log: Path) -> int | None:
        """Return the offset after the written part of a file, or None if it is unknown.

        Raises ``OSError``.
        """
        return None

    def not_rewritten(self, system: System) -> str | None:
        """Return the reason why no log may be rewritten; None if logs may be rewritten."""
        return None

    def more_events(self, log: Path) -> Iterator[Event] | None:
        """Read a damaged log in a second way that returns more records, if the format has one.

        The specification does not require these records, so only recovery uses this method.
        """
        return None

    def stale_files(self, system: System) -> Sequence[str]:
        """Return files that point into the logs.

        Recovery renames these files in its copy if it rewrites a log, or if one of them is damaged.
        """
        return ()

    def repaired_files(self, system: System) -> Mapping[str, bytes]:
        """Return damaged files with their correct content, as proved by the rest of the folder."""
        return {}

    def after_recovery(self, system: System) -> Sequence[str]:
        """Return sentences about the checks of a recovered folder and the next steps.

        ``system`` is the new folder.
        """
        return ()

    def log_of(self, path: Path) -> Path | None:
        """Return the log of a database file, or None for other files. Raises ``OSError``."""
        return None

    def apply(self, path: Path, records: Sequence[Record], new: BinaryIO) -> None:
        """Copy a file that has a log (``log_of``) to ``new``, and apply the records of the log.

        Raises ``ValueError`` if the log belongs to another file, and ``OSError``.
        """
        raise NotImplementedError

    def is_evidence(self, record: Record) -> bool:
        """Return whether a record is whole, but must not be part of a new log or be applied."""
        return False

    def recognise(self, folder: Path) -> System | None:
        """Return the system that owns a folder, or None. Raises ``OSError``."""
        return None

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """Yield the folder's findings about its only log, after reading that log."""
        return iter(())

    def of_log(self, system: System, log: SystemLog, found: Summary) -> Iterator[Finding]:
        """Yield the folder's findings about one of its logs, after reading that log.

        Raises ``OSError``.
        """
        return iter(())

    def observer(self, system: System) -> Observer | None:
        """Return an observer for the records of all logs during a summary; None for none."""
        return None

    def read(
        self,
        system: System,
        profile: str,
        context: Mapping[str, Any],
        read_log: ReadLog = by_specification,
    ) -> Iterator[Event]:
        """Yield the events of all logs in order, unless the system merges its logs.

        ``read_log`` reads a single log.
        """
        if system.is_one_log:
            return read_log(system.format, system.folder, profile, context)
        return in_order(system, profile, context, read_log)


def in_order(
    system: System,
    profile: str,
    context: Mapping[str, Any],
    read_log: ReadLog = by_specification,
) -> Iterator[Event]:
    """Yield the events of all logs in order, then one ``End``: worst verdict, last ``end``."""
    ends = []
    for log in system.logs:
        for event in read_log(system.format, system.path(log), profile, context):
            if isinstance(event, End):
                ends.append(replace(event, file=log.name))
            else:
                yield replace(event, file=log.name)
    yield of_all(ends)


def of_all(ends: Sequence[End]) -> End:
    """Combine the ends of several logs: the worst verdict, and the reason of its first log."""
    if not ends:
        return End("intact", None, None)
    if all(end.verdict == "refused" for end in ends):
        return ends[0]
    ends = [replace(end, verdict="damaged") if end.verdict == "refused" else end for end in ends]
    worst = max(ends, key=lambda end: _WORST.index(end.verdict))
    return End(worst.verdict, worst.reason, ends[-1].end, ends[-1].file)


def gaps(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each gap between the lowest and the highest number."""
    for before, after in itertools.pairwise(sorted(set(numbers))):
        if after > before + 1:
            yield before + 1, after - 1


def size_of_all(path: Path) -> int:
    """Return the size of a path in bytes; 0 if the path cannot be read."""
    try:
        return size_of(path)
    except OSError:
        return 0
