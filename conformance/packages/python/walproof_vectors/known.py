"""A list of known failures, strict both ways: the form that ``walproof check`` writes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

UPDATE = "WALPROOF_UPDATE_KNOWN"
"""The variable that has the list written: 1."""
UNEXPLAINED = "unexplained"
"""The cause of what is new on a list: nobody has looked yet."""


class Known:
    """A list of known failures. Raises ``ValueError`` for one that does not hold together.

    ``updates`` is whether what is found is written to it; WALPROOF_UPDATE_KNOWN says so.
    """

    def __init__(self, path: Path | None, updates: bool | None = None) -> None:
        self.path = Path(path) if path is not None else None
        self.updates = os.environ.get(UPDATE) == "1" if updates is None else updates
        if self.updates and self.path is None:
            raise ValueError(f"{UPDATE} is set, and no file of known failures is named")
        if self.updates and "PYTEST_XDIST_WORKER" in os.environ:
            raise ValueError(f"{UPDATE}: one list is written by one process: pytest -n 0")
        self._load()

    def _load(self) -> None:
        there = self.path is not None and self.path.exists()
        body = json.loads(self.path.read_text("utf-8")) if self.path and there else {}
        self.causes: dict[str, str] = body.get("causes", {})
        self.failures: dict[tuple[str, str], dict[str, Any]] = {
            (one["vector"], one["profile"]): one for one in body.get("failures", [])
        }
        for one in self.failures.values():
            if one["cause"] not in self.causes:
                raise ValueError(
                    f"{self.path}: {one['vector']}: the cause {one['cause']!r} is not there"
                )

    def strangers(self, format: str, ids: set[str]) -> list[str]:
        """What is listed of a format and is no vector any more."""
        return sorted(
            id for id, _ in self.failures if id.startswith(f"{format}/") and id not in ids
        )

    def compared(self, vector: str, profile: str, kind: str, difference: str) -> tuple[str, str]:
        """A result, held against the list: its class then, and what the list has to say."""
        entry = self.failures.get((vector, profile))
        if entry is None or kind == "skipped":
            return kind, ""
        if kind == "pass":
            return "unexpected-pass", "listed as a known failure, but right"
        if entry["result"] == kind and _same_pin(profile, entry["difference"], difference):
            return "known-failure", self.causes[entry["cause"]]
        return kind, f"listed with another failure: {entry['result']} {entry['difference']}"

    def updated(self, vector: str, profile: str, kind: str, difference: str) -> tuple[str, str]:
        """Write a result to the list, if it is not there; its class then, and what was done."""
        found, why = self.compared(vector, profile, kind, difference)
        if found in ("pass", "skipped", "known-failure"):
            return found, why
        self._load()  # another test may have written to the same file
        old = self.failures.pop((vector, profile), None)
        if kind == "pass":
            self._save()
            return "pass", f"taken off {self.path}"
        cause = old["cause"] if old else UNEXPLAINED
        self.failures[vector, profile] = {
            "vector": vector, "profile": profile, "result": kind, "difference": difference,
            "cause": cause,
        }  # fmt: skip
        self._save()
        return "known-failure", f"written to {self.path}, cause {cause}"

    def forget(self, vectors: Iterable[str]) -> None:
        """Take off the list what is about vectors that are no more."""
        gone = set(vectors)
        self.failures = {key: one for key, one in self.failures.items() if key[0] not in gone}
        self._save()

    def _save(self) -> None:
        """Write the list; an empty one is removed."""
        assert self.path is not None
        rows = [self.failures[key] for key in sorted(self.failures)]
        self.causes = {
            name: self.causes.get(name, "") for name in sorted({one["cause"] for one in rows})
        }
        if not rows:
            self.path.unlink(missing_ok=True)
            return
        body = {"causes": self.causes, "failures": rows}
        new = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        new.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", "utf-8")
        new.replace(self.path)


def _same_pin(profile: str, listed: str, found: str) -> bool:
    """Of a read of one log, what was said; else the class is all."""
    pins = [re.findall(r"\[[0-9a-f]{8}\]$", text) for text in (listed, found)]
    reads = profile in ("recover", "strict") and not found.startswith("prefix of ")
    return not reads or [] in pins or pins[0] == pins[1]
