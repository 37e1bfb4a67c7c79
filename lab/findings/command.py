"""``python -m lab findings``: run the scripts of the findings on the releases they name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from conformance.saving import save
from lab.findings.pages import pages
from lab.findings.record import SHOWS, Finding, load
from lab.findings.releases import Release, Unavailable, releases
from walproof.cli.output import say

_LINE = re.compile(r"^(expected|actual): *(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Shown:
    """What a script printed."""

    expected: str
    actual: str


def shown(printed: str) -> Shown:
    """Parse the two lines of a script's output. Raises ``ValueError``."""
    lines = dict(_LINE.findall(printed))
    if set(lines) != {"expected", "actual"}:
        raise ValueError(f"no lines 'expected:' and 'actual:' in {printed[-300:]!r}")
    return Shown(**lines)


def disagreement(finding: Finding, tried: Mapping[str, Any], output: Shown) -> str | None:
    """Return how a script's output differs from its record, for a release that it was run on."""
    body = finding.body
    actual = body["actual"] if tried["did"] == SHOWS else tried["says"]
    if output.expected != body["expected"]:
        return f"expected: {output.expected!r}, the record has {body['expected']!r}"
    if output.actual != actual:
        return f"actual: {output.actual!r}, the record has {actual!r}"
    return None


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--fetch", is_flag=True, help="Install releases that are missing, in .build.")
@click.option("--version", metavar="V", help="Only this release.")
@click.option("--pages", "is_writing", is_flag=True,
              help="Write the pages of docs/findings instead.")  # fmt: skip
def findings(ids: tuple[str, ...], fetch: bool, version: str | None, is_writing: bool) -> int:
    """Run the scripts of the findings on the releases that their records name.

    Exit status: 0 if every script prints what its record says, 1 if one does not.
    """
    if is_writing:
        for path, text in pages():
            save(path, text)
        return 0
    status = 0
    for release in releases([each for each in load() if not ids or each.id in ids]):
        if version in (None, release.tried["version"]):
            status = max(status, _run(release, fetch))
    return status


def _run(release: Release, fetch: bool) -> int:
    name = f"{release.finding.id} on {release.tried['version']}"
    try:
        if fetch:
            release.install()
        if not release.is_installed:
            say(f"- {name}: not here; --fetch installs it")
            return 0
        output = shown(release.run())
    except (Unavailable, ValueError) as error:
        say(f"✗ {name}: {error}")
        return 1
    differs = disagreement(release.finding, release.tried, output)
    say(f"✗ {name}: {differs}" if differs else f"✓ {name}: {release.tried['did']}")
    return 1 if differs else 0
