"""Choose the settings of requests: a profile and a context."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.vectors import Vector
from reference_impl.answer import Record
from reference_impl.context import BadContext, check
from reference_impl.register import ContextKey, registers

READING = ("recover", "strict")
PROFILES = (*READING, "append")

#: Maximum number of values that a context key takes from the vectors.
FROM_VECTORS = 16

Context = Mapping[str, Any]

_EDGES = (0, 1, -1, 2**31, 2**63 - 1, 2**64 - 1)
_SIZES = (0, 1, 16, 512, 65536)


@dataclass(frozen=True)
class Setting:
    """A profile and a context."""

    profile: str
    context: Context
    #: The keys whose values differ from those in the control's context.
    varied: tuple[str, ...] = ()

    @property
    def appends(self) -> bool:
        """Return whether the setting appends a record."""
        return self.profile == "append"


def settings_of(
    vectors: Collection[Vector], format: str, context: Context, records: Sequence[Record]
) -> list[Setting]:
    """Return all settings of a control, first for reading and then for appending.

    The first context is the control's own. The register and ``vectors`` provide the others. Without
    ``vectors``, there are no other contexts for reading.
    """
    contexts = _changed_contexts(vectors, format, context, records) if vectors else []
    reading = [
        Setting(profile, other, differing(context, other))
        for other in (context, *contexts)
        for profile in READING
    ]

    return [*reading, Setting("append", _appending_context(vectors, format, context))]


def simplest(settings: Sequence[Setting], like: Setting) -> int:
    """Return the number of the setting with the profile of ``like`` and an unchanged context."""
    return next(
        number
        for number, setting in enumerate(settings)
        if setting.profile == like.profile and not setting.varied
    )


def _appending_context(vectors: Iterable[Vector], format: str, context: Context) -> Context:
    """Return a control's context, plus the values that all append vectors have in common."""
    keys = registers()[format].context
    contexts = [v.body.get("context", {}) for v in vectors if v.operation == "append"]
    common = {
        key: value
        for key, value in (contexts[0] if contexts else {}).items()
        if all(key in other and other[key] == value for other in contexts)
    }
    own = {key: value for key, value in context.items() if "append" in keys[key].read_by}
    return common | own


def differing(context: Context, other: Context) -> tuple[str, ...]:
    """Return the keys in which two contexts differ."""
    return tuple(
        sorted(
            name
            for name in {*context, *other}
            if (name in context, context.get(name)) != (name in other, other.get(name))
        )
    )


def keys(format: str) -> Mapping[str, ContextKey]:
    """Return the context keys of the register that readers use."""
    keys_of_format = registers()[format].context
    return {name: key for name, key in keys_of_format.items() if "read" in key.read_by}


def reads_any(format: str, context: Context) -> bool:
    """Return whether a context has a key that readers use."""
    return bool(set(context) & set(keys(format)))


def _changed_contexts(
    vectors: Iterable[Vector], format: str, context: Context, records: Sequence[Record]
) -> list[Context]:
    others = [vector.body.get("context", {}) for vector in vectors]
    contexts: list[Context] = []
    for name, key in keys(format).items():
        known = _distinct(other[name] for other in others if name in other)
        values = list(_values(key, records))
        values += known[:: -(-len(known) // FROM_VECTORS) or 1]
        if name in context:
            contexts.append({k: v for k, v in context.items() if k != name})
        for value in _distinct(values):
            if value == context.get(name, _NONE):
                continue
            changed = {**context, name: value}
            with contextlib.suppress(BadContext):
                check(format, changed)
                contexts.append(changed)
    return contexts


_NONE = object()


def _distinct(values: Iterable[Any]) -> list[Any]:
    distinct: list[Any] = []
    for value in values:
        if not any(type(value) is type(other) and value == other for other in distinct):
            distinct.append(value)
    return distinct


def _values(key: ContextKey, records: Sequence[Record]) -> Iterator[Any]:
    """Yield values to try for a key of these types: allowed, extreme, and found in the log."""
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
        yield from near[:1]  # Try the first value as a number too.
        yield from (str(value) for value in _EDGES)
    elif "integer" in key.types:
        yield from _SIZES
    if "text" in key.types and not key.values:
        yield "elsewhere"


def _near(name: str, records: Sequence[Record]) -> list[int]:
    """Return numbers from the record field that the key refers to, and their neighbours."""
    near: list[int] = []
    for field in dict.fromkeys(field for record in records for field in record.fields):
        if not (name.endswith(field) or name == f"from_{field}"):
            continue
        all_of = [record.fields.get(field) for record in records]
        numbers = [int(v) for v in all_of if isinstance(v, int | str) and str(v).isdigit()]
        for value in numbers[len(numbers) // 2 :][:1] + numbers[-1:] + numbers[:1]:
            near += [value, value - 1, value + 1]
    return list(dict.fromkeys(near))
