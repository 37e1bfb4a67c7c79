"""Cache the results of implementations, and the digests of field listings, in ``.build``.

A result is cached only if all results of its implementation are as expected.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.cases import Case
from conformance.outcome import EXPECTED_CLASSES, SubjectRun
from conformance.process import Limits
from conformance.sandbox import isolation
from conformance.saving import save
from conformance.subject import Subject
from reference_impl.paths import PACKAGES

RESULTS = BUILD / "results"
_ENTRY = re.compile(r"(.+) = (\d+) ([0-9a-f]{64})")
# Directories of ``conformance`` that affect no results, apart from the directory of the tested
# implementation.
UNRELATED = {"implementations", "packages", "skeletons", "examples", "findings", "__pycache__"}


@dataclass(frozen=True)
class ResultCache:
    """Results of runs under the same limits, in a folder with one file per implementation."""

    limits: Limits
    folder: Path = RESULTS

    def get(self, subject: Subject, key: str | None) -> SubjectRun | None:
        """Return the results of an earlier run with the same ``key``, if there are any."""
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
            cached_from=body["started"],
        )

    def put(self, run: SubjectRun, key: str | None, started: str) -> None:
        """Store the results of a run of the time ``started`` (ISO 8601), if all are as expected."""
        file = self._file(run.subject)
        if key is None:
            return
        if run.status != "ran" or any(
            result["class"] not in EXPECTED_CLASSES for result in run.results
        ):
            file.unlink(missing_ok=True)
            return
        body = {
            "key": key, "started": started, "hello": run.hello, "seconds": run.seconds,
            "results": run.results,
        }  # fmt: skip
        file.parent.mkdir(parents=True, exist_ok=True)
        save(file, json.dumps(body), sync=False)

    def _file(self, subject: Subject) -> Path:
        return self.folder / f"{subject.name}.json"

    def key(self, subject: Subject, cases: Sequence[Case]) -> str | None:
        """Return a digest of all inputs of the results, or None if they are unknown."""
        if subject.stamp is None or subject.unavailable is not None:
            return None
        known = subject.known.path
        digest = hashlib.sha256(_harness())
        for part in (
            subject.stamp(),
            [*subject.command], subject.repeat, subject.ask, _programs(subject.needs),
            known.read_text() if known is not None and known.is_file() else "",
            repr(self.limits), isolation(subject.isolated),
        ):  # fmt: skip
            digest.update(json.dumps(part, sort_keys=True).encode() + b"\0")
        for case in cases:
            digest.update(f"{case.profile}\0".encode() + case.vector.digest)
        return digest.hexdigest()


def _programs(needs: Sequence[str]) -> list[Any]:
    programs = []
    for program in sorted({name for need in needs for name in need.split("|")}):
        path = shutil.which(program)
        if path is not None:
            status = Path(path).resolve().stat()
            programs.append([program, path, status.st_size, status.st_mtime_ns])
    return programs


@functools.cache
def _harness() -> bytes:
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.relative_to(PACKAGES)}\0".encode() + path.read_bytes())
    return digest.digest()


def _sources() -> Iterator[Path]:
    for package in ("conformance", "reference_impl"):
        for path in sorted((PACKAGES / package).rglob("*")):
            inside = path.relative_to(PACKAGES / package).parts
            if path.suffix in (".py", ".mjs", ".json", ".toml") and not UNRELATED & {*inside}:
                yield path


class DigestCache:
    """Store digests of field listings in a file, so that logs need not be parsed again."""

    def __init__(self, folder: Path, name: str, sources: Sequence[Path]) -> None:
        digest = hashlib.sha256(name.encode())
        for path in sources:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        self.path = folder / f"{digest.hexdigest()[:32]}.txt"
        lines = self.path.read_text("utf-8", "replace").splitlines() if self.path.exists() else []
        # The last line may be incomplete if a run was killed.
        entries = (_ENTRY.fullmatch(line) for line in lines)
        self._digests = {entry[1]: (int(entry[2]), entry[3]) for entry in entries if entry}

    def get(self, key: str) -> tuple[int, str] | None:
        """Return the number of fields and the SHA-256 of a listing."""
        return self._digests.get(key)

    def put(self, key: str, fields: int, sha256: str) -> None:
        """Store a digest."""
        self._digests[key] = (fields, sha256)
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:  # concurrent lines do not mix
                file.write(f"{key} = {fields} {sha256}\n".encode())
