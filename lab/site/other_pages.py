"""The pages that stand for themselves: the first one, scenarios, mutants, and the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lab.findings.record import HARMS
from lab.findings.record import load as load_findings
from lab.mutants.report import kill_rate
from lab.scenarios import book, page, results
from lab.site import page_paths
from lab.site.format_pages import scores
from lab.site.frame import Frame
from lab.site.run import OURS, REAL, Run
from reference_impl.register import registers


def write_home(frame: Frame, run: Run) -> None:
    """Write the first page: the formats, and who reads them."""
    formats = []
    for format in sorted(run.formats, key=lambda id: registers()[id].order):
        formats.append(
            {
                "register": registers()[format],
                "vectors": sum(1 for _ in run.of_format(format)),
                "real": scores(run, format, REAL),
                "ours": len(run.of_kind(OURS, format)),
            }
        )
    result = load_findings()
    harms = Counter(str(each.body["harm"]) for each in result)
    frame.page(
        page_paths.HOME,
        "home.html.j2",
        "Journal files, specified and tested",
        formats=formats,
        vectors=len(run.vectors),
        real=len(run.of_kind(REAL)),
        findings=len(result),
        harms=[(text, harms[harm]) for harm, text in HARMS.items() if harms[harm]],
        report=run.report,
        isolation=run.report.get("isolation"),
    )


def write_scenarios(frame: Frame, run: Run) -> None:
    """Write the table of the scenarios, and for each what formats promise and systems do."""
    shown = {
        id: [each for each in examples if each.vector.id in run.vectors]
        for id, examples in book.shown(run.tree).items()
    }
    effects = results.of_report(
        run.report, [each.vector.id for examples in shown.values() for each in examples]
    )
    frame.page(
        page_paths.SCENARIOS,
        "scenarios.html.j2",
        "What happens to logs",
        scenarios=[
            (each, list(page.rows(each, shown[id], effects)))
            for id, each in book.scenarios().items()
            if shown[id]
        ],
        formats=[
            registers()[id] for id in sorted(run.formats, key=lambda id: registers()[id].order)
        ],
    )


def write_mutants(frame: Frame, run: Run, body: Mapping[str, Any] | None) -> None:
    """Write the kill matrix. ``body`` is what ``lab mutants`` found; None if nobody ran it."""
    formats = [each for each in (body or {}).get("formats", ()) if each["mutants"]]
    frame.page(
        page_paths.MUTANTS,
        "mutants.html.j2",
        "Mutants",
        body=body,
        formats=formats,
        by_operator=_matrix(formats, "operators"),
        by_file=[(each["format"], each["files"]) for each in formats],
        kill_rate=kill_rate,
        has_chapter=set(run.formats),
    )


def _matrix(
    formats: Iterable[Mapping[str, Any]], key: str
) -> list[tuple[str, Sequence[Mapping[str, Any] | None]]]:
    """For each name the counts in each format, None where there are none."""
    by_format = [{row["name"]: row for row in each[key]} for each in formats]
    names = sorted({name for rows in by_format for name in rows})
    return [(name, [rows.get(name) for rows in by_format]) for name in names]
