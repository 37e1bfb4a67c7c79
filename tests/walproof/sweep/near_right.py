"""Almost correct readers: the executable specification with one defect each.

``near_right.py NAME`` follows the protocol.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.adapterkit import Request, serve
from reference_impl.answer import Event, Lost, collect
from reference_impl.formats import FORMATS, named

Wrong = Callable[[Iterator[Event], Request, Path], Iterator[Event]]


def drops_empty_ranges_in_strict(
    events: Iterator[Event], request: Request, path: Path
) -> Iterator[Event]:
    """Lists no empty range for a gap between two files."""
    for event in events:
        empty = isinstance(event, Lost) and event.start == event.end
        if not (empty and request["profile"] == "strict"):
            yield event


def blames_a_byte_too_many(
    events: Iterator[Event], request: Request, path: Path
) -> Iterator[Event]:
    """Ends lost ranges one byte too late, except at the end of the file."""
    for event in events:
        if isinstance(event, Lost):
            file = path / event.file if event.file else path
            size = file.stat().st_size if file.is_file() else event.end
            event = replace(event, end=min(size, event.end + 1))
        yield event


ON_EVENTS: Mapping[str, Wrong] = {
    wrong.__name__: wrong
    for wrong in (
        drops_empty_ranges_in_strict,
        blames_a_byte_too_many,
    )
}


def reads_files_with_more_after_the_name(folder: Path) -> None:
    """Matches a prefix of the file name, so that it reads backup copies too."""
    for file in sorted(folder.glob("*.log.bak")):
        if not file.is_file():
            continue
        plain = file.with_suffix("")
        if not plain.exists():
            file.rename(plain)


ON_FOLDERS = {reads_files_with_more_after_the_name.__name__: reads_files_with_more_after_the_name}


def takes_the_flushed_index_for_the_next_one(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Is off by one if the flushed index is given in digits."""
    value = context.get("last_flushed_index")
    if isinstance(value, str) and value.isdigit():
        return {**context, "last_flushed_index": str(max(0, int(value) - 1))}
    return context


ON_CONTEXTS = {
    takes_the_flushed_index_for_the_next_one.__name__: takes_the_flushed_index_for_the_next_one
}


def answer_of(name: str, path: Path, request: Request) -> dict[str, Any]:
    """Run the reader of this name."""
    context = ON_CONTEXTS.get(name, lambda told: told)(request["context"])
    with tempfile.TemporaryDirectory() as scratch:
        if name in ON_FOLDERS and path.is_dir():
            path = Path(shutil.copytree(path, Path(scratch) / path.name))
            ON_FOLDERS[name](path)
        events = named(request["format"]).read(path, request["profile"], context)
        if name in ON_EVENTS:
            events = ON_EVENTS[name](events, request, path)
        return collect(events).to_json()


if __name__ == "__main__":
    wrong_in = sys.argv.pop(1)
    serve(
        {
            "name": wrong_in,
            "version": "0",
            "formats": list(FORMATS),
            "profiles": ["recover", "strict"],
            "reports": ["records", "at", "size", "verdict", "reason", "lost", "end"],
        },
        lambda path, request: answer_of(wrong_in, path, request),
    )
