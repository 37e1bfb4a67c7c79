"""Make the site: every page goes into a new folder, which takes its place when it is whole."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

from conformance.chapter import chapter
from conformance.saving import named_in_errors, replace_folder, temporary_sibling
from lab.site import format_pages, implementation_pages, page_paths, prose, vector_page
from lab.site.frame import Frame
from lab.site.run import OURS, REAL, Run
from reference_impl.paths import ROOT
from reference_impl.register import registers
from walproof.implementations import all_implementations

#: A file that says that a folder is a site of ours, and may be replaced.
MARKER = ".walproof-site"
CONVENTIONS = "spec/conventions.md"


def build(run: Run, out: Path) -> tuple[int, int]:
    """Build the site of a run in the directory ``out``. Return its number of files and of bytes.

    An existing site is replaced when the new one is complete. Raises ``FileExistsError`` if ``out``
    exists and is not a site.
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


def _write(run: Run, out: Path) -> None:
    when = str(run.report["started"])[:10]
    frame = Frame(
        out,
        f"Walproof {run.report['walproof']}, from a run of {when}:"
        f" {len(run.implementations)} implementations, {len(run.vectors):,} vectors.",
    )
    frame.file(MARKER, "made by python -m lab site\n")
    frame.assets()
    for format in run.formats:
        ids = [vector.id for vector in run.of_format(format)]
        for before, id, after in zip([None, *ids], ids, [*ids[1:], None], strict=False):
            vector_page.write(frame, run, id, (before, after))
    links = links_of(run)
    outcome_by_vector = format_pages.outcomes(run)
    for format in run.formats:
        format_pages.write_chapter(frame, run, format, links, outcome_by_vector)
        format_pages.write_list(frame, run, format, outcome_by_vector)
    implementation_pages.write_all(frame, run, links)
    here = page_paths.CONVENTIONS
    conventions = prose.render((ROOT / CONVENTIONS).read_text("utf-8"), CONVENTIONS, here, links)
    frame.page(here, "prose.html.j2", conventions.title, made=conventions)
    write_home(frame, run)


def links_of(run: Run) -> prose.Links:
    """Return the targets of links, by the path of the file in the repository."""
    pages = {CONVENTIONS: page_paths.CONVENTIONS, "README.md": page_paths.HOME}
    requirements = {}
    for format in run.formats:
        pages[f"spec/{format}.md"] = page_paths.chapter(format)
        pages[f"vectors/{format}"] = page_paths.vectors_of(format)
        for id in chapter(format).requirements:
            requirements[id] = f"{page_paths.chapter(format)}#{id}"
    ran = {str(each["name"]) for each in run.implementations}
    for each in all_implementations():
        if each.name in ran:
            folder = each.folder.relative_to(ROOT).as_posix()
            for name in (folder, f"{folder}/README.md", f"{folder}/known-failures.json"):
                pages[name] = page_paths.implementation(each.name)
    for vector in run.vectors.values():
        for path in (vector.path, vector.input):
            pages[path.relative_to(ROOT).as_posix()] = page_paths.vector(vector.id)
    return prose.Links(pages, requirements)


def write_home(frame: Frame, run: Run) -> None:
    """Write the first page: the formats, and who reads them."""
    formats = [
        {
            "register": registers()[format],
            "vectors": sum(1 for _ in run.of_format(format)),
            "real": format_pages.scores(run, format),
            "ours": len(run.of_kind(OURS, format)),
        }
        for format in sorted(run.formats, key=lambda id: registers()[id].order)
    ]
    frame.page(
        page_paths.HOME,
        "home.html.j2",
        "Journal files, specified and tested",
        formats=formats,
        vectors=len(run.vectors),
        real=len(run.of_kind(REAL)),
        report=run.report,
        isolation=run.report.get("isolation"),
    )


def without_page(run: Run) -> Sequence[str]:
    """Vectors of this tree that the run did not ask, and that have no page."""
    return sorted(run.tree.keys() - run.vectors.keys())
