"""What a reader is told with a log: its profile, and a context of the keys of the register."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from conformance.vectors import Vector
from reference_impl.answer import Record
from reference_impl.context import BadContext, check
from reference_impl.register import ContextKey, registers

READING, WRITING = ("recover", "strict"), ("write", "append")
PROFILES = (*READING, *WRITING)

FROM_VECTORS = 16
"""Values of one key that come from the vectors, at most."""

Context = Mapping[str, Any]

_EDGES = (0, 1, -1, 2**31, 2**63 - 1, 2**64 - 1)
_SIZES = (0, 1, 16, 512, 65536)


@dataclass(frozen=True)
class Setting:
    """One way of asking. ``varied`` names the keys that differ from the control's own context.

    ``plain`` asks to append one short record, and not a list made from a number.
    """

    profile: str
    context: Context
    varied: tuple[str, ...] = ()
    plain: bool = False

    @property
    def writes(self) -> bool:
        """Whether it asks to write or to append."""
        return self.profile in WRITING


def settings(
    own: Context,
    others: Sequence[Context],
    to_append: Sequence[Context] = ({},),
    to_write: Sequence[Context] = ({},),
) -> list[Setting]:
    """All settings of a control: its own context in both profiles of reading, then the others.

    After them come those of appending, the first twice, once with a plain record, and those of
    writing.
    """
    reading = [
        Setting(profile, context, differing(own, context))
        for context in (own, *others)
        for profile in READING
    ]
    appending = [
        Setting("append", context, differing(to_append[0], context)) for context in to_append
    ]
    writing = [Setting("write", context, differing(to_write[0], context)) for context in to_write]
    return [*reading, replace(appending[0], plain=True), *appending, *writing]


def simplest(settings: Sequence[Setting], like: Setting) -> list[int]:
    """Numbers of the settings of the same profile in a control's own context, simplest first."""
    return [
        number
        for number, one in enumerate(settings)
        if one.profile == like.profile and not one.varied
    ]


def writing_contexts(
    vectors: Iterable[Vector],
    format: str,
    operation: str,
    name: str,
    own: Context,
    near: Collection[str] = (),
    of_the_log: Collection[str] = (),
) -> tuple[Context, ...]:
    """What a writer is told: the contexts of the vectors that ask it for a log with this ending.

    The first of them is the simplest: what all vectors of the operation say alike, and what the
    control's ``own`` context says to this operation. Of the keys in ``near``, the numbers beside
    those of the vectors are told, too; of those ``of_the_log``, only what ``own`` says.
    """
    known = registers()[format].context
    asking = [v for v in vectors if v.body["format"] == format and v.operation == operation]
    told = [dict(vector.body.get("context", {})) for vector in asking]
    base = {
        key: value
        for key, value in (told[0] if told else {}).items()
        if all(key in one and one[key] == value for one in told)
    }
    base |= {key: value for key, value in own.items() if operation in known[key].read_by}
    alike = [
        {**base, **{key: value for key, value in context.items() if key not in of_the_log}}
        if operation == "append"
        else {**base, **context}
        for vector, context in zip(asking, told, strict=True)
        if vector.input.suffix == PurePath(name).suffix and not vector.body.get("must_refuse")
    ]
    found: list[Context] = [base] if operation == "append" or not alike else []
    for context in alike:
        found.append(context)
        for key, value in context.items():
            if key in near and isinstance(value, int):
                found += [{**context, key: value + 1}, {**context, key: value - 1}]
    return tuple(_distinct(found))


def differing(one: Context, other: Context) -> tuple[str, ...]:
    """Names of the keys that two contexts do not have in common, with their values."""
    return tuple(
        sorted(
            name
            for name in {*one, *other}
            if (name in one, one.get(name)) != (name in other, other.get(name))
        )
    )


def context_values(vectors: Iterable[Vector], format: str) -> dict[str, list[Any]]:
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

    ``known`` are values from elsewhere (:func:`context_values`), by key.
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
