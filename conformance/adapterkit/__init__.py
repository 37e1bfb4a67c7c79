"""Walproof's adapter protocol v1, for readers and writers in Python.

Describe the implementation in a dictionary, and pass it to :func:`serve` with the functions that
run the implementation::

  serve({"name": "mine", "version": "1.0", "formats": ["leveldb-log"],
         "profiles": ["recover"], "reports": ["records", "signals"]}, read)

This module needs only the standard library. An uncaught exception ends the adapter, and the harness
reports a crash.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

# A message from the harness, with keys such as ``format``, ``path``, ``profile``, ``context`` and
# ``records``. If a write or append must acknowledge each record, ``acknowledged`` is a function
# that sends the number of durable records and returns after the harness has replied.
Request = dict[str, Any]

Read = Callable[[Path, Request], dict[str, Any]]
Write = Callable[[Path, Request], None]


class Skipped(Exception):
    """Raise this to skip a request, with the reason and the URL of an issue, if there is one."""

    def __init__(self, why: str, issue: str | None = None) -> None:
        super().__init__(why)
        self.issue = issue


class Refused(Exception):
    """Raise this in a writer if the implementation refuses the records or the log."""


def record(payload: bytes, at: int | None = None, size: int | None = None) -> dict[str, Any]:
    """Return a record for an answer. ``at`` and ``size`` are its offset and length in bytes."""
    parts = {"at": at, "size": size, "payload": payload.hex()}
    return {name: part for name, part in parts.items() if part is not None}


def payloads(request: Request) -> list[bytes]:
    """Return the payloads in a write or append request, in order."""
    return [bytes.fromhex(record["payload"]) for record in request["records"]]


def serve(
    describe: dict[str, Any], read: Read, write: Write | None = None, append: Write | None = None
) -> None:
    """Serve the protocol until ``bye`` or the end of stdin, or answer the command line's request.

    ``describe`` is the reply to ``hello``, to which ``language`` is added. ``read(path, request)``
    returns the answer. ``write(path, request)`` creates a new log. ``append(path, request)``
    appends to an existing log. Each function may raise :class:`Skipped`. ``write`` and ``append``
    may also raise :class:`Refused`.

    A request is skipped unless ``describe`` lists its format and its profile. If ``describe`` has
    ``also_writes``, writes need only the format.
    """
    replies = _take_stdout()
    kit = _Kit({"language": "Python", **describe}, read, write, append)

    def acknowledged(seq: int, count: int) -> None:
        _send(replies, {"seq": seq, "acknowledged": count})
        sys.stdin.buffer.readline()  # go-on

    if sys.argv[1:2] == ["read"] and len(sys.argv) == 4:
        reply = kit.reply({"cmd": "read", "format": sys.argv[2], "path": sys.argv[3]})
        # A reply without an answer has the key ``skipped``. Skipping is not an error, so the exit
        # status is 0.
        _send(replies, reply.get("answer", reply))
        return
    if len(sys.argv) > 1:
        sys.exit(f"usage: {Path(sys.argv[0]).name} [read FORMAT PATH]")
    for request in map(json.loads, sys.stdin.buffer):
        if request["cmd"] == "bye":
            return
        if request.get("acknowledge") and "seq" in request:
            request["acknowledged"] = functools.partial(acknowledged, request["seq"])
        _send(replies, kit.hello if request["cmd"] == "hello" else kit.reply(request))


def measure(repeat: int, once: Callable[[], tuple[int, int]]) -> None:
    """Time ``repeat`` calls of ``once`` for ``lab bench``, and print the times as a JSON object.

    ``once`` returns the number of records and of their payload bytes.
    """
    read, seconds = (0, 0), []
    for _ in range(repeat):
        started = time.perf_counter()
        read = once()
        seconds.append(time.perf_counter() - started)
    records, payload_bytes = read
    measurement = {"records": records, "payload_bytes": payload_bytes, "all_seconds": seconds}
    print(json.dumps(measurement))


class _Kit:
    def __init__(
        self, hello: dict[str, Any], read: Read, write: Write | None, append: Write | None
    ) -> None:
        self.hello = hello
        self.read = read
        self.writers = {"write": write, "append": append}

    def reply(self, request: Request) -> dict[str, Any]:
        """Return the reply to a read, write or append request."""
        cmd = request["cmd"]
        profile = request.get("profile", "recover") if cmd == "read" else cmd
        reply = {"seq": request["seq"]} if "seq" in request else {}
        request = {"context": {}, "limits": {}, **request, "profile": profile}
        path = Path(request.get("path", ""))
        try:
            if request.get("format") not in self.hello["formats"]:
                raise Skipped(f"no format {request.get('format')}")
            also = cmd == "write" and self.hello.get("also_writes")
            if profile not in self.hello["profiles"] and not also:
                raise Skipped(f"no profile {profile}")
            if cmd in ("read", "append") and not path.exists():
                raise Skipped("nothing is at this path")
            if cmd == "read":
                return {**reply, "answer": self.read(path, request)}
            if (writer := self.writers.get(cmd)) is None:
                raise Skipped(f"no command {cmd}")
            writer(path, request)
            return {**reply, "done": True}
        except Skipped as skipped:
            issue = {"issue": skipped.issue} if skipped.issue else {}
            return {**reply, "skipped": str(skipped), **issue}
        except Refused as refused:
            return {**reply, "refused": str(refused)}


def _take_stdout() -> TextIO:
    """Return stdout, reserved for replies. The implementation's output goes to stderr."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return replies


def _send(replies: TextIO, message: dict[str, Any]) -> None:
    replies.write(json.dumps(message, separators=(",", ":")) + "\n")
    replies.flush()
