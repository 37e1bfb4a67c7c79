"""The pages from Markdown: guides, and what else is written for people."""

from __future__ import annotations

import functools
import posixpath
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from conformance.chapter import chapter
from conformance.vectors import Vector
from lab.findings.record import load as load_findings
from lab.site import page_paths, prose
from lab.site.frame import Frame
from lab.site.run import Run
from reference_impl.paths import ROOT
from reference_impl.register import registers
from walproof.implementations import all_implementations


@dataclass(frozen=True)
class Guide:
    """A page of Markdown in the repository, and where it is on the site."""

    source: str
    place: str


#: The guides, by heading.
SHELVES = Path(__file__).with_suffix(".toml")
MADE = ("build", "parsers", "reports")
"""Folders that commands make."""


def guides() -> Iterator[tuple[str, list[Guide]]]:
    """The guides by heading; after those of the list the READMEs of other folders at the top."""
    listed = set()
    for shelf in tomllib.loads(SHELVES.read_text("utf-8"))["shelf"]:
        rows = [Guide(each["source"], f"guides/{each['name']}.html") for each in shelf["guides"]]
        listed |= {each.source for each in rows}
        yield shelf["heading"], rows
    others = sorted(path.relative_to(ROOT) for path in ROOT.glob("[!.]*/README.md"))
    yield (
        "More",
        [
            Guide(path.as_posix(), f"guides/{path.parts[0].replace('_', '-')}.html")
            for path in others
            if path.as_posix() not in listed and path.parts[0] not in MADE
        ],
    )


def links(run: Run) -> prose.Links:
    """Return the targets of links, by the path of the file in the repository."""
    pages = {
        "README.md": page_paths.HOME,
        "docs/scenarios.md": page_paths.SCENARIOS,
        "docs/findings": page_paths.FINDINGS,
        "docs/findings/README.md": page_paths.FINDINGS,
    }
    pages |= {each.source: each.place for _, shelf in guides() for each in shelf}
    # A link to a folder shows its README.
    pages |= {
        posixpath.dirname(source): place
        for source, place in list(pages.items())
        if PurePosixPath(source).name == "README.md" and posixpath.dirname(source)
    }
    ran = {str(each["name"]) for each in run.implementations}
    requirements = {}
    for format in registers():
        if format in run.formats:
            pages[f"spec/{format}.md"] = page_paths.chapter(format)
            pages[f"vectors/{format}"] = page_paths.vectors_of(format)
            for id in chapter(format).requirements:
                requirements[id] = f"{page_paths.chapter(format)}#{id}"
    for each in all_implementations():
        if each.name in ran:
            folder = each.folder.relative_to(ROOT).as_posix()
            for name in (folder, f"{folder}/README.md", f"{folder}/known-failures.json"):
                pages[name] = page_paths.implementation(each.name)
    for result in load_findings():
        pages[f"docs/findings/{result.id}/report.md"] = page_paths.finding(result.id)
    for vector in run.vectors.values():
        pages |= {source: page_paths.vector(vector.id) for source in _sources(vector)}
    return prose.Links(pages, requirements)


def _sources(vector: Vector) -> tuple[str, str]:
    return (
        vector.path.relative_to(ROOT).as_posix(),
        vector.input.relative_to(ROOT).as_posix(),
    )


@dataclass(frozen=True)
class Written:
    """A page that was made from Markdown: where it is, and its headings for the search."""

    place: str
    made: prose.Rendered


def write_guides(frame: Frame, links: prose.Links) -> list[Written]:
    """Write the guides, and the list of them."""
    shelves = []
    written = []
    for shelf, entries in guides():
        rows = []
        for each in entries:
            created = _page(frame, each.source, each.place, links, (("Guides", page_paths.GUIDES),))
            rows.append((created.title, each.place, _first_words(each.source)))
            written.append(Written(each.place, created))
        if rows:
            shelves.append((shelf, rows))
    frame.page(page_paths.GUIDES, "guides.html.j2", "Guides", shelves=shelves)
    return written


def write_findings(frame: Frame, links: prose.Links) -> list[Written]:
    """Write the list of the findings, and a page for each."""
    written = [
        Written(
            page_paths.FINDINGS,
            _page(frame, "docs/findings/README.md", page_paths.FINDINGS, links, ()),
        )
    ]
    for each in load_findings():
        place = page_paths.finding(each.id)
        source = f"docs/findings/{each.id}/report.md"
        above = (("Findings", page_paths.FINDINGS),)
        # Two systems may have the same fault, and the titles of pages stand in tabs and searches.
        created = _page(frame, source, place, links, above, str(each.body["system"]))
        written.append(Written(place, created))
    return written


def _page(
    frame: Frame,
    source: str,
    place: str,
    links: prose.Links,
    above: tuple[tuple[str, str], ...],
    of: str = "",
) -> prose.Rendered:
    created = prose.render((ROOT / source).read_text("utf-8"), source, place, links)
    root = page_paths.to_root(place)
    frame.page(
        place,
        "prose.html.j2",
        f"{of}: {created.title}" if of else created.title,
        made=created,
        above=[(name, root + target) for name, target in above],
    )
    return created


@functools.cache
def _first_words(source: str) -> str:
    """The first sentence of a page, without marks."""
    text = (ROOT / source).read_text("utf-8")
    paragraphs = [
        " ".join(part.split())
        for part in text.split("\n\n")
        if part.strip() and not part.lstrip().startswith(("#", "|", "<!--", "```"))
    ]
    if not paragraphs:
        return ""
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", paragraphs[0]).replace("**", "")
    first = re.match(r".+?[.:](?= [A-Z`]|$)", plain)
    return (first[0] if first else plain)[:240].rstrip(":")
