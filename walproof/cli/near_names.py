"""Suggest names for a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return ``; did you mean NAME?`` with up to three similar names, or an empty string."""
    names = list(dict.fromkeys(names))
    near = get_close_matches(name, names) or get_close_matches(name.upper(), names)
    return f"; did you mean {' or '.join(near)}?" if near else ""
