"""The page of a vector, with its description, its bytes, and the expected and actual answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.answer_text import lost_text, record_text
from conformance.chapter import Requirement, chapter
from conformance.reports import byte_view
from conformance.reports.failure import request_facts
from lab.site import page_paths
from lab.site.answers import answers
from lab.site.frame import Frame
from lab.site.indexed_report import IndexedReport
from reference_impl.paths import ROOT
from reference_impl.register import registers

#: Maximum number of records or lost ranges shown for an answer, and of rows shown in a prefix
#: table.
MAX_RECORDS, MAX_PREFIXES = 6, 40
#: Defaults for the parts that may be missing from a description.
_OPTIONAL: Mapping[str, Any] = {
    "must_refuse": False,
    "may_refuse": False,
    "scenario": None,
    "bugs": (),
    "notes": "",
}


def write(
    frame: Frame, run: IndexedReport, id: str, neighbours: tuple[str | None, str | None]
) -> None:
    """Write the page of a vector, with links to the previous and the next vector."""
    vector = run.vectors[id]
    body = vector.body
    control = run.tree.get(vector.control) if vector.control else None
    shown, more_files = byte_view.views(vector, control)
    sentences = chapter(str(body["format"])).requirements
    table = body.get("table", ())
    frame.page(
        page_paths.vector(id),
        "vector.html.j2",
        id.partition("/")[2],
        vector=vector,
        body={**_OPTIONAL, **body},
        register=registers()[str(body["format"])],
        requirements=[sentences.get(each, Requirement(each, "MUST", ""))
                      for each in body["requirements"]],
        control=vector.control if vector.control in run.vectors else None,
        asked=request_facts(id, run.report["vectors"][id]),
        files=shown,
        more_files=more_files,
        owed=list(_expected_parts(body)),
        prefixes={"rows": table[:MAX_PREFIXES], "more": max(0, len(table) - MAX_PREFIXES)},
        path=vector.input.relative_to(ROOT).as_posix(),
        answers=answers(run.by_vector[id]),
        before=neighbours[0],
        after=neighbours[1],
    )  # fmt: skip


def _expected_parts(body: Mapping[str, Any]) -> list[tuple[str, Sequence[Any]]]:
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
    few = [text(each) for each in all_of_them[:MAX_RECORDS]]
    return {"count": len(all_of_them), "texts": few, "more": len(all_of_them) - len(few)}
