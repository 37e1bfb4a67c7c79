"""Write a path of a grammar, such as ``record.header.len_data``, in each language.

The first step of a path is a variable.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.kaitai.types import class_name

#: Access to a field or instance of an object, by language.
_STEPS = {
    "python": ".{name}", "java": ".{camel}()", "javascript": ".{camel}", "go": ".{type}",
    "cpp": "->{name}()", "rust": ".{name}()",
}  # fmt: skip
#: Expressions for the number of bytes, if it is not the property ``length``.
_LENGTHS = {
    "python": "len({})", "go": "len({})", "cpp": "{}.size()", "rust": "{}.len()",
}  # fmt: skip


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
    step = _STEPS[language].format
    return variable + "".join(
        step(name=name, camel=lower_camel(name), type=class_name(name)) for name in names
    )


def number(language: str, step: Mapping[str, str]) -> str:
    """Return the variable with the element number of a loop."""
    name = f"{step.get('name', '')}_number"
    return lower_camel(name) if language in ("go", "java", "javascript") else name
