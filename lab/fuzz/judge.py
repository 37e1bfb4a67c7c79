"""Judge readers' answers to inputs for which no expected answer exists.

The executable specification must satisfy the invariants in the conventions. The scanner and the
second reader must return the same answer.
"""

from __future__ import annotations

import contextlib
import functools
import resource
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conformance.compare import every_part, normalise
from conformance.contents import write_contents
from conformance.registry import FOLDER
from lab.fuzz.inputs import Input
from reference_impl.answer import Answer, Lost, collect
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.scanners import answers
from walproof.sweep import effects, properties
from walproof.sweep.properties import WrittenRecords

SPECIFICATION, SCANNER, SECOND = "specification", "scanner", "second reader"
SLOW, LARGE, SHAPE, STRICT = "slow", "over-memory", "malformed-answer", "strict-differs"
#: ``end`` may exceed the file size by this many bytes, because a writer may first write padding.
PADDING_BYTES = 7

#: CPU time limit of a reader, for inputs of at most :data:`~lab.fuzz.inputs.MAX_INPUT_BYTES`.
PROCESSOR_SECONDS = 2.0

#: Memory limit of a reader: a number of bytes per byte of input, plus a constant.
MEMORY_FACTOR, FREE_MEMORY_BYTES = 16, 64 << 20

#: Further memory in a format with a budget for decompression, per byte of its largest record: the
#: budget of a small log is four records (RDB-038, PRW-034), and a byte of a payload has two
#: hexadecimal digits.
BUDGET_FACTOR = 4 * 3

