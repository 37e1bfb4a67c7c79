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

#: Kind, title, path and text of an entry.
Entry = tuple[str, str, str, str]


def write(frame: Frame, run: Run, pages: Iterable[Written]) -> int:
    """Write the index and the page that searches it; returns the number of entries."""
    entries = [*_formats(run), *_implementations(run), *_scenarios(), *_pages(pages)]
    entries += [
        (
            "vector",
            each.id.partition("/")[2],
            page_paths.vector(each.id),
            _short(each.body["title"]),
        )
        for each in run.vectors.values()
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
        for each in chapter(format).requirements.values():
            yield "rule", each.id, f"{place}#{each.id}", _short(each.first_sentence)
        for reason in register.reasons.values():
            yield (
                "reason",
                reason.code,
                f"{place}#reason-{reason.code}",
                f"{format}: {reason.words}",
            )


def _implementations(run: Run) -> Iterator[Entry]:
    for each in run.implementations:
        place = page_paths.implementation(str(each["name"]))
        yield "implementation", str(each["name"]), place, _short(each["title"])
        if kind_of(each) == NULL:
            continue
        for cause in causes(each):
            if cause.name:
                yield "cause", cause.name, f"{place}#{cause.name}", _short(cause.sentence)


def _scenarios() -> Iterator[Entry]:
    for id, each in book.scenarios().items():
        yield "scenario", each.title, f"{page_paths.SCENARIOS}#{id}", _short(each.story)


def _pages(pages: Iterable[Written]) -> Iterator[Entry]:
    for each in pages:
        kind = "finding" if each.place.startswith("findings/") else "guide"
        yield kind, each.made.title, each.place, ""
        if kind == "guide":
            for heading in each.made.headings:
                yield kind, heading.text, f"{each.place}#{heading.anchor}", each.made.title


def _short(text: str) -> str:
    text = one_line(str(text)).replace("`", "")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
