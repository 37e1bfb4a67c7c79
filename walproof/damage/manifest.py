"""Write the manifest of damaged copies incrementally, without storing whole answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import indent
from typing import Any, BinaryIO

from conformance.contents import Contents, digest, size
from conformance.text import json_text
from reference_impl.answer import End, Event, Record
from walproof.spool import Spool


class Manifest:
    """Write a JSON object to a file: ``about``, then ``copies`` one by one."""

    def __init__(self, file: BinaryIO, about: Mapping[str, Any]) -> None:
        self._file = file
        self.count = 0
        self._write(json_text(about, indent=1)[:-2] + ',\n "copies": [')

    def add(
        self, name: str, operations: list[str], contents: Contents, events: Iterable[Event]
    ) -> None:
        """Add a copy, its operations, and the events of the executable specification."""
        about = {
            "name": name,
            "damage": operations,
            "size": size(contents),
            "sha256": digest(contents),
        }
        self._write(",\n  " if self.count else "\n  ")
        for piece in _copy(about, events):
            self._write(piece.replace("\n", "\n  "))
        self.count += 1

    def finish(self) -> None:
        """Write the end of the object."""
        self._write("\n ]\n}\n" if self.count else "]\n}\n")

    def _write(self, text: str) -> None:
        self._file.write(text.encode("utf-8"))


def _copy(about: Mapping[str, Any], events: Iterable[Event]) -> Iterator[str]:
    lost, records, end = Spool(), 0, None
    for event in events:
        if isinstance(event, Record):
            records += 1
        elif isinstance(event, End):
            end = event
        else:
            lost.add(event)
    assert end is not None
    answer = {"verdict": end.verdict, "reason": end.reason, "records": records}
    yield json_text({**about, **answer}, indent=1)[:-2] + ',\n "lost": ['
    separator = ""
    for gap in lost.lost():
        yield f"{separator}\n" + indent(json_text(gap.to_json(), indent=1), "  ")
        separator = ","
    yield "\n ]\n}" if separator else "]\n}"
