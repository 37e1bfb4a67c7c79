"""Says what readers get wrong about an input that nobody has an expected answer to.

The executable specification is held to the invariants of the conventions, the scanner and the
second reader to its answer. Raising, taking long and taking memory is wrong for each of them.
"""

from __future__ import annotations

import functools
import traceback
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.compare import every_part, normalise
from lab.fuzz.limits import PROCESSOR_SECONDS, Meter, allowed
from lab.fuzz.packed import Input
from lab.fuzz.second import second_reader
from reference_impl.answer import End, Lost
from walproof.formats import plugin_for
from walproof.sweep import invariants, judge
from walproof.sweep.format_sweep import Task
from walproof.sweep.invariants import Written, same_again
from walproof.sweep.readers import Fast, Reference, Seen, put
from walproof.sweep.settings import Setting
from walproof.sweep.writing import Writer

SPECIFICATION, SCANNER, SECOND = "specification", "scanner", "second reader"
TARGETS = {
    "reference": (SPECIFICATION,),
    "scanner": (SCANNER,),
    "second": (SECOND,),
    "differential": (SPECIFICATION, SCANNER, SECOND),
}
"""Target → whom its inputs are about. The specification reads them all the same."""

SLOW, LARGE, SHAPE, STRICT = "slow", "over-memory", "malformed-answer", "strict-differs"
AGAIN, APPENDS = 8, 16
"""One input in so many is read again, and cut at its ``end``; in so many, gone on with."""

PADDING = 7
"""Bytes by which ``end`` may exceed a file: whoever goes on writes the padding first."""


@dataclass(frozen=True)
class Fault:
    """What is wrong: of whom, which invariant, in words; ``verdict`` is what is owed."""

    who: str
    kind: str
    verdict: str
    text: str

    @property
    def signature(self) -> str:
        """What makes two faults one finding: where it raises, or what was owed and what differs."""
        where = self.text.partition("\n")[0] if self.kind == invariants.RAISES else self.verdict
        return f"{self.who}: {self.kind}: {where}"


class Judge:
    """Asks the readers of one format. ``folder`` is scratch. ``always``: every check each time."""

    def __init__(self, format: str, target: str, folder: Path, always: bool = False) -> None:
        self.format, self.folder, self.always = format, folder, always
        self.who = TARGETS[target]
        self.format_sweep = plugin_for(format).sweep
        self.reference = Reference(format, folder)
        self.writer = Writer(format, folder)
        self.fast = Fast(format, folder) if SCANNER in self.who else None
        self.second = second_reader(format) if SECOND in self.who else None
        self.parts = every_part([format])
        self.meter = Meter()
        self.slowest, self.largest = 0.0, 0
        self.void = 0

    def faults(self, one: Input) -> list[Fault]:
        """What is wrong, of all who are asked; nothing for an input that no reader takes."""
        try:
            owed, found = self._specification(one)
            if owed is None:
                return found
            if self.fast is not None:
                found += self._scanner(one, owed)
            if self.second is not None:
                found += self._second(one, owed)
            return found
        except _Void:
            self.void += 1
            return []

    def _specification(self, one: Input) -> tuple[Seen | None, list[Fault]]:
        found: list[Fault] = []
        owed = self._asked(SPECIFICATION, one, lambda: self._read(one, "recover"), found, "")
        if owed is None or SPECIFICATION not in self.who:
            return owed, found
        verdict = told(owed.end)
        text = _malformed(one, owed)
        if text:
            found.append(Fault(SPECIFICATION, SHAPE, verdict, text))
        for fault in Written(one.control, expected=()).faults(owed, one.contents, True, True):
            found.append(Fault(SPECIFICATION, fault, verdict, invariants.MEANING[fault]))
        strict = self._asked(
            SPECIFICATION, one, lambda: self._read(one, "strict"), found, "strict: "
        )
        if strict is not None and (text := _differs_strictly(owed, strict)):
            found.append(Fault(SPECIFICATION, STRICT, verdict, text))
        drawn = zlib.crc32(one.pack())
        try:
            if self._is_due(drawn, AGAIN) and not same_again(
                self.reference, one.control, one.contents, owed
            ):
                found.append(self._broken(invariants.NOT_AGAIN, verdict))
            if self._is_due(drawn >> 8, APPENDS):
                found += [self._broken(fault, verdict) for fault in self._going_on(one, owed)]
        except Exception as error:
            if not self.format_sweep.owes_no_answer(error):
                found.append(Fault(SPECIFICATION, invariants.RAISES, verdict, _where(error)))
        return owed, found

    def _is_due(self, drawn: int, one_in: int) -> bool:
        return self.always or drawn % one_in == 0

    def _broken(self, fault: str, verdict: str) -> Fault:
        return Fault(SPECIFICATION, fault, verdict, invariants.MEANING[fault])

    def _going_on(self, one: Input, owed: Seen) -> list[str]:
        """The invariants of ``end`` that an append of one plain record shows to be broken."""
        if owed.end.verdict == "refused" or set(self.format_sweep.selecting) & one.context.keys():
            return []
        task = Task("append", one.name, owed.records, one.size, one.context)
        try:
            new = [self.format_sweep.plain(task)]
        except (ValueError, KeyError, OverflowError):
            return []  # no record goes on from these
        setting = Setting("append", one.context)
        return list(self.writer.request(one.control, setting, one.contents, new).faults)

    def _read(self, one: Input, profile: str) -> Seen:
        return self.reference.read(one.control, one.contents, profile)

    def _scanner(self, one: Input, owed: Seen) -> list[Fault]:
        fast, found = self.fast, list[Fault]()
        assert fast is not None
        verdict = told(owed.end)
        put(one.contents, self.folder / one.name)
        events = self._asked(SCANNER, one, lambda: fast.read(one.control, one.contents), found, "")
        if events is None:
            return found
        try:
            if fast.agrees(events, owed):
                return found
            said = fast.answer(events).to_json()
        except Exception as error:
            return [*found, Fault(SCANNER, invariants.RAISES, verdict, _where(error))]
        found.append(self._difference(SCANNER, owed, said, "recover"))
        return found

    def _second(self, one: Input, owed: Seen) -> list[Fault]:
        second, found = self.second, list[Fault]()
        assert second is not None
        place = self.folder / one.name
        put(one.contents, place)
        for profile in ("recover", "strict"):
            if profile == "strict":
                owed = self._read(one, profile)
            read = functools.partial(second, place, profile, one.context)
            said = self._asked(SECOND, one, read, found, f"{profile}: ")
            if said is None:
                continue
            if judge.compare(normalise(owed.answer().to_json()), said, self.parts, None):
                found.append(self._difference(SECOND, owed, said, profile))
        return found

    def _difference(self, who: str, owed: Seen, said: dict[str, Any], profile: str) -> Fault:
        expected = normalise(owed.answer().to_json())
        difference = judge.compare(expected, said, self.parts, None)
        if difference is None:
            return Fault(who, "columns", told(owed.end), "a column differs that no answer shows")
        says = f"{difference.verdict} {difference.reason}".strip()
        verdict = f"{told(owed.end)}, says {says}, {profile}"
        return Fault(who, difference.kind, verdict, difference.text)

    def _asked(
        self, who: str, one: Input, read: Callable[[], Any], found: list[Fault], what: str
    ) -> Any:
        """What a reader says, or None if it raises; enters what it takes too much of."""
        self.meter.begin()
        answer = None
        try:
            answer = read()
        except Exception as error:
            if self.format_sweep.owes_no_answer(error):
                raise _Void from None
            found.append(Fault(who, invariants.RAISES, "", what + _where(error)))
        seconds, memory = self.meter.seconds, self.meter.memory
        self.slowest, self.largest = max(self.slowest, seconds), max(self.largest, memory)
        if seconds > PROCESSOR_SECONDS:
            text = f"{what}{seconds:.1f} s for {one.size:,} bytes"
            found.append(Fault(who, SLOW, "", text))
        if memory > allowed(one.size):
            text = f"{what}{memory >> 20} MiB for {one.size:,} bytes"
            found.append(Fault(who, LARGE, "", text))
        return answer


