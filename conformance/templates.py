"""Render pages and files from the Jinja templates of a directory."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup


def environment(folder: Path, autoescape: bool = False) -> Environment:
    """Return the templates of a directory; an unknown name in a template is an error.

    ``autoescape`` is for HTML. The filter ``code`` marks the parts of a text in backquotes.
    """
    created = Environment(
        loader=FileSystemLoader(folder),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    created.filters["code"] = _code
    return created


def _code(text: str) -> Markup:
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(Markup.escape(text))))
