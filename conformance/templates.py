"""How pages and files are made from the Jinja templates of a folder: one way for all of them."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def environment(folder: Path, autoescape: bool = False) -> Environment:
    """The templates of a folder; a name that a template does not know is an error.

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
