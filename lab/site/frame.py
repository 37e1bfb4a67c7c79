"""Render pages: templates, the frame around them, and relative links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template
from markupsafe import Markup

from conformance import templates
from conformance.reports.classes import BY_NAME, CLASSES
from conformance.text import printable
from lab.site import page_paths

TEMPLATES = Path(__file__).with_name("templates")
NAVIGATION = (
    ("Formats", f"{page_paths.HOME}#formats", ("formats/", "vectors/")),
    ("Implementations", page_paths.IMPLEMENTATIONS, ("implementations/",)),
)
"""Name, place, and how the places of the pages below it begin."""
#: Files that all pages share.
ASSETS = ("site.css", "scheme.js", "site.js", "icon.svg")


class Frame:
    """Writes pages below the folder ``out``; ``facts`` is what the foot of each one says."""

    def __init__(self, out: Path, facts: Mapping[str, Any]) -> None:
        self.out = out
        self._environment = environment()
        self._environment.globals.update(facts=facts, navigation=NAVIGATION)

    def page(self, place: str, template: str, title: str, **data: Any) -> None:
        """Make one page at ``place``, a path from the root of the site."""
        root = page_paths.to_root(place)
        text = self._environment.get_template(template).render(
            title=title, root=root, here=place, **data
        )
        self.file(place, text)

    def template(self, name: str) -> Template:
        """A template for a part of a page."""
        return self._environment.get_template(name)

    def file(self, place: str, data: str | bytes) -> None:
        """Write a file at ``place``."""
        path = self.out / place
        path.parent.mkdir(parents=True, exist_ok=True)
        # What programs said may hold lone surrogates, which UTF-8 has not.
        path.write_bytes(data.encode("utf-8", "replace") if isinstance(data, str) else data)

    def assets(self) -> None:
        """Copy what all pages share."""
        for name in ASSETS:
            self.file(f"assets/{name}", (TEMPLATES / name).read_bytes())


def environment() -> Environment:
    """The templates, with what all of them use."""
    created = templates.environment(TEMPLATES, autoescape=True)
    created.globals.update(
        place=page_paths, classes=CLASSES, class_of=BY_NAME, mark=_mark, percent=_percent
    )
    created.finalize = _seen
    created.filters["thousands"] = lambda number: f"{number:,}"
    created.tests["address"] = _is_address
    created.filters["code"] = _code
    return created


def _seen(value: Any) -> Any:
    """Return text of a program or log for a page, with invisible characters made visible."""
    return printable(value) if type(value) is str else value


def _is_address(text: object) -> bool:
    """Return whether a text is a safe link: a program may report any homepage."""
    return isinstance(text, str) and text.startswith(("https://", "http://"))


def _mark(name: str) -> Markup:
    """Return a result class as a mark: shape, colour, and its name for screen readers."""
    each = BY_NAME[name]
    return Markup('<span class="mark c-{}"><span aria-hidden="true">{}</span> {}</span>').format(
        name, each.glyph, each.label
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "0"


def _code(text: str) -> Markup:
    """Text in which backquotes stand around code."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:  # a lone backquote is one
        return Markup.escape(text)
    created = [
        Markup("<code>{}</code>").format(part) if number % 2 else Markup.escape(part)
        for number, part in enumerate(parts)
    ]
    return Markup("").join(created)
