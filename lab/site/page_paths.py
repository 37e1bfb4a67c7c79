"""Paths of the site's pages, relative to its root, with ``/`` as separator."""

from __future__ import annotations

import re

HOME = "index.html"


def format_page(format: str) -> str:
    """Return the path of a format's page."""
    return f"formats/{format}.html"


def chapter(format: str) -> str:
    """Return the path of a format's chapter."""
    return f"chapters/{format}.html"


def vector(id: str) -> str:
    """Return the path of a vector's page. A vector id is ``<format>/<slug>``."""
    return f"vectors/{id}.html"


def implementation(name: str) -> str:
    """Return the path of an implementation's page. The name may be a whole command line."""
    plain = re.sub(r"[^\w.-]+", "-", name)
    return f"implementations/{plain}.html"


def to_root(place: str) -> str:
    """Return the relative path from a page to the root of the site, such as ``../../``."""
    return "../" * place.count("/")
