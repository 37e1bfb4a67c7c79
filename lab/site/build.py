"""Makes the site: every page into a new folder, which takes its place when it is whole."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.chapter import chapter
from conformance.saving import named_in_errors, replace_folder, temporary_sibling
from lab.site import format_pages, implementation_pages, page_paths, prose, vector_page
from lab.site.frame import Frame
from lab.site.run import OURS, REAL, Run
from lab.site.vector_page import Task
from reference_impl.paths import ROOT
from reference_impl.register import registers
from walproof.implementations import all_implementations
from walproof.worker_pool import map_unordered

MARKER = ".walproof-site"
"""A file that says that a folder is a site of ours, and may be replaced."""
CONVENTIONS = "spec/conventions.md"
#: Vectors that a process writes at once.
BATCH_PAGES = 16


@dataclass(frozen=True)
class Made:
    """The number of files, and their total size in bytes."""

    files: int
    bytes: int


def build(run: Run, out: Path) -> Made:
    """Build the site of a run in the directory ``out``.

    An existing site is replaced when the new one is complete. Raises ``FileExistsError`` if ``out``
    is anything else.
    """
    if out.exists() and not _may_be_replaced(out):
        raise FileExistsError(errno.EEXIST, "there is something that is no site", str(out))
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
    return Made(len(sizes), sum(sizes))


def _may_be_replaced(out: Path) -> bool:
    return out.is_dir() and ((out / MARKER).exists() or not any(out.iterdir()))


def _write(run: Run, out: Path) -> None:
    frame = Frame(out, facts(run))
    frame.file(MARKER, "made by python -m lab site\n")
    frame.assets()
    _write_vectors(run, out)
    links = links_of(run)
    outcome_by_vector = format_pages.outcomes(run)
    for format in run.formats:
        format_pages.write_chapter(frame, run, format, links, outcome_by_vector)
        format_pages.write_list(frame, run, format, outcome_by_vector)
    implementation_pages.write_all(frame, run, links)
    _write_conventions(frame, links)
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


def _write_conventions(frame: Frame, links: prose.Links) -> None:
    """Write the rules that the chapters share."""
    here = page_paths.CONVENTIONS
    text = (ROOT / CONVENTIONS).read_text("utf-8")
    created = prose.render(text, CONVENTIONS, here, links)
    frame.page(here, "prose.html.j2", created.title, made=created)


def write_home(frame: Frame, run: Run) -> None:
    """Write the first page: the formats, and who reads them."""
    formats = [
        {
            "register": registers()[format],
            "vectors": sum(1 for _ in run.of_format(format)),
            "real": format_pages.scores(run, format, REAL),
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


def facts(run: Run) -> dict[str, str]:
    """Return the footer of each page."""
    when = str(run.report["started"])[:10]
    return {
        "line": f"Walproof {run.report['walproof']}, from a run of {when}:"
        f" {len(run.implementations)} implementations, {len(run.vectors):,} vectors."
    }


def tasks(run: Run) -> Iterator[Task]:
    """Return the data for the page of each vector."""
    ids = list(run.vectors)

    def neighbour(number: int, format: str) -> str | None:
        id = ids[number] if 0 <= number < len(ids) else ""
        return id if id.startswith(f"{format}/") else None

    for number, (id, vector) in enumerate(run.vectors.items()):
        before, after = (neighbour(n, str(vector.body["format"])) for n in (number - 1, number + 1))
        results = [(_brief(each), result) for each, result in run.by_vector[id]]
        control = run.tree.get(vector.control) if vector.control else None
        yield Task(vector, control, run.report["vectors"][id], results, before, after)


def _brief(implementation: Mapping[str, Any]) -> dict[str, Any]:
    """An implementation without its results, which are sent to no other process."""
    return {key: value for key, value in implementation.items() if key != "results"}


@dataclass(frozen=True)
class _Batch:
    """Vectors whose pages a process writes at once."""

    out: Path
    facts: dict[str, str]
    pages: frozenset[str]
    tasks: Sequence[Task]


def _write_batch(batch: _Batch) -> None:
    frame = Frame(batch.out, batch.facts)
    for task in batch.tasks:
        vector_page.write(frame, task, batch.pages)


def _write_vectors(run: Run, out: Path) -> None:
    todo, pages = list(tasks(run)), frozenset(run.vectors)
    batches = [
        _Batch(out, facts(run), pages, todo[first : first + BATCH_PAGES])
        for first in range(0, len(todo), BATCH_PAGES)
    ]
    for _ in map_unordered(_write_batch, batches):
        pass


def without_page(run: Run) -> Sequence[str]:
    """Vectors of this tree that the run did not ask, and that have no page."""
    return sorted(run.tree.keys() - run.vectors.keys())
