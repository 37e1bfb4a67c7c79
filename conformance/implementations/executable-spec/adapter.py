"""Adapter that runs the executable specification like any other implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.adapterkit import Refused, Request, serve
from conformance.compare import every_part
from conformance.saving import sync_to_disk
from reference_impl.answer import NewRecord, collect
from reference_impl.context import check
from reference_impl.formats import FORMATS, named


def read(path: Path, request: Request) -> dict[str, Any]:
    """Return the reader's answer in the requested profile."""
    check(request["format"], request["context"])
    events = named(request["format"]).read(path, request["profile"], request["context"])
    return collect(events).to_json()


def write(path: Path, request: Request) -> None:
    """Write a new log. Refuse records that the format cannot hold."""
    try:
        check(request["format"], request["context"])
        if "acknowledged" in request:
            _one_by_one(path, request)
            return
        named(request["format"]).write(path, _records(request), request["context"])
    except ValueError as error:
        raise Refused(str(error)) from None


def append(path: Path, request: Request) -> None:
    """Recover a log and append to it. Refuse a log that must not be appended to."""
    try:
        check(request["format"], request["context"])
        if "acknowledged" in request:
            _one_by_one(path, request)
            return
        named(request["format"]).append(path, _records(request), request["context"])
    except ValueError as error:
        raise Refused(str(error)) from None


def _one_by_one(path: Path, request: Request) -> None:
    """Write each record and sync the log, because the writer itself does not sync."""
    format = named(request["format"])
    for count, record in enumerate(_records(request), 1):
        writer = format.append if path.exists() else format.write
        writer(path, [record], request["context"])
        for entry in [*sorted(path.rglob("*"), reverse=True), path, path.parent]:
            sync_to_disk(entry)
        request["acknowledged"](count)


def _records(request: Request) -> list[NewRecord]:
    return [NewRecord(bytes.fromhex(record["payload"]), record) for record in request["records"]]


if __name__ == "__main__":
    serve(
        {
            "name": "executable-spec",
            "version": __version__,
            "formats": list(FORMATS),
            "profiles": ["recover", "strict", "write", "append"],
            "reports": every_part(FORMATS),
            "acknowledges": True,
        },
        read,
        write,
        append,
    )
