"""The protocol without the adapter kit, for implementations that violate the protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from breakable_reader import Reader, answer, hello


def requests() -> Iterator[dict[str, Any]]:
    """Reply to ``hello``, and yield the read requests until ``bye`` or the end of the input."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        if request["cmd"] == "hello":
            send(hello(Path(sys.argv[0]).stem))
        else:
            yield request


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """Return the correct reply to a read request."""
    return {"seq": request["seq"], "answer": answer(Reader(Path(request["path"]).read_bytes()))}


def send(message: dict[str, Any]) -> None:
    """Print one message."""
    say(json.dumps(message) + "\n")


def say(text: str) -> None:
    """Print any text and flush the output."""
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    for each in requests():
        send(reply(each))
