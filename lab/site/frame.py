"""Render pages from templates, with a frame around them and relative links."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance.chapter import chapter
from conformance.reports import pages
from lab.site import page_paths
from reference_impl.register import registers

TEMPLATES = Path(__file__).with_name("templates")
#: Files that all pages share.
ASSETS = ("site.js", "icon.svg")
_ID = re.compile(r"\b[A-Z]{3}-\d{3}\b")
_TAG = re.compile(r"(<[^>]*>)")
#: Matches a start or end tag of an element that may not contain a link. The group is empty for a
#: start tag.
_UNLINKED = re.compile(r"<(/?)(?:a|title|option)\b")
_OPTIONAL_END = re.compile(r"</(?:li|d[dt]|t[dhr]|thead|tbody)>")
#: Matches a quoted attribute value that needs no quotes.
_QUOTED = re.compile(r'(?<==)"([\w./#-]+)"')
#: The style sheet of the site. It begins with the styles that all pages about a run share.
STYLE = "site.css"


class Frame:
    """Writes pages below the folder ``out``, each with a footer."""

    def __init__(self, out: Path, footer: str) -> None:
        self.out = out
        self._environment = pages.environment(TEMPLATES)
        self._environment.globals.update(footer=footer, place=page_paths)
        self._environment.tests["address"] = _is_address

    def page(self, place: str, template: str, title: str, **data: Any) -> None:
        """Write a page at ``place``, a path relative to the root of the site."""
        root = page_paths.to_root(place)
        text = self._environment.get_template(template).render(
            title=title, root=root, here=place, **data
        )
        self.file(place, compact(with_requirement_links(text, root)))

    def macro(self, template: str, name: str) -> Callable[..., Markup]:
        """Return a macro of a template."""
        return getattr(self._environment.get_template(template).module, name)  # type: ignore[no-any-return]

    def file(self, place: str, data: str | bytes) -> None:
        """Write a file at ``place``."""
        path = self.out / place
        path.parent.mkdir(parents=True, exist_ok=True)
        # The output of programs may contain lone surrogates, which UTF-8 cannot encode.
        path.write_bytes(data.encode("utf-8", "replace") if isinstance(data, str) else data)

    def assets(self) -> None:
        """Copy the files that all pages share."""
        for name in ASSETS:
            self.file(f"assets/{name}", (TEMPLATES / name).read_bytes())
        styles = [
            folder / name for folder, name in ((pages.TEMPLATES, pages.STYLE), (TEMPLATES, STYLE))
        ]
        self.file(f"assets/{STYLE}", "\n".join(path.read_text("utf-8") for path in styles))


def compact(text: str) -> str:
    """Return a page without the end tags, quotes and escapes that HTML does not require."""
    parts = _TAG.split(_OPTIONAL_END.sub("", text))
    for number, part in enumerate(parts):
        if number % 2:
            parts[number] = _QUOTED.sub(r"\1", part)
        else:
            parts[number] = part.replace("&#34;", '"').replace("&#39;", "'")
    return "".join(parts)


def with_requirement_links(text: str, root: str) -> str:
    """Link each requirement id on a page to its chapter, except inside links and titles."""
    parts, is_linked = _TAG.split(text), False
    for number, part in enumerate(parts):
        if number % 2:
            if found := _UNLINKED.match(part):
                is_linked = not found[1]
        elif not is_linked:
            parts[number] = _ID.sub(lambda id: _link(id[0], root), part)
    return "".join(parts)


def _link(id: str, root: str) -> str:
    place = _chapters().get(id)
    return f'<a class="id" href="{root}{place}#{id}">{id}</a>' if place else id


@functools.cache
def _chapters() -> dict[str, str]:
    """Return the chapter page of each requirement, by requirement id."""
    return {
        id: page_paths.chapter(format)
        for format in registers()
        for id in chapter(format).requirements
    }


def _is_address(text: object) -> bool:
    """Return whether a homepage that a program reports is safe to link to."""
    return isinstance(text, str) and text.startswith(("https://", "http://"))
