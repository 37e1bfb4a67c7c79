"""Define the options of commands that read a log: ``--format``, ``--context`` and offsets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from reference_impl.context import BadContext
from reference_impl.formats import FORMATS
from reference_impl.register import registers
from walproof.cli.near_names import did_you_mean
from walproof.log import check_context


def known_format(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
    """Return a valid format id. Raises ``click.UsageError`` with similar ids for an unknown one."""
    if name is None or name in FORMATS:
        return name
    hint = did_you_mean(name, FORMATS) or f": expected one of {', '.join(FORMATS)}"
    raise click.UsageError(f"--format: unknown format {name!r}{hint}", context)


format_option = click.option(
    "--format", "format_id", metavar="ID", callback=known_format,
    help="Format id; detected if not given.",
)  # fmt: skip
context_option = click.option(
    "--context", "context_items", metavar="KEY=VALUE", multiple=True,
    help="Context for the reader; VALUE is JSON or text.",
)  # fmt: skip


def context_of(items: Sequence[str], format: str) -> dict[str, Any]:
    """Parse ``KEY=VALUE`` items as a context. A VALUE that is not JSON is text.

    Raises ``click.UsageError`` for an invalid item.
    """
    context = dict(_parsed(item, format) for item in items)
    try:
        check_context(format, context)
    except BadContext as error:
        raise click.UsageError(f"--context: {error}") from None
    return context


def key_and_value(option: str, item: str, form: str = "KEY=VALUE") -> tuple[str, str]:
    """Split ``KEY=VALUE`` into the key and the value. Raises ``click.UsageError``."""
    name, separator, text = item.partition("=")
    if not separator or not name:
        raise click.UsageError(f"{option}: expected {form}, found {item!r}")
    return name, text


def offset(text: str) -> int:
    """Parse a byte offset: decimal, or hexadecimal after ``0x``."""
    try:
        number = int(text, 0)
    except ValueError:
        number = -1
    if number < 0:
        raise click.BadParameter(f"expected an offset such as 32768 or 0x8000, found {text!r}")
    return number


def _parsed(item: str, format: str) -> tuple[str, Any]:
    name, text = key_and_value("--context", item)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return name, text
    key = registers()[format].context.get(name)
    # If a key requires text, keep a value that looks like a number as text, as in name=5.
    is_text = key is not None and set(key.types) <= {"text", "hex"} and not isinstance(value, str)
    return name, text if is_text else value
