"""Render pages: templates, the frame around them, and relative links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from conformance.reports.classes import BY_NAME, CLASSES
from conformance.text import printable
from lab.site import page_paths

TEMPLATES = Path(__file__).with_name("templates")
#: Files that all pages share.
ASSETS = ("site.css", "site.js", "icon.svg")


class Frame:
    """Writes pages below the folder ``out``, each with a footer."""

    def __init__(self, out: Path, footer: str) -> None:
        self.out = out
        self._environment = templates.environment(TEMPLATES, autoescape=True)
        self._environment.finalize = _seen
        self._environment.globals.update(
            footer=footer, place=page_paths, classes=CLASSES,
            class_of=BY_NAME, mark=_mark,
        )  # fmt: skip
        self._environment.filters.update(thousands=lambda number: f"{number:,}")
        self._environment.tests["address"] = _is_address

    def page(self, place: str, template: str, title: str, **data: Any) -> None:
        """Make one page at ``place``, a path from the root of the site."""
        root = page_paths.to_root(place)
        text = self._environment.get_template(template).render(
            title=title, root=root, here=place, **data
        )
        self.file(place, text)

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
