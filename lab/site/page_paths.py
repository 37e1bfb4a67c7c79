"""Paths of the pages of the site, relative to its root, with ``/``."""

from __future__ import annotations

import re

HOME = "index.html"
CONVENTIONS = "formats/conventions.html"
IMPLEMENTATIONS = "implementations/index.html"


def chapter(format: str) -> str:
    """The page of a format: its chapter."""
    return f"formats/{format}/index.html"


def vectors_of(format: str) -> str:
    """The page that lists the vectors of a format."""
    return f"formats/{format}/vectors.html"


def vector(id: str) -> str:
    """The page of one vector, ``<format>/<slug>``."""
    return f"vectors/{id}.html"


def implementation(name: str) -> str:
    """The page of an implementation; the name of a null baseline has a colon in it."""
    return f"implementations/{_plain(name)}.html"


def to_root(place: str) -> str:
    """Return the relative path from a page to the root of the site: ``../../``."""
    return "../" * place.count("/")


def slug(heading: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)
