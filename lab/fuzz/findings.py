"""What fuzzing found, a folder for each finding: the smallest input, its log, and how to repeat it.

A finding is written when it is met, so that nothing is lost with the process that met it.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.contents import write_contents
from conformance.saving import save
from lab.fuzz.judge import Fault
from lab.fuzz.packed import SUFFIX, Input

DESCRIPTION = "finding.json"
INPUT = f"input{SUFFIX}"


@dataclass
class Finding:
    """A fault, how often it was met, and the smallest input that shows it."""

    fault: Fault
    smallest: Input
    count: int = 0


class Findings:
    """The findings of one format and target, below a folder."""

    def __init__(self, folder: Path, target: str) -> None:
        self.folder, self.target = folder, target
        self.by_signature: dict[str, Finding] = {}

    def is_new(self, fault: Fault) -> bool:
        """Whether this is the first of its kind."""
        return fault.signature not in self.by_signature

    def add(self, fault: Fault, one: Input) -> None:
        """Enter a fault; its files are written if it is new, or the input smaller."""
        known = self.by_signature.get(fault.signature)
        if known is None or one.size < known.smallest.size:
            count = known.count if known else 0
            self.by_signature[fault.signature] = known = Finding(fault, one, count)
            self._save(known)
        known.count += 1

    def _save(self, finding: Finding) -> None:
        folder = self.folder / short_name(finding.fault.signature)
        folder.mkdir(parents=True, exist_ok=True)
        save(folder / INPUT, finding.smallest.pack(), sync=False)
        save(folder / DESCRIPTION, self._text(finding, folder), sync=False)

    def _text(self, finding: Finding, folder: Path) -> str:
        fault, one = finding.fault, finding.smallest
        words = ["python", "-m", "lab", "fuzz", "--repeat", str(folder / INPUT)]
        words += ["--target", self.target]
        body = {
            "signature": fault.signature,
            "who": fault.who,
            "kind": fault.kind,
            "owed": fault.verdict,
            "text": fault.text,
            "format": one.format,
            "origin": one.origin,
            "size": one.size,
            "repeat": shlex.join(words),
        }
        return json.dumps(body, indent=1, ensure_ascii=False) + "\n"


def short_name(signature: str) -> str:
    """A folder's name for a finding: words first, then what makes it the only one."""
    words = "".join(c if c.isalnum() else "-" for c in signature.lower())[:48].strip("-")
    return f"{words}-{hashlib.sha256(signature.encode()).hexdigest()[:8]}"


def saved_findings(folder: Path) -> list[Mapping[str, Any]]:
    """The descriptions of the findings below a folder, in order of name."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(f"*/{DESCRIPTION}"))]


def unpacked(one: Input, folder: Path) -> Path:
    """The log of an input as files: for a person, and for any other reader."""
    folder.mkdir(parents=True, exist_ok=True)
    write_contents(one.contents, folder / one.name)
    return folder / one.name
