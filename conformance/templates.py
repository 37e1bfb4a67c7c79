"""Render pages and files from directories of Jinja templates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conformance.text import printable

#: Matches code and emphasis in Markdown, but not the asterisk of a C pointer or a product.
MARKED = re.compile(r"`([^`]*)`|(?<![\w*])\*([^\s*`][^*`]*)\*(?![\w*])")


def environment(*folders: Path, autoescape: bool = False) -> Environment:
    """Return the templates in these directories. An unknown name in a template is an error.

    ``autoescape`` is for HTML, and also escapes the invisible characters of values. The filter
    ``code`` marks the parts of a text in backquotes, and parts with emphasis (``*``).
    """
    created = Environment(
        loader=FileSystemLoader(folders),
        autoescape=autoescape,
        finalize=_visible if autoescape else None,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    created.filters["code"] = _code
    return created


def _visible(value: Any) -> Any:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _code(text: str) -> Markup:
    return Markup(MARKED.sub(_tag, str(Markup.escape(text))))


def _tag(found: re.Match[str]) -> str:
    code, emphasis = found.groups()
    return f"<em>{emphasis}</em>" if code is None else f"<code>{code}</code>"
