"""Wrong: refuse every log and every write."""

from pathlib import Path

from conformance.adapterkit import Refused, Request, serve

REFUSED = {"verdict": "refused", "reason": None, "records": [], "lost": [], "signals": ["refused"]}


def refuse(path: Path, request: Request) -> None:
    raise Refused("I would rather not")


serve(
    {
        "name": "rejects-everything",
        "version": "0",
        "formats": ["leveldb-log"],
        "profiles": ["recover", "strict", "write", "append"],
        "reports": ["records", "verdict", "lost", "signals"],
    },
    lambda path, request: REFUSED,
    refuse,
    refuse,
)
