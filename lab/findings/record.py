"""Read the records and reports of all findings, and render the page that lists them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance import ROOT, declaration, templates

#: This folder has a subfolder for each finding, the list of findings, and the list of retired ones.
FOLDER = ROOT / "docs" / "findings"

#: Headings of the list, from the most to the least harmful.
HARMS = {
    "loses": "Acknowledged records are lost",
    "wrong": "Wrong or missing data is returned as complete",
    "hangs": "The program never ends",
    "aborts": "The program does not start, or ends",
    "fails": "A task of the program fails from then on",
    "alters": "Damaged data is overwritten",
}

_SCHEMA = Path(__file__).with_name("finding.schema.json")
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"Save this as `([^`]+)`[^\n]*:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class BrokenReport(Exception):
    """A report lacks a part. The message names the file and the part."""


@dataclass(frozen=True)
class UpstreamReport:
    """A ``report.md``: a text for an upstream tracker, with files, commands and printed lines."""

    path: Path
    text: str

    @cached_property
    def title(self) -> str:
        """The heading of the report. Raises :class:`BrokenReport`."""
        if not (found := re.match(r"# (.+)\n", self.text)):
            raise BrokenReport(f"{self.path}:1: expected '# ' and a title")
        return found[1]

    @property
    def files(self) -> dict[str, str]:
        """The files to save in an empty folder, by path. Raises :class:`BrokenReport`."""
        if not (found := dict(_FILE.findall(self.text))):
            raise BrokenReport(f"{self.path}: expected 'Save this as `FILE` …' and a code block")
        return found

    @property
    def commands(self) -> list[str]:
        """The shell commands to run once the files are saved. The last one reproduces the fault."""
        found = self._blocks("sh")
        if len(found) != 1:
            raise BrokenReport(f"{self.path}: expected one block of sh, found {len(found)}")
        return found[0].splitlines()

    @property
    def output(self) -> str:
        """The standard output of a faulty release, which is the first ``text`` block."""
        if not (found := self._blocks("text")):
            raise BrokenReport(f"{self.path}: expected a block of text")
        return found[0]

    @property
    def quoted(self) -> list[str]:
        """The lines of the other ``text`` blocks. ``…`` stands for any characters within a line."""
        return [line for block in self._blocks("text")[1:] for line in block.splitlines()]

    def _blocks(self, language: str) -> list[str]:
        return [text for name, text in _FENCE.findall(self.text) if name == language]


@dataclass(frozen=True)
class ReleaseFinding:
    """A finding, with its folder and its record (see ``finding.schema.json``)."""

    folder: Path
    body: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The name of the finding's folder."""
        return self.folder.name

    @cached_property
    def report(self) -> UpstreamReport:
        """The text for the upstream tracker."""
        path = self.folder / "report.md"
        return UpstreamReport(path, path.read_text("utf-8"))


def load() -> list[ReleaseFinding]:
    """Return all findings, the most harmful first. Raises :class:`BrokenDeclaration`."""
    found = [
        ReleaseFinding(path.parent, declaration.read(path, _SCHEMA))
        for path in sorted(FOLDER.glob("*/finding.toml"))
    ]
    order = list(HARMS)
    return sorted(
        found, key=lambda each: (order.index(each.body["harm"]), each.body["system"].lower())
    )


def retired() -> list[Mapping[str, str]]:
    """Return the ``system``, ``claim`` and ``reason`` of each finding that was withdrawn."""
    body = tomllib.loads((FOLDER / "retired.toml").read_text("utf-8"))
    rows: list[Mapping[str, str]] = body["retired"]
    return rows


def list_page() -> str:
    """Return ``docs/findings/README.md``."""
    found = load()
    environment = templates.environment(Path(__file__).with_name("templates"))
    environment.filters["cell"] = lambda text: text.replace("|", "\\|")
    return environment.get_template("list.md.j2").render(
        found=found,
        groups=[
            (text, [each for each in found if each.body["harm"] == harm])
            for harm, text in HARMS.items()
        ],
        retired=retired(),
        releases=releases,
    )


def releases(finding: ReleaseFinding) -> str:
    """Return the releases that show a finding and those that do not, as text."""
    rows = finding.body["tried"]
    without = [each["version"] for each in rows if not each.get("shows", True)]
    shown = ", ".join(each["version"] for each in rows if each.get("shows", True))
    return f"{shown}; not {', '.join(without)}" if without else shown
