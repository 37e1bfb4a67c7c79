"""Find Zeebe journals in directories. Segments with the same journal name form a log."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reference_impl.zeebe_journal.layout import LARGEST_INT, SEGMENT_NAME
from walproof.lake.file_tree import Entry
from walproof.lake.format_discovery import Discovery, Folder, FoundFiles, is_file
from walproof.lake.option_values import text_value


def _flushed(text: str) -> str:
    if text != "meta" and not re.fullmatch(r"\d{1,20}", text):
        raise ValueError("a number, or meta to read it from the file next to the segments")
    return text


class ZeebeDiscovery(Discovery):
    """See :class:`Discovery`."""

    options = {  # noqa: RUF012
        "lastFlushedIndex": ("last_flushed_index", _flushed),
        "journalName": ("name", text_value),
    }

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """See :class:`Discovery`."""
        journals: dict[str, list[tuple[int, Entry]]] = {}
        for entry in folder.entries:
            match = SEGMENT_NAME.fullmatch(entry.name)
            number = int(match["id"]) if match and len(match["id"]) <= 10 else LARGEST_INT + 1
            if match and number <= LARGEST_INT and is_file(entry):
                journals.setdefault(match["name"], []).append((number, entry))
        if folder.is_given:
            # A .meta file without segments is a log that has lost all its acknowledged entries.
            for entry in filter(is_file, folder.entries):
                if entry.name.endswith(".meta"):
                    journals.setdefault(entry.name.removesuffix(".meta"), [])
        for name, numbered in sorted(journals.items()):
            segments = [entry for _, entry in sorted(numbered, key=lambda each: each[0])]
            if folder.looks_like(segments):
                meta_files = [entry for entry in folder.entries if entry.name == f"{name}.meta"]
                yield {"name": name}, [*segments, *filter(is_file, meta_files)]

    def order(self, name: str) -> int:
        """See :class:`Discovery`."""
        match = SEGMENT_NAME.fullmatch(name)
        return int(match["id"]) if match else 0


DISCOVERY = ZeebeDiscovery()
