"""Results of the last run, kept for programs that nothing has changed for since.

As ``go test`` does with packages: what a program answered stands as long as all that its answers
depend on is as it was. That is its sources (the stamp of its registry entry), the programs it
needs, the vectors and known failures, this harness, the limits and what isolates it. Only a run in
which all was as expected is kept, so whatever was wrong once is asked again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.cases import Case
from conformance.isolation import evidence, words
from conformance.isolation.environment import existing as present
from conformance.outcome import EXPECTED_CLASSES, SubjectRun
from conformance.protocol.child import Limits
from conformance.saving import save
from conformance.subject import Subject
from reference_impl.places import PACKAGES

FOLDER = BUILD / "kept-results"
NO_PART = {"implementations", "packages", "skeletons", "examples", "findings", "__pycache__"}
"""Folders of ``conformance`` that no result depends on, but for an implementation's own."""


@dataclass(frozen=True)
class KeptResults:
    """The kept results of runs under the same limits, in a folder with a file a program."""

    limits: Limits
    folder: Path = FOLDER

    def find(self, subject: Subject, key: str | None) -> SubjectRun | None:
        """What it answered, if nothing has changed since: its ``key`` is as it was."""
        try:
            body = json.loads(self._file(subject).read_text())
        except (OSError, ValueError):
            return None
        if key is None or not isinstance(body, dict) or body.get("key") != key:
            return None
        return SubjectRun(
            subject,
            hello=body["hello"],
            seconds=body["seconds"],
            results=body["results"],
            asked=body["asked"],
        )

    def keep(self, run: SubjectRun, key: str | None, asked: str) -> None:
        """Keep what came of a subject, asked at this time (ISO 8601), if all is as expected."""
        file = self._file(run.subject)
        if key is None:
            return
        if run.status != "ran" or any(one["class"] not in EXPECTED_CLASSES for one in run.results):
            file.unlink(missing_ok=True)
            return
        kept = {
            "key": key, "asked": asked, "hello": run.hello, "seconds": run.seconds,
            "results": run.results,
        }  # fmt: skip
        file.parent.mkdir(parents=True, exist_ok=True)
        save(file, json.dumps(kept), sync=False)

    def _file(self, subject: Subject) -> Path:
        return self.folder / f"{subject.name}.json"

    def key(self, subject: Subject, cases: Sequence[Case]) -> str | None:
        """A digest of all that its results depend on; None where that is not known."""
        if subject.stamp is None or subject.unavailable is not None:
            return None
        isolation = words.told(subject.isolated, present(evidence()))
        known = subject.known.path
        digest = hashlib.sha256(_harness())
        for part in (
            subject.stamp(),
            [*subject.command], subject.repeat, subject.ask, _programs(subject.needs),
            known.read_text() if known is not None and known.is_file() else "",
            repr(self.limits), isolation,
        ):  # fmt: skip
            digest.update(json.dumps(part, sort_keys=True).encode() + b"\0")
        for case in cases:
            digest.update(f"{case.profile}\0".encode() + case.vector.digest)
        return digest.hexdigest()


def _programs(needs: Sequence[str]) -> list[Any]:
    """Which files the programs are that it needs, and of when."""
    found = []
    for program in sorted({name for need in needs for name in need.split("|")}):
        place = shutil.which(program)
        if place is not None:
            about = Path(place).resolve().stat()
            found.append([program, place, about.st_size, about.st_mtime_ns])
    return found


@functools.cache
def _harness() -> bytes:
    """A digest of what asks and judges."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.relative_to(PACKAGES)}\0".encode() + path.read_bytes())
    return digest.digest()


def _sources() -> Iterator[Path]:
    for package in ("conformance", "reference_impl"):
        for path in sorted((PACKAGES / package).rglob("*")):
            inside = path.relative_to(PACKAGES / package).parts
            if path.suffix in (".py", ".mjs", ".json", ".toml") and not NO_PART & {*inside}:
                yield path
