"""What a reader is told with a log: its profile, and a context of the keys of the register."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.vectors import Vector
from reference_impl.answer import Record
from reference_impl.context import BadContext, check
from reference_impl.register import ContextKey, registers

PROFILES = ("recover", "strict")

FROM_VECTORS = 16
"""Values of one key that come from the vectors, at most."""

Context = Mapping[str, Any]

_EDGES = (0, 1, -1, 2**31, 2**63 - 1, 2**64 - 1)
_SIZES = (0, 1, 16, 512, 65536)


@dataclass(frozen=True)
class Setting:
    """One way of asking. ``varied`` names the keys that differ from the control's own context."""

    profile: str
    context: Context
    varied: tuple[str, ...] = ()


def settings(own: Context, others: Sequence[Context]) -> list[Setting]:
    """All settings of a control: its own context in both profiles, then each of the others."""
    return [
        Setting(profile, context, differing(own, context))
        for context in (own, *others)
        for profile in PROFILES
    ]


def differing(one: Context, other: Context) -> tuple[str, ...]:
    """Names of the keys that two contexts do not have in common, with their values."""
    return tuple(
        sorted(
            name
            for name in {*one, *other}
            if (name in one, one.get(name)) != (name in other, other.get(name))
        )
    )


def told(vectors: Iterable[Vector], format: str) -> dict[str, list[Any]]:
    """The values that the vectors of a format give to each key that a reader reads."""
    found: dict[str, list[Any]] = {name: [] for name in keys(format)}
    for vector in vectors:
        if vector.body["format"] == format:
            for name, value in vector.body.get("context", {}).items():
                if name in found and value not in found[name]:
                    found[name].append(value)
    return found


def keys(format: str) -> Mapping[str, ContextKey]:
    """The keys of the register that a reader looks at."""
    known = registers()[format].context
    return {name: key for name, key in known.items() if "read" in key.read_by}


def reads_any(format: str, context: Context) -> bool:
    """Whether a context says something to a reader, and not only to a writer."""
    return bool(set(context) & set(keys(format)))


def others(
    format: str,
    own: Context,
    files: Iterable[str],
    records: Sequence[Record],
    known: Mapping[str, Sequence[Any]],
) -> tuple[Context, ...]:
    """The contexts with one key of the control's own changed, added or left out.

    ``known`` are values from elsewhere (:func:`told`), by key.
    """
    found: list[Context] = []
    for name, key in keys(format).items():
        values = list(_values(key, list(files), records))
        more = known.get(name, ())
        values += more[:: -(-len(more) // FROM_VECTORS) or 1]
        if name in own:
            found.append({k: v for k, v in own.items() if k != name})
        for value in _distinct(values):
            if value == own.get(name, _NONE):
                continue
            context = {**own, name: value}
            try:
                check(format, context)
            except BadContext:
                continue
            found.append(context)
    return tuple(found)


_NONE = object()


def _distinct(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(type(value) is type(one) and value == one for one in found):
            found.append(value)
    return found


def _values(key: ContextKey, files: Sequence[str], records: Sequence[Record]) -> Iterator[Any]:
    """Values for a key, by its types: what is allowed, the edges, and what the log holds."""
    yield from key.values
    if key.default is not None:
        yield key.default
    if "boolean" in key.types:
        yield from (True, False)
    if "null" in key.types:
        yield None
    if "number" in key.types:
        near = _near(key.name, records)
        yield from (str(value) for value in near)
        yield from near[:1]  # once as a number, too
        yield from (str(value) for value in _EDGES)
    elif "integer" in key.types:
        yield from _SIZES
    if "text" in key.types and not key.values:
        yield from dict.fromkeys(part for name in files for part in _parts(name))
        yield "elsewhere"


def _near(name: str, records: Sequence[Record]) -> list[int]:
    """Numbers at and beside those of the records, of the field that the key is about."""
    found: list[int] = []
    for field in dict.fromkeys(field for record in records for field in record.fields):
        if not (name.endswith(field) or name == f"from_{field}"):
            continue
        all_of = [record.fields.get(field) for record in records]
        numbers = [int(v) for v in all_of if isinstance(v, int | str) and str(v).isdigit()]
        for value in numbers[len(numbers) // 2 :][:1] + numbers[-1:] + numbers[:1]:
            found += [value, value - 1, value + 1]
    return list(dict.fromkeys(found))


def _parts(name: str) -> Iterator[str]:
    """What a text may name of a file: its folder, its name, what stands in front of a number."""
    first, _, rest = name.partition("/")
    if rest:
        yield first
    yield name.rpartition("/")[2]
    stem = name.rpartition("-")[0]
    if stem:
        yield stem
