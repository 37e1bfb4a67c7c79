"""Store each finding with its smallest input and the command that repeats it."""

from __future__ import annotations

import hashlib
import itertools
import json
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.contents import write_contents
from conformance.saving import save
from lab.fuzz.inputs import SUFFIX, Input
from lab.fuzz.judge import ReaderFault

DESCRIPTION = "finding.json"
INPUT = f"input{SUFFIX}"
#: Folder with the unpacked log of an input, which other readers and tools can open.
LOG = "log"


def _repeat(folder: Path) -> str:
    return shlex.join(["python", "-m", "lab", "fuzz", "--repeat", str(folder / INPUT)])


class Findings:
    """The findings of one format, each in a directory below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: Maps the signature of each finding to the size of its smallest input.
        self.sizes: dict[str, int] = {}

    def add(self, fault: ReaderFault, log: Input, repeat: Callable[[Path], str] = _repeat) -> bool:
        """Write a finding if it is new or has a smaller input. Return whether it is new.

        ``repeat`` returns the command that reproduces the finding in a given directory.
        """
        known = self.sizes.get(fault.signature)
        if known is not None and log.size >= known:
            return False
        self.sizes[fault.signature] = log.size
        folder = self.folder / _short_name(fault.signature)
        folder.mkdir(parents=True, exist_ok=True)
        body = {
            "signature": fault.signature,
            "reader": fault.reader,
            "kind": fault.kind,
            "verdict": fault.verdict,
            "text": fault.text,
            "format": log.format,
            "origin": log.id,
            "size": log.size,
            "repeat": repeat(folder),
        }
        shutil.rmtree(folder / LOG, ignore_errors=True)
        (folder / LOG).mkdir()
        write_contents(log.contents, folder / LOG / log.name)
        save(folder / INPUT, log.pack(), sync=False)
        text = json.dumps(body, indent=1, ensure_ascii=False) + "\n"
        save(folder / DESCRIPTION, text, sync=False)
        return known is None


def _short_name(signature: str) -> str:
    text = "".join(c if c.isalnum() else "-" for c in signature.lower())[:48].strip("-")
    return f"{text}-{hashlib.sha256(signature.encode()).hexdigest()[:8]}"


def saved_findings(folder: Path) -> list[Mapping[str, Any]]:
    """Return the descriptions of the findings below a folder, ordered by name."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(f"*/{DESCRIPTION}"))]


def minimise(log: Input, shows: Callable[[Input], bool], seconds: float) -> Input:
    """Return the smallest input for which ``shows`` is true, found in ``seconds`` of CPU time."""
    deadline = time.process_time() + seconds
    while time.process_time() < deadline:
        candidates = itertools.takewhile(lambda _: time.process_time() < deadline, _simpler(log))
        simpler = next(filter(shows, candidates), None)
        if simpler is None:
            break
        log = simpler
    return log


def _simpler(log: Input) -> Iterator[Input]:
    if not isinstance(log.contents, bytes):
        for name in log.contents:
            yield replace(log, contents={n: d for n, d in log.contents.items() if n != name})
    for key in log.context:
        yield replace(log, context={k: v for k, v in log.context.items() if k != key})
    for name, data in log.files.items():
        for unit in log.spans(name):
            if unit.path.endswith("]"):
                yield log.with_bytes(name, data[: unit.start] + data[unit.end :])
    for name, data in log.files.items():
        for at, end in _halvings(len(data)):
            yield log.with_bytes(name, data[:at] + data[end:])
    for name, data in log.files.items():
        for at, end in _halvings(len(data)):
            if any(data[at:end]):
                yield log.with_bytes(name, data[:at] + bytes(end - at) + data[end:])


def _halvings(size: int) -> Iterator[tuple[int, int]]:
    """Yield the range of all bytes, then both halves, then the quarters, and so on."""
    length = size
    while length:
        for at in range(0, size, length):
            yield at, min(at + length, size)
        length //= 2
