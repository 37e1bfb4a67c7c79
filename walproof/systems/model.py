"""What is reported about a folder of a system, and the interface of a format to such folders."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from reference_impl.answer import End, Event
from reference_impl.formats import named
from walproof.summary import model as summary
from walproof.summary.model import Summary, size_of

Harm = Literal["lost", "look", "none"]
"""``lost``: something that the system had is gone; ``look``: somebody must decide; ``none``."""
WHOLE = "."
"""The name of a log that is its folder."""
_WORST = ("intact", "torn", "damaged")


@dataclass(frozen=True)
class SystemLog:
    """A log of a system: its name below the folder, and what it is to the system."""

    name: str
    role: str


@dataclass(frozen=True)
class OtherFile:
    """A file or folder that is no log: its name, what it is for, and its size in bytes."""

    name: str
    role: str
    size: int


@dataclass(frozen=True)
class Finding:
    """A sentence about a folder as a whole, the file that it is about, and the harm."""

    text: str
    file: str | None = None
    harm: Harm = "look"

    def to_json(self) -> dict[str, Any]:
        """The finding as ``--json`` prints it."""
        return {"text": self.text, "file": self.file, "harm": self.harm}


@dataclass(frozen=True)
class System:
    """A folder that a system keeps: ``title`` says whose it is, ``logs`` stand in their order."""

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
        """Whether the folder itself is the log: the reader of its format takes it as it is."""
        return [log.name for log in self.logs] == [WHOLE]

    def path(self, log: SystemLog) -> Path:
        """Where a log of it lies."""
        return self.folder if log.name == WHOLE else self.folder / log.name

    def to_json(self) -> dict[str, Any]:
        """The system as ``--json`` prints it, without what its logs hold."""
        return {
            "system": self.title,
            "format": self.format,
            "logs": [vars(log) for log in self.logs],
            "others": [vars(other) for other in self.others],
            "findings": [finding.to_json() for finding in self.findings],
        }


class Observer(summary.Observer, Protocol):
    """Learns what there is to say of several logs at once while each of them is read."""

    def lines(self) -> list[str]:
        """What there is to say, a line each."""


ReadLog = Callable[[str, Path, str, Mapping[str, Any]], Iterator[Event]]
"""Reads a log of a format, in a profile and with a context."""


def by_specification(
    format_id: str, log: Path, profile: str, context: Mapping[str, Any]
) -> Iterator[Event]:
    """Read a log with the executable specification."""
    return named(format_id).read(log, profile, context)


class SystemFolder:
    """How the folders of one kind of system are recognised, read and recovered.

    This class itself: a format whose logs lie in no special folder.
    """

    def log_files(self, system: System) -> Sequence[str]:
        """The files of its logs, by their names below the folder."""
        return [log.name for log in system.logs]

    def foreign_dialect(self, log: Path) -> str | None:
        """The dialect of a log that is not read, also if its reader takes it for damage."""
        return None

    def of_dialect(self, log: Path) -> Iterator[Finding]:
        """Name the dialect of a log that is not read, and the tool that reads it. ``OSError``."""
        return iter(())

    def written_end(self, log: Path) -> int | None:
        """Where a file ends that holds content; the rest was allocated and never written.

        None if the format does not tell. Raises ``OSError``.
        """
        return None

    def not_rewritten(self, system: System) -> str | None:
        """Why no log of it may be written anew, in words; None if logs may be."""
        return None

    def more_events(self, log: Path) -> Iterator[Event] | None:
        """A second reading of a damaged log that returns more; None if there is none.

        Each further record passes its own checks at a place that the record before it gives. The
        specification does not require it of a reader, so that only what recovers a log uses it.
        """
        return None

    def stale_files(self, system: System) -> Sequence[str]:
        """Files that point into the logs: set aside in a copy in which a log was written anew."""
        return ()

    def repaired_files(self, system: System) -> Mapping[str, bytes]:
        """Damaged files whose right content the rest of the folder proves, with that content."""
        return {}

    def after_recovery(self, system: System) -> Sequence[str]:
        """State what was checked of a recovered folder, and what to do with it, a sentence each.

        ``system`` is the new folder, recognised again. "Opens" needs a check of everything that
        decides it.
        """
        return ()

    def recognise(self, folder: Path) -> System | None:
        """The system whose folder this is. Raises ``OSError``."""
        return None

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """What the folder says of its log, once that was read: of a system of one log."""
        return iter(())

    def of_log(self, system: System, log: SystemLog, found: Summary) -> Iterator[Finding]:
        """What one of several logs says of itself that was not found in it. ``OSError``."""
        return iter(())

    def observer(self, system: System) -> Observer | None:
        """What looks at the records of all logs as they are summarised; None for nothing."""
        return None

    def read(
        self,
        system: System,
        profile: str,
        context: Mapping[str, Any],
        read_log: ReadLog = by_specification,
    ) -> Iterator[Event]:
        """The answer about all of its logs: one after the other, unless the system merges them.

        ``read_log`` reads one of them.
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
    """The logs of a system one after the other; the verdict is the worst, the end the last's."""
    ends = []
    for log in system.logs:
        for event in read_log(system.format, system.path(log), profile, context):
            if isinstance(event, End):
                ends.append(replace(event, file=log.name))
            else:
                yield replace(event, file=log.name)
    yield of_all(ends)


def of_all(ends: Sequence[End]) -> End:
    """One end for several logs: the verdict of the worst, the first if several are as bad.

    A log that is refused among others that are not is damage of the whole.
    """
    if not ends:
        return End("intact", None, None)
    if all(end.verdict == "refused" for end in ends):
        return ends[0]
    ends = [replace(end, verdict="damaged") if end.verdict == "refused" else end for end in ends]
    worst = max(ends, key=lambda end: _WORST.index(end.verdict))
    return End(worst.verdict, worst.reason, ends[-1].end, ends[-1].file)


def gaps(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of numbers between the lowest and the highest that is missing."""
    for before, after in itertools.pairwise(sorted(set(numbers))):
        if after > before + 1:
            yield before + 1, after - 1


def size_of_all(path: Path) -> int:
    """As ``size_of``; a file that is gone counts nothing, either."""
    try:
        return size_of(path)
    except OSError:
        return 0
