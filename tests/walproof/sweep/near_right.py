"""Almost correct readers, each of which is the executable specification with one defect.

``near_right.py NAME`` follows the protocol.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.adapterkit import Request, serve
from reference_impl.answer import collect
from reference_impl.formats import FORMATS, named


def answer_of(path: Path, request: Request) -> dict[str, Any]:
    events = named(request["format"]).read(path, request["profile"], request["context"])
    return collect(events).to_json()


def drops_empty_ranges_in_strict(path: Path, request: Request) -> dict[str, Any]:
    answer = answer_of(path, request)
    if request["profile"] == "strict":
        answer["lost"] = [gap for gap in answer["lost"] if gap["from"] < gap["to"]]
    return answer


def reads_files_with_more_after_the_name(path: Path, request: Request) -> dict[str, Any]:
    """Match only a prefix of the file name, and therefore read backup copies, too."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(shutil.copytree(path, Path(scratch) / path.name))
        for file in sorted(folder.glob("*.log.bak")):
            if file.is_file() and not file.with_suffix("").exists():
                file.rename(file.with_suffix(""))
        return answer_of(folder, request)


def takes_the_flushed_index_for_the_next_one(path: Path, request: Request) -> dict[str, Any]:
    """Treat the flushed index as the next index if it is given in digits."""
    value = request["context"].get("last_flushed_index")
    if isinstance(value, str) and value.isdigit():
        index = str(max(0, int(value) - 1))
        context = {**request["context"], "last_flushed_index": index}
        request = {**request, "context": context}
    return answer_of(path, request)


if __name__ == "__main__":
    name = sys.argv.pop(1)
    serve(
        {
            "name": name,
            "version": "0",
            "formats": list(FORMATS),
            "profiles": ["recover", "strict"],
            "reports": ["records", "at", "size", "verdict", "reason", "lost", "end"],
        },
        globals()[name],
    )
