"""A writer of zmq-raft log directories that maps the index file, and syncs it in one of three ways.

Usage: ``mapped_writer.py WAY``. With ``data-first``, the writer syncs an entry before it writes the
offset that commits the entry. With ``header-first``, it syncs the offset first. With ``together``,
it syncs the entry and the offset at the same time.
"""

from __future__ import annotations

import mmap
import shutil
import sys
import tempfile
from pathlib import Path

from conformance.adapterkit import Refused, Request, serve
from conformance.saving import sync_to_disk
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from reference_impl.zmq_raft.index_file import HEADER

WAY = sys.argv.pop(1)
FORMAT = named("zmq-raft")


def write(path: Path, request: Request) -> None:
    if "acknowledged" not in request:
        raise Refused("it writes only what it acknowledges")
    context = request["context"]
    table = slice(HEADER.size, HEADER.size + 4 * context["capacity"])
    with tempfile.TemporaryDirectory() as elsewhere:
        whole = Path(elsewhere, "log")
        if path.exists():
            shutil.copytree(path, whole)
        for count, each in enumerate(request["records"], 1):
            record = NewRecord(bytes.fromhex(each["payload"]), each)
            (FORMAT.append if whole.exists() else FORMAT.write)(whole, [record], context)
            for file in sorted(whole.rglob("*")):
                put(path / file.relative_to(whole), file, table)
            request["acknowledged"](count)


def put(place: Path, file: Path, table: slice) -> None:
    """Update a file or directory to the given content."""
    if file.is_dir():
        if not place.exists():
            place.mkdir(parents=True)
            for above in (place.parent.parent, place.parent):
                sync_to_disk(above)
        return
    content = file.read_bytes()
    if not place.exists():
        begun = bytearray(content)
        begun[table] = bytes(table.stop - table.start)
        place.write_bytes(begun)
        sync_to_disk(place)
        sync_to_disk(place.parent)
    with place.open("r+b") as opened:
        opened.truncate(len(content))
        with mmap.mmap(opened.fileno(), len(content)) as memory:
            change(memory, content, table)


def change(memory: mmap.mmap, content: bytes, table: slice) -> None:
    if WAY == "header-first":
        memory[table] = content[table]
        memory.flush()
    memory[table.stop :] = content[table.stop :]
    if WAY == "data-first":
        memory.flush()
    memory[table] = content[table]
    memory.flush()


serve(
    {
        "name": WAY,
        "version": "",
        "formats": ["zmq-raft"],
        "profiles": ["write", "append"],
        "reports": ["records"],
        "acknowledges": True,
    },
    lambda path, request: {"records": [], "signals": []},
    write,
    write,
)
