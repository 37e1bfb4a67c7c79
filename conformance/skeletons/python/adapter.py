"""A template for a Walproof adapter: one file, standard library only. Fill in read and HELLO.

walproof check --smoke --cmd 'python3 adapter.py'  # the protocol
walproof check --cmd 'python3 adapter.py'   # all vectors

By hand: python3 adapter.py read leveldb-log FILE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HELLO = {
    "name": "my-reader",
    "version": "0.0.0",
    "language": "Python",
    "formats": ["leveldb-log"],
    "profiles": ["recover"],
    "reports": ["records", "signals"],
}


def read(format: str, path: Path, profile: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return the reader's records and its messages about damage, for example

    {"answer": {"records": [{"payload": data.hex()}], "signals": [str(error)]}}

    An exception that your reader raises for damage is a signal. Catch it here and keep the records
    before it. Do not catch an exception that would end the process. context contains information
    about the log that is not in the file.
    """
    # ====> YOUR READER GOES HERE.
    return {"skipped": "read() is not written yet"}


def write(
    cmd: str, format: str, path: Path, records: list[dict[str, Any]], context: dict[str, Any]
) -> dict[str, Any]:
    """Create a log at path if cmd is "write", or append to the existing log if cmd is "append".

    Return {"done": True} when the log contains all records, or return {"refused": "why"} and leave
    the log unchanged. A record has its payload in hex and the fields of the format. Add the
    profiles "write" and "append" to HELLO.
    """
    # ====> YOUR WRITER GOES HERE.
    return {"skipped": "write() is not written yet"}


# ---- The protocol. Do not change anything below. ----


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Carry out a request that names a log."""
    format, path, context = request["format"], Path(request["path"]), request["context"]
    if request["cmd"] != "write" and not path.exists():
        return {"skipped": "nothing is at this path"}
    if request["cmd"] == "read":
        return read(format, path, request["profile"], context)
    return write(request["cmd"], format, path, request["records"], context)


def main() -> None:
    """Serve the harness, or run the one-shot form: read FORMAT PATH [PROFILE]."""
    if sys.argv[1:2] == ["read"]:
        parts = dict(zip(("format", "path", "profile"), [*sys.argv[2:], "recover"], strict=False))
        result = answer({"cmd": "read", "context": {}, **parts})
        print(json.dumps(result.get("answer", result)))
        return
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        hello = request["cmd"] == "hello"
        reply = HELLO if hello else {"seq": request["seq"], **answer(request)}
        print(json.dumps(reply), flush=True)  # the harness waits for the reply


if __name__ == "__main__":
    main()
