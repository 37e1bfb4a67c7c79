"""Excused findings: entries of ``.walproof-review.toml``, each with a reason."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from walproof.review.finding import RULES, Finding

FILE = ".walproof-review.toml"
_KEYS = {"rule", "subject", "format", "reason"}


class BrokenExcuses(Exception):
    """Raised if the file of excuses is invalid."""


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
    """Return the excuses in a file; empty if it does not exist. Raises :class:`BrokenExcuses`."""
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("excuse", [])
    except tomllib.TOMLDecodeError as error:
        raise BrokenExcuses(f"{path.name}: {error}") from None
    excuses = []
    for number, entry in enumerate(entries, 1):
        entry_name = f"{path.name}: excuse {number}"
        if unknown := sorted(set(entry) - _KEYS):
            raise BrokenExcuses(
                f"{entry_name}: unknown key {unknown[0]!r}, expected {sorted(_KEYS)}"
            )
        if entry.get("rule") not in RULES:
            raise BrokenExcuses(
                f"{entry_name}: unknown rule {entry.get('rule')!r} (see docs/review.md)"
            )
        if not str(entry.get("reason", "")).strip():
            raise BrokenExcuses(f"{entry_name}: expected a reason")
        excuses.append(Excuse(**entry))
    return excuses


def excused(
    findings: Iterable[Finding], excuses: Iterable[Excuse]
) -> tuple[list[Finding], list[Excuse]]:
    """Return the findings with the reasons of excuses, and the excuses that match no finding."""
    excuses = list(excuses)
    used: set[Excuse] = set()
    marked = []
    for finding in findings:
        cover = next((excuse for excuse in excuses if excuse.covers(finding)), None)
        if cover is not None:
            used.add(cover)
            finding = replace(finding, excused=cover.reason)
        marked.append(finding)
    return marked, [excuse for excuse in excuses if excuse not in used]
