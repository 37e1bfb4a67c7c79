"""Invent file names that are similar to those of a log's files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

_LARGE = ("2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
          "18446744073709551616")  # fmt: skip


def similar_names(name: str) -> list[tuple[str, str]]:
    """Return names similar to ``name``, each with a description of the change."""
    folder, base = posixpath.split(name)
    stem, dot, extension = base.rpartition(".")
    if not dot:
        stem, extension = base, ""
    names: dict[str, str] = {}

    def add(new: str, change: str) -> None:
        names.setdefault(posixpath.join(folder, new), change)

    for changed, change in _numbers(stem):
        add(f"{changed}{dot}{extension}", change)
    add(stem, "no extension")
    add(f"{stem}{dot}{extension.upper()}", "upper case")
    add(base.upper(), "upper case")
    for suffix in (".bak", "~", ".tmp", ".deleted", ".1", " "):
        add(base + suffix, "a suffix")
    add(f"{stem}.dat", "another extension")
    add(f"{stem}{dot}{dot}{extension}", "two dots")
    for prefix in ("x", ".", " ", "-", "0"):
        add(prefix + base, "a prefix")
    add(base[1:], "without the first character")
    add(f"sub/{base}", "in a subfolder")
    add(f"{base}/inner", "as a folder")
    if folder:
        parent, _ = posixpath.split(folder)
        names.setdefault(posixpath.join(parent, base), "one folder up")
        names.setdefault(base, "in the top folder")
        for changed, change in _numbers(folder):
            names.setdefault(posixpath.join(changed, base), f"folder: {change}")
    return [(new, change) for new, change in names.items() if new != name and _is_name(new)]


def is_blocked(name: str, others: Iterable[str]) -> bool:
    """Return whether a file with this name would conflict with another file or its folder."""
    return any(name.startswith(f"{o}/") or o.startswith(f"{name}/") for o in others)


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text with its last number changed or written differently."""
    runs = list(re.finditer(r"[0-9]+", text))
    if not runs:
        return
    run = runs[-1]
    digits, value = run[0], int(run[0])
    news = [
        (f"{value + 1:0{len(digits)}}", "the next number"),
        (f"{value + 2:0{len(digits)}}", "the number after next"),
        (f"{value - 1:0{len(digits)}}" if value else "1", "the previous number"),
        (f"0{digits}", "one more leading zero"),
        (digits.lstrip("0") or "0", "without leading zeros"),
        (digits[:-1], "one digit less"),
        (f"{digits}0", "one more digit"),
        (f"+{digits}", "a sign"),
        (f"-{digits}", "a sign"),
        ("", "no number"),
        (f"0x{digits}", "not decimal"),
        (f"{digits}a", "not decimal"),
        (digits.translate({48 + n: 0x660 + n for n in range(10)}), "digits that are not ASCII"),
        *((large, "a large number") for large in _LARGE),
    ]
    for new, change in news:
        yield text[: run.start()] + new + text[run.end() :], change


def _is_name(name: str) -> bool:
    return all(part not in ("", ".", "..") and len(part.encode()) < 250 for part in name.split("/"))
