"""The pages of a format: its chapter with the evidence for each rule, the list of its vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from conformance.reports.classes import worst
from conformance.reports.matrix import groups_of
from conformance.vectors import Vector
from lab.site import page_paths, prose
from lab.site.frame import Frame
from lab.site.run import KINDS, NULL, REAL, Implementation, Run
from reference_impl.paths import SPEC
from reference_impl.register import registers

#: By vector and by implementation, the worst result class.
Outcomes = Mapping[str, Mapping[str, str]]

_RIGHT = ("pass", "unexpected-pass")


@dataclass(frozen=True)
class Evidence:
    """The evidence of one requirement."""

    vectors: Sequence[str]
    #: Real implementations that pass all of these vectors that they ran.
    right: Sequence[str]
    wrong: Sequence[tuple[str, int, int]]
    """The others: name, in how many they are right, of how many."""


def outcomes(run: Run) -> Outcomes:
    """Return the result of each vector by implementation; those that did not run are left out."""
    matches: dict[str, dict[str, str]] = {}
    for id, results in run.by_vector.items():
        classes: dict[str, list[str]] = {}
        for implementation, result in results:
            if result["class"] != "skipped":
                classes.setdefault(str(implementation["name"]), []).append(str(result["class"]))
        matches[id] = {name: worst(all_of_them).name for name, all_of_them in classes.items()}
    return matches


def evidence(run: Run, format: str, outcome_by_vector: Outcomes) -> dict[str, Evidence]:
    """The evidence by requirement."""
    by_id: dict[str, list[str]] = {}
    for vector in run.of_format(format):
        for id in vector.body["requirements"]:
            by_id.setdefault(id, []).append(vector.id)
    real = [str(each["name"]) for each in run.of_kind(REAL, format)]
    return {id: _evidence(vectors, real, outcome_by_vector) for id, vectors in by_id.items()}


def _evidence(vectors: Sequence[str], real: Sequence[str], outcome_by_vector: Outcomes) -> Evidence:
    right, wrong = [], []
    for name in real:
        results = [
            outcome_by_vector[vector][name]
            for vector in vectors
            if name in outcome_by_vector[vector]
        ]
        passed = sum(each in _RIGHT for each in results)
        if results and passed == len(results):
            right.append(name)
        elif results:
            wrong.append((name, passed, len(results)))
    return Evidence(vectors, right, wrong)


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
        scores=scores(run, format, REAL),
    )


@dataclass(frozen=True)
class Score:
    """One implementation in one format: pairs that it reads, logs that it writes."""

    implementation: Implementation
    pairs: tuple[int, int]
    written: tuple[int, int]
    counts: Mapping[str, int]
    """Results by class."""


def scores(run: Run, format: str, kind: str) -> list[Score]:
    """The scores in a format, the best first."""
    results = []
    for matrix in run.matrices:
        if matrix.format != format:
            continue
        for line in (*matrix.lines, *matrix.baselines):
            counts: Counter[str] = Counter()
            for cell in line.cells.values():
                counts.update(cell)
            results.append(
                Score(
                    line.implementation,
                    (line.pairs_passed, line.pairs_total),
                    (line.written_passed, line.written_total),
                    counts,
                )
            )
    wanted = {str(each["name"]) for each in run.of_kind(kind, format)}
    mine = [each for each in results if str(each.implementation["name"]) in wanted]
    return sorted(mine, key=lambda each: -_share(each)) if kind == REAL else mine


def _share(score: Score) -> float:
    passed, total = (sum(pair) for pair in zip(score.pairs, score.written, strict=True))
    return passed / total if total else 0.0


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
