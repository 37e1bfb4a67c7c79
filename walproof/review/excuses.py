"""Findings that are known and intended: ``.walproof-review.toml``, each with a reason."""

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
    """The file of excuses is not valid; the text says what is wrong."""


@dataclass(frozen=True)
class Excuse:
    """One ``[[excuse]]``: a rule, a shell glob for the subject, and why the finding is harmless."""

    rule: str
    reason: str
    subject: str = "*"
    format: str = "*"

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is excused by this."""
        return (
            self.rule == finding.rule
            and fnmatch.fnmatchcase(finding.subject, self.subject)
            and fnmatch.fnmatchcase(finding.format, self.format)
        )


def load_excuses(path: Path) -> list[Excuse]:
    """The excuses in a file; none if it is not there. Raises :class:`BrokenExcuses`."""
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("excuse", [])
    except tomllib.TOMLDecodeError as error:
        raise BrokenExcuses(f"{path.name}: {error}") from None
    excuses = []
    for number, entry in enumerate(entries, 1):
        said = f"{path.name}: excuse {number}"
        if unknown := sorted(set(entry) - _KEYS):
            raise BrokenExcuses(f"{said}: unknown key {unknown[0]!r}; there are {sorted(_KEYS)}")
        if entry.get("rule") not in RULES:
            raise BrokenExcuses(f"{said}: no rule {entry.get('rule')!r}; docs/review.md lists them")
        if not str(entry.get("reason", "")).strip():
            raise BrokenExcuses(f"{said}: expected a reason")
        excuses.append(Excuse(**entry))
    return excuses


def excused(
    findings: Iterable[Finding], excuses: Iterable[Excuse]
) -> tuple[list[Finding], list[Excuse]]:
    """The findings, excused ones with their reasons, and the excuses that excuse nothing."""
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
