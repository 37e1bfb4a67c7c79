"""The executable specification as an implementation like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.adapterkit import Refused, Request, serve
from conformance.compare import every_part
from reference_impl.answer import NewRecord, collect
from reference_impl.context import check
from reference_impl.formats import FORMATS, named


def read(path: Path, request: Request) -> dict[str, Any]:
    """The answer of the reader, in the profile asked for."""
    check(request["format"], request["context"])
    events = named(request["format"]).read(path, request["profile"], request["context"])
    return collect(events).to_json()


def write(path: Path, request: Request) -> None:
    """A new log; records that the format cannot hold are refused."""
    try:
        check(request["format"], request["context"])
        named(request["format"]).write(path, _records(request), request["context"])
    except ValueError as error:
        raise Refused(str(error)) from None


def append(path: Path, request: Request) -> None:
    """Recover and append; a log that must not be appended to is refused."""
    try:
        check(request["format"], request["context"])
        named(request["format"]).append(path, _records(request), request["context"])
    except ValueError as error:
        raise Refused(str(error)) from None


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
        },
        read,
        write,
        append,
    )