class _Void(Exception):
    """What is told is nothing that a reader of this log accepts."""


def told(end: End) -> str:
    """Verdict and reason."""
    return f"{end.verdict} {end.reason}" if end.reason else end.verdict


def _where(error: Exception) -> str:
    """The type of an exception and the line that raised it, then what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = f" at {Path(last.filename).name}, {last.name}, line {last.lineno}" if last else ""
    return f"{type(error).__name__}{place}\n{error}"


def _malformed(one: Input, seen: Seen) -> str:
    """In what an answer is none, by the table of verdicts and the sizes of the files."""
    end, files = seen.end, one.files
    if end.verdict == "refused" and (seen.records or seen.lost or end.end is not None):
        return "refused, and tells of records, ranges or an end"
    if (end.verdict == "intact") != (end.reason is None):
        return f"{end.verdict} with the reason {end.reason}"
    # A torn file may be torn where there is nothing to lose, as one of no bytes.
    if (end.verdict == "damaged" and not seen.lost) or (end.verdict == "intact" and seen.lost):
        return f"{end.verdict} with {len(seen.lost)} lost ranges"
    for record in seen.records:
        if not 0 <= record.at <= record.at + record.size <= len(files.get(record.file or "", b"")):
            return f"a record at {record.at} of {record.size} bytes, outside of its file"
    room = len(files.get(end.file or "", b"")) + PADDING
    if end.end is not None and not 0 <= end.end <= room:
        return f"the end {end.end} lies outside of its file"
    return _overlapping(seen.lost, files)


def _overlapping(lost: list[Lost], files: Any) -> str:
    upto: dict[str, int] = {}
    for gap in sorted(lost, key=lambda gap: (gap.file or "", gap.start, gap.end)):
        name = gap.file or ""
        inside = name not in files or gap.end <= len(files[name])
        if gap.start < upto.get(name, 0) and gap.end > gap.start:
            return f"lost ranges overlap at {gap.start}"
        if not (0 <= gap.start <= gap.end and inside):
            return f"the lost range [{gap.start}, {gap.end}) lies outside of its file"
        upto[name] = max(upto.get(name, 0), gap.end)
    return ""


def _differs_strictly(owed: Seen, strict: Seen) -> str:
    """In what a strict answer does not follow from the other one."""
    if owed.end.verdict != "damaged":
        return "" if strict == owed else "an undamaged log has two answers"
    if (strict.end.verdict, strict.end.reason) != ("damaged", owed.end.reason):
        return f"strict says {told(strict.end)}"
    if strict.end.end is not None:
        return "strict says where to go on after damage"
    rest = iter(owed.records)
    if not all(record in rest for record in strict.records):
        return "strict returns a record that recover does not"
    return ""
