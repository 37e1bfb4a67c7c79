"""Operations on whole files of a folder: remove, empty, rename, add and swap files."""

from __future__ import annotations

import itertools
import posixpath
import random
import re
from collections.abc import Iterable, Iterator, Mapping

from walproof.sweep.controls import Control
from walproof.sweep.format_sweep import Call
from walproof.sweep.operations import Change, Family

#: Maximum number of files of a control whose names are changed: half are the first files, half the
#: last files.
NAMES_OF = 12

OPERATIONS = ("remove-file", "empty-file", "rename-file", "add-file", "swap-files", "keep-file")

_LARGE = ("2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
          "18446744073709551616")  # fmt: skip


def families(control: Control) -> list[Family]:
    """Return the families of changes to a folder; the list is empty for a log of one file."""
    if isinstance(control.contents, bytes):
        return []
    changes: dict[str, list[Change]] = {operation: [] for operation in OPERATIONS}

    def add(operation: str, files: Mapping[str, bytes | None], field: str, *calls: Call) -> None:
        changes[operation].append(Change((), field, calls, files))

    names = list(control.files)
    for number, name in enumerate(names):
        data = control.files[name]
        # Cases with equal texts are counted together, so the text must fit every control.
        position = {0: "the first file", len(names) - 1: "the last file"}.get(
            number, "a file between"
        )
        add("remove-file", {name: None}, position, Call("remove_file", (name,)))
        if data:
            add("empty-file", {name: b""}, position, Call("truncate", (0,), name))
        others = [other for other in names if other != name]
        if len(others) > 1:
            removals = [Call("remove_file", (other,)) for other in others]
            add("keep-file", dict.fromkeys(others), position, *removals)
        if min(number, len(names) - 1 - number) < NAMES_OF // 2:
            for new, change in near_names(name):
                if new in names or _blocked(new, others):
                    continue
                renamed = {name: None, new: data}
                rename = Call("rename_file", (name, new))
                add("rename-file", renamed, f"{position}, {change}", rename)
                if _blocked(new, [name]):
                    continue
                for added, description in _similar_contents(control, name):
                    call = Call("add_file", (new, added, description))
                    add("add-file", {new: added}, f"a name like {position}, {change}", call)
    for first, second in itertools.combinations(names, 2):
        a, b = control.files[first], control.files[second]
        if a != b:
            swap = Call("swap_files", (first, second))
            add("swap-files", {first: b, second: a}, "two files", swap)
    return [Family(name, of, on_folder=True) for name, of in changes.items()]


def _similar_contents(control: Control, name: str) -> list[tuple[bytes, str]]:
    data = control.files[name]
    half = data[: len(data) // 2]
    garbage = random.Random(f"{control.id}:{name}").randbytes(64)
    return [(data, f"a copy of {name}"), (half, f"the first {len(half)} bytes of {name}"),
            (b"", "an empty file"), (garbage, "64 bytes of garbage")]  # fmt: skip


def _blocked(name: str, others: Iterable[str]) -> bool:
    """Return whether a file of this name conflicts with another file or its folder."""
    return any(name.startswith(f"{o}/") or o.startswith(f"{name}/") for o in others)


def near_names(name: str) -> list[tuple[str, str]]:
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


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text with its last number changed, or written in another way."""
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
