"""The page of one vector: description, bytes, expected answer, and the answers of readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.chapter import Requirement, chapter
from conformance.describe import lost_text, record_text
from conformance.reports.side_by_side import request_facts
from conformance.vectors import Vector
from lab.site import byte_view, page_paths
from lab.site.answers import answers
from lab.site.frame import Frame
from lab.site.run import Implementation, Result
from reference_impl.paths import ROOT
from reference_impl.register import registers

RECORDS = 8
"""Records and lost ranges that are shown of an answer."""
PREFIXES = 40
"""Rows that are shown of a table of prefixes."""

#: Parts that a description may lack.
_OPTIONAL: Mapping[str, Any] = {
    "must_refuse": False,
    "may_refuse": False,
    "scenario": None,
    "bugs": (),
    "notes": "",
}


@dataclass(frozen=True)
class Task:
    """All that the page of a vector is made of, besides what every page knows."""

    vector: Vector
    control: Vector | None
    #: Return the results for the vector in the report.
    facts: Mapping[str, Any]
    results: Sequence[tuple[Implementation, Result]]
    before: str | None
    after: str | None
    """Ids of its neighbours in the list of its format."""


def write(frame: Frame, task: Task, pages: frozenset[str]) -> None:
    """Write the page. ``pages`` are the ids of all vectors that have one."""
    vector, body = task.vector, task.vector.body
    shown, others = byte_view.views(vector, task.control)
    sentences = chapter(str(body["format"])).requirements
    frame.page(
        page_paths.vector(vector.id),
        "vector.html.j2",
        vector.id.partition("/")[2],
        vector=vector,
        body={**_OPTIONAL, **body},
        register=registers()[str(body["format"])],
        requirements=[
            sentences.get(id, Requirement(id, "MUST", "")) for id in body["requirements"]
        ],
        control=vector.control if vector.control in pages else None,
        asked=request_facts(vector.id, task.facts),
        files=shown,
        others=others,
        gone=byte_view.gone_files(vector, task.control),
        owed=list(_expected_parts(body)),
        prefixes=_prefixes(body.get("table", ())),
        path=vector.input.relative_to(ROOT).as_posix(),
        answers=answers(task.results),
        before=task.before,
        after=task.after,
    )


def _expected_parts(body: Mapping[str, Any]) -> list[tuple[str, Sequence[Any]]]:
    """Return the parts of the expected answer, in profile ``recover`` and, if different,
    ``strict``.

    Only the first records and lost ranges are returned, as text, with the number of the others.
    """
    sides = [body["expect"]]
    strict = body.get("expect_strict")
    if strict is not None and strict != body["expect"]:
        sides.append(strict)
    rows: list[tuple[str, Sequence[Any]]] = [
        (part, [each.get(part) for each in sides]) for part in ("verdict", "reason")
    ]
    rows.append(("end", [_end(each.get("end")) for each in sides]))
    for part, text in (("records", record_text), ("lost", lost_text)):
        rows.append((part, [_few(each.get(part) or (), text) for each in sides]))
    return rows


def _end(end: Any) -> str | None:
    return f"{end['file']} at {end['at']}" if isinstance(end, dict) else end


def _few(all_of_them: Sequence[Any], text: Any) -> dict[str, Any]:
    few = [text(each) for each in all_of_them[:RECORDS]]
    return {"count": len(all_of_them), "texts": few, "more": len(all_of_them) - len(few)}


def _prefixes(table: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"rows": table[:PREFIXES], "more": max(0, len(table) - PREFIXES)}
