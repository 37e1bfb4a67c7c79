"""The index of the search: a script, since a page from a disk may load nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from conformance.chapter import chapter
from conformance.text import one_line
from lab.scenarios import book
from lab.site import page_paths
from lab.site.frame import Frame
from lab.site.guides import Written
from lab.site.implementation_pages import causes
from lab.site.run import NULL, Run, kind_of
from reference_impl.register import registers

PLACE = "assets/search-index.js"
LONGEST = 160
"""Characters of a text that are kept."""

Entry = tuple[str, str, str, str]
"""What it is, its title, its place, and words about it."""


def write(frame: Frame, run: Run, pages: Iterable[Written]) -> int:
    """Write the index and the page that searches it; returns the number of entries."""
    entries = [*_formats(run), *_implementations(run), *_scenarios(), *_pages(pages)]
    entries += [
        ("vector", one.id.partition("/")[2], page_paths.vector(one.id), _short(one.body["title"]))
        for one in run.vectors.values()
    ]
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    frame.file(PLACE, f"walproofIndex({text});\n")
    frame.page(page_paths.SEARCH, "search.html.j2", "Search", count=len(entries))
    return len(entries)


def _formats(run: Run) -> Iterator[Entry]:
    for format in run.formats:
        register, place = registers()[format], page_paths.chapter(format)
        yield "format", register.title, place, format
        yield "vectors", f"Vectors of {register.title}", page_paths.vectors_of(format), format
        for one in chapter(format).requirements.values():
            yield "rule", one.id, f"{place}#{one.id}", _short(one.first_sentence)
        for reason in register.reasons.values():
            yield (
                "reason",
                reason.code,
                f"{place}#reason-{reason.code}",
                f"{format}: {reason.words}",
            )


def _implementations(run: Run) -> Iterator[Entry]:
    for one in run.implementations:
        place = page_paths.implementation(str(one["name"]))
        yield "implementation", str(one["name"]), place, _short(one["title"])
        if kind_of(one) == NULL:
            continue
        for cause in causes(one):
            if cause.name:
                yield "cause", cause.name, f"{place}#{cause.name}", _short(cause.sentence)


def _scenarios() -> Iterator[Entry]:
    for id, one in book.scenarios().items():
        yield "scenario", one.title, f"{page_paths.SCENARIOS}#{id}", _short(one.story)


def _pages(pages: Iterable[Written]) -> Iterator[Entry]:
    for one in pages:
        kind = "finding" if one.place.startswith("findings/") else "guide"
        yield kind, one.made.title, one.place, ""
        if kind == "guide":
            for heading in one.made.headings:
                yield kind, heading.text, f"{one.place}#{heading.anchor}", one.made.title


def _short(text: str) -> str:
    text = one_line(str(text)).replace("`", "")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
