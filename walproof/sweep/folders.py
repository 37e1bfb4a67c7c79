"""Families that damage a log of several files as a folder: file names, presence, whole contents."""

from __future__ import annotations

import posixpath
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import methodcaller

from conformance.recipes.algebra import Damage
from walproof.sweep.controls import Control
from walproof.sweep.fields import FieldsOfFile
from walproof.sweep.format_sweep import Edit
from walproof.sweep.operations import Family, Operation

#: Maximum number of files of a control whose names are varied: the first and the last ones.
NAMES_OF = 12

OPERATIONS = ("remove-file", "empty-file", "rename-file", "add-file", "swap-files", "keep-file")

_LARGE = ("2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
          "18446744073709551616")  # fmt: skip


class OnFolder(Family):
    """Damages of one operation on whole files, in a list."""

    def __init__(self, operation: str) -> None:
        super().__init__(b"", FieldsOfFile(0, (), (), (), ()), "", 0)
        self.operation = operation
        self._changes: list[Mapping[str, bytes | None]] = []
        self._operations: list[Sequence[Operation]] = []
        self._fields: list[str] = []

    @property
    def shifts(self) -> bool:
        """True: every operation removes, repeats or moves whole units."""
        return True

    def add(self, changes: Mapping[str, bytes | None], field: str, *operations: Operation) -> None:
        """Add a damage. ``changes`` holds the new contents of each changed file, None if it is
        removed.
        """
        self._changes.append(changes)
        self._operations.append(operations)
        self._fields.append(field)
        self.count += 1

    def edits(self, number: int) -> Sequence[Edit]:
        """See :class:`Family`."""
        raise NotImplementedError("operations on whole files have no edits")

    def apply(self, files: dict[str, bytes], number: int) -> None:
        """See :class:`Family`."""
        for name, data in self._changes[number].items():
            if data is None:
                del files[name]
            else:
                files[name] = data

    def touches(self, number: int) -> frozenset[str]:
        """See :class:`Family`."""
        return frozenset(self._changes[number])

    def perform(self, number: int, damage: Damage) -> None:
        """See :class:`Family`."""
        for operation in self._operations[number]:
            operation(damage)

    def field(self, number: int) -> str:
        """See :class:`Family`."""
        return self._fields[number]


def families(control: Control) -> list[Family]:
    """Return all damages of a folder; none for a log of one file."""
    if isinstance(control.contents, bytes):
        return []
    by_operation = {operation: OnFolder(operation) for operation in OPERATIONS}
    names = list(control.files)
    for number, name in enumerate(names):
        position = _position(number, len(names))
        _change_presence(by_operation, control, name, position)
        if min(number, len(names) - 1 - number) < NAMES_OF // 2:
            _change_names(by_operation, control, name, position)
        for other in names[number + 1 :]:
            _swap(by_operation["swap-files"], control, name, other)
    return list(by_operation.values())


def _position(number: int, count: int) -> str:
    """Describe the position of a file so that it means the same in other controls."""
    if number == 0:
        return "the first file"
    return "the last file" if number == count - 1 else "a file between"


def _change_presence(
    by_operation: Mapping[str, OnFolder], control: Control, name: str, position: str
) -> None:
    by_operation["remove-file"].add({name: None}, position, methodcaller("remove_file", name))
    if control.files[name]:
        by_operation["empty-file"].add({name: b""}, position, methodcaller("truncate", 0, name))
    others = [other for other in control.files if other != name]
    if len(others) > 1:
        removals = [methodcaller("remove_file", other) for other in others]
        by_operation["keep-file"].add(dict.fromkeys(others), position, *removals)


def _change_names(
    by_operation: Mapping[str, OnFolder], control: Control, name: str, position: str
) -> None:
    """Rename the file to almost correct names, and add other files under such names."""
    data = control.files[name]
    garbage = random.Random(f"{control.id}:{name}").randbytes(64)
    half = data[: len(data) // 2]
    added = [(data, f"a copy of {name}"), (half, f"the first {len(half)} bytes of {name}"),
              (b"", "an empty file"), (garbage, "64 bytes of garbage")]  # fmt: skip
    for new, change in near_names(name):
        if new in control.files:
            continue
        if not _blocked(new, [other for other in control.files if other != name]):
            by_operation["rename-file"].add(
                {name: None, new: data},
                f"{position}, {change}",
                methodcaller("rename_file", name, new),
            )
        if _blocked(new, control.files):
            continue
        for contents, description in added:
            by_operation["add-file"].add(
                {new: contents},
                f"a name like {position}, {change}",
                methodcaller("add_file", new, contents, description),
            )


def _blocked(name: str, others: Mapping[str, bytes] | Sequence[str]) -> bool:
    """Return whether a file of this name would conflict with a folder, or need one in place of a
    file.
    """
    return any(name.startswith(f"{o}/") or o.startswith(f"{name}/") for o in others)


def _swap(family: OnFolder, control: Control, name: str, other: str) -> None:
    first, second = control.files[name], control.files[other]
    if first != second:
        swap = methodcaller("swap_files", name, other)
        family.add({name: second, other: first}, "two files", swap)


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
