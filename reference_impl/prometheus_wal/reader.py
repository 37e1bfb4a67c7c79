"""The reader of a whole log: one segment, or a folder of segments and checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Event, Lost, Verdict
from reference_impl.prometheus_wal.compression import Decoder
from reference_impl.prometheus_wal.layout import (
    FULL,
    HEADER_SIZE,
    LAST,
    OLD_MAGIC,
    PAGE_SIZE,
    Frame,
    checkpoints,
    frame_at,
    number_of,
    segments,
)
from reference_impl.prometheus_wal.segment import Segment

LOOK_AHEAD = 4 * PAGE_SIZE
_USUAL_DIGITS = (6, 8)


class Journal:
    """A log's segments in reading order, and the faults that their names show."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: The segments to read, by name, with a lost range for each gap and each invalid name.
        self.plan: list[str | Lost | None] = []
        #: The offset from which a strict reader loses everything at the damage found last.
        self.start = 0
        if path.is_dir():
            self._plan_folder()
        else:
            self.plan.append(None)

    @property
    def names(self) -> list[str | None]:
        """Return the names of the segments to read."""
        return [each for each in self.plan if not isinstance(each, Lost)]

    def file(self, name: str | None) -> Path:
        """Return the path of a segment."""
        return self.path if name is None else self.path / name

    def _plan_folder(self) -> None:
        newest = None
        for number, name in checkpoints(self.path):  # PRW-004
            folder = self.path / name
            if folder.is_dir() and segments(folder):
                newest = number
                self._plan_segments(f"{name}/", segments(folder), -1)
                break
            if folder.is_dir():
                self.plan.append(Lost(0, 0, "bad-checkpoint"))
            else:
                self.plan.append(Lost(0, folder.stat().st_size, "bad-checkpoint", file=name))
        found = [each for each in segments(self.path) if newest is None or each[0] > newest]
        self._plan_segments("", found, newest)
        if not found and newest is not None:
            self.plan.append(Lost(0, 0, "missing-segment"))

    def _plan_segments(
        self, prefix: str, found: Sequence[tuple[int, str]], before: int | None
    ) -> None:
        """Add segments, of which the first must follow number ``before``, if given (PRW-005)."""
        last = None
        for number, name in found:
            file = prefix + name
            if number == last:
                size = self.file(file).stat().st_size
                self.plan.append(Lost(0, size, "duplicate-segment", file=file))
                continue
            if before is not None and number != before + 1:
                self.plan.append(Lost(0, 0, "missing-segment", file=file))
            self.plan.append(file)
            last = before = number

    def last_with_content(self) -> str | None:
        """Return the last segment of a folder with a byte that is not zero, None for no segment."""
        names = reversed(self.names)
        return next((each for each in names if self.file(each).read_bytes().strip(b"\0")), None)

    def events(self, is_continued: bool) -> Iterator[Event]:
        """Yield the records, the lost ranges and the end of the log."""
        decoder, base = Decoder(), 0
        last = self.last_with_content()
        end: tuple[int | None, str | None] = (None, None)
        damage = torn = None
        for each in self.plan:
            if isinstance(each, Lost):
                damage = damage or each.reason
                yield each
                continue
            data = self.file(each).read_bytes()
            # Prometheus renames a checkpoint when it is complete, so its segments are never torn.
            is_last = each == last and "/" not in (each or "")
            segment = Segment(data, each, is_last, is_continued, decoder, base)
            base += len(data)
            for event in segment.events():
                if isinstance(event, Lost):
                    if event.torn:
                        torn = event.reason
                    else:
                        damage = damage or event.reason
                        self.start = segment.open.at if segment.open else event.start
                yield event
            if torn is None or is_last:
                end = (segment.end, each)
        verdict: Verdict = "damaged" if damage else "torn" if torn else "intact"
        at, file = (None, None) if damage else end
        yield End(verdict, damage or torn, at, file)


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the records and lost ranges of a segment or a folder, then the end.

    ``context`` may have ``continued``. Raises ``OSError``, and ``ValueError`` for an unknown
    profile.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    journal = Journal(path)
    if not journal.plan:
        yield End("refused", "no-segments", None)  # PRW-001
        return
    if journal.names and _begins_with(journal.file(journal.names[0]), OLD_MAGIC):
        yield End("refused", "old-format", None)  # PRW-003
        return
    for event in journal.events(bool(context.get("continued", False))):
        if profile == "strict" and isinstance(event, Lost) and not event.torn:
            yield from _stop(journal, event)
            return
        yield event


def _stop(journal: Journal, damage: Lost) -> Iterator[Event]:
    """Report everything from the first damage on as lost, for ``strict`` (PRW-062)."""
    is_folder = journal.path.is_dir()
    if is_folder and damage.file is None:
        yield damage
    plan = journal.plan
    first = next(n for n, each in enumerate(plan) if each is damage or each == damage.file)
    files = dict.fromkeys(each.file if isinstance(each, Lost) else each for each in plan[first:])
    for file in files:
        if file or not is_folder:
            at = journal.start if file == damage.file else 0
            yield Lost(at, journal.file(file).stat().st_size, damage.reason, file=file)
    yield End("damaged", damage.reason, None)


def _begins_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic


def recognise(path: Path) -> bool:
    """Return whether a file, or any segment in a folder, looks like Prometheus's."""
    if path.is_dir():
        journal = Journal(path)
        return any(recognise(journal.file(each)) for each in journal.names)
    is_named = number_of(path.name) is not None and len(path.name) in _USUAL_DIGITS
    with path.open("rb") as stream:
        head = stream.read(LOOK_AHEAD)
    if is_named and (not any(head) or head.startswith(OLD_MAGIC)):
        return True
    pages = range(0, len(head) - HEADER_SIZE, PAGE_SIZE)
    return any(_has_data(frame_at(memoryview(head), at)) for at in pages)


def _has_data(found: Frame) -> bool:
    return FULL <= found.type <= LAST and found.length > 0 and found.is_sound()
