"""Render pages and files from the Jinja templates of a directory."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def environment(folder: Path, autoescape: bool = False) -> Environment:
    """Return the templates of a directory; an unknown name in a template is an error.

    ``autoescape`` is for HTML.
    """
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
