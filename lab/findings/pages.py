"""The list of the findings, made from their records."""

from __future__ import annotations

from pathlib import Path

from conformance import templates
from lab.findings.record import FOLDER, HARMS, Finding, load, retired

_TEMPLATES = Path(__file__).with_name("templates")


def list_page(folder: Path = FOLDER) -> str:
    """Return ``docs/findings/README.md``."""
    found = load(folder)
    environment = templates.environment(_TEMPLATES)
    environment.filters["cell"] = lambda text: text.replace("|", "\\|")
    return environment.get_template("list.md.j2").render(
        found=found,
        groups=[
            (text, [each for each in found if each.body["harm"] == harm])
            for harm, text in HARMS.items()
        ],
        retired=retired(folder),
        releases=releases,
    )


def releases(finding: Finding) -> str:
    """Return the releases that show a finding, and the releases that do not."""
    rows = finding.body["tried"]
    without = [each["version"] for each in rows if not each.get("shows", True)]
    shown = ", ".join(each["version"] for each in rows if each.get("shows", True))
    return f"{shown}; not {', '.join(without)}" if without else shown
