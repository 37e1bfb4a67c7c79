"""Build the site in a new folder, which replaces the old site once all pages are written."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

from conformance.reports.overview import LEGEND, overview
from conformance.reports.pages import score_heads, score_row
from conformance.saving import named_in_errors, replace_folder, temporary_sibling
from lab.site import chapter_page, format_page, implementation_page, page_paths, vector_page
from lab.site.frame import Frame
from lab.site.indexed_report import NULL, OURS, REAL, TITLES, IndexedReport, kind_of
from reference_impl.register import registers
from walproof.worker_pool import map_unordered

#: This file marks a folder as a site, which may be replaced.
MARKER = ".walproof-site"
#: The number of vector pages that a process writes per task.
VECTORS_PER_TASK = 50
#: The ids of the previous vector, of a vector, and of the next vector of the same format.
Neighbours = tuple[str | None, str, str | None]


def build(run: IndexedReport, out: Path) -> tuple[int, int]:
    """Build the site of a run in the directory ``out``; return its number of files and its size.

    The size is in bytes. An existing site is replaced when the new one is complete. Raises
    ``FileExistsError`` if ``out`` exists and is not a site.
    """
    if out.exists() and not _may_be_replaced(out):
        raise FileExistsError(errno.EEXIST, "exists and is not a site", str(out))
    with named_in_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with temporary_sibling(out) as unfinished:
            unfinished.mkdir()
            _write(run, unfinished)
            sizes = [path.stat().st_size for path in unfinished.rglob("*") if path.is_file()]
            if out.exists():
                replace_folder(unfinished, out)
            else:
                unfinished.rename(out)
    return len(sizes), sum(sizes)


def _may_be_replaced(out: Path) -> bool:
    return out.is_dir() and ((out / MARKER).exists() or not any(out.iterdir()))


def _write(run: IndexedReport, out: Path) -> None:
    when = str(run.report["started"])[:10]
    frame = Frame(
        out,
        f"Walproof {run.report['walproof']}, run of {when}",
    )
    frame.file(MARKER, "made by python -m lab site\n")
    frame.assets()
    outcome_by_vector = format_page.outcomes(run)
    vectors: list[Neighbours] = []
    for format in run.formats:
        ids = [vector.id for vector in run.of_format(format)]
        vectors += zip([None, *ids], ids, [*ids[1:], None], strict=False)
    parts = [vectors[at : at + VECTORS_PER_TASK] for at in range(0, len(vectors), VECTORS_PER_TASK)]
    for _ in map_unordered(_write_vectors, parts, _start, (frame, run)):
        pass
    for name in (*registers(), chapter_page.CONVENTIONS):
        chapter_page.write(frame, run, name, outcome_by_vector)
    for format in run.formats:
        format_page.write(frame, run, format, outcome_by_vector)
    for implementation in run.implementations:
        if kind_of(implementation) != NULL:
            implementation_page.write(frame, implementation, overview(implementation))
    write_home(frame, run)


_shared: tuple[Frame, IndexedReport]


def _start(frame: Frame, run: IndexedReport) -> None:
    global _shared
    _shared = frame, run


def _write_vectors(vectors: Sequence[Neighbours]) -> None:
    frame, run = _shared
    for before, id, after in vectors:
        vector_page.write(frame, run, id, (before, after))


def write_home(frame: Frame, run: IndexedReport) -> None:
    """Write the home page, which lists the formats and the implementations by group."""
    formats = [
        {
            "register": registers()[format],
            "vectors": sum(1 for _ in run.of_format(format)),
            "real": len(run.of_kind(REAL, format)),
            "ours": len(run.of_kind(OURS, format)),
        }
        for format in sorted(run.formats, key=lambda id: registers()[id].order)
    ]
    heads = score_heads(run.implementations)
    rows = {
        title: [
            score_row(
                each, heads, "" if kind == NULL else page_paths.implementation(str(each["name"]))
            )
            for each in run.of_kind(kind)
        ]
        for kind, title in TITLES.items()
    }
    frame.page(
        page_paths.HOME,
        "home.html.j2",
        "Vectors and implementations",
        formats=formats,
        vectors=len(run.vectors),
        implementations=tested(run),
        table=[(title, of_kind) for title, of_kind in rows.items() if of_kind],
        heads=heads,
        legend=[text for head, text in LEGEND.items() if head in heads],
        absent=run.absent,
        report=run.report,
        isolation=run.report.get("isolation"),
    )


def tested(run: IndexedReport) -> int:
    """Return the number of implementations, not counting the null baselines."""
    return len(run.implementations) - len(run.of_kind(NULL))


def without_page(run: IndexedReport) -> Sequence[str]:
    """Return the ids of the vectors in this tree that the run did not include."""
    return sorted(run.tree.keys() - run.vectors.keys())
