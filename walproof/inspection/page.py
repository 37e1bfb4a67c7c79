"""Write the byte map as one HTML file that works from disk without other files."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from conformance.saving import save
from walproof.inspection.inspection import Inspection
from walproof.inspection.page_data import page_data

_TEMPLATES = Path(__file__).with_name("templates")
_SCRIPTS = ("log.js", "rows.js", "bytes.js", "tree.js", "details.js", "map.js", "start.js")


@dataclass(frozen=True)
class Written:
    """Number of bytes and fields on a page."""

    shown: int
    fields: int


def write(view: Inspection, path: Path, start: int, end: int, limit: int | None) -> Written:
    """Write the page of the window ``[start, end)`` to ``path``. Raises ``OSError``."""
    data = page_data(view, start, end, limit)
    save(path, render(data))
    first, last = data["window"]
    return Written(last - first, len(data["fields"]["name"]))


def render(data: dict[str, Any]) -> str:
    """Return the page as text."""
    environment = templates.environment(_TEMPLATES, autoescape=True)
    style = _asset("inspect.css")
    script = '"use strict";\n' + "\n".join(_asset(name) for name in _SCRIPTS)
    return environment.get_template("inspect.html.j2").render(
        data=data,
        style=Markup(style),
        style_hash=_digest(style),
        script=Markup(script),
        script_hash=_digest(script),
        json=Markup(embedded_json(data)),
    )


def embedded_json(value: Any) -> str:
    """Return JSON that is safe in a script element: ASCII, without characters special in HTML."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii")
