"""Check the state after a write or an append: the log, and every file in its directory.

A vector describes the expected state under ``after``: the size of each file, and the SHA-256 of
each file whose bytes are all determined. It also lists bytes that no answer contains, and the
choices that a writer has, each with a reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from conformance.compare import Difference, every_part
from conformance.contents import Contents, list_entries

# A vector may leave these choices to the writer. Each value describes the parts that are then not
# compared.
FREEDOMS = {
    "placement": "offsets of records and the end of the log: at, size, file, batch, end",
    "preallocation": "the sizes of the files",
    "other-files": "files other than the named files",
    "damage": "whether damaged bytes remain: verdict, reason, lost",
}

_PLACE = frozenset({"at", "size", "file", "batch"})
_NOT_COMPARED: Mapping[str, frozenset[str]] = {
    "placement": _PLACE | {"end"},
    "damage": frozenset({"verdict", "reason", "lost"}),
}

# File sizes in bytes, by file name. Names are relative to the directory that contains the log, and
# include the name of the log.
Files = Mapping[str, int]
# Expected bytes by file name (as in :data:`Files`) and offset.
Bytes = Mapping[tuple[str, int], bytes]

# SHA-256 in hexadecimal digits, by file name. Only files whose bytes are all determined have one.
Digests = Mapping[str, str]


def compared_parts(format_id: str, free: Collection[str]) -> list[str]:
    """Return the parts of the answer that are compared after a write."""
    left_out = frozenset().union(*(_NOT_COMPARED.get(freedom, frozenset()) for freedom in free))
    return [part for part in every_part([format_id]) if part not in left_out]


def files_in(folder: Path) -> dict[str, int]:
    """Return all entries below a directory except directories, with their sizes in bytes.

    Raises :class:`~conformance.contents.TooMuch`.
    """
    return {
        path.relative_to(folder).as_posix(): path.lstat().st_size for path in list_entries(folder)
    }


def digests_in(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a directory."""
    return {name: _digest(folder / name) for name in files_in(folder) if (folder / name).is_file()}


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _bytes_at(file: Path, at: int, length: int) -> bytes | None:
    """Return bytes of a regular file, or ``None``. Reading from a pipe would block."""
    if not file.is_file():
        return None
    with file.open("rb") as opened:
        opened.seek(at)
        return opened.read(length)


def files_of(contents: Contents, name: str) -> dict[str, int]:
    """Return the size of each file of a log with these contents and this name."""
    if isinstance(contents, bytes):
        return {name: len(contents)}
    return {f"{name}/{file}": len(data) for file, data in contents.items()}


def file_differences(expected: Files, files: Files, free: Collection[str]) -> list[Difference]:
    """Return the difference between the expected and the actual files, if there is one.

    An expected name may be a glob pattern.
    """
    unclaimed = dict(files)
    wrong = []
    sizes: dict[str, int | None] = {}
    for name, size in expected.items():
        fitting = sorted(file for file in unclaimed if file == name or fnmatchcase(file, name))
        if not fitting:
            wrong.append(f"{name} is missing")
            sizes[name] = None
            continue
        actual = unclaimed.pop(fitting[0])
        if actual != size and "preallocation" not in free:
            wrong.append(f"{name}: expected {size} bytes, found {actual}")
            sizes[name] = actual
    if "other-files" not in free:
        wrong += [f"{name} ({size} bytes) should not be there" for name, size in unclaimed.items()]
        sizes |= unclaimed
    return [Difference("files", sizes, f"files: {', '.join(wrong)}")] if wrong else []


def byte_differences(expected: Bytes, place_of: Callable[[str], Path]) -> list[Difference]:
    """Return the difference between expected and actual bytes in files, if there is one."""
    wrong = []
    found = {}
    for (name, at), data in expected.items():
        actual = _bytes_at(place_of(name), at, len(data))
        if actual != data:
            text = "no file" if actual is None else actual.hex(" ") or "the end"
            wrong.append(f"{name} at {at}: expected {data.hex(' ')}, found {text}")
            found[f"{name} at {at}"] = None if actual is None else actual.hex()
    return [Difference("bytes", found, f"bytes: {', '.join(wrong)}")] if wrong else []


def digest_differences(expected: Digests, place_of: Callable[[str], Path]) -> list[Difference]:
    """Return the files whose SHA-256 differs from the expected SHA-256."""
    actual = {name: _digest(place_of(name)) for name in expected if place_of(name).is_file()}
    found = {
        name: actual.get(name, "no file")[:12]
        for name, digest in expected.items()
        if actual.get(name) != digest
    }
    wrong = [
        f"{name}: expected sha256 {expected[name][:12]}…, found {digest}…"
        for name, digest in found.items()
    ]
    return [Difference("bytes", found, f"bytes: {', '.join(wrong)}")] if wrong else []


def differences(
    after: Mapping[str, Any], free: Collection[str], files: Files, place_of: Callable[[str], Path]
) -> list[Difference]:
    """Return the differences between the files after a write and a vector's ``after``.

    If names and sizes are as expected, the bytes are compared, and then the digests. ``place_of``
    returns the path of a file by its name.
    """
    sizes = {file["name"]: file["size"] for file in after["files"]}
    digests = {file["name"]: file["sha256"] for file in after["files"] if "sha256" in file}
    data = {
        (part["name"], part["at"]): bytes.fromhex(part["hex"]) for part in after.get("bytes", [])
    }
    return (
        file_differences(sizes, files, free)
        or byte_differences(data, place_of)
        or digest_differences(digests, place_of)
    )


def freedoms(after: Mapping[str, Any]) -> list[str]:
    """Return the choices that a vector's ``after`` leaves to the writer."""
    return [entry["freedom"] for entry in after.get("free", [])]


def to_json(
    files: Files, data: Bytes, free: Sequence[tuple[str, str]], digests: Digests | None = None
) -> dict[str, Any]:
    """Return the expected state after a write, as a vector stores it under ``after``."""
    exact = digests or {}
    parts = {
        "files": [
            {"name": name, "size": size} | ({"sha256": exact[name]} if name in exact else {})
            for name, size in files.items()
        ],
        "bytes": [{"name": name, "at": at, "hex": part.hex()} for (name, at), part in data.items()],
        "free": [{"freedom": freedom, "because": because} for freedom, because in free],
    }
    return {key: listed for key, listed in parts.items() if listed or key == "files"}
