"""Paths of the pages of the site, relative to its root, with ``/``."""

from __future__ import annotations

import re

HOME = "index.html"


def format_page(format: str) -> str:
    """Return the path of the page of a format."""
    return f"formats/{format}.html"


def chapter(format: str) -> str:
    """Return the path of the chapter of a format."""
    return f"chapters/{format}.html"


def vector(id: str) -> str:
    """Return the path of the page of a vector, ``<format>/<slug>``."""
    return f"vectors/{id}.html"


def implementation(name: str) -> str:
    """Return the path of the page of an implementation, whose name may be a command."""
    plain = re.sub(r"[^\w.-]+", "-", name)
    return f"implementations/{plain}.html"


def to_root(place: str) -> str:
    """Return the relative path from a page to the root of the site: ``../../``."""
    return "../" * place.count("/")
