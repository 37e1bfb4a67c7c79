"""Excused findings: entries of ``.walproof-review.toml``, each with a reason."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from walproof.review.finding import CannotReview, Finding

FILE = ".walproof-review.toml"
_KEYS = ["format", "reason", "rule", "subject"]


@dataclass(frozen=True)
class Excuse:
    """One ``[[excuse]]``: a rule, a shell glob for the subject, and the reason."""

    rule: str
    reason: str
    subject: str = "*"
    format: str = "*"

    def covers(self, finding: Finding) -> bool:
        """Return whether this entry excuses a finding."""
        return (
            self.rule == finding.rule
            and fnmatch.fnmatchcase(finding.subject, self.subject)
            and fnmatch.fnmatchcase(finding.format, self.format)
        )


def load_excuses(path: Path) -> list[Excuse]:
    """Return the excuses in a file; empty if it does not exist. Raises ``CannotReview``."""
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("excuse", [])
    except tomllib.TOMLDecodeError as error:
        raise CannotReview(f"{path.name}: {error}") from None
    for number, entry in enumerate(entries, 1):
        name = f"{path.name}: excuse {number}"
        if unknown := sorted(set(entry) - set(_KEYS)):
            raise CannotReview(f"{name}: unknown key {unknown[0]!r}, expected {_KEYS}")
        for key in ("rule", "reason"):
            if not str(entry.get(key, "")).strip():
                raise CannotReview(f"{name}: expected a {key}")
    return [Excuse(**entry) for entry in entries]


def excused(
    findings: Iterable[Finding], excuses: list[Excuse]
) -> tuple[list[Finding], list[Excuse]]:
    """Return the findings with the reasons of excuses, and the excuses that match no finding."""
    marked = []
    unused = list(excuses)
    for finding in findings:
        covers = [excuse for excuse in excuses if excuse.covers(finding)]
        unused = [excuse for excuse in unused if excuse not in covers[:1]]
        marked.append(replace(finding, excused=covers[0].reason) if covers else finding)
    return marked, unused
