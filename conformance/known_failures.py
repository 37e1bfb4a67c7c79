"""Read and write the lists of known failures, one for each adapter.

``walproof check --update-known`` writes the lists. Each entry has the expected difference and the
name of a cause. A list describes each cause in one to three sentences.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from conformance.declaration import BrokenDeclaration
from conformance.saving import save

UNEXPLAINED = "unexplained"

# Vector id and profile.
Key = tuple[str, str]


class BrokenList(BrokenDeclaration):
    """A known-failures file is inconsistent."""


@dataclass(frozen=True)
class KnownFailure:
    """One entry: the pinned result class and difference, and the name of the cause."""

    vector: str
    profile: str
    result: str
    difference: str
    cause: str


@dataclass
class KnownFailures:
    """The list of one implementation."""

    path: Path | None = None
    causes: dict[str, str] = field(default_factory=dict)
    entries: dict[Key, KnownFailure] = field(default_factory=dict)
    # True for a run on fresh variants, which pins failures by vector and class alone.
    of_variants: bool = False

    def cause_of(self, vector: str, profile: str) -> str | None:
        """Return the description of the cause if the case is listed, else None."""
        entry = self.entries.get((vector, profile))
        return self.causes[entry.cause] if entry else None

    def matches(self, vector: str, profile: str, result: str, difference: str) -> bool:
        """Return whether exactly this failure is listed."""
        entry = self.entries.get((vector, profile))
        if entry is None or entry.result != result:
            return False
        return self.of_variants or entry.difference == difference

    def unexplained(self) -> list[KnownFailure]:
        """Return the entries without a described cause."""
        return [entry for entry in self.entries.values() if not self.causes[entry.cause]]

    def updated(
        self,
        results: Iterable[Mapping[str, Any]],
        cause: str | None = None,
        because: str | None = None,
    ) -> KnownFailures:
        """Return the updated list after a run.

        ``results`` are result objects of a run report. Known failures that remain, and cases that
        did not run, keep their entry. New and changed failures get the cause ``cause``, which
        ``because`` describes. If ``cause`` is None, changed failures keep their cause, and new
        failures get the cause ``unexplained``.
        """
        entries = dict(self.entries)
        for result in results:
            key = (result["vector"], result["profile"])
            if result["class"] in ("pass", "unexpected-pass"):
                entries.pop(key, None)
                continue
            if result["class"] in ("known-failure", "skipped", "protocol-error"):
                continue
            old = entries.get(key)
            name = old.cause if old and cause is None else cause or UNEXPLAINED
            entries[key] = KnownFailure(*key, result["class"], result["difference"], name)
        used = {entry.cause for entry in entries.values()}
        known = {**self.causes, cause: because} if cause and because else self.causes
        causes = {name: known.get(name, "") for name in used}
        return KnownFailures(self.path, causes, entries)

    def save(self) -> None:
        """Write the list, or remove its file if the list is empty."""
        assert self.path is not None
        if not self.entries:
            self.path.unlink(missing_ok=True)
            return
        body = {
            "causes": dict(sorted(self.causes.items())),
            "failures": [asdict(entry) for _, entry in sorted(self.entries.items())],
        }
        save(self.path, json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def load(path: Path) -> KnownFailures:
    """Load the list in a file; a missing file is an empty list. Raises :class:`BrokenList`."""
    if not path.exists():
        return KnownFailures(path)
    try:
        body = json.loads(path.read_text("utf-8"))
        entries = [KnownFailure(**entry) for entry in body["failures"]]
        causes = dict(body["causes"])
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenList(f"{path}: expected causes and failures, found {error}") from None
    for entry in entries:
        if entry.cause not in causes:
            raise BrokenList(f"{path}: {entry.vector}: there is no cause {entry.cause!r}")
    return KnownFailures(path, causes, {(e.vector, e.profile): e for e in entries})
