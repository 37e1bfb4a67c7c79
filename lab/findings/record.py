"""The records of the findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import ROOT, declaration

FOLDER = ROOT / "docs" / "findings"
"""A folder for each finding, and the page that lists them."""

HARMS = {
    "loses": "Acknowledged records are lost",
    "wrong": "Wrong data is returned as good",
    "hangs": "It never comes to an end",
    "aborts": "It does not start, or ends",
    "memory": "It takes memory without a limit",
}
"""The harms, the worst first: how the list of findings is sorted, and its headings."""

SHOWS, NOT_RUN = "shows it", "was not run"
_SCHEMA = Path(__file__).with_name("finding.schema.json")


@dataclass(frozen=True)
class Finding:
    """One finding: its folder, and the record in it, as ``finding.schema.json`` describes it."""

    folder: Path
    body: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def script(self) -> Path:
        """The program that shows it."""
        return self.folder / str(self.body["reproduction"]["script"])

    @property
    def kind(self) -> str:
        """What runs the script: see :func:`lab.findings.releases.commands`."""
        return str(self.body["reproduction"]["kind"])

    @property
    def run_on(self) -> list[Mapping[str, Any]]:
        """The releases on which the script was run, as the record lists them."""
        return [each for each in self.body["tried"] if each["did"] != NOT_RUN]


def load(folder: Path = FOLDER) -> list[Finding]:
    """All findings, the most harmful first. Raises :class:`BrokenDeclaration`."""
    found = [_finding(path.parent) for path in sorted(folder.glob("*/finding.toml"))]
    order = list(HARMS)
    return sorted(
        found, key=lambda each: (order.index(each.body["harm"]), each.body["system"].lower())
    )


def _finding(folder: Path) -> Finding:
    return Finding(folder, declaration.read(folder / "finding.toml", _SCHEMA))
