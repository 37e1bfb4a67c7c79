"""The output of a carving: rows, files, and the state for a resumed run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.saving import save, saved
from conformance.text import json_text
from walproof.carve.base import Carver
from walproof.carve.image import Image
from walproof.carve.model import Find, Reading
from walproof.carve.reading import as_file, read_file

MANIFEST, LOOSE, STATE = "manifest.jsonl", "loose.jsonl", "carving.json"
VERSION = 1
CHUNK = 1 << 20
HEAD = 1 << 20

#: A find in the manifest; docs/rescue.md describes the keys.
Row = dict[str, Any]


class OtherRun(ValueError):
    """Raised if a saved state belongs to another image or to other options."""


def row_of(image: Image, name: str, find: Find, carver: Carver, out: Path | None) -> Row:
    """Return the row of a find; write a log as a file in ``out``. Raises ``OSError``."""
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
        digest = hashlib.sha256()
        for piece in _pieces(image, [(find.at, find.end)]):
            digest.update(piece)
        row["sha256"] = digest.hexdigest()
    if find.certainty == "signature":
        return row
    if find.kind == "loose":
        row["records"] = sum(1 for _ in carver.records(find.at, find.end))
        row["file"] = LOOSE if out else None
        return row
    file = f"{find.at:016}.{name}{find.suffix}"
    return row | _write_log(image, name, [(find.at, find.end)], out, file, find.reading)


def joined_row(image: Image, first: Row, parts: Sequence[tuple[int, int]], out: Path | None) -> Row:
    """Return the row of a log that begins with a find and has several parts. Raises ``OSError``."""
    row: Row = {
        "offset": first["offset"],
        "length": sum(end - at for at, end in parts),
        "format": first["format"],
        "kind": "joined",
        "certainty": "checksum",
        "parts": [[at, end] for at, end in parts],
    }
    file = f"{first['offset']:016}.{first['format']}.joined.log"
    return row | _write_log(image, first["format"], parts, out, file)


def _write_log(
    image: Image,
    name: str,
    parts: Sequence[tuple[int, int]],
    out: Path | None,
    file: str,
    reading: Reading | None = None,
) -> Row:
    digest = hashlib.sha256()
    if out is None and reading is None:
        with as_file(image, parts, Path(file).suffix, digest.update) as scratch:
            reading = read_file(scratch, name)
    elif out is None:
        for piece in _pieces(image, parts):
            digest.update(piece)
    else:
        path = out / file
        if path.exists() and path.samefile(image.path):
            raise FileExistsError(17, "output file is the image itself", str(path))
        with saved(path, sync=False) as file_object:
            for piece in _pieces(image, parts):
                file_object.write(piece)
                digest.update(piece)
        reading = reading or read_file(path, name)
    assert reading is not None
    return {
        "sha256": digest.hexdigest(),
        "records": reading.records,
        "verdict": reading.verdict,
        "reason": reading.reason,
        "lost": reading.lost,
        "file": file if out else None,
    }


def _pieces(image: Image, parts: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    for at, end in parts:
        for offset in range(at, end, CHUNK):
            yield image.read(offset, min(CHUNK, end - offset))


def loose_lines(rows: Sequence[Row], carvers: Mapping[str, Carver]) -> Iterator[str]:
    """Yield a JSON line for each loose record, in the order of the image."""
    for row in sorted(rows, key=lambda record: (record["offset"], record["format"])):
        if row["kind"] != "loose" or row["certainty"] == "signature":
            continue
        carver = carvers[row["format"]]
        for record in carver.records(row["offset"], row["offset"] + row["length"]):
            line = {
                "offset": record.at,
                "size": record.size,
                "format": row["format"],
                "certainty": row["certainty"],
                **record.fields,
                "payload": record.payload.hex(),
            }
            yield json_text(line) + "\n"


def save_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines as one file. Raises ``OSError``."""
    with saved(path) as file:
        file.writelines(line.encode("utf-8") for line in lines)


def identity(image: Image, options: dict[str, Any]) -> dict[str, Any]:
    """Return the properties that a state must share with the run that resumes it."""
    head = hashlib.sha256(image.read(0, HEAD)).hexdigest()
    return {"version": VERSION, "size": image.size, "head_sha256": head, **options}


def save_state(path: Path, run: dict[str, Any], position: int, rows: Sequence[Row]) -> None:
    """Save the progress of a run. Raises ``OSError``."""
    body = {"carve": run, "position": position, "finds": list(rows)}
    save(path, json_text(body) + "\n", sync=False)


def load_state(path: Path, run: dict[str, Any]) -> tuple[int, list[Row]] | None:
    """Return the position to resume at and the finds so far; None if there is no state.

    Raises :class:`OtherRun` and ``OSError``.
    """
    if not path.exists():
        return None
    try:
        body = json.loads(path.read_bytes())
        earlier, position, rows = body["carve"], int(body["position"]), list(body["finds"])
    except (ValueError, KeyError, TypeError) as error:
        raise OtherRun(f"{path}: not a state file of walproof carve ({error})") from None
    if earlier != run:
        differs = sorted(key for key in {*earlier, *run} if earlier.get(key) != run.get(key))
        raise OtherRun(f"{path}: state of a different run: {', '.join(differs)} differ")
    return position, rows
