"""``python -m lab findings``: follow the steps in the reports, and compare the printed lines."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from typing import Any

import click

from conformance.saving import save
from lab.findings.record import FOLDER, ReleaseFinding, list_page, load
from lab.findings.releases import ReleaseUnavailable, releases
from walproof.cli.output import say


def disagreement(
    finding: ReleaseFinding, tried: Mapping[str, Any], done: subprocess.CompletedProcess[str]
) -> str | None:
    """Return how the result of a report's last step differs from the recorded one, or None."""
    status = 1 if tried.get("shows", True) else 0
    output = tried.get("output", finding.report.output).strip()
    if done.stdout.strip() != output:
        reason = done.stderr.strip()[-300:]
        return f"expected to print {output!r}, found {done.stdout.strip()!r} {reason}".rstrip()
    if done.returncode != status:
        return f"expected exit status {status}, found {done.returncode}"
    printed = (done.stdout + done.stderr).splitlines()
    for quoted in quotes(finding, tried):
        pattern = re.compile(".*".join(map(re.escape, quoted.split("…"))))
        if not any(pattern.fullmatch(line) for line in printed):
            return f"quotes {quoted!r}, which is not printed"
    return None


def quotes(finding: ReleaseFinding, tried: Mapping[str, Any]) -> list[str]:
    """Return the lines that a release must print besides the report's standard output."""
    return finding.report.quoted if tried.get("shows", True) else []


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--fetch", is_flag=True, help="Follow steps not yet followed, in .build.")
@click.option("--pages", "is_writing", is_flag=True, help="Write the list in docs/findings.")
def findings(ids: tuple[str, ...], fetch: bool, is_writing: bool) -> int:
    """Follow the steps of each report on the releases that the finding names.

    The files and commands are taken from the text of the report. Exit status: 0 if each printed
    line is as the report quotes it, 1 if one is not.
    """
    if is_writing:
        save(FOLDER / "README.md", list_page())
        return 0
    every = load()
    unknown = sorted(set(ids) - {each.id for each in every})
    if unknown:
        raise click.UsageError(f"no finding has the id {unknown[0]!r}")
    status = lines = 0
    for release in releases([each for each in every if not ids or each.id in ids]):
        finding, tried = release.finding, release.tried
        name = f"{finding.id} on {tried['version']}"
        try:
            if fetch:
                release.install()
            if not release.is_installed:
                say(f"- {name}: not installed; use --fetch")
                continue
            differs = disagreement(finding, tried, release.run())
        except ReleaseUnavailable as error:
            differs = str(error)
        if differs:
            say(f"✗ {name}: {differs}")
            status = 1
            continue
        output = tried.get("output", finding.report.output).strip()
        compared = len(output.splitlines()) + len(quotes(finding, tried))
        say(f"✓ {name}: {compared} lines as recorded")
        lines += compared
    say(f"{lines} lines compared")
    return status
