"""Read the lists of reviewed mutants, ``reviewed/<format>.json`` (README.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.mutants.sites import Name

FOLDER = Path(__file__).with_name("reviewed")


class BadReview(Exception):
    """A list of reviewed mutants is inconsistent."""


@dataclass(frozen=True)
class Reviewed:
    """The review of one format. It has a reason for each equivalent mutant and ignored function."""

    equivalent: Mapping[Name, str] = field(default_factory=dict)
    outside: Mapping[str, str] = field(default_factory=dict)
    complete: bool = False


def path_of(format_id: str) -> Path:
    """Return the path of a format's list. The file may not exist."""
    return FOLDER / f"{format_id}.json"


def load_reviewed(format_id: str) -> Reviewed:
    """Return the reviewed mutants of a format. A format without a list has none."""
    path = path_of(format_id)
    return parse(path.read_text("utf-8"), path.name) if path.exists() else Reviewed()


def parse(text: str, file: str) -> Reviewed:
    """Parse a list. Raises :class:`BadReview`."""
    try:
        body = json.loads(text)
        equivalent: dict[Name, str] = {}
        for group in body["equivalent"]:
            for each in group["mutants"]:
                name = Name(**each)
                if name in equivalent:
                    raise BadReview(f"{file}: listed twice: {name}")
                equivalent[name] = _reason(group["because"], file)
        outside = {each: _reason(why, file) for each, why in body["outside"].items()}
    except (KeyError, TypeError, ValueError) as error:
        raise BadReview(f"{file}: {type(error).__name__}: {error}") from None
    return Reviewed(equivalent, outside, body.get("complete") is True)


def _reason(said: Any, file: str) -> str:
    if not isinstance(said, str) or len(said) < 12:
        raise BadReview(f"{file}: expected a sentence that says why, found {said!r}")
    return said
