"""The score of a run as a badge: an SVG, and the JSON from which shields.io makes one.

https://shields.io/badges/endpoint-badge has the keys of the JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from conformance import templates

from .headline import nothing_checked, scores, tested, unexpected
from .json_report import Report
from .matrix import not_run

LABEL = "walproof"
COLOURS = {"brightgreen": "#4c1", "yellow": "#dfb317", "red": "#e05d44", "lightgrey": "#9f9f9f"}
_TEMPLATES = Path(__file__).with_name("templates")
_CHARACTER, _MARGIN = 6.6, 10
"""Width of a character in pixels, on average, at a size of 11; and what is around a text."""


@dataclass(frozen=True)
class Badge:
    """``colour`` is a name of :data:`COLOURS`: red for what is not as expected, yellow for known
    failures, grey where nothing was checked."""

    message: str
    colour: str


def badge(report: Report) -> Badge:
    """The badge of a run."""
    if nothing_checked(report):
        return Badge("nothing checked", "lightgrey")
    known = any(
        result["class"] == "known-failure" for each in tested(report) for result in each["results"]
    )
    broken = any(each["status"] == "broken" for each in not_run(report))
    colour = "red" if unexpected(report) or broken else "yellow" if known else "brightgreen"
    return Badge(scores(report), colour)


def endpoint_json(report: Report) -> str:
    """The JSON of an endpoint badge."""
    made = badge(report)
    told = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": made.message,
        "color": made.colour,
        "isError": made.colour == "red",
    }
    return json.dumps(told, indent=1) + "\n"


def svg(report: Report) -> str:
    """The badge as a picture."""
    made = badge(report)
    left, right = (round(len(text) * _CHARACTER) + _MARGIN for text in (LABEL, made.message))
    environment = templates.environment(_TEMPLATES, autoescape=True)
    return environment.get_template("badge.svg.j2").render(
        label=LABEL,
        message=made.message,
        colour=COLOURS[made.colour],
        left=left,
        right=right,
        margin=_MARGIN,
    )
