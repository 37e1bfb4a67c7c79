"""Wrong: return stored answers, selected by the SHA-256 of the log, without reading it."""

import hashlib
import json
import sys
from pathlib import Path

from breakable_reader import Reader, answer
from by_hand import requests, send

BY_HEART = json.loads(Path(sys.argv[1]).read_text())


def known(log: bytes) -> dict:
    """Return the stored answer to a log, or no records for an unknown log."""
    result = BY_HEART.get(hashlib.sha256(log).hexdigest())
    if result is None:
        return answer(Reader(b""))
    return {**result, "signals": ["damage"] * (result["verdict"] in ("damaged", "refused"))}


for request in requests():
    log = Path(request["path"]).read_bytes()
    send({"seq": request["seq"], "answer": known(log)})
