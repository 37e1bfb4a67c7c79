"""The page of an implementation: its scores, and its known failures by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance import known_failures
from conformance.registry import FOLDER
from conformance.reports.overview import LEGEND, LOSSES, PROFILES, Overview, overview
from conformance.score import WRITING
from lab.site import page_paths, prose
from lab.site.frame import Frame
from lab.site.run import KINDS, NULL, Implementation, Result, Run, formats_of, kind_of
from reference_impl.paths import ROOT
from walproof.implementations import all_implementations


@dataclass(frozen=True)
class Cause:
    """A cause of failures, with its vectors; ``name`` is empty if the cause is unknown."""

    name: str
    sentence: str
    vectors: Mapping[str, Sequence[tuple[str, str]]]
    """By vector: profile and result class."""


def write_all(frame: Frame, run: Run, links: prose.Links) -> None:
    """Write a page for each implementation, and the list of them."""
    folders = {known.name: known.folder for known in all_implementations()}
    table: dict[str, list[Overview]] = {kind: [] for kind in KINDS}
    for implementation in run.implementations:
        name, kind = str(implementation["name"]), kind_of(implementation)
        seen = overview(implementation)
        table[kind].append(seen)
        folder = folders.get(name)
        readme = folder / "README.md" if folder else None
        here = page_paths.implementation(name)
        created = None
        if readme is not None and readme.exists():
            source = readme.relative_to(ROOT).as_posix()
            created = prose.render(readme.read_text("utf-8"), source, here, links)
        frame.page(
            here,
            "implementation.html.j2",
            name,
            one=implementation,
            kind=KINDS[kind],
            is_tested=kind != NULL,
            formats=formats_of(implementation),
            seen=seen,
            profiles=[name for name in PROFILES if seen.totals.get(name)],
            skipped=Counter(
                str(each["difference"])
                for each in implementation["results"]
                if each["class"] == "skipped"
            ).most_common(8),
            causes=[] if kind == NULL else causes(implementation),
            readme=created,
            unit={name: "logs" if name in WRITING else "pairs" for name in PROFILES},
        )
    run_profiles = [
        name
        for name in PROFILES
        if any(
            implementation.totals.get(name) for rows in table.values() for implementation in rows
        )
    ]
    frame.page(
        page_paths.IMPLEMENTATIONS,
        "implementations.html.j2",
        "Implementations",
        table=[(KINDS[kind], rows) for kind, rows in table.items() if rows],
        heads=[*LOSSES, *run_profiles],
        legend=[text for head, text in LEGEND.items() if head in (*LOSSES, *run_profiles)],
        by_name={
            str(implementation["name"]): implementation for implementation in run.implementations
        },
        formats={
            str(implementation["name"]): formats_of(implementation)
            for implementation in run.implementations
        },
        absent=run.absent,
    )


def causes(implementation: Implementation) -> list[Cause]:
    """Return the failures by cause: unknown causes first, then by the number of vectors."""
    named = _names_of_causes(str(implementation["name"]))
    results: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for result in implementation["results"]:
        if result["class"] not in ("pass", "skipped"):
            by_vector = results.setdefault(str(result.get("cause") or ""), {})
            by_vector.setdefault(str(result["vector"]), []).append(_how(result))
    created = [
        Cause(named.get(sentence, ""), sentence, vectors) for sentence, vectors in results.items()
    ]
    return sorted(created, key=lambda cause: (bool(cause.sentence), -len(cause.vectors)))


def _how(result: Result) -> tuple[str, str]:
    return str(result["profile"]), str(result["class"])


def _names_of_causes(implementation: str) -> Mapping[str, str]:
    """The names of its causes by their sentences."""
    listed = known_failures.load(FOLDER / implementation / "known-failures.json")
    return {sentence: name for name, sentence in listed.causes.items()}
