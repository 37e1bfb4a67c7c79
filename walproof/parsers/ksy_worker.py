"""Runs the parser of a grammar that may be anybody's: ``ksy-test`` starts it, in a box.

``python -m walproof.parsers.ksy_worker GRAMMAR``, JSON lines on stdin and stdout:
``{"body": a vector, "data": bytes in hexadecimal}`` → ``{"failures": [text, …]}``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from walproof.parsers.ksy_test import failures_of, parser_of


def main() -> None:
    """Answer requests until stdin ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # what a parser prints is no reply
    parser, model = parser_of(Path(sys.argv[1]))
    for line in sys.stdin:
        request = json.loads(line)
        found = failures_of(parser, model, request["body"], bytes.fromhex(request["data"]))
        print(json.dumps({"failures": found}), file=replies, flush=True)


if __name__ == "__main__":
    main()
