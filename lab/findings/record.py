"""The records of the findings: read, and held against what they speak of."""

from __future__ import annotations

import json
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
        return [one for one in self.body["tried"] if one["did"] != NOT_RUN]


def load(folder: Path = FOLDER) -> list[Finding]:
    """All findings, the most harmful first. Raises :class:`BrokenDeclaration`."""
    found = [_finding(path.parent) for path in sorted(folder.glob("*/finding.toml"))]
    order = list(HARMS)
    return sorted(
        found, key=lambda one: (order.index(one.body["harm"]), one.body["system"].lower())
    )


def _finding(folder: Path) -> Finding:
    return Finding(folder, declaration.read(folder / "finding.toml", _SCHEMA))


def faults(finding: Finding, root: Path = ROOT) -> list[str]:
    """What in a record does not hold: names that lead nowhere, releases that were not tried."""
    body, said = finding.body, []
    vector, implementation = body["vector"], body["implementation"]
    if not (root / "vectors" / f"{vector}.json").exists():
        said.append(f"there is no vector {vector}")
    listed = root / "conformance" / "implementations" / implementation / "known-failures.json"
    if ("cause" in body) == ("beyond" in body):
        said.append("a finding has a cause, or says why it is beyond the suite")
    elif "cause" in body:
        failures = json.loads(listed.read_text("utf-8"))["failures"] if listed.exists() else []
        if not any(one["vector"] == vector and one["cause"] == body["cause"] for one in failures):
            said.append(f"{implementation} does not fail {vector} by {body['cause']}")
    if not finding.script.exists():
        said.append(f"there is no {finding.script.name}")
    if not any(one["did"] == SHOWS for one in body["tried"]):
        said.append("no release shows it")
    said.extend(
        f"{one['version']}: {one['did']}, and the record does not say what it says"
        for one in body["tried"]
        if one["did"] != SHOWS and "says" not in one
    )
    return said
