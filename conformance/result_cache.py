"""Cache the results of implementations in ``.build``.

A result is cached only if all results of its implementation are as expected.
"""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from conformance import BUILD, GRAMMARS, SPEC
from conformance.case_results import EXPECTED_CLASSES, ProgramRun
from conformance.checked_program import CheckedProgram
from conformance.process import Limits
from conformance.sandbox import isolation
from conformance.saving import save
from conformance.vector_cases import VectorCase
from reference_impl.paths import IMPORT_ROOT, IS_INSTALLED, PACKAGES

RESULTS = BUILD / "results"
# Files in these directories do not affect results, except for those of the tested implementation.
UNRELATED = {
    "wheel_data",
    "implementations",
    "packages",
    "skeletons",
    "examples",
    "findings",
    "__pycache__",
}


@dataclass(frozen=True)
class ResultCache:
    """Results of runs under the same limits, in a folder with one file per implementation."""

    limits: Limits
    folder: Path = RESULTS

    def get(self, subject: CheckedProgram, key: str | None) -> ProgramRun | None:
        """Return the results of an earlier run with the same ``key``, if there are any."""
        try:
            body = json.loads(self._file(subject).read_text())
        except (OSError, ValueError):
            return None
        if key is None or not isinstance(body, dict) or body.get("key") != key:
            return None
        return ProgramRun(
            subject,
            hello=body["hello"],
            seconds=body["seconds"],
            results=body["results"],
            cached_from=body["started"],
        )

    def put(self, run: ProgramRun, key: str | None, started: str) -> None:
        """Store the results of a run begun at ``started`` (ISO 8601), if all are as expected."""
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

    def _file(self, subject: CheckedProgram) -> Path:
        return self.folder / f"{subject.name}.json"

    def key(self, subject: CheckedProgram, cases: Sequence[VectorCase]) -> str | None:
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
    """Return a digest of every file that a run may import or read, and of installed versions."""
    versions = sorted(f"{each.name} {each.version}" for each in distributions())
    digest = hashlib.sha256(repr(versions).encode())
    for path in _sources():
        digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.digest()


def _sources() -> Iterator[Path]:
    inner = () if IS_INSTALLED else (PACKAGES / "conformance", PACKAGES / "reference_impl")
    for folder in (*inner, IMPORT_ROOT / "walproof", SPEC, GRAMMARS):
        for path in sorted(folder.rglob("*")):
            if not UNRELATED & {*path.relative_to(folder).parts} and path.is_file():
                yield path
