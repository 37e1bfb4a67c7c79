"""Known failures: a strict list beside each adapter, written by ``walproof check --update-known``.

Each entry pins what differs, and names a cause: one sentence, kept in the same file. A result
that differs in another way than pinned is a failure; one that is right is an unexpected pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.saving import save

UNEXPLAINED = "unexplained"

Key = tuple[str, str]
"""Vector id and profile."""


class BrokenList(Exception):
    """A known-failures file that does not hold together."""


@dataclass(frozen=True)
class KnownFailure:
    """One entry: the result class and difference, pinned, and the name of the cause."""

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
    of_variants: bool = False
    """Whether fresh variants are asked: what differs is then pinned by vector and class alone."""

    def cause_of(self, vector: str, profile: str) -> str | None:
        """The cause in a sentence, when the case is listed."""
        entry = self.entries.get((vector, profile))
        return self.causes[entry.cause] if entry else None

    def matches(self, vector: str, profile: str, result: str, difference: str) -> bool:
        """Whether this very failure is listed."""
        entry = self.entries.get((vector, profile))
        if entry is None or entry.result != result:
            return False
        return self.of_variants or entry.difference == difference

    def unexplained(self) -> list[KnownFailure]:
        """Entries whose cause nobody has written down yet."""
        return [entry for entry in self.entries.values() if not self.causes[entry.cause]]

    def updated(
        self,
        results: Iterable[Mapping[str, Any]],
        cause: str | None = None,
        because: str | None = None,
    ) -> KnownFailures:
        """The list after a run: what still fails stays with its cause, new failures are added.

        ``results`` are result objects of a run report. Cases that did not run keep their entry.
        New entries get the cause named ``cause``, else ``unexplained``. ``because`` is the sentence
        of that cause; without it the one that is there stays.
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
        """Write the list; an empty one is removed."""
        assert self.path is not None
        if not self.entries:
            self.path.unlink(missing_ok=True)
            return
        body = {
            "causes": dict(sorted(self.causes.items())),
            "failures": [
                {
                    "vector": entry.vector,
                    "profile": entry.profile,
                    "result": entry.result,
                    "difference": entry.difference,
                    "cause": entry.cause,
                }
                for _, entry in sorted(self.entries.items())
            ],
        }
        save(self.path, json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def load(path: Path) -> KnownFailures:
    """The list in a file; a missing file is an empty list. Raises :class:`BrokenList`."""
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
            raise BrokenList(f"{path}: {entry.vector}: the cause {entry.cause!r} is not there")
    return KnownFailures(path, causes, {(e.vector, e.profile): e for e in entries})
