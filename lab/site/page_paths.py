"""Paths of the pages of the site, relative to its root, with ``/``."""

from __future__ import annotations

import re

HOME = "index.html"
CONVENTIONS = "formats/conventions.html"
IMPLEMENTATIONS = "implementations/index.html"


def chapter(format: str) -> str:
    """Return the path of the chapter of a format."""
    return f"formats/{format}/index.html"


def vectors_of(format: str) -> str:
    """Return the path of the list of a format's vectors."""
    return f"formats/{format}/vectors.html"


def vector(id: str) -> str:
    """Return the path of the page of a vector, ``<format>/<slug>``."""
    return f"vectors/{id}.html"


def implementation(name: str) -> str:
    """Return the path of the page of an implementation, whose name may contain a colon."""
    return f"implementations/{_plain(name)}.html"


def to_root(place: str) -> str:
    """Return the relative path from a page to the root of the site: ``../../``."""
    return "../" * place.count("/")


def slug(heading: str) -> str:
    """Return the anchor of a heading, as code hosts generate it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)
