"""The pages of the findings, made from their records and scripts; nothing is written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance import templates
from lab.findings import releases
from lab.findings.record import FOLDER, HARMS, SHOWS, Finding, load

_TEMPLATES = Path(__file__).with_name("templates")
_LANGUAGES = {
    ".py": "python",
    ".go": "go",
    ".java": "java",
    ".cjs": "javascript",
    ".rs": "rust",
}


def pages(folder: Path = FOLDER) -> Iterator[tuple[Path, str]]:
    """Every page with its text: one for each finding, and the list of them."""
    found = load(folder)
    environment = templates.environment(_TEMPLATES)
    environment.filters["cell"] = lambda text: text.replace("|", "\\|")
    page = environment.get_template("finding.md.j2")
    for each in found:
        yield (
            each.folder / "README.md",
            page.render(
                id=each.id,
                one=each.body,
                harm=HARMS[each.body["harm"]],
                script=each.script.read_text("utf-8"),
                language=_LANGUAGES[each.script.suffix],
                commands=commands(each),
                needs=needs(each),
                shows=SHOWS,
            ),
        )
    unknown = [each for each in found if not each.body["upstream"]["threads"]]
    yield (
        folder / "README.md",
        environment.get_template("list.md.j2").render(
            found=found,
            groups=[
                (text, [each for each in found if each.body["harm"] == harm])
                for harm, text in HARMS.items()
            ],
            unknown=len(unknown),
            trackers=sorted({each.body["upstream"]["tracker"] for each in found}, key=str.lower),
            versions=versions,
        ),
    )


def versions(each: Finding) -> str:
    """The releases that show it, and those that do not, in a few words."""
    tried: Sequence[Mapping[str, Any]] = each.body["tried"]
    by = {
        did: [each["version"] for each in tried if each["did"] == did]
        for did in (SHOWS, "does not")
    }
    package = re.split("[/:](?!v[0-9])", each.body["reproduction"]["package"])[-1]
    shown = f"{package} {', '.join(by[SHOWS])}"
    return f"{shown}; not {', '.join(by['does not'])}" if by["does not"] else shown


def needs(each: Finding) -> str:
    """What a script needs, as a list in a sentence: the package, and what else the record names."""
    how = each.body["reproduction"]
    wanted: list[str] = [how["package"], *how.get("needs", [])]
    *first, last = wanted
    return f"{', '.join(first)} and {last}," if first else last


def commands(each: Finding) -> str:
    """Return what a person types who has the script, for the first release that shows it."""
    tried = next(row for row in each.body["tried"] if row["did"] == SHOWS)
    shell = releases.commands(each, tried)
    as_root = "sudo " if each.kind == "journald" else ""
    return f"{shell.install}\n{as_root}{shell.run}"
