"""How a path of a grammar, such as ``record.header.len_data``, is written in each language.

The first name is that of a variable. The example programs of all packages are made with this from
one description (``examples/``), so that all print the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.kaitai.types import class_name

_LENGTHS = {
    "python": "len({})", "go": "len({})", "cpp": "{}.size()", "rust": "{}.len()",
}  # fmt: skip
"""The number of bytes, where it is not the property ``length``."""

_CAMEL = ("go", "java", "javascript")


def lower_camel(name: str) -> str:
    """``len_data`` → lenData."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def spelled(language: str, path: str) -> str:
    """A path in one language. One that ends in ``.length`` is the number of bytes of a field."""
    if path.endswith(".length"):
        field = spelled(language, path.removesuffix(".length"))
        return _LENGTHS.get(language, "{}.length").format(field)
    variable, *names = path.split(".")
    return "".join([variable, *(_step(language, name) for name in names)])


def number(language: str, step: Mapping[str, str]) -> str:
    """The variable with the number of the element that a step goes through."""
    name = f"{step.get('name', '')}_number"
    return lower_camel(name) if language in _CAMEL else name


def _step(language: str, name: str) -> str:
    """One field or instance of an object, with what stands before it."""
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
