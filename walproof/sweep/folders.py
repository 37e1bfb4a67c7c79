"""Families that damage a log of several files as a folder: names, presence, whole contents."""

from __future__ import annotations

import posixpath
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from conformance.recipes.algebra import Damage
from walproof.sweep.controls import Control
from walproof.sweep.fields import FieldsOfFile
from walproof.sweep.format_sweep import Edit
from walproof.sweep.operations import Family

NAMES_OF = 12
"""Files of one control whose names are varied, at most: the first and the last ones."""

OPERATIONS = ("remove-file", "empty-file", "rename-file", "add-file", "swap-files", "keep-file")

_LARGE = ("2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
          "18446744073709551616")  # fmt: skip


class OnFolder(Family):
    """Damages of one operation on whole files, written down one by one."""

    def __init__(self, operation: str) -> None:
        super().__init__(b"", FieldsOfFile(0, (), (), (), ()), "", 0)
        self.operation = operation
        self._changes: list[Mapping[str, bytes | None]] = []
        self._calls: list[Callable[[Damage], None]] = []
        self._fields: list[str] = []

    @property
    def shifts(self) -> bool:
        """Whole units are removed, repeated or moved in each of them."""
        return True

    def add(
        self, changes: Mapping[str, bytes | None], call: Callable[[Damage], None], field: str
    ) -> None:
        """Enter one: the new bytes of each file that changes, None for one that is gone."""
        self._changes.append(changes)
        self._calls.append(call)
        self._fields.append(field)
        self.count += 1

    def edits(self, number: int) -> Sequence[Edit]:
        """See :class:`Family`."""
        raise NotImplementedError("what happens to whole files is no edit of one")

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
        self._calls[number](damage)

    def field(self, number: int) -> str:
        """See :class:`Family`."""
        return self._fields[number]


def families(control: Control) -> list[Family]:
    """All damages of a folder. None for a log of one file."""
    if isinstance(control.contents, bytes):
        return []
    found = {operation: OnFolder(operation) for operation in OPERATIONS}
    names = list(control.files)
    for number, name in enumerate(names):
        place = _place(number, len(names))
        _presence(found, control, name, place)
        if min(number, len(names) - 1 - number) < NAMES_OF // 2:
            _names(found, control, name, place)
        for other in names[number + 1 :]:
            _swap(found["swap-files"], control, name, other)
    return list(found.values())


def _place(number: int, count: int) -> str:
    """Which file it is, in words that stand for the same file of other controls."""
    if number == 0:
        return "the first file"
    return "the last file" if number == count - 1 else "a file between"


def _presence(found: Mapping[str, OnFolder], control: Control, name: str, place: str) -> None:
    found["remove-file"].add({name: None}, lambda d: d.remove_file(name), place)
    if control.files[name]:
        found["empty-file"].add({name: b""}, lambda d: d.truncate(0, name), place)
    others = [other for other in control.files if other != name]
    if len(others) > 1:

        def alone(damage: Damage) -> None:
            for other in others:
                damage.remove_file(other)

        found["keep-file"].add(dict.fromkeys(others), alone, place)


def _names(found: Mapping[str, OnFolder], control: Control, name: str, place: str) -> None:
    """The file under names that are nearly right, and other files beside it under them."""
    data = control.files[name]
    garbage = random.Random(f"{control.id}:{name}").randbytes(64)
    half = data[: len(data) // 2]
    beside = [(data, f"a copy of {name}"), (half, f"the first {len(half)} bytes of {name}"),
              (b"", "an empty file"), (garbage, "64 bytes of garbage")]  # fmt: skip
    for new, what in near_names(name):
        if new in control.files:
            continue
        if not _blocked(new, [other for other in control.files if other != name]):
            found["rename-file"].add(
                {name: None, new: data},
                lambda d, new=new: d.rename_file(name, new),  # type: ignore[misc]
                f"{place}, {what}",
            )
        if _blocked(new, control.files):
            continue
        for more, words in beside:
            found["add-file"].add(
                {new: more},
                lambda d, new=new, more=more, words=words: d.add_file(new, more, words),  # type: ignore[misc]
                f"a name like {place}, {what}",
            )


def _blocked(name: str, others: Mapping[str, bytes] | Sequence[str]) -> bool:
    """Whether a file of this name needs a folder where a file is, or the other way round."""
    return any(name.startswith(f"{o}/") or o.startswith(f"{name}/") for o in others)


def _swap(family: OnFolder, control: Control, one: str, other: str) -> None:
    first, second = control.files[one], control.files[other]
    if first != second:
        family.add({one: second, other: first}, lambda d: d.swap_files(one, other), "two files")


def near_names(name: str) -> list[tuple[str, str]]:
    """Names that differ a little from one, each with what is different, the first words win."""
    folder, base = posixpath.split(name)
    stem, dot, extension = base.rpartition(".")
    if not dot:
        stem, extension = base, ""
    found: dict[str, str] = {}

    def add(new: str, what: str) -> None:
        found.setdefault(posixpath.join(folder, new), what)

    for changed, what in _numbers(stem):
        add(f"{changed}{dot}{extension}", what)
    add(stem, "no extension")
    add(f"{stem}{dot}{extension.upper()}", "capitals")
    add(base.upper(), "capitals")
    for suffix in (".bak", "~", ".tmp", ".deleted", ".1", " "):
        add(base + suffix, "something after it")
    add(f"{stem}.dat", "another extension")
    add(f"{stem}{dot}{dot}{extension}", "two dots")
    for prefix in ("x", ".", " ", "-", "0"):
        add(prefix + base, "something in front")
    add(base[1:], "the first character gone")
    add(f"sub/{base}", "in a folder of its own")
    add(f"{base}/inner", "a folder of that name")
    if folder:
        parent, _ = posixpath.split(folder)
        found.setdefault(posixpath.join(parent, base), "one folder up")
        found.setdefault(base, "in the outermost folder")
        for changed, what in _numbers(folder):
            found.setdefault(posixpath.join(changed, base), f"folder: {what}")
    return [(new, what) for new, what in found.items() if new != name and _is_name(new)]


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    """A text with its last number written otherwise, or another number in its place."""
    runs = list(re.finditer(r"[0-9]+", text))
    if not runs:
        return
    run = runs[-1]
    digits, value = run[0], int(run[0])
    news = [
        (f"{value + 1:0{len(digits)}}", "the next number"),
        (f"{value + 2:0{len(digits)}}", "a number further on"),
        (f"{value - 1:0{len(digits)}}" if value else "1", "the number in front"),
        (f"0{digits}", "one zero more"),
        (digits.lstrip("0") or "0", "without zeros in front"),
        (digits[:-1], "a digit less"),
        (f"{digits}0", "a digit more"),
        (f"+{digits}", "a sign"),
        (f"-{digits}", "a sign"),
        ("", "no number"),
        (f"0x{digits}", "not decimal"),
        (f"{digits}a", "not decimal"),
        (digits.translate({48 + n: 0x660 + n for n in range(10)}), "digits that are not ASCII"),
        *((large, "a large number") for large in _LARGE),
    ]
    for new, what in news:
        yield text[: run.start()] + new + text[run.end() :], what


def _is_name(name: str) -> bool:
    return all(part not in ("", ".", "..") and len(part.encode()) < 250 for part in name.split("/"))
