"""Judge the answers of readers to inputs without an expected answer.

The executable specification must satisfy the invariants in the conventions. The scanner and the
second reader must return the same answer.
"""

from __future__ import annotations

import contextlib
import functools
import resource
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from conformance.compare import every_part, normalise
from conformance.confirming import SECOND_READER
from conformance.registry import FOLDER
from lab.fuzz.inputs import Input
from reference_impl.answer import Answer, Lost, collect
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.scan import answers
from walproof.sweep import effects, invariants
from walproof.sweep.format_sweep import Task
from walproof.sweep.invariants import Written, same_again
from walproof.sweep.settings import Setting
from walproof.sweep.specification import Reference, put
from walproof.sweep.writing import Writer

SPECIFICATION, SCANNER, SECOND = "specification", "scanner", "second reader"
SLOW, LARGE, SHAPE, STRICT = "slow", "over-memory", "malformed-answer", "strict-differs"
#: One of 8 inputs is read again, and truncated at its ``end``. One of 16 inputs is appended to.
REREAD_INTERVAL, APPEND_INTERVAL = 8, 16

#: Bytes by which ``end`` may exceed the size of a file, because a writer first writes padding.
PADDING_BYTES = 7

#: CPU time limit of one reader for an input of about :data:`~lab.fuzz.inputs.MAX_INPUT_BYTES`.
PROCESSOR_SECONDS = 2.0

#: Memory limit of one reader: bytes for each byte of the input, and additional bytes.
MEMORY_FACTOR, FREE_MEMORY_BYTES = 16, 64 << 20

