"""Write the run report as one self-contained HTML file that works from disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from conformance.saving import save

from .json_report import Report
from .page_data import page_data

_TEMPLATES = Path(__file__).with_name("templates")
_SCRIPTS = ("page.js", "matrix.js", "results.js", "detail.js", "start.js")


def write(report: Report, path: Path | str) -> None:
    """Write `report` to `path` as one self-contained page."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    save(Path(path), render(report))


def render(report: Report) -> str:
    """Return the page as text."""
    data = page_data(report)
    template = templates.environment(_TEMPLATES, autoescape=True).get_template("report.html.j2")
    scripts = "\n".join((_TEMPLATES / name).read_text("utf-8") for name in _SCRIPTS)
    return template.render(
        data=data,
        style=Markup((_TEMPLATES / "report.css").read_text("utf-8")),
        script=Markup(scripts),
        json=Markup(embedded_json(data)),
    )


def embedded_json(value: Any) -> str:
    """Return ASCII JSON without `<`, which can be embedded in a script element."""
    # ``<`` could end the element or begin a comment. Stderr may contain lone surrogates.
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