#: A function that returns an answer, as JSON, for a path, a profile and a context.
Reader = Callable[[Path, str, Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class ReaderFault:
    """A fault of a reader; ``verdict`` is the expected verdict."""

    reader: str
    kind: str
    verdict: str
    text: str

    @property
    def signature(self) -> str:
        """The key of a finding, which names the line that raised an exception, or the verdict."""
        where = self.text.partition("\n")[0] if self.kind == properties.RAISES else self.verdict
        return f"{self.reader}: {self.kind}: {where}"


class FuzzJudge:
    """Runs the readers of one format in a scratch folder."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format, self.folder = named(format), folder
        self.format_sweep = plugin_for(format).sweep
        self.others = {SCANNER: scanner(format)}
        if (second := second_reader(format)) is not None:
            self.others[SECOND] = second
        self.parts = every_part([format])
        self.meter = ResourceMeter()
        name = f"reference_impl.{registers()[format].module}.compression"
        compression = import_module(name) if find_spec(name) else None
        record_bytes = getattr(compression, "MAX_RECORD_SIZE", 0)
        self.free_bytes = FREE_MEMORY_BYTES + BUDGET_FACTOR * record_bytes
        self.slowest, self.largest = 0.0, 0

    def faults(self, log: Input) -> list[ReaderFault]:
        """Return the faults of all readers. There are none if no reader accepts the context."""
        try:
            right, faults = self._judge_specification(log)
            if right is None:
                return faults
            replace_log(log, self.folder)
            for name, read in self.others.items():
                faults += self._judge_other(name, read, log, right)
            return faults
        except _Void:
            return []

    def _judge_specification(self, log: Input) -> tuple[Answer | None, list[ReaderFault]]:
        faults: list[ReaderFault] = []
        right = self._measured(SPECIFICATION, log, lambda: self._read(log, "recover"), faults, "")
        if right is None:
            return None, faults
        verdict = _verdict_text(right)
        text = malformed(log, right)
        if text:
            faults.append(ReaderFault(SPECIFICATION, SHAPE, verdict, text))
        for broken in WrittenRecords(log, expected=()).faults(right, log.contents, True, True):
            faults.append(_broken(broken, verdict))
        strict = self._measured(
            SPECIFICATION, log, lambda: self._read(log, "strict"), faults, "strict: "
        )
        if strict is not None and (text := properties.difference_in_strict(right, strict)):
            faults.append(ReaderFault(SPECIFICATION, STRICT, verdict, text))
        return right, faults

    def _read(self, log: Input, profile: str) -> Answer:
        replace_log(log, self.folder)
        return collect(self.format.read(self.folder / log.name, profile, log.context))

    def _judge_other(self, name: str, read: Reader, log: Input, right: Answer) -> list[ReaderFault]:
        faults: list[ReaderFault] = []
        # The scanner supports only the profile recover.
        for profile in ("recover", "strict")[: 1 if name == SCANNER else 2]:
            if profile == "strict":
                right = self._read(log, profile)
                replace_log(log, self.folder)
            call = functools.partial(read, self.folder / log.name, profile, log.context)
            answer = self._measured(name, log, call, faults, f"{profile}: ")
            if answer is not None and (fault := self._difference(name, right, answer, profile)):
                faults.append(fault)
        return faults

    def _difference(
        self, reader: str, right: Answer, answer: dict[str, Any], profile: str
    ) -> ReaderFault | None:
        expected = normalise(right.to_json())
        difference = effects.compare(expected, normalise(answer), self.parts, None)
        if difference is None:
            return None
        reported = f"{difference.verdict} {difference.reason}".strip()
        verdict = f"{_verdict_text(right)}, says {reported}, {profile}"
        return ReaderFault(reader, difference.kind, verdict, difference.text)

    def _measured(
        self,
        reader: str,
        log: Input,
        read: Callable[[], Any],
        faults: list[ReaderFault],
        label: str,
    ) -> Any:
        """Return the result of a reader, or None if it raises an exception.

        Exceptions, and excessive use of time or memory, are added to ``faults``.
        """
        self.meter.begin()
        answer = None
        try:
            answer = read()
        except Exception as error:
            if self.format_sweep.owes_no_answer(error):
                raise _Void from None
            faults.append(ReaderFault(reader, properties.RAISES, "", label + _where(error)))
        seconds, memory = self.meter.measured()
        self.slowest, self.largest = max(self.slowest, seconds), max(self.largest, memory)
        if seconds > PROCESSOR_SECONDS:
            text = f"{label}{seconds:.1f} s for {log.size:,} bytes"
            faults.append(ReaderFault(reader, SLOW, "", text))
        if memory > MEMORY_FACTOR * log.size + self.free_bytes:
            text = f"{label}{memory >> 20} MiB for {log.size:,} bytes"
            faults.append(ReaderFault(reader, LARGE, "", text))
        return answer


class _Void(Exception):
    """No reader accepts the context of this log."""


def replace_log(log: Input, folder: Path) -> None:
    """Write an input under its name, replacing any earlier input with the same name."""
    path = folder / log.name
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    write_contents(log.contents, path)


def _broken(invariant: str, verdict: str) -> ReaderFault:
    return ReaderFault(SPECIFICATION, invariant, verdict, properties.MEANING[invariant])


def _verdict_text(answer: Answer) -> str:
    return f"{answer.verdict} {answer.reason}" if answer.reason else answer.verdict


def _where(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = f" at {Path(last.filename).name}, {last.name}, line {last.lineno}" if last else ""
    return f"{type(error).__name__}{place}\n{error}"


def malformed(log: Input, seen: Answer) -> str:
    """Return the first contradiction in an answer, or an empty string."""
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


def scanner(format: str) -> Reader:
    """Return the scanner of a format."""

    def read(path: Path, profile: str, context: Mapping[str, Any]) -> dict[str, Any]:
        return collect(answers.read(Log(format, path, context=context))).to_json()

    return read


def second_reader(format: str) -> Reader | None:
    """Return the second reader of a format, or None if that reader is not in Python."""
    folder = str(FOLDER / "kaitai-python")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if find_spec(registers()[format].module) is None:
        return None
    module = import_module(registers()[format].module)

    def read(path: Path, profile: str, context: Mapping[str, Any]) -> dict[str, Any]:
        request = {"format": format, "profile": profile, "context": dict(context)}
        answer: dict[str, Any] = module.read(path, request)
        return answer

    return read


class ResourceMeter:
    """Measure the CPU time and the peak memory of this process since :meth:`begin`.

    Only Linux can reset the peak memory.
    """

    def begin(self) -> None:
        """Start a measurement."""
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        self._before = _peak_bytes()
        self._started = time.process_time()

    def measured(self) -> tuple[float, int]:
        """Return the CPU time in seconds, and the growth of the peak memory in bytes."""
        seconds = time.process_time() - self._started
        return seconds, max(0, _peak_bytes() - self._before)


def _peak_bytes() -> int:
    # ``ru_maxrss`` is used only as a fallback, because it is never below the memory of the process
    # that started this one.
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
