"""What was found, as rows and files, and what a later run needs to go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.saving import save, saved
from conformance.text import json_text
from walproof.carve.base import Carver
from walproof.carve.continuations import Joined, Piece
from walproof.carve.image import Image
from walproof.carve.model import Find, Reading
from walproof.carve.reading import as_file, read_file

MANIFEST, LOOSE, STATE = "manifest.jsonl", "loose.jsonl", "carving.json"
VERSION = 1
CHUNK = 1 << 20
HEAD = 1 << 20

Row = dict[str, Any]
"""A find as the manifest has it: docs/rescue.md has the keys."""


class OtherRun(ValueError):
    """The state is that of another image, or of other options."""


def row_of(image: Image, name: str, find: Find, carver: Carver, out: Path | None) -> Row:
    """The row of a find; a log becomes a file in ``out``. Raises ``OSError``."""
    row: Row = {
        "offset": find.at,
        "length": find.end - find.at,
        "format": name,
        "kind": find.kind,
        "certainty": find.certainty,
        "records": None,
        "verdict": None,
        "reason": None,
        "lost": None,
        "sha256": None,
        "file": None,
    }
    if find.goes_on:
        row["goes_on"] = True
    if find.certainty == "signature" or find.kind == "loose":
        row["sha256"] = _sha256(_pieces(image, [(find.at, find.end)]))
    if find.certainty == "signature":
        return row
    if find.kind == "loose":
        row["records"] = sum(1 for _ in carver.records(find.at, find.end))
        row["file"] = LOOSE if out else None
        return row
    file = f"{find.at:016}.{name}{find.suffix}"
    return row | _written(image, name, [(find.at, find.end)], out, file, find.said)


def joined_row(image: Image, one: Joined, out: Path | None) -> Row:
    """The row of a log that was put together from several places."""
    first = one.pieces[0]
    row: Row = {
        "offset": first.at,
        "length": sum(end - at for at, end in one.parts),
        "format": first.format,
        "kind": "joined",
        "certainty": "checksum",
        "parts": [[at, end] for at, end in one.parts],
    }
    file = f"{first.at:016}.{first.format}.joined.log"
    return row | _written(image, first.format, one.parts, out, file)


def _written(
    image: Image,
    name: str,
    parts: Sequence[tuple[int, int]],
    out: Path | None,
    file: str,
    said: Reading | None = None,
) -> Row:
    """Write a log, or make a scratch file of it, and read it, unless it was read already."""
    digest = hashlib.sha256()
    if out is None and said is None:
        with as_file(image, parts, Path(file).suffix, digest.update) as scratch:
            said = read_file(scratch, name)
    elif out is None:
        for piece in _pieces(image, parts):
            digest.update(piece)
    else:
        path = out / file
        if path.exists() and path.samefile(image.path):
            raise FileExistsError(17, "is the image itself", str(path))
        with saved(path, sync=False) as made:
            for piece in _pieces(image, parts):
                made.write(piece)
                digest.update(piece)
        said = said or read_file(path, name)
    assert said is not None
    return {
        "sha256": digest.hexdigest(),
        "records": said.records,
        "verdict": said.verdict,
        "reason": said.reason,
        "lost": said.lost,
        "file": file if out else None,
    }


def _pieces(image: Image, parts: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    for at, end in parts:
        for place in range(at, end, CHUNK):
            yield image.read(place, min(CHUNK, end - place))


def _sha256(pieces: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def piece_of(row: Row) -> Piece:
    """A row as :mod:`walproof.carve.continuations` takes it."""
    end = row["offset"] + row["length"]
    return Piece(row["format"], row["offset"], end, row["kind"], bool(row.get("goes_on")))


def loose_lines(rows: Sequence[Row], carvers: dict[str, Carver]) -> Iterator[str]:
    """A line of JSON for each loose record, in the order of the image."""
    for row in sorted(rows, key=lambda one: (one["offset"], one["format"])):
        if row["kind"] != "loose" or row["certainty"] == "signature":
            continue
        carver = carvers[row["format"]]
        for one in carver.records(row["offset"], row["offset"] + row["length"]):
            line = {
                "offset": one.at,
                "size": one.size,
                "format": row["format"],
                "certainty": row["certainty"],
                **one.fields,
                "payload": one.payload.hex(),
            }
            yield json_text(line) + "\n"


def save_lines(path: Path, lines: Iterator[str]) -> int:
    """Write lines as one file; how many there were. Raises ``OSError``."""
    count = 0
    with saved(path) as file:
        for line in lines:
            file.write(line.encode("utf-8"))
            count += 1
    return count


def identity(image: Image, options: dict[str, Any]) -> dict[str, Any]:
    """What a state must have in common with a run that goes on with it."""
    head = hashlib.sha256(image.read(0, HEAD)).hexdigest()
    return {"version": VERSION, "size": image.size, "head_sha256": head, **options}


def save_state(path: Path, run: dict[str, Any], position: int, rows: Sequence[Row]) -> None:
    """Note how far a run has come. Raises ``OSError``."""
    body = {"carve": run, "position": position, "finds": list(rows)}
    save(path, json_text(body) + "\n", sync=False)


def load_state(path: Path, run: dict[str, Any]) -> tuple[int, list[Row]] | None:
    """Where a run may go on, and what it has found; None if there is no state.

    Raises :class:`OtherRun`, and ``OSError``.
    """
    if not path.exists():
        return None
    try:
        body = json.loads(path.read_bytes())
        known, position, rows = body["carve"], int(body["position"]), list(body["finds"])
    except (ValueError, KeyError, TypeError) as error:
        raise OtherRun(f"{path}: no state of a carving ({error})") from None
    if known != run:
        differs = sorted(key for key in {*known, *run} if known.get(key) != run.get(key))
        raise OtherRun(f"{path}: the state of another run: {', '.join(differs)} differ")
    return position, rows
