"""``python -m lab findings``: run the scripts of the findings on the releases they name."""

from __future__ import annotations

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
    """Return how the run of a script on a release differs from the recorded result, or None."""
    status = 1 if tried.get("shows", True) else 0
    output = tried.get("output", finding.report.output).strip()
    if done.stdout.strip() != output:
        reason = done.stderr.strip()[-300:]
        return f"expected to print {output!r}, found {done.stdout.strip()!r} {reason}".rstrip()
    if done.returncode != status:
        return f"expected exit status {status}, found {done.returncode}"
    return None


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--fetch", is_flag=True, help="Install missing releases in .build.")
@click.option("--paste", is_flag=True, help="Print reports with their scripts in the text.")
@click.option("--pages", "is_writing", is_flag=True, help="Write the list in docs/findings.")
def findings(ids: tuple[str, ...], fetch: bool, paste: bool, is_writing: bool) -> int:
    """Run the script of each finding on the releases that the finding names.

    Exit status: 0 if every script prints what its report says, 1 if one does not.
    """
    if is_writing:
        save(FOLDER / "README.md", list_page())
        return 0
    every = load()
    unknown = sorted(set(ids) - {each.id for each in every})
    if unknown:
        raise click.UsageError(f"no finding has the id {unknown[0]!r}")
    chosen = [each for each in every if not ids or each.id in ids]
    if paste:
        for line in (line for each in chosen for line in each.report.pasteable.splitlines()):
            say(line)
        return 0
    status = 0
    for release in releases(chosen):
        name = f"{release.finding.id} on {release.tried['version']}"
        try:
            if fetch:
                release.install()
            if not release.is_installed:
                say(f"- {name}: not installed; use --fetch")
                continue
            differs = disagreement(release.finding, release.tried, release.run())
        except ReleaseUnavailable as error:
            differs = str(error)
        say(f"✗ {name}: {differs}" if differs else f"✓ {name}: as recorded")
        status = max(status, int(bool(differs)))
    return status
