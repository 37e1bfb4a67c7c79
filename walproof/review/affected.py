"""List the implementations that a change breaks, and the files that use a removed field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conformance import VECTORS, known_failures
from conformance.vectors import load
from walproof.implementations import all_implementations
from walproof.quantity import counted
from walproof.review.behaviour import Table

#: If the records of a vector change, one of these rules is violated.
_OTHER_RECORDS = ("READS_OLD_FILE", "SURVIVORS_CHANGED")
#: Maximum number of files that a finding lists as users of a removed field.
_MAX_FILES = 4


def failing_implementations(table: Table) -> dict[str, int]:
    """Return the implementations that pass vectors whose records change, and how many they pass.

    Implementations are not run. The lists of known failures show which vectors they pass.
    """
    # The table lists damaged copies too, but their names are not vector ids.
    changed = {each.log for each in table.changed if each.rule in _OTHER_RECORDS}
    files = {id: VECTORS / f"{id}.json" for id in changed}
    ids = [id for id, file in files.items() if file.is_file() and load(file).operation == "read"]
    failing = {}
    for each in all_implementations():
        if table.format not in each.formats or each.structure or each.name == "executable-spec":
            continue
        known = known_failures.load(each.known_failures).entries
        if count := sum((id, "recover") not in known for id in ids):
            failing[each.name] = count
    return dict(sorted(failing.items(), key=lambda item: (-item[1], item[0])))


def uses_of_field(root: Path, grammar: str, name: str) -> str:
    """Describe where recipes, chapters, plug-ins and adapters mention a field.

    Mentions of other fields with the same name count as well.
    """
    pattern = re.compile(rf"[.`\"']{re.escape(name)}(?![\w-])")
    lines: dict[str, list[int]] = {}
    for path in _sources(root, grammar):
        if path.is_file():
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                if pattern.search(line):
                    lines.setdefault(path.relative_to(root).as_posix(), []).append(number)
    if not lines:
        return ""
    places = [f"{file}:{numbers[0]}" for file, numbers in lines.items()]
    count = counted(sum(map(len, lines.values())), "line")
    shown = ", ".join(places[:_MAX_FILES]) + ", …" * (len(places) > _MAX_FILES)
    return f"{count} in {counted(len(lines), 'file')} with this name ({shown})"


def _sources(root: Path, grammar: str) -> Iterator[Path]:
    """Yield files that may use a grammar's fields: their names start with its first word."""
    word = grammar.partition("_")[0]
    yield from sorted((root / "spec").glob(f"{word}*"))
    for folder in (
        "conformance/recipes",
        "walproof/formats",
        "conformance/implementations/kaitai-*",
    ):
        for path in sorted(root.glob(f"{folder}/{word}*")):
            yield from sorted(path.rglob("*.py")) if path.is_dir() else (path,)
