"""Shared parts of the HTML pages of reports and of the site in ``lab/site``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from conformance import templates
from conformance.text import one_line, printable

from .classes import BY_NAME, CLASSES
from .failure import ItemDifference, explain
from .overview import LOSSES, PROFILES, overview

#: The directory of the templates and of the style sheet that all pages share.
TEMPLATES = Path(__file__).with_name("templates")
STYLE = "page.css"
#: A comparison shows at most this many characters of a text and lines of a list.
MAX_CHARACTERS, MAX_LINES = 240, 6


def environment(*folders: Path) -> Environment:
    """Return the templates of ``folders`` and the shared ones, with their filters and functions."""
    created = templates.environment(*folders, TEMPLATES, autoescape=True)
    created.filters.update(line=one_line, thousands=lambda number: f"{number:,}")
    created.globals.update(classes=CLASSES, class_of=BY_NAME, mark=mark)
    return created


def mark(name: str) -> Markup:
    """Return a result class as a mark: shape, colour and name."""
    each = BY_NAME[name]
    return Markup('<span class="mark c-{}">{} {}</span>').format(name, each.glyph, each.label)


@dataclass
class Differing:
    """An unexpected answer: result class, remark, and differing records and lost ranges."""

    outcome: str
    said: str
    rows: Sequence[ItemDifference]


def differing(implementation: Mapping[str, Any], result: Mapping[str, Any]) -> Differing:
    """Return the difference of a result, with long texts and lists cut."""
    sentences, items = explain(implementation, result)
    rows = [ItemDifference(*(_cut(printable(text)) for text in each)) for each in items[:MAX_LINES]]
    if (more := len(items) - MAX_LINES) > 0:
        sentences.append(f"{more:,} more records or lost ranges differ")
    return Differing(str(result["class"]), _cut(printable("; ".join(sentences))), rows)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def formats_of(implementation: Mapping[str, Any]) -> list[str]:
    """Return the formats in which an implementation has results, in the order of the results."""
    selected = (each["vector"] for each in implementation["results"] if each["class"] != "skipped")
    return list(dict.fromkeys(vector.partition("/")[0] for vector in selected))


def score_heads(implementations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the column heads of the score table. Profiles in which nothing ran are left out."""
    ran = {
        profile
        for each in implementations
        if not each["baseline"]
        for profile, counted in each["score"]["by_profile"].items()
        if counted["total"]
    }
    return [*LOSSES, *(name for name in PROFILES if name in ran)]


def score_row(
    implementation: Mapping[str, Any], heads: Sequence[str], address: str = ""
) -> dict[str, Any]:
    """Return a row of the score table. The name links to ``address``, if there is one."""
    formats = formats_of(implementation)
    return {
        "name": implementation["name"],
        "address": address,
        "version": implementation["version"] or "",
        "formats": f"{len(formats)} formats" if len(formats) > 2 else ", ".join(formats),
        "cells": overview(implementation).cells(heads),
    }
