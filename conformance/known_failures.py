"""Read and write the lists of known failures, one for each adapter.

``walproof check --update-known`` writes the lists. Each entry names the parts of the answer that
differ, with the values that were found, and a cause. A list describes each cause in one to three
sentences.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from conformance.declaration import BrokenDeclaration, parse_json
from conformance.saving import save

UNEXPLAINED = "unexplained"

# Vector id and profile.
Key = tuple[str, str]


class BrokenList(BrokenDeclaration):
    """A known-failures file is inconsistent."""


@dataclass(frozen=True)
class KnownFailure:
    """One entry: the result class, the value found in each part that differs, and the cause."""

    vector: str
    profile: str
    result: str
    found: Mapping[str, Any]
    cause: str

    @property
    def text(self) -> str:
        """Return what was found as text."""
        parts = [f"{part} {json.dumps(found)}" for part, found in self.found.items()]
        return "; ".join(parts) or self.result


@dataclass
class KnownFailures:
    """The list of one implementation."""

    path: Path | None = None
    causes: dict[str, str] = field(default_factory=dict)
    entries: dict[Key, KnownFailure] = field(default_factory=dict)

    def cause_of(self, vector: str, profile: str) -> str | None:
        """Return the description of the cause if the case is listed, or None."""
        entry = self.entries.get((vector, profile))
        return self.causes[entry.cause] if entry else None

    def matches(self, vector: str, profile: str, result: str, found: Mapping[str, Any]) -> bool:
        """Return whether exactly this failure is listed."""
        entry = self.entries.get((vector, profile))
        return entry is not None and entry.result == result and entry.found == found

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
            entries[key] = KnownFailure(*key, result["class"], result["found"], name)
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
        causes = json.dumps(dict(sorted(self.causes.items())), indent=2, ensure_ascii=False)
        entries = [
            f"  {json.dumps(asdict(entry), ensure_ascii=False)}"
            for _, entry in sorted(self.entries.items())
        ]
        failures = ",\n".join(entries)
        body = f'{{\n "causes": {causes[:-1]} }},\n "failures": [\n{failures}\n ]\n}}\n'
        save(self.path, body)


def load(path: Path) -> KnownFailures:
    """Load the list in a file.

    If the file is missing, the list is empty. Raises :class:`BrokenList`.
    """
    if not path.exists():
        return KnownFailures(path)
    body = parse_json(path.read_bytes(), path, BrokenList)
    try:
        entries = [KnownFailure(**entry) for entry in body["failures"]]
        causes = dict(body["causes"])
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenList(f"{path}: expected causes and failures, found {error}") from None
    for entry in entries:
        if entry.cause not in causes:
            raise BrokenList(f"{path}: {entry.vector}: there is no cause {entry.cause!r}")
    return KnownFailures(path, causes, {(e.vector, e.profile): e for e in entries})
