"""A Walproof adapter to start from: one file, standard library. Fill in read, name it in HELLO.

walproof smoke --cmd 'python3 conformance/skeletons/python/adapter.py'   # speaks the protocol?
walproof check --cmd 'python3 conformance/skeletons/python/adapter.py'   # all vectors

By hand: python3 adapter.py read leveldb-log FILE
"""

from __future__ import annotations

import json
import sys
from typing import Any

HELLO = {
    "name": "my-reader",
    "version": "0.0.0",
    "language": "Python",
    "formats": ["leveldb-log"],
    "profiles": ["recover"],
    "reports": ["records", "signals"],
}


def read(format: str, path: str, profile: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return what the reader released and whatever it said of damage, for example

    {"answer": {"records": [{"payload": data.hex()}], "signals": [str(error)]}}

    An exception that your reader raises for damage is a signal: catch it here and keep the records
    before it. context is what the vector says about the log besides the file.
    """
    # ====> YOUR READER GOES HERE.
    return {"skipped": "read() is not written yet"}


def write(
    cmd: str, format: str, path: str, records: list[dict[str, Any]], context: dict[str, Any]
) -> dict[str, Any]:
    """For "write" make a new log at path, for "append" go on with the one that is there.

    Return {"done": True} when all records are in it, or {"refused": "why"} and leave what is there
    as it was. A record has its payload in hex and what else the format needs. Add the profiles
    "write" and "append" to HELLO.
    """
    # ====> YOUR WRITER GOES HERE.
    return {"skipped": "write() is not written yet"}


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """Answer one line of the harness."""
    if request["cmd"] == "hello":
        return HELLO
    if request["cmd"] != "read":
        told = {key: request[key] for key in ("cmd", "format", "path", "records", "context")}
        return {"seq": request["seq"], **write(**told)}
    told = {key: request[key] for key in ("format", "path", "profile", "context")}
    return {"seq": request["seq"], **read(**told)}


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        result = read(sys.argv[2], sys.argv[3], "recover", {})
        print(json.dumps(result.get("answer", result)))
        sys.exit()
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            break
        print(json.dumps(reply(request)), flush=True)  # the harness waits for it
