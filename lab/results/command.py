"""``python -m lab results``: write the page with the results of real implementations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from conformance import REPORTS, ROOT, known_failures, templates
from conformance.registry import FOLDER
from conformance.reports import json_report
from conformance.reports.json_report import Report
from conformance.reports.overview import LEGEND, LOSSES, PROFILES, overview
from conformance.saving import save
from conformance.score import score
from conformance.vectors import load_all
from reference_impl.register import registers
from walproof.cli.output import say

PAGE = ROOT / "docs" / "implementations.md"
LISTS = "known-failures.json"
#: At most this many causes are listed for an implementation, the most frequent ones first.
MAX_CAUSES = 5
HEADS = [name for name in (*LOSSES, *PROFILES) if name != "structure"]


@click.command()
@click.option("--run", "report", type=click.Path(path_type=Path), metavar="REPORT",
              default=REPORTS / "conformance", show_default=True,
              help="The report.json of a run, or its folder.")  # fmt: skip
def results(report: Path) -> int:
    """Write docs/implementations.md from a run of all real implementations.

    \b
    walproof check --again            run everything; the report goes to reports/conformance
    python -m lab results

    Exit status: 0, or 1 for a usage or I/O error.
    """
    save(PAGE, page(json_report.load(report)))
    say(f"wrote {PAGE.name}")
    return 0


def page(report: Report) -> str:
    """Return the text of the page."""
    implementations = [each for each in report["implementations"] if is_real(each["name"])]
    template = templates.environment(Path(__file__).parent).get_template("implementations.md.j2")
    return template.render(
        heads=HEADS,
        legend=[text for head, text in LEGEND.items() if head in HEADS],
        absent=[each for each in implementations if each["status"] != "ran"],
        formats=[
            {
                "heading": heading(format_id),
                "rows": list(_rows(implementations, format_id, report["vectors"])),
                "causes": list(cause_rows(format_id)),
            }
            for format_id in registers()
        ],
    )


def is_real(name: str) -> bool:
    """Return whether an implementation is a real system, which has a list of known failures."""
    return (FOLDER / name / LISTS).exists()


def heading(format_id: str) -> str:
    """Return the heading of a format, including the number of its vectors."""
    count = sum(vector.body["format"] == format_id for vector in load_all().values())
    return f"{registers()[format_id].title}: {count} vectors"


def cause_rows(format_id: str) -> Iterator[str]:
    """Yield a row for each implementation with failures; the row counts the failures by cause."""
    for path in sorted(FOLDER.glob(f"*/{LISTS}")):
        causes = Counter(
            entry.cause
            for entry in known_failures.load(path).entries.values()
            if entry.vector.startswith(f"{format_id}/")
        )
        if causes:
            texts = [f"{name} ({number})" for name, number in causes.most_common(MAX_CAUSES)]
            if (more := len(causes) - MAX_CAUSES) > 0:
                texts.append(f"{more} more")
            name = path.parent.name
            link = f"[{name}](../conformance/implementations/{name}/{LISTS})"
            yield f"| {link} | {causes.total()} | {', '.join(texts)} |"


def _rows(
    implementations: Sequence[Mapping[str, Any]],
    format_id: str,
    vectors: Mapping[str, Mapping[str, Any]],
) -> Iterator[str]:
    """Yield a row of scores for each implementation that ran vectors of the format."""
    for each in implementations:
        mine = [one for one in each["results"] if vectors[one["vector"]]["format"] == format_id]
        if any(one["class"] != "skipped" for one in mine):
            numbers = overview({**each, "results": mine, "score": score(mine, vectors)})
            cells = " | ".join(cell or "–" for cell in numbers.cells(HEADS))
            yield f"| {each['name']} {each['version']} | {cells} |"
