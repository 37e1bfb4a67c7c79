"""Check the context of a reader or writer against the format's register."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from reference_impl.register import ContextKey, registers

_DIGITS = re.compile(r"-?[0-9]{1,20}")
_HEX = re.compile(r"([0-9a-f]{2})*")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, Mapping),
    "list": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
    "text": lambda value: isinstance(value, str),
    "hex": lambda value: isinstance(value, str) and bool(_HEX.fullmatch(value)),
    "number": lambda value: (
        _is_integer(value) or (isinstance(value, str) and bool(_DIGITS.fullmatch(value)))
    ),
}


class BadContext(ValueError):
    """Raised if a context has an unknown key or an invalid value."""


def check(format: str, context: Mapping[str, Any]) -> None:
    """Raise :class:`BadContext` unless a reader or writer of the format accepts the context."""
    known = registers()[format].context
    for name, value in context.items():
        if name not in known:
            expected = f"expected {', '.join(known)}" if known else "the format has no context keys"
            raise BadContext(f"unknown context key {name!r} for {format}: {expected}")
        if not _fits(known[name], value):
            raise BadContext(f"{name}: expected {_expected(known[name])}, found {value!r}")


def _fits(key: ContextKey, value: Any) -> bool:
    if key.values and value in key.values:
        return True
    types = [type for type in key.types if not (type == "text" and key.values)]
    return any(_FITS[type](value) and (type != "integer" or _in(key, value)) for type in types)


def _in(key: ContextKey, value: int) -> bool:
    return key.range is None or key.range[0] <= value <= key.range[1]


def _expected(key: ContextKey) -> str:
    return " or ".join([*key.kinds(), *key.values])
