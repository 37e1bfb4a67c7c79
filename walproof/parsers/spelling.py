"""Write a path of a grammar, such as ``record.header.len_data``, in each language.

The first step of a path is a variable. The example programs of all languages are generated from one
description (``examples/``), so they print the same output.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.kaitai.types import class_name

#: Expressions for the number of bytes, if it is not the property ``length``.
_LENGTHS = {
    "python": "len({})", "go": "len({})", "cpp": "{}.size()", "rust": "{}.len()",
}  # fmt: skip

_CAMEL = ("go", "java", "javascript")


def lower_camel(name: str) -> str:
    """Convert ``len_data`` to ``lenData``."""
    first, *parts = name.split("_")
    return first + "".join(part.capitalize() for part in parts)


def spelled(language: str, path: str) -> str:
    """Return a path in one language; ``.length`` at its end is the number of bytes of a field."""
    if path.endswith(".length"):
        field = spelled(language, path.removesuffix(".length"))
        return _LENGTHS.get(language, "{}.length").format(field)
    variable, *names = path.split(".")
    return "".join([variable, *(_step(language, name) for name in names)])


def number(language: str, step: Mapping[str, str]) -> str:
    """Return the variable with the element number of a loop."""
    name = f"{step.get('name', '')}_number"
    return lower_camel(name) if language in _CAMEL else name


def _step(language: str, name: str) -> str:
    """Return the access to a field or instance of an object."""
    match language:
        case "java":
            return f".{lower_camel(name)}()"
        case "cpp":
            return f"->{name}()"
        case "rust":
            return f".{name}()"
        case "javascript":
            return f".{lower_camel(name)}"
        case "go":
            return f".{class_name(name)}"
        case _:
            return f".{name}"