#: A function that returns an answer, as JSON, for a path, a profile and a context.
Reader = Callable[[Path, str, Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Fault:
    """A fault of a reader; ``verdict`` is the expected verdict."""

    reader: str
    kind: str
    verdict: str
    text: str

    @property
    def signature(self) -> str:
        """The key that faults of one finding share: the line that raises, or the verdict."""
        where = self.text.partition("\n")[0] if self.kind == invariants.RAISES else self.verdict
        return f"{self.reader}: {self.kind}: {where}"


class Judge:
    """Runs the readers of one format in a scratch folder.

    If ``always`` is true, every input gets the checks that otherwise only some inputs get.
    """

    def __init__(self, format: str, folder: Path, always: bool = False) -> None:
        self.format, self.folder, self.always = format, folder, always
        self.format_sweep = plugin_for(format).sweep
        self.reference = Reference(format, folder)
        self.writer = Writer(format, folder)
        self.others = {SCANNER: scanner(format), SECOND: second_reader(format)}
        self.parts = every_part([format])
        self.meter = Meter()
        self.slowest, self.largest = 0.0, 0

    def faults(self, log: Input) -> list[Fault]:
        """Return the faults of all readers; none for an input whose context no reader accepts."""
        try:
            right, faults = self._judge_specification(log)
            if right is None:
                return faults
            put(log.contents, self.folder / log.name)
            for name, read in self.others.items():
                faults += self._judge_other(name, read, log, right)
            return faults
        except _Void:
            return []

    def _judge_specification(self, log: Input) -> tuple[Answer | None, list[Fault]]:
        faults: list[Fault] = []
        right = self._measured(SPECIFICATION, log, lambda: self._read(log, "recover"), faults, "")
        if right is None:
            return None, faults
        verdict = _verdict_text(right)
        text = malformed(log, right)
        if text:
            faults.append(Fault(SPECIFICATION, SHAPE, verdict, text))
        for broken in Written(log, expected=()).faults(right, log.contents, True, True):
            faults.append(_broken(broken, verdict))
        strict = self._measured(
            SPECIFICATION, log, lambda: self._read(log, "strict"), faults, "strict: "
        )
        if strict is not None and (text := _differs_strictly(right, strict)):
            faults.append(Fault(SPECIFICATION, STRICT, verdict, text))
        drawn = zlib.crc32(log.pack())
        try:
            if self._is_due(drawn, REREAD_INTERVAL) and not same_again(
                self.reference, log, log.contents, right
            ):
                faults.append(_broken(invariants.NOT_AGAIN, verdict))
            if self._is_due(drawn >> 8, APPEND_INTERVAL):
                faults += [_broken(broken, verdict) for broken in self._append(log, right)]
        except Exception as error:
            if not self.format_sweep.owes_no_answer(error):
                faults.append(Fault(SPECIFICATION, invariants.RAISES, verdict, _where(error)))
        return right, faults

    def _is_due(self, drawn: int, interval: int) -> bool:
        return self.always or drawn % interval == 0

    def _append(self, log: Input, right: Answer) -> list[str]:
        """Return the invariants of ``end`` that an append of one plain record breaks."""
        if right.verdict == "refused" or set(self.format_sweep.selecting) & log.context.keys():
            return []
        task = Task("append", log.name, right.records, log.size, log.context)
        try:
            new = [self.format_sweep.plain(task)]
        except (ValueError, KeyError, OverflowError):
            return []  # no plain record can follow the records of the log
        setting = Setting("append", log.context)
        return list(self.writer.request(log, setting, log.contents, new).faults)

    def _read(self, log: Input, profile: str) -> Answer:
        return self.reference.read(log, log.contents, profile)

    def _judge_other(self, name: str, read: Reader, log: Input, right: Answer) -> list[Fault]:
        faults: list[Fault] = []
        # The scanner supports only the profile recover.
        for profile in ("recover", "strict")[: 1 if name == SCANNER else 2]:
            if profile == "strict":
                right = self._read(log, profile)
                put(log.contents, self.folder / log.name)
            call = functools.partial(read, self.folder / log.name, profile, log.context)
            answer = self._measured(name, log, call, faults, f"{profile}: ")
            if answer is not None and (fault := self._difference(name, right, answer, profile)):
                faults.append(fault)
        return faults

    def _difference(
        self, reader: str, right: Answer, answer: dict[str, Any], profile: str
    ) -> Fault | None:
        expected = normalise(right.to_json())
        difference = effects.compare(expected, normalise(answer), self.parts, None)
        if difference is None:
            return None
        reported = f"{difference.verdict} {difference.reason}".strip()
        verdict = f"{_verdict_text(right)}, says {reported}, {profile}"
        return Fault(reader, difference.kind, verdict, difference.text)

    def _measured(
        self, reader: str, log: Input, read: Callable[[], Any], faults: list[Fault], label: str
    ) -> Any:
        """Return the result of a reader, or None if it raises an exception.

        An exception and the use of too much time or memory are recorded as faults.
        """
        self.meter.begin()
        answer = None
        try:
            answer = read()
        except Exception as error:
            if self.format_sweep.owes_no_answer(error):
                raise _Void from None
            faults.append(Fault(reader, invariants.RAISES, "", label + _where(error)))
        seconds, memory = self.meter.measured()
        self.slowest, self.largest = max(self.slowest, seconds), max(self.largest, memory)
        if seconds > PROCESSOR_SECONDS:
            text = f"{label}{seconds:.1f} s for {log.size:,} bytes"
            faults.append(Fault(reader, SLOW, "", text))
        if memory > MEMORY_FACTOR * log.size + FREE_MEMORY_BYTES:
            text = f"{label}{memory >> 20} MiB for {log.size:,} bytes"
            faults.append(Fault(reader, LARGE, "", text))
        return answer


class _Void(Exception):
    """No reader accepts the context of this log."""


def _broken(invariant: str, verdict: str) -> Fault:
    return Fault(SPECIFICATION, invariant, verdict, invariants.MEANING[invariant])


def _verdict_text(answer: Answer) -> str:
    return f"{answer.verdict} {answer.reason}" if answer.reason else answer.verdict


def _where(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = f" at {Path(last.filename).name}, {last.name}, line {last.lineno}" if last else ""
    return f"{type(error).__name__}{place}\n{error}"


def malformed(log: Input, seen: Answer) -> str:
    """Return the first contradiction in an answer, or an empty text."""
    files = log.files
    if seen.verdict == "refused" and (seen.records or seen.lost or seen.end is not None):
        return "refused, and tells of records, ranges or an end"
    if (seen.verdict == "intact") != (seen.reason is None):
        return f"{seen.verdict} with the reason {seen.reason}"
    # A torn log need not have a lost range, for example if its file is empty.
    if (seen.verdict == "damaged" and not seen.lost) or (seen.verdict == "intact" and seen.lost):
        return f"{seen.verdict} with {len(seen.lost)} lost ranges"
    for record in seen.records:
        if not 0 <= record.at <= record.at + record.size <= len(files.get(record.file or "", b"")):
            return f"a record at {record.at} of {record.size} bytes, outside of its file"
    room = len(files.get(seen.end_file or "", b"")) + PADDING_BYTES
    if seen.end is not None and not 0 <= seen.end <= room:
        return f"the end {seen.end} lies outside of its file"
    return _overlapping(seen.lost, files)


def _overlapping(lost: Sequence[Lost], files: Any) -> str:
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


def _differs_strictly(right: Answer, strict: Answer) -> str:
    if right.verdict != "damaged":
        return "" if strict == right else "an undamaged log has two answers"
    if (strict.verdict, strict.reason) != ("damaged", right.reason):
        return f"strict says {_verdict_text(strict)}"
    if strict.end is not None:
        return "strict returns an end after damage"
    rest = iter(right.records)
    if not all(record in rest for record in strict.records):
        return "strict returns a record that recover does not"
    return ""


def scanner(format: str) -> Reader:
    """Return the scanner of a format."""

    def read(path: Path, profile: str, context: Mapping[str, Any]) -> dict[str, Any]:
        return collect(answers.read(format, path, context)).to_json()

    return read


def second_reader(format: str) -> Reader:
    """Return the second reader of a format."""
    if str(FOLDER / SECOND_READER) not in sys.path:
        sys.path.insert(0, str(FOLDER / SECOND_READER))
    module = import_module(registers()[format].module)

    def read(path: Path, profile: str, context: Mapping[str, Any]) -> dict[str, Any]:
        request = {"format": format, "profile": profile, "context": dict(context)}
        answer: dict[str, Any] = module.read(path, request)
        return answer

    return read


class Meter:
    """Measure the CPU time and the peak memory of this process since :meth:`begin`.

    Only Linux can reset the peak.
    """

    def begin(self) -> None:
        """Start a measurement."""
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        self._before = _peak_bytes()
        self._started = time.process_time()

    def measured(self) -> tuple[float, int]:
        """Return the CPU time in seconds, and the peak growth of the process in bytes."""
        seconds = time.process_time() - self._started
        return seconds, max(0, _peak_bytes() - self._before)


def _peak_bytes() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
