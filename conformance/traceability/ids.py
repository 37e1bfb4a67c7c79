"""Requirement ids: each is defined once, exercised by a vector, and cited correctly."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.traceability.grammar import requirements
from conformance.traceability.source_tree import ID, Found, SourceTree
from conformance.vectors import Vector

# Names with these prefixes only look like requirement ids. SHA occurs in SHA-256, and MYL is the
# prefix of the example format in CONTRIBUTING.md.
NOT_REQUIREMENTS = frozenset({"SHA", "MYL"})


def malformed_requirement(tree: SourceTree) -> Iterator[Found]:
    """Report paragraphs that begin with an id but do not have the form of a requirement."""
    for chapter in tree.chapters.values():
        for line in chapter.malformed:
            yield (
                tree.show(chapter.path, line),
                "expected an id, then (MUST), (SHOULD) or (MAY), then a sentence",
            )


def duplicate_requirement(tree: SourceTree) -> Iterator[Found]:
    """Report ids that are defined more than once, in the same or in different chapters."""
    first: dict[str, str] = {}
    for chapter in tree.chapters.values():
        for identifier, line in chapter.requirements:
            here = tree.show(chapter.path, line)
            if first.setdefault(identifier, here) != here:
                yield here, f"{identifier} is defined already in {first[identifier]}"


def unknown_citation(tree: SourceTree) -> Iterator[Found]:
    """Report ids in prose, code or a grammar that no chapter defines."""
    prefixes = {identifier[:3] for identifier in tree.ids}
    for path in tree.sources():
        made_up = path.is_relative_to(tree.root / "tests")
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            for cited in sorted(set(ID.findall(line)) - tree.ids):
                if cited[:3] in prefixes or not (made_up or cited[:3] in NOT_REQUIREMENTS):
                    yield tree.show(path, number), f"no chapter defines {cited}"


def requirement_without_vector(tree: SourceTree) -> Iterator[Found]:
    """Report requirements that no vector exercises."""
    exercised = {cited for vector in tree.vectors.values() for cited in _requirements(vector)}
    for chapter in tree.chapters.values():
        for identifier, line in chapter.requirements:
            if identifier not in exercised:
                yield tree.show(chapter.path, line), f"no vector exercises {identifier}"


def vector_with_unknown_requirement(tree: SourceTree) -> Iterator[Found]:
    """Report vectors that list or mention an id that their format's chapter does not define."""
    for vector in tree.vectors.values():
        chapter = tree.chapter_of(vector)
        known = chapter.ids if chapter else frozenset()
        text = " ".join(str(vector.body.get(part, "")) for part in ("title", "notes"))
        for cited in sorted({*_requirements(vector), *ID.findall(text)} - known):
            if cited[:3] not in NOT_REQUIREMENTS:
                yield vector.id, f"the chapter {vector.body['format']} does not define {cited}"


def unknown_requirement_in_grammar(tree: SourceTree) -> Iterator[Found]:
    """Report each ``-requirement`` that the format's chapter does not define.

    For a grammar that other grammars import, any chapter may define it.
    """
    for grammar in tree.grammars.values():
        of_format = [c.ids for c in tree.chapters.values() if grammar in tree.grammars_of(c.format)]
        known = of_format[0] if of_format else tree.ids
        for place, cited in requirements(grammar):
            if cited not in known:
                yield (
                    f"ksy/{grammar.grammar}.ksy: {place}",
                    f"-requirement: {cited!r} is no id of it",
                )


def _requirements(vector: Vector) -> list[str]:
    return list(vector.body.get("requirements", ()))
