"""The pages of a format: its chapter with the evidence for each rule, and its vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from conformance.reports.classes import worst
from conformance.reports.matrix import Line, groups_of
from conformance.vectors import Vector
from lab.site import page_paths, prose
from lab.site.frame import Frame
from lab.site.run import KINDS, NULL, REAL, Run
from reference_impl.paths import SPEC
from reference_impl.register import registers

#: By vector and by implementation, the worst result class.
Outcomes = Mapping[str, Mapping[str, str]]

_RIGHT = ("pass", "unexpected-pass")


@dataclass
class Evidence:
    """The vectors of one requirement, and the real implementations that ran them."""

    vectors: list[str] = field(default_factory=list)
    #: Implementations that pass all vectors that they ran.
    right: list[str] = field(default_factory=list)
    #: Each other implementation, with the number of passed vectors and of all its vectors.
    wrong: list[tuple[str, int, int]] = field(default_factory=list)


def outcomes(run: Run) -> Outcomes:
    """Return the result of each vector by implementation, without skipped ones."""
    matches: dict[str, dict[str, str]] = {}
    for id, results in run.by_vector.items():
        classes: dict[str, list[str]] = {}
        for implementation, result in results:
            if result["class"] != "skipped":
                classes.setdefault(str(implementation["name"]), []).append(str(result["class"]))
        matches[id] = {name: worst(all_of_them).name for name, all_of_them in classes.items()}
    return matches


def evidence(run: Run, format: str, outcome_by_vector: Outcomes) -> dict[str, Evidence]:
    """Return the evidence by requirement."""
    by_id: dict[str, Evidence] = {}
    for vector in run.of_format(format):
        for id in vector.body["requirements"]:
            by_id.setdefault(id, Evidence()).vectors.append(vector.id)
    for implementation in run.of_kind(REAL, format):
        name = str(implementation["name"])
        for each in by_id.values():
            results = [outcome_by_vector[vector].get(name) for vector in each.vectors]
            count = len(results) - results.count(None)
            passed = sum(result in _RIGHT for result in results)
            if count and passed == count:
                each.right.append(name)
            elif count:
                each.wrong.append((name, passed, count))
    return by_id


def write_chapter(
    frame: Frame, run: Run, format: str, links: prose.Links, outcome_by_vector: Outcomes
) -> None:
    """Write the page of a format: its chapter."""
    register, here = registers()[format], page_paths.chapter(format)
    known = evidence(run, format, outcome_by_vector)
    html = frame.template("evidence.html.j2")

    def after(id: str) -> Markup:
        return Markup(html.render(root=page_paths.to_root(here), id=id, one=known.get(id)))

    source = f"spec/{format}.md"
    text = (SPEC / f"{format}.md").read_text("utf-8")
    frame.page(
        here,
        "chapter.html.j2",
        register.title,
        register=register,
        made=prose.render(text, source, here, links, after),
        vectors=sum(1 for _ in run.of_format(format)),
        rules=len(known),
        scores=scores(run, format),
    )


def scores(run: Run, format: str) -> list[Line]:
    """Return the rows of the real implementations in the matrix of a format, the best first."""
    wanted = {str(each["name"]) for each in run.of_kind(REAL, format)}
    lines = [
        line
        for matrix in run.matrices
        if matrix.format == format
        for line in matrix.lines
        if str(line.implementation["name"]) in wanted
    ]
    return sorted(lines, key=_share, reverse=True)


def _share(line: Line) -> float:
    score = line.score
    total = score["pairs_total"] + score["written_total"]
    return (score["pairs_passed"] + score["written_passed"]) / total if total else 0.0


def write_list(frame: Frame, run: Run, format: str, outcome_by_vector: Outcomes) -> None:
    """Write the list of the vectors of a format, by group, with who passes."""
    shown = [
        (KINDS[kind], [str(each["name"]) for each in run.of_kind(kind, format)])
        for kind in KINDS
        if kind != NULL
    ]
    groups: dict[str, list[Vector]] = {name: [] for name in groups_of(run.report, format)}
    for vector in run.of_format(format):
        groups.setdefault(vector.body["group"], []).append(vector)  # moved since the run
    frame.page(
        page_paths.vectors_of(format),
        "vectors.html.j2",
        f"Vectors of {registers()[format].title.split(' (')[0]}",
        register=registers()[format],
        groups={name: vectors for name, vectors in groups.items() if vectors},
        kinds=[(title, names) for title, names in shown if names],
        names=[name for _, names in shown for name in names],
        told=outcome_by_vector,
    )
